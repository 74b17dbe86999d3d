//! Commands in a few words, for the timeline.

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
