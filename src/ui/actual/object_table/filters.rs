//! The filters above the table of objects.

use crate::ui::dispatch::use_dispatch;
use crate::ui::widgets::{Finds, SearchBox, Toggle};
use loopscope::page::{Action, Select};
use loopscope::view::cluster::number;
use loopscope::view::object_table::ObjectTable;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct TableFiltersProps {
    pub table: Rc<ObjectTable>,
}

/// The choice of kind and namespace, a search field, and the number of objects shown.
#[component]
pub fn TableFilters(TableFiltersProps { table }: &TableFiltersProps) -> Html {
    let (dispatch, chosen) = (use_dispatch(), &table.selection);
    let kinds = table.kinds.clone();
    let fallback = chosen.kind;
    let onkind = dispatch.on_option(move |place| Select::TableKind(kinds.get(place).map_or(fallback, |(kind, _)| *kind)));
    let namespaces = table.namespaces.clone();
    // The first option stands for all namespaces.
    let onnamespace =
        dispatch.on_option(move |place| Select::TableNamespace(place.checked_sub(1).and_then(|place| namespaces.get(place)).cloned()));
    html! {
        <div class="filters">
            <select aria-label="Kind" onchange={onkind}>
                { for table.kinds.iter().map(|(kind, count)| html! {
                    <option selected={*kind == chosen.kind}>{ format!("{} ({})", kind.row().plural, number(*count)) }</option>
                }) }
            </select>
            if !table.namespaces.is_empty() {
                <select aria-label="Namespace" onchange={onnamespace}>
                    <option selected={chosen.namespace.is_none()}>{ "all namespaces" }</option>
                    <>{ for table.namespaces.iter().map(|name| html! {
                        <option selected={chosen.namespace.as_ref() == Some(name)}>{ name.to_string() }</option>
                    }) }</>
                </select>
            }
            <SearchBox finds={Finds::Objects} text={chosen.text.clone()} />
            <Toggle name="Wide" on={chosen.wide} action={Action::from(Select::ToggleWide)} />
            <Toggle name="Leases" on={chosen.leases} action={Action::from(Select::ToggleTableLeases)} />
        </div>
    }
}
