//! Commands in a few words: as marks of the timeline, and as something that a person did.

use crate::sim::Command;

/// Returns a command's title, and whether it breaks something.
pub(super) fn describe(command: &Command) -> (String, bool) {
    match command {
        Command::Run(program) => {
            let title = program.title();
            (title.strip_prefix("kubectl ").unwrap_or(&title).trim_end_matches(" -n default").to_owned(), false)
        }
        Command::Interrupt(_) => ("^C".to_owned(), false),
        Command::Extend(extension) => (extension.title(), false),
        Command::Fault(fault) => {
            let row = fault.row();
            (row.title, row.breaks)
        }
    }
}

/// Returns a command as something that a person did, to follow “you”.
pub(super) fn did(command: &Command) -> String {
    match command {
        Command::Run(program) => {
            let title = program.title();
            let title = title.trim_end_matches(" -n default");
            if title == "kubectl apply -f -" { "applied the manifest".to_owned() } else { format!("ran “{title}”") }
        }
        Command::Interrupt(_) => "interrupted a program".to_owned(),
        Command::Extend(extension) => format!("had the cluster {}", extension.title()),
        Command::Fault(fault) => fault.row().did,
    }
}
