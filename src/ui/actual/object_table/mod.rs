//! All objects of a kind as a table with kubectl's columns. Arrow keys move among the rows, and single keys act on one.
//!
//! | file | what |
//! | --- | --- |
//! | `filters` | the kind, the namespace, the text |
//! | `head` | the columns, by which the rows are sorted |
//! | `row` | one object, with its keys |

mod filters;
mod head;
mod row;

use crate::ui::browser::focus::focused;
use crate::ui::widgets::focus;
use filters::TableFilters;
use head::TableHead;
use loopscope::view::object_table::{ObjectTable, TableRow};
use row::ObjectRow;
use std::rc::Rc;
use web_sys::Element;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct ObjectTableStageProps {
    pub table: Rc<ObjectTable>,
}

/// The table of all objects of a kind, with its filters.
#[component]
pub fn ObjectTableStage(ObjectTableStageProps { table }: &ObjectTableStageProps) -> Html {
    let body = use_node_ref();
    let (onfocusin, onfocusout) = use_kept_focus(&body, table);
    let row = |(place, row): (usize, &Rc<TableRow>)| {
        html! { <ObjectRow key={row.uid.0} row={row.clone()} is_current={place == table.current} /> }
    };
    let label = table.selection.kind.row().plural;
    html! {
        <div class="object-table">
            <TableFilters table={table.clone()} />
            <p class="keys soft">{ table.words() }<span class="key-help">{ ". ↑ ↓ move, Enter opens, l logs, y YAML, d describe, e edit, Delete deletes" }</span></p>
            if table.rows.is_empty() {
                <p class="empty">{ if table.selection.text.is_empty() { "There are none at this moment." } else { "No object fits." } }</p>
            } else {
                <div class="table-scroll">
                    <table role="grid" aria-label={label} aria-rowcount={(table.fitting + 1).to_string()}>
                        <TableHead columns={table.columns.clone()} sort={table.selection.sort.filter(|_| !table.is_unsorted)} />
                        <tbody ref={body} {onfocusin} {onfocusout}>{ for table.rows.iter().enumerate().map(row) }</tbody>
                    </table>
                </div>
            }
        </div>
    }
}

/// Gives the focus back to the current row after the row was removed or moved in the document, because both make it lose the focus.
#[hook]
fn use_kept_focus(body: &NodeRef, table: &Rc<ObjectTable>) -> (Callback<FocusEvent>, Callback<FocusEvent>) {
    let has_focus = use_mut_ref(|| false);
    let (drawn, kept) = (body.clone(), has_focus.clone());
    use_effect_with(table.clone(), move |table| {
        let is_lost = *kept.borrow() && focused().is_none_or(|element| element.tag_name() == "BODY");
        if let (true, Some(body)) = (is_lost, drawn.cast::<Element>()) {
            focus(body.children().item(table.current as u32));
        }
    });
    let left = has_focus.clone();
    let onfocusin = Callback::from(move |_: FocusEvent| *has_focus.borrow_mut() = true);
    // If the focus goes to no other element, it was lost together with its row.
    let onfocusout = Callback::from(move |event: FocusEvent| *left.borrow_mut() = event.related_target().is_none());
    (onfocusin, onfocusout)
}
