//! Runs a shell: takes the innermost frame and does one step of it.

use super::expand::{Expansion, substitutions};
use super::machine::{Frame, MAX_FRAMES, Shell};
use super::pattern;
use super::syntax::{Node, Redirect, Target, Tree, Word};
use crate::container::guest::Kernel;
use crate::container::process::{Fd, State, Stream, Work};
use crate::container::programs;
use arcstr::ArcStr;
use std::sync::Arc;

/// The most bytes that a command substitution yields.
const MAX_CAPTURE: usize = 1 << 20;

impl Shell {
    /// Does one step. Returns the exit code if the shell has ended.
    pub fn step(&mut self, pid: u32, kernel: &mut Kernel) -> Option<i32> {
        if self.caught != 0 && !matches!(self.frames.last(), Some(Frame::Wait { .. } | Frame::Collect { .. })) {
            self.run_trap();
        }
        if self.frames.len() > MAX_FRAMES {
            self.complain(pid, kernel, "maximum nesting level exceeded");
            self.frames.clear();
            self.status = 2;
        }
        let Some(frame) = self.frames.pop() else { return self.finish() };
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
    /// Ends the shell, after its EXIT trap has run.
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
    /// Parses a text and lets it run next; a text that cannot be parsed fails.
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
    /// Fails a command. An error in the expansion ends the shell, as POSIX says.
    fn fail(&mut self, pid: u32, kernel: &mut Kernel, message: &str) {
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
    fn files(&self, pid: u32, kernel: &Kernel) -> [Fd; 3] {
        kernel.guest.process(pid).map_or([Fd::Null, Fd::Null, Fd::Null], |p| p.fds.clone())
    }
    /// Starts a copy of this shell that runs a command.
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
    /// Ends the shell if `set -e` says so.
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
                // Its code was lost among too many others.
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
    /// Runs the next command substitution of a command, or the command itself.
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
    /// Runs a command whose substitutions have been run.
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
    /// Sets a process's files until the commands that follow have ended.
    fn use_files(&mut self, fds: [Fd; 3], redirects: &[Redirect], pid: u32, kernel: &mut Kernel) {
        if redirects.is_empty() {
            return;
        }
        if let Some(process) = kernel.guest.process_mut(pid) {
            let old = std::mem::replace(&mut process.fds, fds);
            self.frames.push(Frame::Restore(old));
        }
    }
    /// Opens the files of redirections. Returns `None` after a complaint if that fails.
    fn redirected(
        &mut self,
        redirects: &[Redirect],
        results: &[(Tree, String)],
        cwd: &str,
        pid: u32,
        kernel: &mut Kernel,
    ) -> Option<[Fd; 3]> {
        let mut fds = self.files(pid, kernel);
        for redirect in redirects {
            let word = match &redirect.to {
                Target::Read(word) | Target::Write(word) | Target::Append(word) | Target::Both(word) | Target::Text(word) => Some(word),
                Target::Same(_) | Target::Close => None,
            };
            let text = match word.map(|word| self.expansion(results, cwd, pid, kernel).text(word)) {
                Some(Err(message)) => {
                    self.fail(pid, kernel, &message);
                    return None;
                }
                Some(Ok(text)) => text,
                None => String::new(),
            };
            let opened = match &redirect.to {
                Target::Text(_) => Ok(Fd::Input(text.as_str().into(), 0)),
                Target::Read(_) => programs::open(kernel, pid, &text),
                Target::Write(_) | Target::Both(_) => kernel.create(pid, &text, false).map_err(|error| (false, error)),
                Target::Append(_) => kernel.create(pid, &text, true).map_err(|error| (false, error)),
                Target::Same(fd) => Ok(fds[*fd].clone()),
                Target::Close => Ok(Fd::Null),
            };
            match opened {
                Ok(fd) => fds[redirect.fd] = fd,
                Err((reading, error)) => {
                    let verb = if reading { "open" } else { "create" };
                    self.complain(pid, kernel, &format!("can't {verb} {text}: {}", error.text()));
                    self.status = 1;
                    self.check_status();
                    return None;
                }
            }
            if let Target::Both(_) = redirect.to {
                fds[2] = fds[1].clone();
            }
        }
        Some(fds)
    }
    #[expect(clippy::too_many_arguments, reason = "the parts of one syntax node and the surroundings of one step")]
    fn simple(
        &mut self,
        assigns: &[(String, Word)],
        words: &[Word],
        redirects: &[Redirect],
        results: &[(Tree, String)],
        cwd: &str,
        pid: u32,
        kernel: &mut Kernel,
    ) {
        let argv = match self.expansion(results, cwd, pid, kernel).words(words) {
            Ok(argv) => argv,
            Err(message) => return self.fail(pid, kernel, &message),
        };
        let mut set = Vec::new();
        for (name, word) in assigns {
            match self.expansion(results, cwd, pid, kernel).text(word) {
                Ok(value) if argv.is_empty() => {
                    if !self.set(name, &value) {
                        return self.fail(pid, kernel, &format!("{name}: is read only"));
                    }
                }
                Ok(value) => set.push((name.clone(), value)),
                Err(message) => return self.fail(pid, kernel, &message),
            }
        }
        if self.options.xtrace {
            let traced: Vec<String> = set.iter().map(|(name, value)| format!("{name}={value}")).chain(argv.iter().cloned()).collect();
            kernel.write(pid, Stream::Err, &format!("+ {}\n", traced.join(" ")));
        }
        let Some(fds) = self.redirected(redirects, results, cwd, pid, kernel) else { return };
        if argv.is_empty() {
            self.status = if results.is_empty() { 0 } else { self.status };
            if let Some(process) = kernel.guest.process_mut(pid) {
                process.memory = (512 << 10) + self.memory();
            }
            return self.check_status();
        }
        self.command(argv, set, fds, redirects, pid, kernel);
    }
    /// Runs a function, a builtin or a program.
    fn command(
        &mut self,
        argv: Vec<String>,
        set: Vec<(String, String)>,
        fds: [Fd; 3],
        redirects: &[Redirect],
        pid: u32,
        kernel: &mut Kernel,
    ) {
        if let Some(body) = self.functions.get(argv[0].as_str()).cloned() {
            self.use_files(fds, redirects, pid, kernel);
            set.iter().for_each(|(name, value)| {
                self.set(name, value);
            });
            let mut parameters = vec![self.arguments.first().cloned().unwrap_or_default()];
            parameters.extend(argv.into_iter().skip(1));
            let arguments = std::mem::replace(&mut self.arguments, parameters.into());
            self.frames.push(Frame::Call { arguments, locals: Vec::new() });
            return self.frames.push(Frame::Node(body));
        }
        if argv[0] == "exec" {
            return self.exec(argv, set, fds, pid, kernel);
        }
        if super::builtin::is_builtin(&argv[0]) {
            let special = matches!(argv[0].as_str(), "export" | "local" | "readonly" | "eval" | "set");
            if special {
                set.iter().for_each(|(name, value)| {
                    self.set(name, value);
                });
            }
            self.use_files(fds, redirects, pid, kernel);
            let depth = self.frames.len();
            if let Some(code) = self.builtin(&argv, pid, kernel) {
                self.status = code;
            }
            if self.frames.len() <= depth {
                self.check_status();
            }
            return;
        }
        let env = self.environment(&set);
        let last = self.forked && self.frames.iter().all(|frame| matches!(frame, Frame::Tested)) && !self.has_trap(0);
        match programs::resolve(kernel, pid, &argv, &env) {
            Err((code, message)) => {
                let old = kernel.guest.process_mut(pid).map(|p| std::mem::replace(&mut p.fds, fds));
                self.complain(pid, kernel, &message);
                if let (Some(process), Some(old)) = (kernel.guest.process_mut(pid), old) {
                    process.fds = old;
                }
                self.status = code;
                self.check_status();
            }
            Ok(work) if last => programs::replace(kernel, pid, argv, env, fds, work),
            Ok(work) => match kernel.spawn(pid, argv.into(), fds, work) {
                Some(child) => {
                    if let Some(process) = kernel.guest.process_mut(child) {
                        process.env = env;
                    }
                    self.frames.push(Frame::Wait { pids: vec![child], codes: Vec::new() });
                }
                None => {
                    self.complain(pid, kernel, "can't fork: Resource temporarily unavailable");
                    self.status = 2;
                    self.check_status();
                }
            },
        }
    }
    /// `exec`: replaces the shell by a program, or its files.
    fn exec(&mut self, argv: Vec<String>, set: Vec<(String, String)>, fds: [Fd; 3], pid: u32, kernel: &mut Kernel) {
        let argv: Vec<String> = argv.into_iter().skip(1).collect();
        if argv.is_empty() {
            if let Some(process) = kernel.guest.process_mut(pid) {
                process.fds = fds;
            }
            self.status = 0;
            return;
        }
        let env = self.environment(&set);
        match programs::resolve(kernel, pid, &argv, &env) {
            Ok(work) => programs::replace(kernel, pid, argv, env, fds, work),
            Err((code, message)) => {
                self.complain(pid, kernel, &format!("exec: {message}"));
                self.frames.clear();
                self.status = code;
            }
        }
    }
    /// The name by which the shell signs its complaints.
    pub fn called(mut self, name: impl Into<ArcStr>) -> Shell {
        self.name = name.into();
        self
    }
    /// The parameters, shared.
    pub fn parameters(&self) -> Arc<[String]> {
        self.arguments.clone()
    }
}
