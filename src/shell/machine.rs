//! Runs a line: a stack of what is under way, from the whole list of commands down to the program that waits for an answer.
//!
//! All answers that a machine gets belong to the one program it runs. When that has ended and another is to begin, the machine becomes a new
//! one, which has heard nothing yet; so nothing is run twice but the program that waits.

use super::Env;
use super::builtin;
use super::expand::{Expansion, Stop};
use super::filters::{self, Filter};
use super::syntax::{self, Body, Command, Join, List, Redirect};
use crate::api::time::{Span, Time};
use crate::kubectl::CommandLine;
use crate::sim::{Effect, Next, Output, Program, Progress, Question, Reply, Stream};
use std::collections::VecDeque;
use std::sync::Arc;

/// A line under way.
#[derive(Clone, Debug)]
pub struct Machine {
    title: Arc<str>,
    env: Env,
    frames: Vec<Frame>,
    /// Steps since time last passed.
    idle: usize,
}

/// Something under way. What lies above it on the stack belongs to it.
#[derive(Clone, Debug)]
enum Frame {
    List {
        items: List,
        at: usize,
    },
    /// A pipeline whose words are being filled in, with the results of its substituted commands.
    Words {
        commands: Arc<[Command]>,
        not: bool,
        results: Vec<String>,
    },
    /// A pipeline whose words are known; `input` is what the next stage reads.
    Stages {
        stages: Arc<[Stage]>,
        not: bool,
        at: usize,
        input: Option<String>,
    },
    /// What is written above goes through filters.
    Through {
        filters: Vec<Tap>,
        to: Sink,
        errors: Sink,
    },
    /// A substituted command and what it has written.
    Capture(String),
    Run(Arc<dyn Program>),
    For {
        name: String,
        values: VecDeque<String>,
        body: List,
    },
    While {
        test: List,
        body: List,
        until: bool,
        testing: bool,
    },
    If {
        arms: VecDeque<(List, List)>,
        other: Option<List>,
        tested: Option<List>,
    },
    Watch {
        list: List,
        title: String,
        period: Span,
        shown: Option<String>,
    },
    Xargs {
        queue: VecDeque<Vec<String>>,
        code: i32,
        first: bool,
    },
    Clear,
}

/// A filter, and files into which `tee` copies what comes out of it.
#[derive(Clone, Debug)]
struct Tap {
    filter: Filter,
    copies: Vec<String>,
}

/// Where text goes.
#[derive(Clone, Debug, PartialEq)]
enum Sink {
    /// To whatever lies below.
    Down,
    /// Into the next stage.
    Next,
    File {
        path: String,
        append: bool,
    },
    Null,
    /// To where the other stream goes.
    Other,
}

/// A command of a pipeline with its words filled in.
#[derive(Clone, Debug)]
struct Stage {
    work: Work,
    input: Option<String>,
    out: Sink,
    errors: Sink,
}

#[derive(Clone, Debug)]
enum Work {
    Words(Vec<String>),
    Assign(Vec<(String, String)>),
    Frame(Box<Frame>),
    Fail(String, i32),
}

/// A line that takes more steps than this without any time passing goes round in circles.
const MAX_STEPS: usize = 20_000;
/// A line that writes more than this at once is stopped.
const MAX_BYTES: usize = 8 << 20;

impl Machine {
    /// A line that has not begun.
    pub fn new(text: &str, env: Env) -> Machine {
        let (items, _) = syntax::read(text);
        Machine { title: text.into(), env, frames: vec![Frame::List { items, at: 0 }], idle: 0 }
    }
}

impl Program for Machine {
    fn run(&self, started: Time, now: Time, replies: &[Reply]) -> Progress {
        let (output, effects) = Default::default();
        Run { m: self.clone(), started, clock: started, now, replies, output, effects, ran: false, bytes: 0 }.go()
    }
    fn title(&self) -> String {
        self.title.to_string()
    }
}

/// One run of a machine.
struct Run<'a> {
    m: Machine,
    started: Time,
    /// The time for what is done now: until its program has been run, the machine lives in the past.
    clock: Time,
    now: Time,
    replies: &'a [Reply],
    output: Output,
    effects: Vec<Effect>,
    /// Whether the program that the answers belong to has been run.
    ran: bool,
    bytes: usize,
}

impl Run<'_> {
    fn go(mut self) -> Progress {
        if !self.replies.is_empty() {
            self.m.idle = 0;
        }
        let next = loop {
            let Some(frame) = self.m.frames.pop() else { break Next::Exit(self.m.env.status) };
            self.m.idle += 1;
            if self.m.idle > MAX_STEPS || self.bytes > MAX_BYTES {
                let why = if self.bytes > MAX_BYTES { "writes too much" } else { "goes round and round while no time passes" };
                self.m.frames.clear();
                self.emit(Stream::Err, &format!("bash: this {why}; it was stopped\n"));
                break Next::Exit(1);
            }
            if let Some(next) = self.step(frame) {
                break next;
            }
        };
        Progress { output: self.output, effects: self.effects, next }
    }
    fn push(&mut self, frame: Frame) {
        self.m.frames.push(frame);
    }
    fn list(&mut self, items: List) {
        self.push(Frame::List { items, at: 0 });
    }
    /// Begins anew: what was written stays, and answers are counted from here.
    fn again(&mut self, frame: Frame) -> Option<Next> {
        self.push(frame);
        let idle = self.m.idle;
        Some(Next::Become(Arc::new(Machine { idle, ..self.m.clone() })))
    }
    fn step(&mut self, frame: Frame) -> Option<Next> {
        match frame {
            Frame::List { items, at } => {
                let item = items.get(at)?;
                let commands = item.commands.clone();
                let (not, run) = (item.not, item.join == Join::Always || (item.join == Join::And) == (self.m.env.status == 0));
                self.push(Frame::List { items, at: at + 1 });
                if run {
                    self.push(Frame::Words { commands, not, results: Vec::new() });
                }
            }
            Frame::Words { commands, not, results } => self.fill_in(commands, not, results),
            Frame::Stages { stages, not, at, input } if at < stages.len() => self.segment(stages, not, at, input),
            Frame::Stages { not: true, .. } => self.m.env.status = i32::from(self.m.env.status == 0),
            Frame::Stages { .. } => {}
            Frame::Through { filters, to, errors } => self.end_of_pipe(filters, to, errors),
            Frame::Capture(text) => {
                if let Some(Frame::Words { results, .. }) = self.m.frames.last_mut() {
                    results.push(text.trim_end_matches('\n').to_owned());
                }
            }
            Frame::Run(program) if self.ran => return self.again(Frame::Run(program)),
            Frame::Run(program) => return self.program(program),
            Frame::Clear if self.ran || !self.output.pieces().is_empty() => return self.again(Frame::Clear),
            Frame::Clear => self.effects.push(Effect::ClearScreen),
            Frame::Watch { shown: Some(_), .. } if self.ran || !self.output.pieces().is_empty() => return self.again(frame),
            Frame::Watch { list, title, period, shown: Some(text) } => {
                self.effects.push(Effect::ClearScreen);
                let header = builtin::watch_header(&title, period, self.clock, self.m.env.width);
                self.emit(Stream::Out, &(header + &text));
                self.push(Frame::Watch { list, title, period, shown: None });
                self.push(Frame::Run(Arc::new(Sleep(period))));
            }
            Frame::Watch { list, title, period, shown: None } => {
                self.push(Frame::Watch { list: list.clone(), title, period, shown: Some(String::new()) });
                self.list(list);
            }
            frame => self.branch(frame),
        }
        None
    }
    /// Loops and choices.
    fn branch(&mut self, frame: Frame) {
        if !matches!(frame, Frame::Xargs { .. })
            && let Some(at) = self.broken()
        {
            self.m.frames.truncate(at + 1);
            return;
        }
        match frame {
            Frame::For { name, mut values, body } => {
                if let Some(value) = values.pop_front() {
                    self.set(&name, Some(value));
                    self.push(Frame::For { name, values, body: body.clone() });
                    self.list(body);
                }
            }
            Frame::While { test, body, until, testing: false } => {
                self.push(Frame::While { test: test.clone(), body, until, testing: true });
                self.list(test);
            }
            Frame::While { test, body, until, .. } => {
                if (self.m.env.status == 0) != until {
                    self.push(Frame::While { test, body: body.clone(), until, testing: false });
                    self.list(body);
                } else {
                    self.m.env.status = 0;
                }
            }
            Frame::If { mut arms, other, tested } => {
                if let Some(body) = tested.filter(|_| self.m.env.status == 0) {
                    return self.list(body);
                }
                self.m.env.status = 0;
                match (arms.pop_front(), other) {
                    (Some((test, body)), other) => {
                        self.push(Frame::If { arms, other, tested: Some(body) });
                        self.list(test);
                    }
                    (None, Some(other)) => self.list(other),
                    (None, None) => {}
                }
            }
            Frame::Xargs { mut queue, mut code, first } => {
                if !first && self.m.env.status != 0 {
                    code = 123;
                }
                match queue.pop_front() {
                    Some(words) => {
                        self.push(Frame::Xargs { queue, code, first: false });
                        self.start(words, Some(String::new()));
                    }
                    None => self.m.env.status = code,
                }
            }
            _ => {}
        }
    }
    fn program(&mut self, program: Arc<dyn Program>) -> Option<Next> {
        (self.ran, self.clock) = (true, self.now);
        let progress = program.run(self.started, self.now, self.replies);
        self.push(Frame::Run(program));
        for effect in progress.effects {
            match &effect {
                Effect::Namespace(name) => self.m.env.namespace = name.clone(),
                Effect::Write { path, text } => self.write(path, text, false),
                _ => {}
            }
            self.effects.push(effect);
        }
        for (stream, text) in progress.output.pieces() {
            // Nobody reads any more what it writes.
            if let Some(at) = self.broken() {
                self.m.frames.truncate(at + 1);
                return None;
            }
            self.emit(*stream, text);
        }
        match (progress.next, self.broken()) {
            (Next::Ask(question), None) => return Some(Next::Ask(question)),
            (Next::Ask(question @ Question::Request { .. }), _) => return Some(Next::Ask(question)),
            // It would wait, and nobody waits for it.
            (Next::Ask(_) | Next::Become(_), Some(at)) => self.m.frames.truncate(at + 1),
            (Next::Become(program), None) => {
                self.m.frames.pop();
                return self.again(Frame::Run(program));
            }
            (Next::Exit(code), _) => {
                self.m.frames.pop();
                self.m.env.status = code;
            }
        }
        None
    }
    /// The pipe on the stack whose reader has seen enough.
    fn broken(&self) -> Option<usize> {
        let done = |frame: &Frame| matches!(frame, Frame::Through { filters, .. } if filters.iter().any(|tap| tap.filter.is_done()));
        self.m.frames.iter().position(done)
    }
    /// Writes: through the pipes on the stack, into what captures it, or to the terminal.
    fn emit(&mut self, mut stream: Stream, text: &str) {
        let mut text = text.to_owned();
        let mut files: Vec<(String, String)> = Vec::new();
        let mut shown = true;
        let mut frames = self.m.frames.iter_mut().rev().peekable();
        while let Some(frame) = frames.next() {
            if text.is_empty() {
                break;
            }
            self.bytes += text.len();
            match frame {
                Frame::Capture(kept) if stream == Stream::Out => {
                    kept.push_str(&text);
                    shown = false;
                }
                Frame::Watch { shown: Some(kept), .. } => {
                    kept.push_str(&text);
                    shown = false;
                }
                Frame::Through { filters, to, errors } => {
                    let sink = if stream == Stream::Err { &*errors } else { &*to };
                    let mut sink = sink.clone();
                    if stream == Stream::Err && sink == Sink::Other {
                        (stream, sink) = (Stream::Out, to.clone());
                    } else if sink == Sink::Other {
                        (stream, sink) = (Stream::Err, Sink::Down);
                    }
                    if stream == Stream::Out {
                        for tap in filters {
                            text = tap.filter.feed(&text);
                            files.extend(tap.copies.iter().map(|path| (path.clone(), text.clone())));
                        }
                    }
                    match sink {
                        Sink::Down | Sink::Other => continue,
                        Sink::Next => {
                            if let Some(Frame::Stages { input, .. }) = frames.peek_mut() {
                                input.get_or_insert_default().push_str(&text);
                            }
                        }
                        Sink::File { path, .. } => files.push((path, text.clone())),
                        Sink::Null => {}
                    }
                    shown = false;
                }
                _ => continue,
            }
            break;
        }
        for (path, text) in files {
            self.write(&path, &text, true);
        }
        if shown && !text.is_empty() {
            self.bytes += text.len();
            self.output.write(stream, &text);
        }
    }
    fn end_of_pipe(&mut self, mut filters: Vec<Tap>, to: Sink, errors: Sink) {
        let mut paths: Vec<String> = Vec::new();
        while !filters.is_empty() {
            let mut tap = filters.remove(0);
            let (text, code) = tap.filter.end();
            for path in tap.copies {
                self.write(&path, &text, true);
                paths.push(path);
            }
            self.m.env.status = code;
            self.push(Frame::Through { filters, to: to.clone(), errors: errors.clone() });
            self.emit(Stream::Out, &text);
            let Some(Frame::Through { filters: rest, .. }) = self.m.frames.pop() else { return };
            filters = rest;
        }
        for sink in [to, errors] {
            if let Sink::File { path, .. } = sink {
                paths.push(path);
            }
        }
        for path in paths {
            let text = self.file(&path).unwrap_or_default();
            self.effects.push(Effect::Write { path, text });
        }
    }
    fn fill_in(&mut self, commands: Arc<[Command]>, not: bool, results: Vec<String>) {
        let status = self.m.env.status.to_string();
        let env = &self.m.env;
        let mut expansion = Expansion { variables: &env.variables, files: &env.files, status: &status, results: &results };
        let stages: Result<Vec<Stage>, Stop> = commands.iter().map(|command| stage(command, &mut expansion, env)).collect();
        match stages {
            Ok(stages) => self.push(Frame::Stages { stages: stages.into(), not, at: 0, input: None }),
            Err(Stop::Run(list)) => {
                self.push(Frame::Words { commands, not, results });
                self.push(Frame::Capture(String::new()));
                self.list(list);
            }
            Err(Stop::TooLong) => {
                self.emit(Stream::Err, "bash: Argument list too long\n");
                self.m.env.status = 126;
            }
        }
    }
    /// Starts the next command of a pipeline together with the filters that follow it.
    fn segment(&mut self, stages: Arc<[Stage]>, not: bool, at: usize, input: Option<String>) {
        let Some(source) = stages.get(at) else { return };
        let (mut last, mut end) = (source, at + 1);
        let mut taps = Vec::new();
        let mut complaints = String::new();
        while let Some(stage) = stages.get(end).filter(|_| last.out == Sink::Down) {
            let Work::Words(words) = &stage.work else { break };
            if stage.input.is_some() {
                break;
            }
            let Some(tap) = tap(words, &mut complaints) else { break };
            taps.push(tap);
            (last, end) = (stage, end + 1);
        }
        let to = if last.out == Sink::Down && end < stages.len() { Sink::Next } else { last.out.clone() };
        let errors = source.errors.clone();
        for sink in [&to, &errors] {
            if let Sink::File { path, append: false } = sink {
                self.write(path, "", false);
            }
        }
        for path in taps.iter().flat_map(|tap| &tap.copies) {
            self.write(path, "", false);
        }
        let next = (end < stages.len()).then(String::new);
        let (work, input) = (source.work.clone(), source.input.clone().or(input));
        self.push(Frame::Stages { stages, not, at: end, input: next });
        self.emit(Stream::Err, &complaints);
        self.push(Frame::Through { filters: taps, to, errors });
        match work {
            Work::Words(words) => self.start(words, input),
            Work::Assign(all) => {
                self.m.env.status = 0;
                all.into_iter().for_each(|(name, value)| self.set(&name, Some(value)));
            }
            Work::Frame(frame) => {
                self.m.env.status = 0;
                self.push(*frame);
            }
            Work::Fail(message, code) => {
                self.m.env.status = code;
                self.emit(Stream::Err, &message);
            }
        }
    }
    /// Starts a command whose words are known.
    fn start(&mut self, words: Vec<String>, input: Option<String>) {
        let Some((name, args)) = words.split_first() else {
            self.m.env.status = 0;
            return;
        };
        match name.as_str() {
            "kubectl" | "k" => {
                let env = &self.m.env;
                let mut files = env.files.to_vec();
                for path in args.iter().filter(|arg| arg.starts_with("./")) {
                    files.extend(read_file(env, path).map(|text| (path.clone(), text)));
                }
                let command = CommandLine {
                    words: args.to_vec(),
                    stdin: input.unwrap_or_default(),
                    namespace: env.namespace.clone(),
                    files,
                    editor: env.editor,
                };
                return self.push(Frame::Run(Arc::new(command)));
            }
            "exit" | "logout" => {
                self.m.env.status = args.first().and_then(|code| code.parse().ok()).unwrap_or(self.m.env.status);
                self.emit(Stream::Err, "exit: the terminal stays open\n");
                return self.m.frames.clear();
            }
            "break" | "continue" => {
                let inner = self.m.frames.iter().rposition(|frame| matches!(frame, Frame::For { .. } | Frame::While { .. }));
                self.m.frames.truncate(inner.map_or(self.m.frames.len(), |at| at + usize::from(name == "continue")));
                self.m.env.status = 0;
                return;
            }
            "clear" | "reset" => {
                self.m.env.status = 0;
                return self.push(Frame::Clear);
            }
            _ => {}
        }
        let frame = match name.as_str() {
            "sleep" => Some(builtin::sleep(args).map(|span| Frame::Run(Arc::new(Sleep(span))))),
            "watch" => Some(builtin::watch(args).map(|(period, title)| {
                let (list, _) = syntax::read(&title);
                Frame::Watch { list, title, period, shown: None }
            })),
            "xargs" => {
                let queue = builtin::xargs(args, input.as_deref().unwrap_or(""));
                Some(queue.map(|queue| Frame::Xargs { queue: queue.into(), code: 0, first: true }))
            }
            _ => None,
        };
        match frame {
            Some(Ok(frame)) => self.push(frame),
            Some(Err(why)) => self.finish("", &format!("{name}: {why}\n"), 1),
            None => self.at_once(name, args, input),
        }
    }
    /// Commands that take no time.
    fn at_once(&mut self, name: &str, args: &[String], input: Option<String>) {
        let mut complaints = String::new();
        if let Some(Tap { mut filter, copies }) = tap_of_files(name, args, &mut complaints, input.is_some(), &self.m.env) {
            let input = input.unwrap_or_default();
            let mut text = String::new();
            if complaints.is_empty() {
                text = filter.feed(&input);
            }
            let (rest, mut code) = filter.end();
            text.push_str(&rest);
            for path in copies {
                self.write(&path, &text, false);
                self.effects.push(Effect::Write { path, text: text.clone() });
            }
            if !complaints.is_empty() && code == 0 {
                code = 1;
            }
            return self.finish(&text, &complaints, code);
        }
        let Some(done) = builtin::run(name, args, &self.m.env, self.clock) else {
            return self.finish("", &format!("bash: {name}: command not found\n"), 127);
        };
        done.set.iter().for_each(|(name, value)| self.set(name, value.clone()));
        self.finish(&done.out, &done.err, done.code);
    }
    fn finish(&mut self, out: &str, err: &str, code: i32) {
        self.emit(Stream::Out, out);
        self.emit(Stream::Err, err);
        self.m.env.status = code;
    }
    fn set(&mut self, name: &str, value: Option<String>) {
        let variables = Arc::make_mut(&mut self.m.env.variables);
        variables.retain(|(n, _)| n != name);
        variables.extend(value.clone().map(|value| (name.to_owned(), value)));
        self.effects.push(Effect::Variable { name: name.to_owned(), value });
    }
    fn file(&self, path: &str) -> Option<String> {
        read_file(&self.m.env, path)
    }
    fn write(&mut self, path: &str, text: &str, append: bool) {
        let files = Arc::make_mut(&mut self.m.env.files);
        let path = plain_path(path);
        match files.iter_mut().find(|(name, _)| name == path) {
            Some((_, old)) if append => old.push_str(text),
            Some((_, old)) => *old = text.to_owned(),
            None => files.push((path.to_owned(), text.to_owned())),
        }
    }
}

/// A path without `./`.
fn plain_path(path: &str) -> &str {
    path.strip_prefix("./").unwrap_or(path)
}

fn read_file(env: &Env, path: &str) -> Option<String> {
    let path = plain_path(path);
    if path == "/dev/null" {
        return Some(String::new());
    }
    env.files.iter().find(|(name, _)| name == path).map(|(_, text)| text.clone())
}

/// A filter for a pipe; `None` if these words are none, or read files instead.
fn tap(words: &[String], complaints: &mut String) -> Option<Tap> {
    let (name, args) = words.split_first()?;
    if name == "tee" {
        let made = filters::make("cat", &[])?.ok()?;
        let copies = args.iter().filter(|arg| !arg.starts_with('-')).map(|path| plain_path(path).to_owned()).collect();
        return Some(Tap { filter: made.filter, copies });
    }
    match filters::make(name, args)? {
        Ok(made) if made.files.iter().all(|file| file == "-") => Some(Tap { filter: made.filter, copies: Vec::new() }),
        Ok(_) => None,
        Err((why, code)) => {
            complaints.push_str(&why);
            Some(Tap { filter: Filter::said(String::new(), code), copies: Vec::new() })
        }
    }
}

/// A filter at the head of a pipe: it has been fed its files, or is to be fed what is piped into it.
fn tap_of_files(name: &str, args: &[String], complaints: &mut String, piped: bool, env: &Env) -> Option<Tap> {
    let files = match filters::make(name, args) {
        Some(Ok(made)) if made.files.iter().any(|file| file != "-") => Some(made),
        _ => None,
    };
    let Some(mut made) = files else {
        let words: Vec<String> = std::iter::once(name.to_owned()).chain(args.iter().cloned()).collect();
        let tap = tap(&words, complaints)?;
        let idle = (name == "awk" && args.iter().any(|arg| arg.trim_start().starts_with("BEGIN"))) || tap.filter.is_done();
        if !piped && !idle {
            complaints.push_str(&format!("{name}: reads a pipe or a file here, not the keyboard: write COMMAND | {name} …\n"));
            return Some(Tap { filter: Filter::said(String::new(), 2), copies: Vec::new() });
        }
        return Some(tap);
    };
    let mut out = String::new();
    for file in &made.files {
        match read_file(env, file) {
            Some(text) => out.push_str(&made.filter.feed(&text)),
            None => complaints.push_str(&format!("{name}: {file}: No such file or directory\n")),
        }
    }
    let (rest, code) = made.filter.end();
    out.push_str(&rest);
    if let ("wc", [file]) = (name, made.files.as_slice())
        && complaints.is_empty()
    {
        out = format!("{} {file}\n", out.trim_end());
    }
    Some(Tap { filter: Filter::said(out, if complaints.is_empty() { code } else { code.max(1) }), copies: Vec::new() })
}

fn sink(path: String, append: bool) -> Sink {
    match path.as_str() {
        "/dev/null" => Sink::Null,
        _ => Sink::File { path: plain_path(&path).to_owned(), append },
    }
}

/// Fills in the words of a command.
fn stage(command: &Command, expansion: &mut Expansion, env: &Env) -> Result<Stage, Stop> {
    let work = match &command.body {
        Body::Simple { assigns, words } => {
            let assigns: Vec<(String, String)> =
                assigns.iter().map(|(name, word)| Ok((name.clone(), expansion.text(word)?))).collect::<Result<_, Stop>>()?;
            let words = expansion.words(words)?;
            // A variable for one command only is no variable of any program here.
            if words.is_empty() && !assigns.is_empty() { Work::Assign(assigns) } else { Work::Words(words) }
        }
        Body::For { name, words, body } => {
            let values = expansion.words(words)?.into();
            Work::Frame(Box::new(Frame::For { name: name.clone(), values, body: body.clone() }))
        }
        Body::While { test, body, until } => {
            let (test, body) = (test.clone(), body.clone());
            Work::Frame(Box::new(Frame::While { test, body, until: *until, testing: false }))
        }
        Body::If { arms, other } => {
            let arms = arms.iter().cloned().collect();
            Work::Frame(Box::new(Frame::If { arms, other: other.clone(), tested: None }))
        }
        Body::Fault(message) => Work::Fail(message.clone(), 2),
    };
    let mut stage = Stage { work, input: None, out: Sink::Down, errors: Sink::Down };
    for redirect in &command.redirects {
        match redirect {
            Redirect::In(word) => {
                let path = expansion.text(word)?;
                match read_file(env, &path) {
                    Some(text) => stage.input = Some(text),
                    None => stage.work = Work::Fail(format!("bash: {path}: No such file or directory\n"), 1),
                }
            }
            Redirect::Text(word) => stage.input = Some(expansion.text(word)?),
            Redirect::Out(word, append) => stage.out = sink(expansion.text(word)?, *append),
            Redirect::Err(word, append) => stage.errors = sink(expansion.text(word)?, *append),
            Redirect::Both(word) => {
                stage.out = sink(expansion.text(word)?, false);
                stage.errors = Sink::Other;
            }
            Redirect::ErrToOut => stage.errors = Sink::Other,
            Redirect::OutToErr => stage.out = Sink::Other,
        }
    }
    Ok(stage)
}

/// `sleep`: lets time pass.
#[derive(Debug)]
struct Sleep(Span);

impl Program for Sleep {
    fn run(&self, _started: Time, _now: Time, replies: &[Reply]) -> Progress {
        let next = if replies.is_empty() { Next::Ask(Question::Sleep(self.0)) } else { Next::Exit(0) };
        Progress { output: Output::default(), effects: Vec::new(), next }
    }
    fn title(&self) -> String {
        "sleep".to_owned()
    }
}
