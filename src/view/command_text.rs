//! Commands in a few words: for the marks of the timeline, and as part of a sentence about a person.

use crate::kubectl::CommandLine;
use crate::sim::Command;

/// The maximum number of bytes of an applied manifest that are searched for the names of its objects, which the timeline shows.
const MOST_READ: usize = 20_000;

/// Returns the title of a command for the timeline, and whether the command breaks something.
pub fn describe(command: &Command) -> (String, bool) {
    match command {
        Command::Run(program) => {
            let applied = program.source().and_then(|source| source.downcast_ref::<CommandLine>()).and_then(applied);
            let title = applied.unwrap_or_else(|| program.title());
            (title.strip_prefix("kubectl ").unwrap_or(&title).trim_end_matches(" -n default").to_owned(), false)
        }
        Command::Interrupt(_) => ("^C".to_owned(), false),
        Command::Type(_, text) => (typed(text.as_deref()).to_owned(), false),
        Command::Extend(extension) => (extension.title(), false),
        Command::Fault(fault) => {
            let row = fault.row();
            (row.title, row.breaks)
        }
    }
}

/// Returns a command in the past tense, to follow “you”.
pub(super) fn did(command: &Command) -> String {
    match command {
        Command::Run(program) => {
            let title = program.title();
            let title = title.trim_end_matches(" -n default");
            if title == "kubectl apply -f -" { "applied the manifest".to_owned() } else { format!("ran “{title}”") }
        }
        Command::Interrupt(_) => "interrupted a program".to_owned(),
        Command::Type(_, text) => format!("typed “{}”", typed(text.as_deref())),
        Command::Extend(extension) => format!("had the cluster {}", extension.title()),
        Command::Fault(fault) => fault.row().did,
    }
}

/// Returns the text that a person typed into a container; `^D` if they closed its standard input instead (`None`).
pub(super) fn typed(text: Option<&str>) -> &str {
    text.unwrap_or("^D")
}

/// Names the objects that `kubectl apply -f -` applies: "apply ReplicaSet my-app". `None` for other commands, and for a text without objects.
fn applied(line: &CommandLine) -> Option<String> {
    if line.words != ["apply", "-f", "-"] {
        return None;
    }
    let text = line.stdin.get(..MOST_READ).unwrap_or(&line.stdin);
    let mut names = text.split("\n---").filter_map(object_name);
    let first = names.next()?;
    Some(match names.count() {
        0 => format!("apply {first}"),
        more => format!("apply {first} and {more} more"),
    })
}

/// Returns kind and name of the object in a document of a manifest. Reads single lines instead of parsing YAML, because the page makes the timeline with
/// every frame.
fn object_name(document: &str) -> Option<String> {
    let value = |line: &str| {
        let text = line.split(" #").next().unwrap_or(line).trim().trim_matches(['"', '\'']).to_owned();
        Some(text).filter(|text| !text.is_empty())
    };
    let kind = document.lines().find_map(|line| value(line.strip_prefix("kind:")?))?;
    let metadata = document.lines().skip_while(|line| !line.starts_with("metadata:")).skip(1);
    let name = metadata.take_while(|line| line.starts_with([' ', '#'])).find_map(|line| value(line.trim_start().strip_prefix("name:")?));
    Some(name.map_or_else(|| kind.clone(), |name| format!("{kind} {name}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn title(stdin: &str) -> Option<String> {
        let words = ["apply", "-f", "-"].map(str::to_owned).to_vec();
        applied(&CommandLine { words, stdin: stdin.to_owned(), namespace: "default".into(), files: Vec::new(), editor: false })
    }

    #[test]
    fn what_was_applied_is_named() {
        let set =
            "apiVersion: apps/v1\nkind: ReplicaSet # of pods\nmetadata:\n  labels:\n    a: b\n  name: \"web\"\nspec:\n  name: other\n";
        assert_eq!(title(set).as_deref(), Some("apply ReplicaSet web"));
        assert_eq!(title(&format!("{set}---\nkind: Service\n---\n")).as_deref(), Some("apply ReplicaSet web and 1 more"));
        assert_eq!(title("kind: Pod\nspec: {}\n").as_deref(), Some("apply Pod"));
        assert_eq!((title("[nonsense"), title("")), (None, None));
    }
}
