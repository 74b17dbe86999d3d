//! Simple commands: their words, their redirections, and the function, builtin or program that they run.

use super::machine::{Frame, Shell};
use crate::container::guest::Kernel;
use crate::container::process::{Fd, Stream};
use crate::container::programs;
use crate::posix::{Expansion, Flow, Redirect, Target, Tree, Word};

impl Shell {
    /// Sets the open files of the shell's process until the redirected commands that follow have ended.
    pub(super) fn use_files(&mut self, fds: [Fd; 3], redirects: &[Redirect], pid: u32, kernel: &mut Kernel) {
        if redirects.is_empty() {
            return;
        }
        if let Some(process) = kernel.guest.process_mut(pid) {
            let old = std::mem::replace(&mut process.fds, fds);
            self.frames.push(Frame::Restore(old));
        }
    }
    /// Opens the files of redirections. If that fails, writes an error message and returns `None`.
    pub(super) fn redirected(
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
            let text = match word.map(|word| Expansion { scope: &mut self.scope(cwd, pid, kernel), results }.text(word)) {
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
    pub(super) fn simple(
        &mut self,
        assigns: &[(String, Word)],
        words: &[Word],
        redirects: &[Redirect],
        results: &[(Tree, String)],
        cwd: &str,
        pid: u32,
        kernel: &mut Kernel,
    ) {
        let argv = match (Expansion { scope: &mut self.scope(cwd, pid, kernel), results }).words(words) {
            Ok(argv) => argv,
            Err(message) => return self.fail(pid, kernel, &message),
        };
        let mut set = Vec::new();
        for (name, word) in assigns {
            if name.ends_with(']') && !matches!(self.name.as_str(), "bash" | "zsh") {
                return self.fail(pid, kernel, "syntax error: unexpected \"(\"");
            }
            match (Expansion { scope: &mut self.scope(cwd, pid, kernel), results }).text(word) {
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
    /// Runs a simple command, which is a function, a builtin or a program.
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
            return self.run_tree(body);
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
        let last = self.forked && self.frames.iter().all(|frame| matches!(frame, Frame::Flow(Flow::Tested))) && !self.has_trap(0);
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
    /// Carries out `exec`: replaces the shell by a program, or without one redirects the shell's own files.
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
}
