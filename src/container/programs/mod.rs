//! The programs inside images. Counterparts: busybox, the GNU tools, and the programs in the images of the Kubernetes documentation.
//!
//! Most programs finish at once. A program that waits for time, input or the network keeps its state in a [`Native`]. A program that the image contains
//! but that the simulator cannot run writes a line that begins with [`MARK`], and ends with exit code 125.
//! `list` says where a new program goes.

mod archive;
mod clients;
mod compute;
mod disk;
mod interpreters;
mod list;
mod system;

use super::files::{FileError, absolute};
use super::guest::{Input, Kernel, MARK, STOPPED};
use super::images::{Base, Image};
use super::process::{Fd, State, Stream, Work, signal_number};
use super::server::{self, Launch};
use super::sh::{self, Shell};
use crate::api::time::Time;
use crate::filters::{self, Filter};
use crate::network::{NetAnswer, NetProgram};
use crate::posix::print;
use arcstr::ArcStr;
use std::sync::Arc;

/// The state of a running program between two of its steps.
#[derive(Clone, Debug, Default)]
pub enum Native {
    /// A placeholder while a step of the program is carried out.
    #[default]
    Placeholder,
    /// The program has not been started.
    Start,
    /// The program ends with this exit code at its next step.
    Ends(i32),
    /// The program filters its input line by line. Its output is also written to these files (`tee`).
    Filter(Box<Filter>, Vec<String>),
    /// `tail -f`: the path of the file, and the offset up to which it has been printed.
    Follow(String, usize),
    /// `xargs`: the input so far.
    Xargs(String),
    /// `tar`: the part of the archive that was read so far.
    Archive(String),
    /// `timeout`: the pid of the child, and the time at which the child is killed.
    Timeout(u32, Time),
    /// `yes`: the line that it repeats.
    Yes(String),
    /// The program waits for the answer to a network request; `None` until that has arrived.
    Asks(Box<NetProgram>, Option<Arc<NetAnswer>>),
}

/// Returns the work of a process that ends at once with an exit code.
pub fn ends_with(code: i32) -> Work {
    Work::Program(Box::new(Native::Ends(code)))
}

/// Returns the shell, server or program that a command line runs, or an exit code and an error message.
pub fn resolve(kernel: &Kernel, pid: u32, argv: &[String], env: &[(ArcStr, ArcStr)]) -> Result<Work, (i32, String)> {
    resolve_words(kernel, pid, argv, env, 0)
}

fn resolve_words(kernel: &Kernel, pid: u32, argv: &[String], env: &[(ArcStr, ArcStr)], depth: usize) -> Result<Work, (i32, String)> {
    let Some((first, args)) = argv.split_first() else { return Err((127, "not found".to_owned())) };
    let name = first.rsplit('/').next().unwrap_or(first);
    if first.contains('/') {
        let cwd = kernel.guest.process(pid).map_or("/", |p| p.cwd.as_str());
        match kernel.disk.read(&absolute(cwd, first)) {
            Ok(text) => match interpreter_of(&text) {
                Some(other) if list::has_program(kernel.guest.image, other) => return Ok(Work::Program(Box::new(Native::Start))),
                Some(_) => return Err((127, format!("{first}: not found"))),
                None => return script(&text, argv.to_vec(), env),
            },
            Err(FileError::IsDirectory) => return Err((126, format!("{first}: Permission denied"))),
            Err(_) => {}
        }
    }
    let image = kernel.guest.image;
    if !list::has_program(image, first) {
        return Err((127, format!("{first}: not found")));
    }
    if is_shell(name) {
        return shell(kernel, pid, argv, env);
    }
    let rest = list::wrapped(name, args);
    if !rest.is_empty() && depth < 4 {
        return resolve_words(kernel, pid, &rest, env, depth + 1);
    }
    let variable = |name: &str| env.iter().rfind(|(key, _)| key == name).map(|(_, value)| value.to_string());
    if let Some(Launch::Serves(server)) = server::launch(image, name, args, &variable) {
        return Ok(Work::Server(Arc::new(server)));
    }
    Ok(Work::Program(Box::new(Native::Start)))
}

/// Returns how a command line starts if it is nothing but a server, perhaps behind wrappers; `None` for any other command.
pub fn serves(image: &Image, argv: &[String], variable: &dyn Fn(&str) -> Option<String>) -> Option<Launch> {
    let mut words = argv.to_vec();
    for _ in 0..4 {
        let (first, args) = words.split_first().filter(|(first, _)| list::has_program(image, first))?;
        let name = first.rsplit('/').next().unwrap_or(first).to_owned();
        let rest = list::wrapped(&name, args);
        if rest.is_empty() {
            return server::launch(image, &name, args, variable);
        }
        words = rest;
    }
    None
}

/// Returns the interpreter that the first line of a script names (`#!`), if that is no shell.
fn interpreter_of(text: &str) -> Option<&str> {
    let mut words = text.lines().next()?.strip_prefix("#!")?.split_whitespace();
    let named = words.next().filter(|word| !word.ends_with("/env")).or_else(|| words.next())?;
    (!is_shell(named.rsplit('/').next()?)).then_some(named)
}

fn is_shell(name: &str) -> bool {
    matches!(name, "sh" | "bash" | "ash" | "dash" | "zsh")
}

fn script(text: &str, argv: Vec<String>, env: &[(ArcStr, ArcStr)]) -> Result<Work, (i32, String)> {
    match sh::parse(text) {
        Ok(tree) => Ok(Work::Shell(Box::new(Shell::new(tree, argv, env)))),
        Err(error) => Err((2, error.of_busybox())),
    }
}

/// Returns the work of a process that runs `sh` with these arguments: `-c SCRIPT`, a file, or the standard input.
fn shell(kernel: &Kernel, pid: u32, argv: &[String], env: &[(ArcStr, ArcStr)]) -> Result<Work, (i32, String)> {
    let mut flags = String::new();
    let mut rest = argv.iter().skip(1).peekable();
    while let Some(arg) = rest.next_if(|arg| arg.starts_with('-') && arg.len() > 1) {
        flags.push_str(arg.trim_start_matches('-'));
        if arg.ends_with('o') && !arg.starts_with("--") {
            rest.next();
        }
    }
    let name = argv.first().map_or("sh", |word| word.rsplit('/').next().unwrap_or(word));
    let (text, arguments): (String, Vec<String>) = if flags.contains('c') {
        let text = rest.next().cloned().unwrap_or_default();
        let mut arguments: Vec<String> = rest.cloned().collect();
        if arguments.is_empty() {
            arguments.push(name.to_owned());
        }
        (text, arguments)
    } else if let Some(path) = rest.next() {
        let cwd = kernel.guest.process(pid).map_or("/", |p| p.cwd.as_str());
        let text = kernel.disk.read(&absolute(cwd, path)).map_err(|error| (2, format!("can't open '{path}': {}", error.text())))?;
        (text.to_string(), std::iter::once(path.clone()).chain(rest.cloned()).collect())
    } else {
        let mut shell = Shell::reading(name, env).called(name);
        shell.set_options(&flags, true);
        return Ok(Work::Shell(Box::new(shell)));
    };
    let tree = sh::parse(&text).map_err(|error| (2, error.of_busybox()))?;
    let mut shell = Shell::new(tree, arguments, env).called(name);
    shell.set_options(&flags, true);
    Ok(Work::Shell(Box::new(shell)))
}

/// Replaces the program of a process, as `exec` does.
pub fn replace(kernel: &mut Kernel, pid: u32, argv: Vec<String>, env: Arc<Vec<(ArcStr, ArcStr)>>, fds: [Fd; 3], work: Work) {
    if let Some(process) = kernel.guest.process_mut(pid) {
        (process.argv, process.env, process.fds, process.work) = (argv.into(), env, fds, work);
        process.state = State::Ready;
    }
    kernel.begin(pid);
}

/// Opens a file for reading. The flag in an error is always `true`: it distinguishes errors of reading from errors of creating a file.
pub fn open(kernel: &Kernel, pid: u32, path: &str) -> Result<Fd, (bool, FileError)> {
    let Some(process) = kernel.guest.process(pid) else { return Ok(Fd::Null) };
    match path {
        "/dev/null" => return Ok(Fd::Null),
        "/dev/stdin" => return Ok(process.fds[0].clone()),
        "/dev/zero" | "/dev/urandom" | "/dev/random" => return Ok(Fd::Input(ArcStr::from("\0".repeat(1024)), 0)),
        _ => {}
    }
    let path = absolute(&process.cwd, path);
    let text = system::virtual_file(kernel, &path).map_or_else(|| kernel.disk.read(&path), |text| Ok(text.into()));
    text.map(|text| Fd::Input(text, 0)).map_err(|error| (true, error))
}

/// Returns the path of a program; `None` if the container does not have it.
pub fn path_of(kernel: &Kernel, name: &str) -> Option<String> {
    if name.contains('/') {
        return (kernel.disk.get(name).is_some() || list::has_program(kernel.guest.image, name)).then(|| name.to_owned());
    }
    list::has_program(kernel.guest.image, name).then(|| format!("{}/{name}", list::directory(kernel.guest.image, name)))
}

/// Returns whether the image has a program with this name, or the container a file at this path.
pub fn exists(kernel: &Kernel, name: &str) -> bool {
    name.contains('/') && kernel.disk.get(&absolute(&kernel.guest.facts.cwd, name)).is_some() || list::has_program(kernel.guest.image, name)
}

/// Runs `kill`: sends a signal to processes. Returns the exit code and the error messages.
pub fn kill(args: &[String], kernel: &mut Kernel) -> (i32, Vec<String>) {
    let mut signal = 15;
    let mut errors = Vec::new();
    let mut rest = args.iter();
    let mut pids = Vec::new();
    while let Some(arg) = rest.next() {
        let name = match arg.strip_prefix('-') {
            Some("s") => rest.next().map_or("", String::as_str),
            Some("l") => return (0, Vec::new()),
            Some(name) if pids.is_empty() && !name.is_empty() => name,
            _ => {
                pids.push(arg);
                continue;
            }
        };
        match signal_number(name) {
            Some(number) => signal = number,
            None => errors.push(format!("invalid signal '{name}'")),
        }
    }
    for pid in pids {
        match pid.parse::<u32>() {
            Ok(number) if kernel.signal(number, signal) => {}
            Ok(number) => errors.push(format!("can't kill pid {number}: No such process")),
            Err(_) => errors.push(format!("invalid number '{pid}'")),
        }
    }
    (i32::from(!errors.is_empty()), errors)
}

impl Kernel<'_> {
    /// Starts the work of a process that has just been given its program: a server prints its first lines and uses its memory.
    pub fn begin(&mut self, pid: u32) {
        let Some(process) = self.guest.process_mut(pid) else { return };
        let Work::Server(server) = &process.work else { return };
        let server = server.clone();
        process.memory = server.memory;
        for line in &server.prints {
            self.write(pid, Stream::Out, &format!("{line}\n"));
        }
    }
    /// Carries out one step of a program. Returns the exit code if the step ends the program.
    pub(super) fn advance(&mut self, pid: u32, native: Native) -> Option<i32> {
        match native {
            Native::Placeholder => Some(STOPPED),
            Native::Ends(code) => Some(code),
            Native::Start => self.start_program(pid),
            Native::Filter(filter, copies) => self.filter(pid, filter, copies),
            Native::Follow(path, shown) => {
                let text = self.disk.read(&path).unwrap_or_default();
                let from = if text.len() < shown { 0 } else { shown };
                let new = text.get(from..).unwrap_or("").to_owned();
                self.write(pid, Stream::Out, &new);
                self.sleep(pid, Native::Follow(path, text.len()), self.now + crate::api::time::Span::secs(1))
            }
            Native::Xargs(text) => match self.read(pid, false) {
                Input::Text(more) => self.keep(pid, Native::Xargs(text + &more)),
                Input::Later => self.block_on_input(pid, Native::Xargs(text)),
                Input::End => self.xargs(pid, &text),
            },
            Native::Archive(text) => self.read_archive(pid, text),
            Native::Timeout(child, deadline) => {
                let Some(process) = self.guest.process_mut(pid) else { return Some(1) };
                if let Some((_, code)) = process.ended.iter().find(|(ended, _)| *ended == child) {
                    return Some(*code);
                }
                if self.now >= deadline {
                    self.guest.signal(child, 9);
                    return Some(124);
                }
                self.sleep(pid, Native::Timeout(child, deadline), (self.now + crate::api::time::Span::millis(100)).min(deadline))
            }
            Native::Yes(line) => {
                self.write(pid, Stream::Out, &line.repeat(50));
                self.keep(pid, Native::Yes(line))
            }
            Native::Asks(client, answer) => self.client(pid, client, answer),
        }
    }
    /// Stores the state of a program for its next step.
    fn keep(&mut self, pid: u32, native: Native) -> Option<i32> {
        if let Some(process) = self.guest.process_mut(pid)
            && let Work::Program(place) = &mut process.work
        {
            **place = native;
        }
        None
    }
    fn sleep(&mut self, pid: u32, native: Native, until: Time) -> Option<i32> {
        if let Some(process) = self.guest.process_mut(pid) {
            process.state = State::Sleeping(until);
        }
        self.keep(pid, native)
    }
    fn block_on_input(&mut self, pid: u32, native: Native) -> Option<i32> {
        if let Some(process) = self.guest.process_mut(pid) {
            process.state = match process.fds[0] {
                Fd::Reader(pipe) => State::Reading(pipe),
                _ => State::Ready,
            };
        }
        self.keep(pid, native)
    }
    fn filter(&mut self, pid: u32, mut filter: Box<Filter>, copies: Vec<String>) -> Option<i32> {
        let (text, code) = match if filter.is_done() { Input::End } else { self.read(pid, false) } {
            Input::Text(text) => (filter.feed(&text), None),
            Input::Later => return self.block_on_input(pid, Native::Filter(filter, copies)),
            Input::End => {
                let (text, code) = filter.end();
                (text, Some(code))
            }
        };
        let cwd = self.guest.process(pid).map(|p| p.cwd.clone()).unwrap_or_default();
        for path in &copies {
            let _ = self.disk.write(&absolute(&cwd, path), &text, true);
        }
        self.write(pid, Stream::Out, &text);
        match code {
            Some(code) => Some(code),
            None => {
                let blocked = self.guest.process(pid).map(|p| p.state);
                self.keep(pid, Native::Filter(filter, copies));
                if let (Some(state), Some(process)) = (blocked, self.guest.process_mut(pid)) {
                    process.state = state;
                }
                None
            }
        }
    }
    /// Runs the commands that `xargs` makes of its input, one after the other, by a shell that takes its place.
    fn xargs(&mut self, pid: u32, text: &str) -> Option<i32> {
        let process = self.guest.process(pid)?;
        let (argv, env) = (process.argv.clone(), process.env.clone());
        let commands = match print::xargs(argv.get(1..).unwrap_or(&[]), text) {
            Ok(commands) => commands,
            Err(why) => return self.complain(pid, &format!("xargs: {why}\n"), 1),
        };
        let quote = |word: &String| format!("'{}'", word.replace('\'', "'\\''"));
        let lines: Vec<String> = commands.iter().map(|words| words.iter().map(quote).collect::<Vec<_>>().join(" ")).collect();
        match script(&lines.join("\n"), vec!["xargs".to_owned()], &env) {
            Ok(work) => {
                if let Some(process) = self.guest.process_mut(pid) {
                    process.work = work;
                    process.fds[0] = Fd::Null;
                }
                None
            }
            Err((code, _)) => Some(code),
        }
    }
    /// Writes that the simulator cannot run a program, and returns [`STOPPED`] as its exit code.
    fn refuse_program(&mut self, pid: u32, what: &str) -> Option<i32> {
        self.write(pid, Stream::Err, &format!("{MARK} {what} is not run by this playground (exit code {STOPPED})\n"));
        Some(STOPPED)
    }
    fn say(&mut self, pid: u32, text: &str) -> Option<i32> {
        self.write(pid, Stream::Out, text);
        Some(0)
    }
    fn complain(&mut self, pid: u32, text: &str, code: i32) -> Option<i32> {
        self.write(pid, Stream::Err, text);
        Some(code)
    }
    /// Starts the program that the process's command line names. Returns its exit code if it ended at once; `None` if it still runs.
    fn start_program(&mut self, pid: u32) -> Option<i32> {
        let process = self.guest.process_mut(pid)?;
        while let Some((_, args)) = process.argv.split_first()
            && let rest = list::wrapped(process.name(), args)
            && !rest.is_empty()
        {
            process.argv = rest.into();
        }
        let argv = process.argv.clone();
        let name = process.name().to_owned();
        let args: Vec<String> = argv.iter().skip(1).cloned().collect();
        let env = process.env.clone();
        let variable = |name: &str| env.iter().rfind(|(key, _)| key == name).map(|(_, value)| value.to_string());
        let launched = serves(self.guest.image, &argv, &variable);
        if let Some(Launch::Ends(lines, code)) = launched {
            for line in lines {
                self.write(pid, Stream::Err, &format!("{line}\n"));
            }
            return Some(code);
        }
        if name == "tail" && args.iter().any(|arg| arg.starts_with("-f") || arg == "-F" || arg == "--follow") {
            return self.follow(pid, &args);
        }
        if name == "tar" {
            return self.tar(pid, &args);
        }
        if let Some(code) = self.text_program(pid, &name, &args) {
            return code;
        }
        if let Some(code) = self.system_program(pid, &name, &args) {
            return code;
        }
        if let Some(code) = self.disk_program(pid, &name, &args) {
            return code;
        }
        if let Some(code) = self.compute_program(pid, &name, &args) {
            return code;
        }
        if let Some(code) = self.interpreter(pid, &name, &args) {
            return code;
        }
        if let Some(code) = self.network_program(pid, &argv) {
            return code;
        }
        self.refuse_program(pid, &argv.iter().take(4).cloned().collect::<Vec<_>>().join(" "))
    }
    /// Starts `tail -f`, which prints what is appended to a file.
    fn follow(&mut self, pid: u32, args: &[String]) -> Option<i32> {
        let cwd = self.guest.process(pid)?.cwd.clone();
        let Some(path) = args.iter().rfind(|arg| !arg.starts_with('-') && arg.parse::<i64>().is_err()) else {
            return self.keep(pid, Native::Filter(Box::new(filters::parse("cat", &[])?.ok()?.filter), Vec::new()));
        };
        let path = absolute(&cwd, path);
        if path == "/dev/null" {
            if let Some(process) = self.guest.process_mut(pid) {
                process.state = State::Signal;
            }
            return self.keep(pid, Native::Ends(0));
        }
        if let Err(error) = self.disk.read(&path)
            && !args.iter().any(|arg| arg == "-F")
        {
            return self.complain(pid, &format!("tail: can't open '{path}': {}\ntail: no files\n", error.text()), 1);
        }
        self.keep(pid, Native::Follow(path, 0))
    }
    /// Starts a program that filters text. The outer `None` means that the name belongs to no such program.
    fn text_program(&mut self, pid: u32, name: &str, args: &[String]) -> Option<Option<i32>> {
        if name == "tee" {
            let cwd = self.guest.process(pid)?.cwd.clone();
            let append = args.iter().any(|arg| arg == "-a");
            let copies: Vec<String> = args.iter().filter(|arg| !arg.starts_with('-')).cloned().collect();
            for path in copies.iter().filter(|_| !append) {
                let _ = self.disk.write(&absolute(&cwd, path), "", false);
            }
            let filter = filters::parse("cat", &[])?.ok()?.filter;
            return Some(self.keep(pid, Native::Filter(Box::new(filter), copies)));
        }
        let parsed = match filters::parse(name, args)? {
            Ok(parsed) => parsed,
            Err((why, code)) => return Some(self.complain(pid, &why, code)),
        };
        let mut filter = parsed.filter;
        if parsed.files.iter().all(|file| file == "-") {
            return Some(self.keep(pid, Native::Filter(Box::new(filter), Vec::new())));
        }
        let (mut text, mut code) = (String::new(), 0);
        for file in &parsed.files {
            match open(self, pid, file) {
                Ok(Fd::Input(content, _)) => text.push_str(&filter.feed(&content)),
                Ok(_) => {}
                Err((_, error)) => {
                    code = if name.ends_with("grep") { 2 } else { 1 };
                    let shown = match self.guest.image.base {
                        Base::Busybox | Base::Alpine => format!("can't open '{file}'"),
                        _ => file.clone(),
                    };
                    self.write(pid, Stream::Err, &format!("{name}: {shown}: {}\n", error.text()));
                }
            }
        }
        let (rest, ended) = filter.end();
        text.push_str(&rest);
        if name == "wc" && parsed.files.len() == 1 {
            text = format!("{} {}\n", text.trim_end(), parsed.files[0]);
        }
        self.write(pid, Stream::Out, &text);
        Some(Some(ended.max(code)))
    }
}
