//! The builtin commands of the shell.

use super::machine::{Frame, Shell, Variable};
use crate::container::files::{Entry, absolute};
use crate::container::guest::{Input, Kernel};
use crate::container::process::{State, Stream, signal_name, signal_number};
use crate::posix::{self, Flow, Found, is_name, print};

const NAMES: &[&str] = &[
    ":", ".", "[", "[[", "break", "cd", "command", "continue", "declare", "echo", "eval", "exec", "exit", "export", "false", "getopts",
    "hash", "jobs", "kill", "let", "local", "printf", "pwd", "read", "readonly", "return", "set", "shift", "source", "test", "times",
    "trap", "true", "type", "typeset", "ulimit", "umask", "unset", "wait",
];

/// Returns whether a command is built into the shell.
pub fn is_builtin(name: &str) -> bool {
    NAMES.contains(&name)
}

impl Shell {
    /// Carries out a builtin command. Returns its exit status, or `None` if the frames that it pushed will set the status.
    pub(super) fn builtin(&mut self, argv: &[String], pid: u32, kernel: &mut Kernel) -> Option<i32> {
        let (name, args) = argv.split_first()?;
        let first = args.first().map_or("", String::as_str);
        Some(match name.as_str() {
            ":" | "true" | "times" | "hash" | "umask" | "ulimit" | "jobs" => 0,
            "false" => 1,
            "echo" => {
                let text = print::echo(args);
                kernel.write(pid, Stream::Out, &text);
                0
            }
            "printf" => match print::printf(args) {
                Ok(text) => {
                    kernel.write(pid, Stream::Out, &text);
                    0
                }
                Err(why) => self.refuse(name, &why, pid, kernel),
            },
            "pwd" => {
                let cwd = kernel.guest.process(pid).map(|p| p.cwd.clone()).unwrap_or_default();
                kernel.write(pid, Stream::Out, &format!("{cwd}\n"));
                0
            }
            "cd" => self.cd(first, pid, kernel),
            "test" | "[" | "[[" => self.test(name, args, pid, kernel),
            "let" => {
                let mut value = 0;
                for text in args {
                    match posix::evaluate(text, &mut self.scope("/", pid, kernel)) {
                        Ok(number) => value = number,
                        Err(why) => return Some(self.refuse(name, &why, pid, kernel)),
                    }
                }
                i32::from(value == 0)
            }
            "exit" => {
                self.status = first.parse::<i64>().map_or(self.status, |code| (code & 0xff) as i32);
                self.frames.clear();
                self.input = None;
                return None;
            }
            "return" => self.leave(first),
            "break" | "continue" => self.jump(name == "continue", first.parse().unwrap_or(1)),
            "eval" => return self.run_text(&args.join(" "), pid, kernel),
            "." | "source" => {
                let cwd = kernel.guest.process(pid).map(|p| p.cwd.clone()).unwrap_or_default();
                match kernel.disk.read(&absolute(&cwd, first)) {
                    Ok(text) => return self.run_text(&text, pid, kernel),
                    Err(error) => self.refuse(name, &format!("can't open '{first}': {}", error.text()), pid, kernel),
                }
            }
            "export" | "readonly" | "local" | "declare" | "typeset" => self.declare(name, args, pid, kernel),
            "unset" => {
                for name in args.iter().filter(|arg| !arg.starts_with('-')) {
                    self.variables.remove(name.as_str());
                    self.functions.remove(name.as_str());
                }
                0
            }
            "set" => self.set_command(args, pid, kernel),
            "shift" => {
                let count: usize = first.parse().unwrap_or(1);
                if count >= self.arguments.len() {
                    return Some(1);
                }
                let mut rest = self.arguments.to_vec();
                rest.drain(1..=count);
                self.arguments = rest.into();
                0
            }
            "trap" => self.trap(args, pid, kernel),
            "kill" => self.kill(args, pid, kernel),
            "wait" => {
                let pids: Vec<u32> = args.iter().filter_map(|arg| arg.parse().ok()).collect();
                self.frames.push(Frame::WaitBackground { pids, code: 0 });
                return None;
            }
            "read" => {
                let raw = args.iter().any(|arg| arg == "-r");
                let names = args.iter().filter(|arg| !arg.starts_with('-')).cloned().collect();
                self.frames.push(Frame::Read { names, raw, text: String::new() });
                return None;
            }
            "command" | "type" => self.find(args, pid, kernel)?,
            "getopts" => self.refuse(name, "not part of this shell", pid, kernel),
            _ => 127,
        })
    }
    fn refuse(&self, name: &str, why: &str, pid: u32, kernel: &mut Kernel) -> i32 {
        self.complain(pid, kernel, &format!("{name}: {why}"));
        2
    }
    /// Runs a script in this shell, as `eval` does.
    fn run_text(&mut self, text: &str, pid: u32, kernel: &mut Kernel) -> Option<i32> {
        self.frames.push(Frame::Source);
        let message = self.push_script(text)?;
        self.complain(pid, kernel, &message);
        self.frames.pop();
        Some(2)
    }
    fn cd(&mut self, to: &str, pid: u32, kernel: &mut Kernel) -> i32 {
        let target = match to {
            "" => self.get("HOME").unwrap_or("/").to_owned(),
            "-" => self.get("OLDPWD").unwrap_or("/").to_owned(),
            path => path.to_owned(),
        };
        let Some(process) = kernel.guest.process_mut(pid) else { return 1 };
        let path = absolute(&process.cwd, &target);
        if !kernel.disk.is_directory(&path) {
            let why = if kernel.disk.get(&path).is_some() { "Not a directory" } else { "No such file or directory" };
            self.complain(pid, kernel, &format!("cd: can't cd to {target}: {why}"));
            return 2;
        }
        let old = std::mem::replace(&mut process.cwd, path.as_str().into());
        self.set("OLDPWD", &old);
        self.set("PWD", &path);
        0
    }
    fn test(&mut self, name: &str, args: &[String], pid: u32, kernel: &mut Kernel) -> i32 {
        let cwd = kernel.guest.process(pid).map(|p| p.cwd.clone()).unwrap_or_default();
        let disk = &*kernel.disk;
        let look = |path: &str| {
            let found = match disk.get(&absolute(&cwd, path))? {
                Entry::File(_, size) => Found::File(size > 0),
                Entry::Directory => Found::Directory,
            };
            Some((found, !disk.read_only))
        };
        match posix::test(name, args, &look) {
            Ok(value) => i32::from(!value),
            Err(why) => self.refuse(name, &why, pid, kernel),
        }
    }
    /// Carries out `return`: ends the innermost function or sourced file.
    fn leave(&mut self, code: &str) -> i32 {
        let status = code.parse::<i64>().map_or(self.status, |code| (code & 0xff) as i32);
        match self.frames.iter().rposition(|frame| matches!(frame, Frame::Call { .. } | Frame::Source)) {
            Some(at) => self.unwind(at + 1),
            None => self.unwind(0),
        }
        status
    }
    /// Removes the frames above the first `to`, but keeps those that restore redirected files.
    fn unwind(&mut self, to: usize) {
        let left = self.frames.split_off(to.min(self.frames.len()));
        self.frames.extend(left.into_iter().filter(|frame| matches!(frame, Frame::Restore(_))));
    }
    fn jump(&mut self, again: bool, mut levels: usize) -> i32 {
        let mut at = self.frames.len();
        while levels > 0 {
            let Some(inner) = self.frames.get(..at).and_then(|frames| {
                frames.iter().rposition(|frame| matches!(frame, Frame::Flow(Flow::For { .. } | Flow::While(..)) | Frame::Call { .. }))
            }) else {
                break;
            };
            if let Some(Frame::Call { .. }) = self.frames.get(inner) {
                break;
            }
            at = inner;
            levels -= 1;
        }
        if at < self.frames.len() {
            self.unwind(at + usize::from(again));
            if let (true, Some(Frame::Flow(Flow::While(_, testing)))) = (again, self.frames.get_mut(at)) {
                *testing = false;
            }
        }
        0
    }
    fn declare(&mut self, command: &str, args: &[String], pid: u32, kernel: &mut Kernel) -> i32 {
        if args.iter().all(|arg| arg.starts_with('-')) {
            let mut text = String::new();
            for (name, variable) in self.variables.iter().filter(|(_, v)| command != "export" || v.exported) {
                text.push_str(&format!("{command} {name}='{}'\n", variable.value));
            }
            kernel.write(pid, Stream::Out, &text);
            return 0;
        }
        for arg in args.iter().filter(|arg| !arg.starts_with('-')) {
            let (name, value) = arg.split_once('=').map_or((arg.as_str(), None), |(name, value)| (name, Some(value)));
            if !is_name(name) {
                self.complain(pid, kernel, &format!("{command}: {name}: bad variable name"));
                return 2;
            }
            if command == "local" || command == "declare" || command == "typeset" {
                let old = self.variables.get(name).cloned();
                let inner =
                    self.frames.iter_mut().rev().find_map(|frame| if let Frame::Call { locals, .. } = frame { Some(locals) } else { None });
                match inner {
                    Some(locals) if locals.iter().all(|(known, _)| known != name) => {
                        locals.push((name.into(), old));
                        self.variables.insert(name.into(), Variable::default());
                    }
                    Some(_) => {}
                    None if command == "local" => {
                        self.complain(pid, kernel, "local: not in a function");
                        return 2;
                    }
                    None => {}
                }
            }
            let kept = self.get(name).unwrap_or("").to_owned();
            if !self.set(name, value.unwrap_or(&kept)) {
                self.complain(pid, kernel, &format!("{name}: is read only"));
                return 2;
            }
            if let Some(variable) = self.variables.get_mut(name) {
                variable.exported |= command == "export" || args.iter().any(|arg| arg == "-x");
                variable.fixed |= command == "readonly";
            }
        }
        0
    }
    fn set_command(&mut self, args: &[String], pid: u32, kernel: &mut Kernel) -> i32 {
        if args.is_empty() {
            let text: String = self.variables.iter().map(|(name, v)| format!("{name}='{}'\n", v.value)).collect();
            kernel.write(pid, Stream::Out, &text);
            return 0;
        }
        let mut rest = args.iter().peekable();
        while let Some(arg) = rest.peek() {
            let on = arg.starts_with('-');
            match arg.strip_prefix(['-', '+']) {
                Some("-") => {
                    rest.next();
                    break;
                }
                Some(flags) if !flags.is_empty() => {
                    let flags = flags.to_owned();
                    rest.next();
                    self.set_options(&flags, on);
                    if flags.contains('o') && rest.next().is_some_and(|name| name == "pipefail") {
                        self.options.pipefail = on;
                    }
                }
                _ => break,
            }
        }
        let values: Vec<String> = rest.cloned().collect();
        if !values.is_empty() || args.iter().any(|arg| arg == "--") {
            let first = self.arguments.first().cloned().unwrap_or_default();
            self.arguments = std::iter::once(first).chain(values).collect();
        }
        0
    }
    fn trap(&mut self, args: &[String], pid: u32, kernel: &mut Kernel) -> i32 {
        let Some((action, signals)) = args.split_first() else {
            let text: String = self.traps.iter().map(|(n, action)| format!("trap -- '{action}' {}\n", signal_name(*n))).collect();
            kernel.write(pid, Stream::Out, &text);
            return 0;
        };
        let reset = action == "-" || (signals.is_empty() && signal_number(action).is_some());
        let names = if signals.is_empty() { args } else { signals };
        for name in names {
            let Some(signal) = signal_number(name) else {
                self.complain(pid, kernel, &format!("trap: {name}: invalid signal specification"));
                return 1;
            };
            self.traps.retain(|(n, _)| *n != signal);
            if !reset {
                self.traps.push((signal, action.as_str().into()));
            }
        }
        0
    }
    fn kill(&mut self, args: &[String], pid: u32, kernel: &mut Kernel) -> i32 {
        let (code, errors) = crate::container::programs::kill(args, kernel);
        for error in errors {
            self.complain(pid, kernel, &format!("kill: {error}"));
        }
        // A signal to the shell itself is handled before its next command.
        if let Some(process) = kernel.guest.process_mut(pid) {
            let own = process.signals;
            let caught: u64 =
                self.traps.iter().filter(|(n, action)| own >> n & 1 == 1 && *n > 0 && !action.is_empty()).map(|(n, _)| 1u64 << n).sum();
            self.caught |= caught;
            process.signals &= !caught;
        }
        code
    }
    /// Carries out `command` and `type`: runs a command, or tells where it is.
    fn find(&mut self, args: &[String], pid: u32, kernel: &mut Kernel) -> Option<i32> {
        let name = args.iter().find(|arg| !arg.starts_with('-'))?;
        if args.first().is_some_and(|arg| arg.starts_with("-v") || arg.starts_with("-V"))
            || !args.iter().any(|arg| arg.starts_with('-')) && args.len() == 1
        {
            let found = if is_builtin(name) || self.functions.contains_key(name.as_str()) {
                Some(name.clone())
            } else {
                crate::container::programs::path_of(kernel, name)
            };
            if let Some(path) = &found {
                kernel.write(pid, Stream::Out, &format!("{path}\n"));
            }
            return Some(if found.is_some() { 0 } else { 127 });
        }
        let text = args.iter().map(|arg| format!("'{}'", arg.replace('\'', "'\\''"))).collect::<Vec<_>>().join(" ");
        self.run_text(&text, pid, kernel)
    }
    /// Carries out `read`: reads a line into variables.
    pub(super) fn read(&mut self, names: Vec<String>, raw: bool, text: String, pid: u32, kernel: &mut Kernel) {
        let line = match kernel.read(pid, true) {
            Input::Text(part) => text + &part,
            Input::Later => {
                if let Some(process) = kernel.guest.process_mut(pid)
                    && let crate::container::process::Fd::Reader(pipe) = process.fds[0]
                {
                    process.state = State::Reading(pipe);
                }
                return self.frames.push(Frame::Read { names, raw, text });
            }
            Input::End if text.is_empty() => {
                for name in &names {
                    self.set(name, "");
                }
                self.status = 1;
                return self.check_status();
            }
            Input::End => text,
        };
        self.status = i32::from(!line.ends_with('\n'));
        let line = line.trim_end_matches('\n');
        let line = if raw { line.to_owned() } else { line.replace("\\", "") };
        let ifs = self.get("IFS").unwrap_or(" \t\n").to_owned();
        let mut rest = line.trim_matches(|c: char| ifs.contains(c) && c.is_whitespace());
        let names = if names.is_empty() { vec!["REPLY".to_owned()] } else { names };
        for (n, name) in names.iter().enumerate() {
            let value = if n + 1 == names.len() {
                std::mem::take(&mut rest)
            } else {
                let (value, after) = rest.split_once(|c: char| ifs.contains(c)).unwrap_or((rest, ""));
                rest = after.trim_start_matches(|c: char| ifs.contains(c) && c.is_whitespace());
                value
            };
            self.set(name, value);
        }
        self.check_status();
    }
}
