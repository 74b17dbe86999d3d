//! Starts a command of the terminal after expansion: kubectl, a filter at the start of a pipeline, or a builtin.

use super::builtin;
use super::machine::{Frame, Run};
use super::network;
use super::stage::{PipeFilter, file_filter, read_file};
use crate::api::time::{Span, Time};
use crate::kubectl::CommandLine;
use crate::posix::{self, Flow, print};
use crate::sim::{Effect, Job, Next, Output, Program, Progress, Reply, ReplyBody, Start, Stream, Wait};
use std::sync::Arc;

impl Run<'_> {
    /// Starts a command from its expanded words. `input` is its standard input.
    pub fn start(&mut self, words: Vec<String>, input: Option<String>) {
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
                let subshell = self.m.frames.iter().rposition(|frame| matches!(frame, Frame::Restore(_)));
                if subshell.is_none() {
                    self.emit(Stream::Err, "exit: the terminal stays open\n");
                }
                return self.m.frames.truncate(subshell.map_or(0, |at| at + 1));
            }
            "break" | "continue" => {
                let inner = self.m.frames.iter().rposition(|frame| matches!(frame, Frame::Flow(Flow::For { .. } | Flow::While(..))));
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
        if name == "kill" {
            let number = args.iter().find_map(|word| word.trim_start_matches('%').parse().ok());
            return match number {
                Some(id) => self.push(Frame::Run(Arc::new(KillJob(id)))),
                None => self.finish("", "kill: give the number that `&' printed\n", 1),
            };
        }
        if let Some(read) = network::program(&words) {
            return match read {
                Ok(program) => self.push(Frame::Run(program)),
                Err((why, code)) => self.finish("", &why, code),
            };
        }
        let frame = match name.as_str() {
            "sleep" => Some(builtin::sleep(args).map(|span| Frame::Run(Arc::new(Sleep(span))))),
            "watch" => Some(builtin::watch(args).map(|(period, title)| {
                let (list, _) = posix::parse_lines(&title);
                Frame::Watch { list, title, period, shown: None }
            })),
            "xargs" => {
                let queue = print::xargs(args, input.as_deref().unwrap_or(""));
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
    /// Runs a command that takes no virtual time: a filter or a builtin.
    fn at_once(&mut self, name: &str, args: &[String], input: Option<String>) {
        let mut complaints = String::new();
        if let Some(PipeFilter { mut filter, copies }) = file_filter(name, args, &mut complaints, input.is_some(), &self.m.env) {
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
        let Some(result) = builtin::run(name, args, &self.m.env, self.clock) else {
            return self.finish("", &format!("bash: {name}: command not found\n"), 127);
        };
        result.set.iter().for_each(|(name, value)| self.set(name, value.clone()));
        self.finish(&result.out, &result.err, result.code);
    }
    fn finish(&mut self, out: &str, err: &str, code: i32) {
        self.emit(Stream::Out, out);
        self.emit(Stream::Err, err);
        self.m.env.status = code;
    }
}

/// The program of `COMMAND &`: starts another program in the background.
#[derive(Debug)]
pub struct StartJob(pub Job);

impl Program for StartJob {
    fn run(&self, _start: &Start, _now: Time, replies: &[Reply]) -> Progress {
        let mut output = Output::default();
        let next = match replies.first().map(|reply| &reply.body) {
            None => Next::Wait(Wait::Spawn(self.0.clone())),
            Some(ReplyBody::Number(id)) => {
                output.out(&format!("[{id}] started; kill {id} ends it\n"));
                Next::Exit(0)
            }
            Some(_) => Next::Exit(1),
        };
        Progress { output, effects: Vec::new(), next }
    }
    fn title(&self) -> String {
        "a job".to_owned()
    }
}

/// The program of `kill`: ends a program that was started with `&`.
#[derive(Debug)]
struct KillJob(u64);

impl Program for KillJob {
    fn run(&self, _start: &Start, _now: Time, replies: &[Reply]) -> Progress {
        let next = if replies.is_empty() { Next::Wait(Wait::Kill(self.0)) } else { Next::Exit(0) };
        Progress { output: Output::default(), effects: Vec::new(), next }
    }
    fn title(&self) -> String {
        "kill".to_owned()
    }
}

/// The program of `sleep`: lets virtual time pass.
#[derive(Debug)]
pub struct Sleep(pub Span);

impl Program for Sleep {
    fn run(&self, _start: &Start, _now: Time, replies: &[Reply]) -> Progress {
        let next = if replies.is_empty() { Next::Wait(Wait::Sleep(self.0)) } else { Next::Exit(0) };
        Progress { output: Output::default(), effects: Vec::new(), next }
    }
    fn title(&self) -> String {
        "sleep".to_owned()
    }
}
