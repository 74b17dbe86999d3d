//! Objects by their names, and the actions that open, describe, edit, delete or break them.

use super::{Found, offered, run_effect};
use crate::api::kind::Kind;
use crate::page::action::{Action, Select, TerminalAction};
use crate::view::menus::{self, Effect, Thing};
use crate::view::object::ObjectTab;
use crate::view::{Run, Subject};

/// The most objects that are offered together with the actions on them.
const OBJECTS: usize = 12;
/// The most objects of a kind that are offered if the typed words name none.
const OF_A_KIND: usize = 6;

/// Words that name an action on an object and not the object itself.
const VERBS: &str = "open show logs log yaml yml edit describe delete remove history events get object kubectl \
    kill end container containers exit code scale up down to cordon uncordon drain evict crash power cut off freeze thaw restart start \
    stop break finalizers images image put on link heal slow slower lose refuse kubelet machine foreground orphan force grace file \
    probes network memory of the it its all with again node pod at once without";

fn is_verb(word: &str) -> bool {
    VERBS.split_whitespace().any(|verb| verb.starts_with(word))
}

impl Found {
    /// Adds the objects that the typed words name, or some of each kind if the words only name an action.
    pub(super) fn add_objects(&mut self, run: &Run) {
        let (verbs, names): (Vec<String>, Vec<String>) = self.words.iter().cloned().partition(|word| is_verb(word));
        let subjects = match names.is_empty() {
            true => {
                // A verb may still be the name of an object.
                let mut named = menus::find(run, &verbs.join(" "), OBJECTS);
                named.extend(menus::some_of_each_kind(run, OF_A_KIND));
                named
            }
            false => menus::find(run, &names.join(" "), OBJECTS),
        };
        for subject in &subjects {
            self.add_object(run, subject);
        }
    }
    /// Adds the actions on one object.
    pub(super) fn add_object(&mut self, run: &Run, subject: &Subject) {
        let title = Thing::Object(subject.clone()).title(run.cluster());
        let (row, name) = (subject.kind.row(), &subject.key.name);
        let keywords = format!("{} {} get kubectl", row.plural, row.singular);
        self.add(format!("Open {title}"), "object", &keywords, run_effect(Effect::Open(subject.clone())));
        let namespace = if row.namespaced { format!(" -n {}", subject.key.namespace) } else { String::new() };
        let terminal = |verb: &str, what: &str| -> Action { TerminalAction::Run(format!("kubectl {verb} {what}{name}{namespace}")).into() };
        let kind = format!("{} ", row.singular);
        if subject.kind == Kind::POD {
            let label = title.replacen("Pod ", "pod ", 1);
            self.add(format!("Logs of {label}"), "terminal", "log output print", terminal("logs", ""));
        }
        self.add(format!("YAML of {title}"), "object", &keywords, Select::OpenAt(subject.clone(), ObjectTab::Yaml).into());
        self.add(format!("Describe {title}"), "terminal", &keywords, terminal("describe", &kind));
        self.add(format!("Edit {title}"), "terminal", &format!("{keywords} change yaml"), terminal("edit", &kind));
        self.add(format!("History of {title}"), "object", &keywords, Select::OpenAt(subject.clone(), ObjectTab::History).into());
        self.add(format!("Events of {title}"), "object", &keywords, Select::OpenAt(subject.clone(), ObjectTab::Events).into());
        for entry in offered(menus::menu_entries(run, &Thing::Object(subject.clone()))) {
            let is_kubelet = subject.kind == Kind::NODE && ["Kubelet", "Its link to the API server"].contains(&entry.group);
            let title = if is_kubelet { format!("Kubelet of {name}") } else { title.clone() };
            let (hint, keywords) = (if entry.breaks { "breaks" } else { "" }, format!("{keywords} {}", entry.group));
            self.add(format!("{title}: {}", entry.label), hint, &keywords, run_effect(entry.effect));
        }
    }
}
