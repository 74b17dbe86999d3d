//! The header row of the table of objects.

use crate::ui::dispatch::use_dispatch;
use loopscope::page::Select;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct TableHeadProps {
    pub columns: Vec<String>,
    /// The index of the column by which the rows are sorted, and `true` for the reverse order.
    pub sort: Option<(usize, bool)>,
}

/// A button for each column, which sorts by it, and an empty column for menus.
#[component]
pub fn TableHead(TableHeadProps { columns, sort }: &TableHeadProps) -> Html {
    let dispatch = use_dispatch();
    let column = |(place, name): (usize, &String)| {
        let (order, arrow) = match sort {
            Some((sorted, false)) if *sorted == place => (Some("ascending"), " ↑"),
            Some((sorted, true)) if *sorted == place => (Some("descending"), " ↓"),
            _ => (None, ""),
        };
        html! {
            <th scope="col" aria-sort={order}>
                <button type="button" onclick={dispatch.on(Select::TableSort(place))}>{ name }<span aria-hidden="true">{ arrow }</span></button>
            </th>
        }
    };
    html! {
        <thead>
            <tr>{ for columns.iter().enumerate().map(column) }<th scope="col"><span class="hidden">{ "Menu" }</span></th></tr>
        </thead>
    }
}
