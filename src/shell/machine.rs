//! Runs a line of the terminal: a stack of frames, from the whole list of commands up to the program that waits for an answer.
//!
//! All replies that a machine receives belong to the one program that it runs. When that has ended and another program is to start, the machine is
//! replaced by a new one (`Next::Replace`) that has no replies yet, so only the program that waits is run again.

use super::Env;
use super::builtin;
use super::launch::{Sleep, StartJob};
use super::stage::{PipeFilter, Sink, Stage, StageAction, pipe_filter, plain_path, read_file};
use crate::api::order::Order;
use crate::api::time::{Span, Time};
use crate::posix::{self, Flow, Node, Scope, Tree};
use crate::sim::{Effect, Job, Next, Output, Program, Progress, Reply, Start, Stream, Wait};
use std::collections::VecDeque;
use std::sync::Arc;

/// The state of a line that is being run.
#[derive(Clone, Debug)]
pub struct Machine {
    title: Arc<str>,
    pub env: Env,
    pub frames: Vec<Frame>,
    /// The number of steps since the last reply, by which endless loops are found.
    idle: usize,
}

/// A shell construct that is being run. The frames above it on the stack are parts of it.
#[derive(Clone, Debug)]
pub enum Frame {
    /// A list, a loop, a condition, or a command that has not begun.
    Flow(Flow),
    /// A pipeline whose words are being expanded, with the output of its command substitutions so far.
    Words(Tree, Vec<(Tree, String)>),
    /// A pipeline whose words are expanded: the index of its next command (`at`), and that command's input.
    Stages {
        stages: Arc<[Stage]>,
        at: usize,
        input: Option<String>,
    },
    /// Passes the output of the frames above it through filters, to the destinations of both streams.
    Pipe {
        filters: Vec<PipeFilter>,
        to: Sink,
        errors: Sink,
    },
    /// A command substitution and its output so far.
    Capture(Tree, String),
    Run(Arc<dyn Program>),
    Watch {
        list: Tree,
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
    /// A command that is to be started in the background.
    Background(Tree),
    /// The variables as they were before a subshell.
    Restore(Arc<Vec<(String, String)>>),
}

/// The maximum number of steps without a reply; a line that takes more is taken for an endless loop.
const MAX_STEPS: usize = 30_000;
/// The maximum number of bytes that a line may write in one run.
const MAX_BYTES: usize = 8 << 20;

impl Machine {
    /// Creates a machine for a line that has not started.
    pub fn new(text: &str, env: Env) -> Machine {
        Machine { title: text.into(), env, frames: vec![Frame::Flow(Flow::Node(posix::parse_lines(text).0))], idle: 0 }
    }
}

impl Program for Machine {
    fn run(&self, start: &Start, now: Time, replies: &[Reply]) -> Progress {
        let (output, effects) = Default::default();
        Run { m: self.clone(), start, clock: start.at, now, replies, output, effects, ran: false, bytes: 0 }.go()
    }
    fn title(&self) -> String {
        self.title.to_string()
    }
}

/// One run of a machine with the replies so far.
pub struct Run<'a> {
    pub m: Machine,
    start: &'a Start,
    /// The virtual time that commands see: the machine's start until its program has run, then the time of the last reply.
    pub clock: Time,
    now: Time,
    replies: &'a [Reply],
    output: Output,
    pub effects: Vec<Effect>,
    /// Set once the program that the replies belong to has run.
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
    pub fn push(&mut self, frame: Frame) {
        self.m.frames.push(frame);
    }
    /// Replaces the machine by a new one without replies, with this frame on top of the stack. The output so far is kept.
    fn restart_with(&mut self, frame: Frame) -> Option<Next> {
        self.push(frame);
        let idle = self.m.idle;
        Some(Next::Replace(Arc::new(Machine { idle, ..self.m.clone() })))
    }
    fn step(&mut self, frame: Frame) -> Option<Next> {
        match frame {
            Frame::Flow(flow) => self.flow(flow),
            Frame::Words(tree, results) => self.fill_in(tree, results),
            Frame::Stages { stages, at, input } if at < stages.len() => self.segment(stages, at, input),
            Frame::Stages { .. } => {}
            Frame::Pipe { filters, to, errors } => self.end_of_pipe(filters, to, errors),
            Frame::Capture(of, text) => {
                if let Some(Frame::Words(_, results)) = self.m.frames.last_mut() {
                    results.push((of, text.trim_end_matches('\n').to_owned()));
                }
            }
            Frame::Restore(old) => {
                let now = std::mem::take(&mut self.m.env.variables);
                let changed = now.iter().filter(|one| !old.contains(one)).map(|(name, _)| name);
                let unset = old.iter().map(|(name, _)| name).filter(|name| now.iter().all(|(known, _)| known != *name));
                for name in changed.chain(unset) {
                    let value = old.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
                    self.effects.push(Effect::Variable { name: name.clone(), value });
                }
                self.m.env.variables = old;
            }
            Frame::Run(program) if self.ran => return self.restart_with(Frame::Run(program)),
            Frame::Run(program) => return self.program(program),
            Frame::Background(tree) => {
                let job = Machine { frames: vec![Frame::Flow(Flow::Node(tree))], idle: 0, ..self.m.clone() };
                self.push(Frame::Run(Arc::new(StartJob(Job(Arc::new(job))))));
            }
            Frame::Clear if self.ran || !self.output.pieces().is_empty() => return self.restart_with(Frame::Clear),
            Frame::Clear => self.effects.push(Effect::ClearScreen),
            Frame::Watch { shown: Some(_), .. } if self.ran || !self.output.pieces().is_empty() => return self.restart_with(frame),
            Frame::Watch { list, title, period, shown: Some(text) } => {
                self.effects.push(Effect::ClearScreen);
                let header = builtin::watch_header(&title, period, self.clock, self.m.env.width);
                self.emit(Stream::Out, &(header + &text));
                self.push(Frame::Watch { list, title, period, shown: None });
                self.push(Frame::Run(Arc::new(Sleep(period))));
            }
            Frame::Watch { list, title, period, shown: None } => {
                self.push(Frame::Watch { list: list.clone(), title, period, shown: Some(String::new()) });
                self.push(Frame::Flow(Flow::Node(list)));
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
        }
        None
    }
    /// Carries out a step of a list, a loop or a condition.
    fn flow(&mut self, flow: Flow) {
        if let (Flow::For { .. } | Flow::While(..) | Flow::If(..), Some(at)) = (&flow, self.closed_pipe()) {
            self.m.frames.truncate(at + 1);
            return;
        }
        let step = flow.step(&mut self.m.env.status);
        self.m.frames.extend(step.frames.into_iter().map(Frame::Flow));
        if let Some((name, value)) = step.assign {
            self.set(&name, Some(value));
        }
        self.m.frames.extend(step.background.map(Frame::Background));
        self.m.frames.extend(step.command.map(|tree| Frame::Words(tree, Vec::new())));
    }
    fn program(&mut self, program: Arc<dyn Program>) -> Option<Next> {
        (self.ran, self.clock) = (true, self.now);
        let progress = program.run(self.start, self.now, self.replies);
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
            // A program whose output no longer has a reader ends, as by SIGPIPE.
            if let Some(at) = self.closed_pipe() {
                self.m.frames.truncate(at + 1);
                return None;
            }
            self.emit(*stream, text);
        }
        match (progress.next, self.closed_pipe()) {
            (Next::Wait(wait), None) => return Some(Next::Wait(wait)),
            (Next::Wait(wait @ Wait::Request { .. }), _) => return Some(Next::Wait(wait)),
            // The program ends instead of waiting, because its output no longer has a reader.
            (Next::Wait(_) | Next::Replace(_), Some(at)) => self.m.frames.truncate(at + 1),
            (Next::Replace(program), None) => {
                self.m.frames.pop();
                return self.restart_with(Frame::Run(program));
            }
            (Next::Exit(code), _) => {
                self.m.frames.pop();
                self.m.env.status = code;
            }
        }
        None
    }
    /// Returns the index of the first pipe on the stack in which a filter needs no more input.
    fn closed_pipe(&self) -> Option<usize> {
        let done = |frame: &Frame| matches!(frame, Frame::Pipe { filters, .. } if filters.iter().any(|piped| piped.filter.is_done()));
        self.m.frames.iter().position(done)
    }
    /// Writes text of the innermost frame through the pipes on the stack to a file, a command substitution or the terminal.
    pub fn emit(&mut self, mut stream: Stream, text: &str) {
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
                Frame::Capture(_, kept) if stream == Stream::Out => {
                    kept.push_str(&text);
                    shown = false;
                }
                Frame::Watch { shown: Some(kept), .. } => {
                    kept.push_str(&text);
                    shown = false;
                }
                Frame::Pipe { filters, to, errors } => {
                    let sink = if stream == Stream::Err { &*errors } else { &*to };
                    let mut sink = sink.clone();
                    if stream == Stream::Err && sink == Sink::Other {
                        (stream, sink) = (Stream::Out, to.clone());
                    } else if sink == Sink::Other {
                        (stream, sink) = (Stream::Err, Sink::Inherit);
                    }
                    if stream == Stream::Out {
                        for piped in filters {
                            text = piped.filter.feed(&text);
                            files.extend(piped.copies.iter().map(|path| (path.clone(), text.clone())));
                        }
                    }
                    match sink {
                        Sink::Inherit | Sink::Other => continue,
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
    fn end_of_pipe(&mut self, mut filters: Vec<PipeFilter>, to: Sink, errors: Sink) {
        let mut paths: Vec<String> = Vec::new();
        while !filters.is_empty() {
            let mut piped = filters.remove(0);
            let (text, code) = piped.filter.end();
            for path in piped.copies {
                self.write(&path, &text, true);
                paths.push(path);
            }
            self.m.env.status = code;
            self.push(Frame::Pipe { filters, to: to.clone(), errors: errors.clone() });
            self.emit(Stream::Out, &text);
            let Some(Frame::Pipe { filters: rest, .. }) = self.m.frames.pop() else { return };
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
    /// Runs the next command substitution of a pipeline or, once all have run, the pipeline itself.
    fn fill_in(&mut self, tree: Tree, results: Vec<(Tree, String)>) {
        let commands = match &*tree {
            Node::Pipeline(_, stages) => stages.as_slice(),
            _ => std::slice::from_ref(&tree),
        };
        let mut all = commands.iter().flat_map(|command| posix::substitutions(command));
        if let Some(of) = all.nth(results.len()) {
            self.push(Frame::Words(tree.clone(), results));
            self.push(Frame::Capture(of.clone(), String::new()));
            self.push(Frame::Restore(self.m.env.variables.clone()));
            return self.push(Frame::Flow(Flow::Node(of)));
        }
        match commands.iter().map(|command| self.stage(command, &results)).collect::<Result<Vec<Stage>, String>>() {
            Ok(stages) => self.push(Frame::Stages { stages: stages.into(), at: 0, input: None }),
            Err(why) => {
                self.emit(Stream::Err, &format!("bash: {why}\n"));
                self.m.env.status = 1;
            }
        }
    }
    /// Starts the next command of a pipeline together with the filters that follow it.
    fn segment(&mut self, stages: Arc<[Stage]>, at: usize, input: Option<String>) {
        let Some(source) = stages.get(at) else { return };
        let (mut last, mut end) = (source, at + 1);
        let mut filters = Vec::new();
        let mut complaints = String::new();
        while let Some(stage) = stages.get(end).filter(|_| last.out == Sink::Inherit) {
            let StageAction::Words(words) = &stage.action else { break };
            if stage.input.is_some() {
                break;
            }
            let Some(piped) = pipe_filter(words, &mut complaints) else { break };
            filters.push(piped);
            (last, end) = (stage, end + 1);
        }
        let to = if last.out == Sink::Inherit && end < stages.len() { Sink::Next } else { last.out.clone() };
        let errors = source.errors.clone();
        for sink in [&to, &errors] {
            if let Sink::File { path, append: false } = sink {
                self.write(path, "", false);
            }
        }
        for path in filters.iter().flat_map(|piped| &piped.copies) {
            self.write(path, "", false);
        }
        let next = (end < stages.len()).then(String::new);
        let (action, input) = (source.action.clone(), source.input.clone().or(input));
        self.push(Frame::Stages { stages, at: end, input: next });
        self.emit(Stream::Err, &complaints);
        self.push(Frame::Pipe { filters, to, errors });
        match action {
            StageAction::Words(words) => self.start(words, input),
            StageAction::Assign(all, decided) => {
                if !decided {
                    self.m.env.status = 0;
                }
                all.into_iter().for_each(|(name, value)| self.set(&name, Some(value)));
            }
            StageAction::Frames(frames) => {
                self.m.env.status = 0;
                self.m.frames.extend(frames);
            }
            StageAction::Fail(message, code) => {
                self.m.env.status = code;
                self.emit(Stream::Err, &message);
            }
        }
    }
    pub fn set(&mut self, name: &str, value: Option<String>) {
        let variables = Arc::make_mut(&mut self.m.env.variables);
        variables.retain(|(n, _)| n != name);
        variables.extend(value.clone().map(|value| (name.to_owned(), value)));
        self.effects.push(Effect::Variable { name: name.to_owned(), value });
    }
    fn file(&self, path: &str) -> Option<String> {
        read_file(&self.m.env, path)
    }
    pub fn write(&mut self, path: &str, text: &str, append: bool) {
        let files = Arc::make_mut(&mut self.m.env.files);
        let path = plain_path(path);
        match files.iter_mut().find(|(name, _)| name == path) {
            Some((_, old)) if append => old.push_str(text),
            Some((_, old)) => *old = text.to_owned(),
            None => files.push((path.to_owned(), text.to_owned())),
        }
    }
}

impl Scope for Run<'_> {
    fn value(&mut self, name: &str) -> Option<String> {
        match name {
            "?" => Some(self.m.env.status.to_string()),
            "$" => Some("1".to_owned()),
            name => self.m.env.variables.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone()),
        }
    }
    fn set(&mut self, name: &str, value: &str) {
        Run::set(self, name, Some(value.to_owned()));
    }
    fn matching(&self, pattern: &str) -> Vec<String> {
        let mut names: Vec<String> =
            self.m.env.files.iter().map(|(name, _)| name.clone()).filter(|name| posix::matches(pattern, name)).collect();
        names.order();
        names
    }
}
