//! `kubectl edit`, as two programs: one hands objects to the page's editor, the other ([`SaveEdit`]) sends the saved text. Counterpart:
//! `kubectl/pkg/cmd/util/editor`.
//!
//! Simplification: several objects are edited one by one, not as one list. After a refusal the page, not this program, opens the text again.

use super::errors::Stop;
use super::flags::{Args, Flag, OUTPUT, switch, takes, text};
use super::print::{DryRun, Output, report};
use super::resource::{self, Selection};
use super::{Cx, Failures, Run, run_program};
use crate::api::merge;
use crate::api::request::{Answer, PatchType, Payload, Request, Verb};
use crate::api::status::{Reason, Status, qualified_resource};
use crate::api::time::Time;
use crate::api::value::{Map, Value};
use crate::api::yaml;
use crate::sim::{Draft, Effect, Program, Progress, Reply, Start};
use std::any::Any;

const FLAGS: &[Flag] = &[
    text("filename").or('f'),
    switch("output-patch"),
    switch("recursive").or('R'),
    switch("save-config"),
    text("subresource"),
    takes("validate", super::flags::Takes::Maybe("strict")),
    switch("windows-line-endings"),
];

/// Runs `kubectl edit TYPE NAME`.
pub fn edit(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("edit", &[OUTPUT, FLAGS], words)?;
    if args.has_manifest() || args.text("subresource").is_some() {
        return Err(Stop::plain("this playground edits objects by type and name only"));
    }
    if args.words.is_empty() {
        return Err(resource::nothing_given());
    }
    let mut selection = Selection::of(cx, &args)?;
    let targets = resource::targets(&cx.env.kinds, &args.words)?;
    // A type without a name means all objects of that type.
    selection.all = targets.iter().all(|target| target.name.is_none());
    selection.check(&targets)?;
    let (mut failures, mut drafts) = (Failures::default(), Vec::new());
    for target in &targets {
        let read = selection.read(cx, target);
        for object in failures.keep(read)?.unwrap_or_default() {
            let original = yaml::emit(&Value::Map(object.to_map()));
            let (namespace, name) = (object.meta.namespace.clone(), object.meta.name.clone());
            drafts.push(Effect::Edit(Box::new(Draft { kind: object.kind(), namespace, name, original })));
        }
    }
    failures.finish()?;
    if drafts.is_empty() {
        return Err(Stop::plain("edit cancelled, no objects found"));
    }
    if !cx.env.editor {
        return Err(Stop::plain("this terminal has no editor; use kubectl patch, set or apply instead"));
    }
    cx.effects.extend(drafts);
    Ok(())
}

/// The program that sends an object after the person has saved it in the editor.
#[derive(Clone, Debug)]
pub struct SaveEdit {
    /// The object as it was handed to the editor.
    pub draft: Draft,
    /// The object's YAML as the person saved it.
    pub text: String,
}

impl Program for SaveEdit {
    fn run(&self, start: &Start, _now: Time, replies: &[Reply]) -> Progress {
        run_program(start, replies, |cx| self.save(cx))
    }
    fn title(&self) -> String {
        format!("kubectl edit {}/{}", resource::qualified(self.draft.kind), self.draft.name)
    }
    fn source(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

impl SaveEdit {
    fn save(&self, cx: &mut Cx) -> Run {
        let (old, new) = (yaml::parse(&self.draft.original), yaml::parse(&self.text));
        let same = match (&old, &new) {
            (Ok(old), Ok(new)) => old == new,
            _ => without_comments(&self.draft.original).eq(without_comments(&self.text)),
        };
        if same {
            cx.eprintln("Edit cancelled, no changes made.");
            return Ok(());
        }
        if without_comments(&self.text).all(|line| line.trim().is_empty()) {
            cx.eprintln("Edit cancelled, saved file was empty.");
            return Ok(());
        }
        let syntax = |why: &str| Stop::plain(format!("The edited file had a syntax error: {why}"));
        let new = new.map_err(|error| syntax(&format!("error parsing edited-file: {}", error.message)))?;
        let (Value::Map(new), Ok(Value::Map(old))) = (new, old) else {
            return Err(syntax("the file holds no object"));
        };
        self.check(&old, &new)?;
        let (kind, draft) = (self.draft.kind, &self.draft);
        let patch = merge::two_way(kind.row().schema, &old, &new);
        let mut request = Request::new(Verb::Patch, kind, draft.namespace.clone(), draft.name.clone());
        request.payload = Payload::Patch(PatchType::Strategic, Box::new(patch));
        match cx.try_request(request)? {
            Ok(Answer::Object { object, .. }) => report(cx, Output::Human, DryRun::None, kind, &object.to_map(), "edited")?,
            Ok(_) => {}
            Err(status) => {
                self.refused(cx, status);
                return Err(Stop::exit(1));
            }
        }
        Ok(())
    }

    /// Refuses an edit that changes the API version, kind, name or namespace of the object.
    fn check(&self, old: &Map, new: &Map) -> Result<(), Stop> {
        let name = |object: &Map| object.at(&["metadata", "name"]).cloned();
        if old.get("apiVersion") != new.get("apiVersion") || old.get("kind") != new.get("kind") || name(old) != name(new) {
            return Err(Stop::plain("At least one of apiVersion, kind and name was changed"));
        }
        let namespace = new.at(&["metadata", "namespace"]).and_then(Value::as_str).unwrap_or("");
        let own = &self.draft.namespace;
        if !own.is_empty() && !namespace.is_empty() && namespace != own {
            return Err(Stop::plain(format!(
                "the namespace from the provided object \"{namespace}\" does not match the namespace \"{own}\". You must pass '--namespace={namespace}' to perform this operation."
            )));
        }
        Ok(())
    }

    fn refused(&self, cx: &mut Cx, status: &Status) {
        let what = format!("{} \"{}\"", qualified_resource(self.draft.kind), self.draft.name);
        match status.reason {
            Reason::Invalid => {
                cx.eprintln(format!("error: {what} is invalid"));
                // The real client writes these lines at the top of the file when it opens the file again.
                cx.eprintln(format!("# {what} was not valid:"));
                for cause in &status.causes {
                    cx.eprintln(format!("# * {}: {}", cause.field, cause.message));
                }
            }
            Reason::NotFound => cx.eprintln(format!("error: {what} could not be found on the server")),
            _ => cx.eprintln(format!("error: {what} could not be patched: {}", status.message)),
        }
    }
}

/// Returns the lines that are not comments.
fn without_comments(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.trim_start().starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::super::tests::World;
    use super::*;

    fn draft(world: &mut World) -> Draft {
        assert_eq!(world.run("edit deployment/demo", ""), "0");
        match world.effects.as_slice() {
            [Effect::Edit(draft)] => (**draft).clone(),
            other => panic!("{other:?}"),
        }
    }

    fn save(world: &mut World, draft: &Draft, text: &str) -> String {
        let saved = SaveEdit { draft: draft.clone(), text: text.to_owned() };
        world.finish(saved)
    }

    #[test]
    fn what_was_changed_in_the_editor_is_sent() {
        let mut world = World::new();
        world.run("create deployment demo --image=nginx:1.25", "");
        let draft = draft(&mut world);
        assert!(draft.original.contains("replicas: 1"));
        let edited = format!("# a comment\n{}", draft.original.replace("replicas: 1", "replicas: 4").replace("nginx:1.25", "nginx:1.26"));
        world.run("label deployment demo live=yes", "");
        assert_eq!(save(&mut world, &draft, &edited), "deployment.apps/demo edited\n0");
        let path = "{.spec.replicas} {.spec.template.spec.containers[0].image} {.metadata.labels.live}";
        let shown = world.run(&format!("get deploy demo -o jsonpath='{path}'"), "");
        // Only the edited fields are sent, so the label that was set meanwhile stays.
        assert_eq!(shown, "4 nginx:1.26 yes0");
    }

    #[test]
    fn an_edit_that_changes_nothing_or_too_much_is_cancelled() {
        let mut world = World::new();
        world.run("create deployment demo --image=nginx:1.25", "");
        let draft = draft(&mut world);
        let text = draft.original.clone();
        for (edited, wanted) in [
            (format!("# only a comment\n{text}"), "Edit cancelled, no changes made.\n0"),
            ("# nothing\n\n".to_owned(), "Edit cancelled, saved file was empty.\n0"),
            (text.replace("name: demo\n", "name: other\n"), "error: At least one of apiVersion, kind and name was changed\n1"),
            (
                text.replace("replicas: 1", "replicas: -1"),
                "error: deployments.apps \"demo\" is invalid\n# deployments.apps \"demo\" was not valid:\n# * spec.replicas: Invalid value: -1: must be greater than or equal to 0\n1",
            ),
        ] {
            assert_eq!(save(&mut world, &draft, &edited), wanted);
        }
        assert!(save(&mut world, &draft, "a: [").starts_with("error: The edited file had a syntax error: "));
        world.run("delete deployment demo", "");
        let gone = "error: deployments.apps \"demo\" could not be found on the server\n1";
        assert_eq!(save(&mut world, &draft, &text.replace("replicas: 1", "replicas: 2")), gone);
    }

    #[test]
    fn what_is_not_there_cannot_be_edited() {
        let mut world = World::new();
        world.check(&[("edit deployment/nope", "Error from server (NotFound): deployments.apps \"nope\" not found\n1")]);
        let words = ["edit".to_owned(), "node/node-1".to_owned()].to_vec();
        let line = super::super::CommandLine { words, ..Default::default() };
        assert!(world.finish(line).starts_with("error: this terminal has no editor; "));
    }
}
