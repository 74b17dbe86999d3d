//! Runs a shell: takes the innermost frame off the stack and carries out one step of it.

use super::machine::{Frame, MAX_FRAMES, Shell};
use super::scope::ShellScope;
use crate::container::guest::Kernel;
use crate::container::process::{Fd, State, Stream, Work};
use crate::posix::{Expansion, Flow, Node, Tree, evaluate, substitutions};
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
            Frame::Flow(flow) => self.flow(flow, pid, kernel),
            Frame::Words(tree, results) => self.words(tree, results, pid, kernel),
            Frame::Collect { pipe, text, pid: child, of } => self.collect(pipe, text, child, of, pid, kernel),
            Frame::Wait { pids, codes } => self.wait(pids, codes, pid, kernel),
            Frame::WaitBackground { pids, code } => self.wait_background(pids, code, pid, kernel),
            Frame::Read { names, raw, text } => self.read(names, raw, text, pid, kernel),
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
            Frame::Source => {}
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
                self.run_tree(tree);
                None
            }
            Err(error) => {
                self.status = 2;
                Some(error.of_busybox())
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
    fn flow(&mut self, flow: Flow, pid: u32, kernel: &mut Kernel) {
        let step = flow.step(&mut self.status);
        self.frames.extend(step.frames.into_iter().map(Frame::Flow));
        if let Some((name, value)) = step.assign {
            self.set(&name, &value);
        }
        if let Some(tree) = step.background {
            let mut fds = self.files(pid, kernel);
            fds[0] = Fd::Null;
            match self.start_fork(tree, fds, pid, kernel) {
                Some(child) => (self.background, self.status) = (child, 0),
                None => self.status = 2,
            }
        }
        let Some(tree) = step.command else { return };
        match &*tree {
            Node::Pipeline(_, stages) => self.pipeline(stages, pid, kernel),
            Node::Function { name, body } => {
                self.functions.insert(name.as_str().into(), body.clone());
                self.status = 0;
            }
            _ => self.frames.push(Frame::Words(tree, Vec::new())),
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
        if self.options.errexit && self.status != 0 && !self.frames.iter().any(|frame| matches!(frame, Frame::Flow(Flow::Tested))) {
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
    pub(super) fn scope<'a>(&'a mut self, cwd: &'a str, pid: u32, kernel: &'a Kernel) -> ShellScope<'a> {
        ShellScope { shell: self, disk: kernel.disk, cwd, pid }
    }
    /// Runs a command whose command substitutions have been run.
    fn execute(&mut self, tree: &Tree, results: &[(Tree, String)], pid: u32, kernel: &mut Kernel) {
        let cwd = kernel.guest.process(pid).map(|p| p.cwd.clone()).unwrap_or_default();
        let outcome = match &**tree {
            Node::Simple { assigns, words, redirects } => return self.simple(assigns, words, redirects, results, &cwd, pid, kernel),
            Node::For { name, words, body } => {
                let values = match words {
                    Some(words) => Expansion { scope: &mut self.scope(&cwd, pid, kernel), results }.words(words),
                    None => Ok(self.arguments.get(1..).unwrap_or(&[]).to_vec()),
                };
                values.map(|values| {
                    self.status = 0;
                    self.frames.push(Frame::Flow(Flow::For { name: name.clone(), values: values.into(), at: 0, body: body.clone() }));
                })
            }
            Node::Case { word, arms } => {
                let chosen = Expansion { scope: &mut self.scope(&cwd, pid, kernel), results }.choose(word, arms);
                chosen.map(|body| {
                    self.status = 0;
                    body.into_iter().for_each(|body| self.run_tree(body));
                })
            }
            Node::Arithmetic(word) => {
                let mut scope = self.scope(&cwd, pid, kernel);
                let text = Expansion { scope: &mut scope, results }.text(word);
                text.and_then(|text| evaluate(&text, &mut scope)).map(|value| {
                    self.status = i32::from(value == 0);
                    self.check_status();
                })
            }
            Node::Group(body, redirects) => {
                let Some(fds) = self.redirected(redirects, results, &cwd, pid, kernel) else { return };
                self.use_files(fds, redirects, pid, kernel);
                self.run_tree(body.clone());
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
    /// Sets the name with which the shell's error messages begin.
    pub fn called(mut self, name: impl Into<ArcStr>) -> Shell {
        self.name = name.into();
        self
    }
    /// Returns `$0` and the positional parameters, shared by pointer.
    pub fn parameters(&self) -> Arc<[String]> {
        self.arguments.clone()
    }
}
