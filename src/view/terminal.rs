//! The terminal: the lines that a person entered, with their output and their requests.
//!
//! While time stands still, a line that only reads is answered from the selected moment. It is no command of the run: time does not move, nothing forks, and
//! no link contains it. Any other line waits in a queue until time goes on.
//!
//! | file | what |
//! | --- | --- |
//! | `entering` | lines that are entered, and those that wait |
//! | `completing` | completion of the word at the cursor |

mod completing;
mod entering;

use crate::api::time::Time;
use crate::shell::Env;
use crate::sim::{Cluster, Console, Draft, Effect, INTERRUPTED, ProgramRequest, Stream};
use std::rc::Rc;
use std::sync::Arc;

/// The number of entries (lines with their output) that the terminal keeps; older ones are dropped.
const SHOWN: usize = 100;
/// The number of lines that the history keeps.
const REMEMBERED: usize = 500;
/// The most bytes of an entry's output; of a longer output, only the first lines and the end are shown.
const MOST_TEXT: usize = 60_000;
/// The number of first lines that are kept of a long output.
const HEAD_LINES: usize = 2;
/// The greatest number of characters that are kept of each of these first lines.
const LONGEST_HEAD: usize = 2_000;

/// A person's terminal: the lines that were entered, and the environment of the next one.
#[derive(Debug)]
pub struct Terminal {
    env: Env,
    entries: Vec<Entry>,
    /// Objects that `kubectl edit` has handed over, until the page takes them, each with the number of its program.
    drafts: Vec<(u64, Draft)>,
    /// The number of the program that handed over the object that is being edited.
    edits: Option<u64>,
    /// Lines that were entered while another one ran or while time stood still, and that run later.
    ahead: Vec<String>,
    /// All lines that were entered, including those that are no commands of the run.
    history: Vec<String>,
    /// The number of lines that were answered while time stood still.
    reads: u64,
    /// The state of the run that decides why lines wait.
    wait: Wait,
}

/// The state of the run that decides why a line waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Wait {
    /// Set if time stands still.
    is_still: bool,
    /// The number of steps after the selected moment; `None` if that is the newest.
    later: Option<u64>,
}

#[derive(Debug)]
struct Entry {
    source: Source,
    /// The environment of the shell in which the line was entered.
    env: Env,
    text: String,
    /// The number of the program's effects outside the cluster that the terminal has carried out.
    effects: usize,
    /// The numbers of the programs that finished what the line began, such as the second half of `kubectl edit`.
    follow_ups: Vec<u64>,
    /// The view of the entry, kept once its programs have ended, because it does not change after that.
    last: Option<Rc<EntryView>>,
}

/// The origin of an entry's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// A program of the run, by its number.
    Program(u64),
    /// The cluster at a moment at which time stood still; the line did not become a command of the run.
    Moment(Time),
}

/// The number from which on the ids of entries count that are no programs of the run.
const FIRST_READ: u64 = 1 << 52;

/// The terminal as the page shows it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TerminalView {
    /// The lines that were entered, oldest first.
    pub entries: Vec<Rc<EntryView>>,
    /// The prompt before the next line.
    pub prompt: String,
    /// Set while a program runs.
    pub busy: bool,
    /// The lines that wait to be run, in order.
    pub queued: Rc<Vec<String>>,
    /// A text about what the queued lines wait for; empty if there are none.
    pub queued_words: String,
}

/// A line that was entered in the terminal, with its output and the requests of its programs.
#[derive(Clone, Debug, PartialEq)]
pub struct EntryView {
    /// The id of the entry, by which the page tells entries apart.
    pub id: u64,
    /// The prompt before the entered line.
    pub prompt: String,
    /// The line that was entered.
    pub text: String,
    /// The output in pieces, each with its tone.
    pub pieces: Vec<(Tone, String)>,
    /// Set if the entry's program cleared the screen, including the entered line.
    pub cleared: bool,
    /// The exit code of the entry's last program; `None` while one runs.
    pub exit: Option<i32>,
    /// The requests that the entry's programs made.
    pub calls: Vec<CallView>,
    /// The moment from which the line was answered, in words, if the line is no command of the run; otherwise empty.
    pub remark: String,
}

/// The tone of a piece of output, which decides its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Plain output, or progress.
    Plain,
    /// A warning.
    Warning,
    /// The error message of a command that failed.
    Error,
}

/// A request to the API server that a command in the terminal made, as the page lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallView {
    /// The HTTP method: `GET`, `POST` …
    pub method: &'static str,
    /// The path and query of the request.
    pub url: String,
    /// The HTTP status code of the answer; `None` until it arrives.
    pub code: Option<u16>,
    /// The purpose of the request, in words, such as `to follow the log`.
    pub why: &'static str,
}

impl Default for Terminal {
    fn default() -> Self {
        let env = Env { namespace: "default".into(), width: 100, editor: true, ..Env::default() };
        Terminal {
            env,
            entries: Vec::new(),
            drafts: Vec::new(),
            edits: None,
            ahead: Vec::new(),
            history: Vec::new(),
            reads: 0,
            wait: Wait::default(),
        }
    }
}

impl Terminal {
    /// Returns the namespace that the next line works in by default.
    pub fn namespace(&self) -> &str {
        &self.env.namespace
    }
    /// Returns the environment in which the next line runs.
    pub fn env(&self) -> &Env {
        &self.env
    }
    /// Returns the lines that were entered, oldest first.
    pub fn history(&self) -> &[String] {
        &self.history
    }
    /// Takes the next object that `kubectl edit` has handed over, if there is one.
    pub fn take_draft(&mut self) -> Option<Draft> {
        if self.drafts.is_empty() {
            return None;
        }
        let (console, draft) = self.drafts.remove(0);
        self.edits = Some(console);
        Some(draft)
    }
    /// Drops the objects that wait to be edited.
    pub fn drop_drafts(&mut self) {
        self.drafts.clear();
    }
    /// Adds the program that saves an edited object to the entry of its `kubectl edit`.
    pub(super) fn follow_up(&mut self, draft: &Draft, console: u64) {
        // In a replayed run, nobody has taken the object.
        if let Some(place) = self.drafts.iter().position(|(_, waiting)| waiting == draft) {
            self.edits = Some(self.drafts.remove(place).0);
        }
        let edited = self.edits;
        if let Some(entry) = self.entries.iter_mut().find(|entry| entry.program().is_some() && entry.program() == edited) {
            entry.follow_ups.push(console);
            entry.last = None;
        }
    }
    /// Sets the text of a file that commands can read.
    pub fn set_file(&mut self, path: &str, text: &str) {
        let files = Arc::make_mut(&mut self.env.files);
        match files.iter_mut().find(|(known, _)| known == path) {
            Some((_, old)) => text.clone_into(old),
            None => files.push((path.to_owned(), text.to_owned())),
        }
    }
    /// Sets the width of the terminal, in characters.
    pub fn set_width(&mut self, width: usize) {
        self.env.width = width.clamp(20, 400);
    }
    /// Carries out the effects that commands have outside the cluster: namespace, files, variables, edits.
    pub fn settle(&mut self, cluster: &Cluster) {
        for i in 0..self.entries.len() {
            let entry = &self.entries[i];
            if entry.last.is_some() {
                continue;
            }
            let Some(console) = entry.console(cluster) else { continue };
            let news: Vec<Effect> = console.effects().skip(entry.effects).cloned().collect();
            self.entries[i].effects += news.len();
            let program = self.entries[i].program().unwrap_or_default();
            news.into_iter().for_each(|effect| self.take_hold(program, effect));
            let entry = &mut self.entries[i];
            if let Some(code) = entry.exit(cluster, console) {
                self.env.status = code;
                entry.last = Some(Rc::new(entry.view(cluster, console)));
            }
        }
    }
    /// Removes the entries after the moment at which a run forks, with their effects: they have never happened.
    pub(super) fn fork(&mut self, from: &Cluster) {
        let is_kept = |entry: &Entry| match entry.source {
            Source::Program(number) => number <= from.last_console(),
            Source::Moment(at) => at <= from.now,
        };
        let mut lost = self.entries.iter().filter(|entry| matches!(entry.source, Source::Program(_)) && !is_kept(entry));
        if let Some(first) = lost.next() {
            self.env = Env { history: self.env.history.clone(), ..first.env.clone() };
            // Lines that were to run after one that has never run are dropped.
            if first.last.is_none() || lost.any(|entry| entry.last.is_none()) {
                self.ahead.clear();
            }
        }
        self.entries.retain(is_kept);
        for entry in &mut self.entries {
            let known = entry.follow_ups.len();
            entry.follow_ups.retain(|console| *console <= from.last_console());
            if entry.follow_ups.len() < known {
                entry.last = None;
            }
        }
        self.drafts.clear();
    }
    fn take_hold(&mut self, console: u64, effect: Effect) {
        match effect {
            Effect::Namespace(namespace) => self.env.namespace = namespace,
            Effect::Write { path, text } => self.set_file(&path, &text),
            Effect::Edit(draft) => self.drafts.push((console, *draft)),
            Effect::Variable { name, value } => {
                let variables = Arc::make_mut(&mut self.env.variables);
                variables.retain(|(known, _)| *known != name);
                variables.extend(value.map(|value| (name, value)));
            }
            Effect::ClearScreen => {}
        }
    }
    /// Returns the number of the program that runs in the terminal, if one does.
    pub fn running(&self, cluster: &Cluster) -> Option<u64> {
        let last = self.entries.iter().rev().find_map(|entry| match entry.source {
            Source::Program(number) => Some(number),
            Source::Moment(_) => None,
        })?;
        cluster.console(last).filter(|c| c.exit().is_none()).map(|_| last)
    }
    /// Returns the terminal as the page shows it.
    pub fn view(&self, cluster: &Cluster) -> TerminalView {
        let shown = |entry: &Entry| {
            if let (Source::Moment(_), Some(answered)) = (entry.source, &entry.last) {
                return Some(answered.clone());
            }
            let console = entry.console(cluster)?;
            let ended = entry.exit(cluster, console).is_some();
            Some(entry.last.clone().filter(|_| ended).unwrap_or_else(|| Rc::new(entry.view(cluster, console))))
        };
        let mut entries: Vec<Rc<EntryView>> = self.entries.iter().filter_map(shown).collect();
        // The entry that cleared the screen is the first one on it.
        let first = entries.iter().rposition(|e| e.cleared).unwrap_or(0);
        entries.drain(..first);
        TerminalView {
            entries,
            prompt: Terminal::prompt(&self.env),
            busy: self.running(cluster).is_some(),
            queued: Rc::new(self.ahead.clone()),
            queued_words: if self.ahead.is_empty() { String::new() } else { self.wait.words() },
        }
    }
    fn push(&mut self, entry: Entry) {
        self.entries.push(entry);
        let over = self.entries.len().saturating_sub(SHOWN);
        self.entries.drain(..over);
    }
    fn prompt(env: &Env) -> String {
        format!("{} $", env.namespace)
    }
}

impl Wait {
    /// Returns a text about what a line waits for.
    fn words(self) -> String {
        match self {
            Wait { is_still: false, .. } => "queued: its turn comes after what runs now".to_owned(),
            Wait { later: None, .. } => "queued: time stands still; press play or step".to_owned(),
            Wait { later: Some(steps), .. } => {
                format!(
                    "queued: time stands still; press play or step. From here it starts a new branch; the {steps} later steps are kept as another"
                )
            }
        }
    }
}

impl Entry {
    /// Returns the number of the entry's program, if that is a program of the run.
    fn program(&self) -> Option<u64> {
        match self.source {
            Source::Program(number) => Some(number),
            Source::Moment(_) => None,
        }
    }
    /// Returns the entry's program, if it is one of the run and has been started by the selected moment.
    fn console<'a>(&self, cluster: &'a Cluster) -> Option<&'a Console> {
        match self.source {
            Source::Program(number) => cluster.console(number),
            Source::Moment(_) => None,
        }
    }
    /// Returns the programs that finished what the line began, as far as they have been started by the selected moment.
    fn follow_ups<'a>(&'a self, cluster: &'a Cluster) -> impl Iterator<Item = &'a Console> {
        self.follow_ups.iter().filter_map(|id| cluster.console(*id))
    }
    /// Returns the exit code of the last of the entry's programs; `None` while one of them runs, or has not been started.
    fn exit(&self, cluster: &Cluster, console: &Console) -> Option<i32> {
        let mut exit = console.exit()?;
        for id in &self.follow_ups {
            match cluster.console(*id) {
                Some(console) => exit = console.exit()?,
                None if *id > cluster.last_console() => return None,
                // The cluster has dropped the console of an old program.
                None => {}
            }
        }
        Some(exit)
    }
    fn view(&self, cluster: &Cluster, console: &Console) -> EntryView {
        let all = || std::iter::once(console).chain(self.follow_ups(cluster));
        let exit = all().last().and_then(Console::exit);
        let mut pieces = Vec::new();
        for (stream, text) in all().flat_map(|console| console.output().pieces().to_vec()) {
            match stream {
                Stream::Out => push(&mut pieces, Tone::Plain, &text),
                Stream::Err => toned(&mut pieces, &text, exit),
            }
        }
        cut(&mut pieces);
        let call = |c: &ProgramRequest| CallView { method: c.request.method(), url: c.request.url(), code: c.code, why: c.why };
        EntryView {
            id: match self.source {
                Source::Program(number) => number,
                Source::Moment(_) => 0,
            },
            prompt: Terminal::prompt(&self.env),
            text: self.text.clone(),
            pieces,
            cleared: console.output().is_cleared(),
            exit,
            calls: all().flat_map(|console| console.calls.iter().map(call)).collect(),
            remark: String::new(),
        }
    }
}

/// The beginnings by which error messages are recognised.
const ERRORS: [&str; 5] = ["error:", "Error from server", "Error:", "The connection to the server", "bash:"];

/// Adds a program's standard error line by line, each in its tone: error, warning or plain progress.
fn toned(pieces: &mut Vec<(Tone, String)>, text: &str, exit: Option<i32>) {
    let has_failed = exit.is_some_and(|code| code != 0 && code != INTERRUPTED);
    for line in text.split_inclusive('\n') {
        let tone = if line.to_ascii_lowercase().starts_with("warning:") {
            Tone::Warning
        } else if has_failed || ERRORS.iter().any(|start| line.starts_with(start)) {
            Tone::Error
        } else {
            Tone::Plain
        };
        push(pieces, tone, line);
    }
}

/// Adds a line to the history, unless it repeats the last one.
pub(super) fn remember(history: &mut Vec<String>, line: &str) {
    if history.last().is_none_or(|last| last != line) {
        history.push(line.to_owned());
    }
    let over = history.len().saturating_sub(REMEMBERED);
    history.drain(..over);
}

/// Cuts a long output: keeps the first lines, which have the column heads, and the end, and says between them how much is left out.
fn cut(pieces: &mut Vec<(Tone, String)>) {
    let length: usize = pieces.iter().map(|(_, text)| text.len()).sum();
    if length <= MOST_TEXT {
        return;
    }
    let whole = std::mem::take(pieces);
    let lines = |whole: &[(Tone, String)]| -> Vec<(Tone, String)> {
        whole.iter().flat_map(|(tone, text)| text.split_inclusive('\n').map(|line| (*tone, line.to_owned()))).collect()
    };
    let lines = lines(&whole);
    let (mut room, mut from) = (MOST_TEXT, lines.len());
    while let Some((_, line)) = from.checked_sub(1).and_then(|before| lines.get(before)).filter(|(_, line)| line.len() <= room) {
        room -= line.len();
        from -= 1;
    }
    let head = HEAD_LINES.min(from);
    for (tone, line) in &lines[..head] {
        let is_long = line.len() > LONGEST_HEAD;
        push(
            pieces,
            *tone,
            &line.chars().take(LONGEST_HEAD).chain(is_long.then_some("…\n").into_iter().flat_map(str::chars)).collect::<String>(),
        );
    }
    if from > head {
        push(pieces, Tone::Plain, &format!("[… {} lines are left out here …]\n", from - head));
    }
    lines[from..].iter().for_each(|(tone, line)| push(pieces, *tone, line));
}

/// Adds a text to the output: to the last piece if that has the same tone, otherwise as a new piece.
fn push(pieces: &mut Vec<(Tone, String)>, tone: Tone, text: &str) {
    match pieces.last_mut() {
        Some((last, so_far)) if *last == tone => so_far.push_str(text),
        _ => pieces.push((tone, text.to_owned())),
    }
}
