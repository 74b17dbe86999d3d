//! The spec or the status of an object, field by field. The two are separate: people and controllers write a spec, but people never write a status.

use crate::ui::widgets::WhyButton;
use loopscope::view::object::fields::Field;
use loopscope::view::object::overview::Section;
use yew::prelude::*;

/// Draws the spec or the status of an object. Fields beyond the first few unfold on demand. `by` is the text before the name of the last writer.
pub fn section(class: &'static str, title: &'static str, section: &Section, by: &'static str) -> Html {
    let (first, rest) = section.fields.split_at(section.first.min(section.fields.len()));
    html! {
        <section class={classes!("side-part", class)}>
            <h3>{ title }<span class="soft">{ " " }{ &section.name }</span></h3>
            <p class="by">{ by }{ &section.by }</p>
            if section.fields.is_empty() { <p class="soft">{ "nothing" }</p> }
            { rows(first) }
            if !rest.is_empty() { <details><summary>{ format!("{} more", rest.len()) }</summary>{ rows(rest) }</details> }
        </section>
    }
}

/// Draws a list of fields under the names of their groups.
fn rows(fields: &[Field]) -> Html {
    let mut group = "";
    let mut list: Vec<Html> = Vec::new();
    for field in fields {
        if field.group != group {
            list.push(html! { <li class="group" key={format!("in {}", field.path)}>{ &field.group }</li> });
        }
        group = &field.group;
        list.push(html! {
            <li key={field.path.clone()}>
                <span class="name">{ &field.name }</span><span class="value">{ &field.value }</span>
                <WhyButton field={field.path.clone()} name={field.path.clone()} />
            </li>
        });
    }
    html! { <ul class="fields">{ for list }</ul> }
}
