//! Runs a shell: takes the innermost frame off the stack and carries out one step of it.

use super::expand::{Expansion, substitutions};
use super::machine::{Frame, MAX_FRAMES, Shell};
use super::pattern;
use super::syntax::{Node, Tree};
use crate::container::guest::Kernel;
use crate::container::process::{Fd, State, Stream, Work};
use arcstr::ArcStr;
use std::sync::Arc;

/// The maximum number of bytes that are kept of a command substitution's output.
const MAX_CAPTURE: usize = 1 << 20;

impl Shell {
    /// Carries out one step. Returns the exit code if the shell has ended.
    pub fn step(&mut self, pid: u32, kernel: &mut Kernel) -> Option<i32> {
        if self.caught != 0 && !matches!(self.frames.last(), Some(Frame::Wait { .. } | Frame::Collect { .. })) {
            self.run_trap();
        }
        if self.frames.len() > MAX_FRAMES {
            self.complain(pid, kernel, "maximum nesting level exceeded");
            self.frames.clear();
            self.status = 2;
        }
        let Some(frame) = self.frames.pop() else {
            return if self.input.is_some() { self.read_command(pid, kernel) } else { self.finish() };
        };
        match frame {
            Frame::Node(tree) => self.begin(tree, pid, kernel),
            Frame::List(tree, at) => self.list(tree, at, pid, kernel),
            Frame::AndOr(tree, at) => self.and_or(tree, at),
            Frame::Words(tree, results) => self.words(tree, results, pid, kernel),
            Frame::Collect { pipe, text, pid: child, of } => self.collect(pipe, text, child, of, pid, kernel),
            Frame::Not => self.status = i32::from(self.status == 0),
            Frame::Wait { pids, codes } => self.wait(pids, codes, pid, kernel),
            Frame::WaitBackground { pids, code } => self.wait_background(pids, code, pid, kernel),
            Frame::Read { names, raw, text } => self.read(names, raw, text, pid, kernel),
            Frame::For { name, values, at, body } => {
                if let Some(value) = values.get(at) {
                    self.set(&name, value);
                    self.frames.push(Frame::For { name, values: values.clone(), at: at + 1, body: body.clone() });
                    self.frames.push(Frame::Node(body));
                }
            }
            Frame::While { tree, testing } => self.turn(tree, testing),
            Frame::If { tree, arm } => self.branch(tree, arm),
            Frame::Restore(fds) => {
                if let Some(process) = kernel.guest.process_mut(pid) {
                    process.fds = fds;
                }
            }
            Frame::Call { arguments, locals } => {
                self.arguments = arguments;
                for (name, old) in locals.into_iter().rev() {
                    match old {
                        Some(variable) => self.variables.insert(name, variable),
                        None => self.variables.remove(&name),
                    };
                }
            }
            Frame::Trap(status) => self.status = status,
            Frame::Tested | Frame::Source => {}
        }
        None
    }
    /// Ends the shell and returns its exit code, or `None` if its EXIT trap has to run first.
    fn finish(&mut self) -> Option<i32> {
        let action = self.traps.iter().find(|(signal, _)| *signal == 0).map(|(_, action)| action.clone());
        match action.filter(|action| !self.exiting && !action.is_empty()) {
            Some(action) => {
                self.exiting = true;
                self.frames.push(Frame::Trap(self.status));
                self.push_script(&action);
                None
            }
            None => Some(self.status & 0xff),
        }
    }
    fn run_trap(&mut self) {
        let signal = self.caught.trailing_zeros() as u8;
        self.caught &= self.caught - 1;
        if let Some(Frame::WaitBackground { .. }) = self.frames.last() {
            self.frames.pop();
            self.status = 128 + i32::from(signal);
        }
        let action = self.traps.iter().find(|(n, _)| *n == signal).map(|(_, action)| action.clone());
        if let Some(action) = action {
            self.frames.push(Frame::Trap(self.status));
            self.push_script(&action);
        }
    }
    /// Parses a script and pushes it, to run next. Returns the error message if the script cannot be parsed.
    pub(super) fn push_script(&mut self, text: &str) -> Option<String> {
        match super::parse(text) {
            Ok(tree) => {
                self.frames.push(Frame::Node(tree));
                None
            }
            Err(message) => {
                self.status = 2;
                Some(message)
            }
        }
    }
    pub(super) fn complain(&self, pid: u32, kernel: &mut Kernel, message: &str) {
        let name = if self.name.is_empty() { "sh" } else { self.name.as_str() };
        kernel.write(pid, Stream::Err, &format!("{name}: {message}\n"));
    }
    /// Fails a command because of an error in its expansion, which ends the shell, as POSIX says.
    pub(super) fn fail(&mut self, pid: u32, kernel: &mut Kernel, message: &str) {
        self.complain(pid, kernel, message);
        self.status = 2;
        self.frames.clear();
    }
    fn begin(&mut self, tree: Tree, pid: u32, kernel: &mut Kernel) {
        match &*tree {
            Node::List(_) => self.frames.push(Frame::List(tree, 0)),
            Node::AndOr(..) => self.frames.push(Frame::AndOr(tree, 0)),
            Node::Pipeline(not, stages) => {
                if *not {
                    self.frames.push(Frame::Not);
                    self.frames.push(Frame::Tested);
                }
                match stages.as_slice() {
                    [only] => self.frames.push(Frame::Node(only.clone())),
                    stages => self.pipeline(stages, pid, kernel),
                }
            }
            Node::While { .. } => self.frames.push(Frame::While { tree, testing: false }),
            Node::If { .. } => self.frames.push(Frame::If { tree, arm: 0 }),
            Node::Function { name, body } => {
                self.functions.insert(name.as_str().into(), body.clone());
                self.status = 0;
            }
            _ => self.frames.push(Frame::Words(tree, Vec::new())),
        }
    }
    fn list(&mut self, tree: Tree, at: usize, pid: u32, kernel: &mut Kernel) {
        let Node::List(items) = &*tree else { return };
        let Some((item, background)) = items.get(at) else { return };
        let (item, background) = (item.clone(), *background);
        if at + 1 < items.len() {
            self.frames.push(Frame::List(tree, at + 1));
        }
        if !background {
            return self.frames.push(Frame::Node(item));
        }
        let mut fds = self.files(pid, kernel);
        fds[0] = Fd::Null;
        match self.start_fork(item, fds, pid, kernel) {
            Some(child) => (self.background, self.status) = (child, 0),
            None => self.status = 2,
        }
    }
    fn and_or(&mut self, tree: Tree, at: usize) {
        let Node::AndOr(first, rest) = &*tree else { return };
        let last = at == rest.len();
        let next = match at {
            0 => Some(first),
            _ => rest.get(at - 1).filter(|(and, _)| *and == (self.status == 0)).map(|(_, node)| node),
        };
        let next = next.cloned();
        if !last {
            self.frames.push(Frame::AndOr(tree, at + 1));
        }
        if let Some(node) = next {
            if !last {
                self.frames.push(Frame::Tested);
            }
            self.frames.push(Frame::Node(node));
        }
    }
    fn turn(&mut self, tree: Tree, testing: bool) {
        let Node::While { test, body, until } = &*tree else { return };
        if !testing {
            let test = test.clone();
            self.frames.push(Frame::While { tree, testing: true });
            self.frames.push(Frame::Tested);
            return self.frames.push(Frame::Node(test));
        }
        if (self.status == 0) == *until {
            self.status = 0;
            return;
        }
        let body = body.clone();
        self.frames.push(Frame::While { tree, testing: false });
        self.frames.push(Frame::Node(body));
    }
    fn branch(&mut self, tree: Tree, arm: usize) {
        let Node::If { arms, other } = &*tree else { return };
        if arm > 0 && self.status == 0 {
            if let Some((_, body)) = arms.get(arm - 1) {
                self.frames.push(Frame::Node(body.clone()));
            }
            return;
        }
        self.status = 0;
        match (arms.get(arm), other) {
            (Some((test, _)), _) => {
                let test = test.clone();
                self.frames.push(Frame::If { tree, arm: arm + 1 });
                self.frames.push(Frame::Tested);
                self.frames.push(Frame::Node(test));
            }
            (None, Some(other)) => self.frames.push(Frame::Node(other.clone())),
            (None, None) => {}
        }
    }
    pub(super) fn files(&self, pid: u32, kernel: &Kernel) -> [Fd; 3] {
        kernel.guest.process(pid).map_or([Fd::Null, Fd::Null, Fd::Null], |p| p.fds.clone())
    }
    /// Starts a process with a copy of this shell that runs one command. Returns its pid.
    fn start_fork(&mut self, tree: Tree, fds: [Fd; 3], pid: u32, kernel: &mut Kernel) -> Option<u32> {
        let argv = kernel.guest.process(pid)?.argv.clone();
        let child = kernel.spawn(pid, argv, fds, Work::Shell(Box::new(self.fork(tree))));
        if child.is_none() {
            self.complain(pid, kernel, "can't fork: Resource temporarily unavailable");
        }
        child
    }
    fn pipeline(&mut self, stages: &[Tree], pid: u32, kernel: &mut Kernel) {
        let own = self.files(pid, kernel);
        let mut input = own[0].clone();
        let mut pids = Vec::new();
        for (n, stage) in stages.iter().enumerate() {
            let mut fds = own.clone();
            fds[0] = std::mem::replace(&mut input, Fd::Null);
            if n + 1 < stages.len() {
                let pipe = kernel.pipe();
                fds[1] = Fd::Writer(pipe);
                input = Fd::Reader(pipe);
            }
            pids.extend(self.start_fork(stage.clone(), fds, pid, kernel));
        }
        self.status = 2;
        if !pids.is_empty() {
            self.frames.push(Frame::Wait { pids, codes: Vec::new() });
        }
    }
    fn wait(&mut self, pids: Vec<u32>, mut codes: Vec<(u32, i32)>, pid: u32, kernel: &mut Kernel) {
        let Some(process) = kernel.guest.process_mut(pid) else { return };
        process.ended.retain(|ended| {
            let mine = pids.contains(&ended.0);
            if mine {
                codes.push(*ended);
            }
            !mine
        });
        if codes.len() < pids.len() {
            process.state = State::Children;
            return self.frames.push(Frame::Wait { pids, codes });
        }
        let code = |pid: &u32| codes.iter().find(|(ended, _)| ended == pid).map_or(0, |(_, code)| *code);
        self.status = pids.last().map_or(0, code);
        if self.options.pipefail {
            self.status = pids.iter().rev().map(code).find(|code| *code != 0).unwrap_or(0);
        }
        self.check_status();
    }
    /// Ends the shell if the last command failed and `set -e` is on.
    pub(super) fn check_status(&mut self) {
        if self.options.errexit && self.status != 0 && !self.frames.iter().any(|frame| matches!(frame, Frame::Tested)) {
            self.frames.clear();
        }
    }
    fn wait_background(&mut self, pids: Vec<u32>, mut code: i32, pid: u32, kernel: &mut Kernel) {
        let all: Vec<u32> = kernel.guest.processes.iter().filter(|p| p.parent == pid).map(|p| p.pid).collect();
        let Some(process) = kernel.guest.process_mut(pid) else { return };
        for (ended, exit) in process.ended.drain(..) {
            if pids.contains(&ended) {
                code = exit;
            }
        }
        if all.iter().any(|child| pids.is_empty() || pids.contains(child)) {
            process.state = State::Children;
            return self.frames.push(Frame::WaitBackground { pids, code });
        }
        self.status = code;
    }
    fn collect(&mut self, pipe: u32, mut text: String, child: u32, of: Tree, pid: u32, kernel: &mut Kernel) {
        text.push_str(&kernel.drain(pipe));
        text.truncate((0..=MAX_CAPTURE.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0));
        let Some(process) = kernel.guest.process_mut(pid) else { return };
        let Some(at) = process.ended.iter().position(|(ended, _)| *ended == child) else {
            process.state = State::Reading(pipe);
            if kernel.guest.process(child).is_none() {
                // The child's exit code was dropped among too many others.
                self.status = 1;
            } else {
                return self.frames.push(Frame::Collect { pipe, text, pid: child, of });
            }
            return;
        };
        self.status = process.ended.remove(at).1;
        kernel.close_pipe(pipe);
        if let Some(Frame::Words(_, results)) = self.frames.last_mut() {
            results.push((of, text.trim_end_matches('\n').to_owned()));
        }
    }
    /// Runs the next command substitution of a command or, once all have run, the command itself.
    fn words(&mut self, tree: Tree, results: Vec<(Tree, String)>, pid: u32, kernel: &mut Kernel) {
        let all = substitutions(&tree);
        let Some(of) = all.get(results.len()).cloned() else {
            return self.execute(&tree, &results, pid, kernel);
        };
        let pipe = kernel.pipe();
        let mut fds = self.files(pid, kernel);
        fds[1] = Fd::Writer(pipe);
        self.frames.push(Frame::Words(tree, results));
        match self.start_fork(of.clone(), fds, pid, kernel) {
            Some(child) => self.frames.push(Frame::Collect { pipe, text: String::new(), pid: child, of }),
            None => {
                self.status = 2;
                if let Some(Frame::Words(_, results)) = self.frames.last_mut() {
                    results.push((of, String::new()));
                }
            }
        }
    }
    pub(super) fn expansion<'a>(&'a mut self, results: &'a [(Tree, String)], cwd: &'a str, pid: u32, kernel: &'a Kernel) -> Expansion<'a> {
        Expansion { shell: self, disk: kernel.disk, cwd, pid, results }
    }
    /// Runs a command whose command substitutions have been run.
    fn execute(&mut self, tree: &Tree, results: &[(Tree, String)], pid: u32, kernel: &mut Kernel) {
        let cwd = kernel.guest.process(pid).map(|p| p.cwd.clone()).unwrap_or_default();
        let outcome = match &**tree {
            Node::Simple { assigns, words, redirects } => return self.simple(assigns, words, redirects, results, &cwd, pid, kernel),
            Node::For { name, words, body } => {
                let values = match words {
                    Some(words) => self.expansion(results, &cwd, pid, kernel).words(words),
                    None => Ok(self.arguments.get(1..).unwrap_or(&[]).to_vec()),
                };
                values.map(|values| {
                    self.status = 0;
                    self.frames.push(Frame::For { name: name.clone(), values: values.into(), at: 0, body: body.clone() });
                })
            }
            Node::Case { word, arms } => self.expansion(results, &cwd, pid, kernel).text(word).and_then(|text| {
                self.status = 0;
                for (patterns, body) in arms {
                    for one in patterns {
                        if pattern::matches(&self.expansion(results, &cwd, pid, kernel).pattern(one)?, &text) {
                            self.frames.push(Frame::Node(body.clone()));
                            return Ok(());
                        }
                    }
                }
                Ok(())
            }),
            Node::Arithmetic(word) => {
                let text = self.expansion(results, &cwd, pid, kernel).text(word);
                text.and_then(|text| super::arithmetic::evaluate(&text, self)).map(|value| {
                    self.status = i32::from(value == 0);
                    self.check_status();
                })
            }
            Node::Group(body, redirects) => {
                let Some(fds) = self.redirected(redirects, results, &cwd, pid, kernel) else { return };
                self.use_files(fds, redirects, pid, kernel);
                self.frames.push(Frame::Node(body.clone()));
                Ok(())
            }
            Node::Subshell(body, redirects) => {
                let Some(fds) = self.redirected(redirects, results, &cwd, pid, kernel) else { return };
                if let Some(child) = self.start_fork(body.clone(), fds, pid, kernel) {
                    self.frames.push(Frame::Wait { pids: vec![child], codes: Vec::new() });
                } else {
                    self.status = 2;
                }
                Ok(())
            }
            _ => Ok(()),
        };
        if let Err(message) = outcome {
            self.fail(pid, kernel, &message);
        }
    }
    /// Returns the shell with a name, with which its error messages begin.
    pub fn called(mut self, name: impl Into<ArcStr>) -> Shell {
        self.name = name.into();
        self
    }
    /// Returns `$0` and the positional parameters, shared by pointer.
    pub fn parameters(&self) -> Arc<[String]> {
        self.arguments.clone()
    }
}
