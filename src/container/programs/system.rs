//! Programs that print or change something about the container: date, hostname, ps, env, kill, sleep and the like.

use super::Native;
use crate::api::time::Span;
use crate::container::guest::Kernel;
use crate::container::process::{Fd, State, Stream};
use crate::posix::print::{self, duration};

/// Returns the content of a file that the kernel generates, such as `/proc/uptime`; `None` for any other path.
pub fn virtual_file(kernel: &Kernel, path: &str) -> Option<String> {
    let facts = &kernel.guest.facts;
    Some(match path {
        "/etc/hostname" | "/proc/sys/kernel/hostname" => format!("{}\n", facts.hostname),
        "/proc/uptime" => format!("{}.00 0.00\n", kernel.now.unix().rem_euclid(1_000_000)),
        "/proc/loadavg" => "0.00 0.00 0.00 1/100 1\n".to_owned(),
        "/proc/meminfo" => "MemTotal:        8388608 kB\nMemFree:         6291456 kB\n".to_owned(),
        "/sys/fs/cgroup/memory.max" if facts.memory_limit > 0 => format!("{}\n", facts.memory_limit),
        "/sys/fs/cgroup/memory.max" => "max\n".to_owned(),
        "/sys/fs/cgroup/memory.current" => format!("{}\n", kernel.guest.memory()),
        _ => return kernel.process_file(path),
    })
}

impl Kernel<'_> {
    /// Starts a program of this file. The outer `None` means that the name belongs to none of them; the inner is its exit code, or `None` if it continues.
    pub(super) fn system_program(&mut self, pid: u32, name: &str, args: &[String]) -> Option<Option<i32>> {
        let facts = self.guest.facts.clone();
        let first = args.first().map_or("", String::as_str);
        Some(match name {
            "true" | ":" | "clear" | "sync" | "stty" | "fsync" => Some(0),
            "false" => Some(1),
            "echo" => self.say(pid, &print::echo(args)),
            "printf" => match print::printf(args) {
                Ok(text) => self.say(pid, &text),
                Err(why) => self.complain(pid, &format!("printf: {why}\n"), 1),
            },
            "sleep" | "usleep" => self.begin_sleep(pid, name, args),
            "date" => {
                let format = args.iter().find_map(|arg| arg.strip_prefix('+')).unwrap_or("%a %b %e %H:%M:%S UTC %Y");
                let format = if args.iter().any(|arg| arg.starts_with("-I")) { "%FT%T%z" } else { format };
                let text = format!("{}\n", print::date(self.now, format));
                self.say(pid, &text)
            }
            "hostname" if args.iter().any(|arg| arg == "-i" || arg == "-I") => self.say(pid, &format!("{}\n", facts.address)),
            "hostname" => self.say(pid, &format!("{}\n", facts.hostname)),
            "whoami" if facts.uid == 0 => self.say(pid, "root\n"),
            "whoami" => self.complain(pid, &format!("whoami: unknown uid {}\n", facts.uid), 1),
            "id" => {
                let name = if facts.uid == 0 { "(root)" } else { "" };
                let group = if facts.gid == 0 { "(root)" } else { "" };
                let text = match first {
                    "-u" => facts.uid.to_string(),
                    "-g" => facts.gid.to_string(),
                    "-G" => facts.groups.iter().map(u32::to_string).collect::<Vec<_>>().join(" "),
                    "-un" => {
                        if facts.uid == 0 {
                            "root".to_owned()
                        } else {
                            facts.uid.to_string()
                        }
                    }
                    _ => {
                        let named = |id: &u32| if *id == 0 { "0(root)".to_owned() } else { id.to_string() };
                        let groups: Vec<String> = facts.groups.iter().map(named).collect();
                        format!("uid={}{name} gid={}{group} groups={}", facts.uid, facts.gid, groups.join(","))
                    }
                };
                self.say(pid, &format!("{text}\n"))
            }
            "uname" => {
                let text = match first {
                    "-a" => format!("Linux {} 6.1.0-18-amd64 #1 SMP x86_64 GNU/Linux", facts.hostname),
                    "-r" => "6.1.0-18-amd64".to_owned(),
                    "-n" => facts.hostname.to_string(),
                    "-m" => "x86_64".to_owned(),
                    _ => "Linux".to_owned(),
                };
                self.say(pid, &format!("{text}\n"))
            }
            "arch" => self.say(pid, "x86_64\n"),
            "nproc" => self.say(pid, &format!("{}\n", facts.cpus)),
            "tty" => {
                self.write(pid, Stream::Out, "not a tty\n");
                Some(1)
            }
            "uptime" => self.say(pid, " up 10 days,  load average: 0.00, 0.00, 0.00\n"),
            "free" => {
                let (total, used) = (if facts.memory_limit > 0 { facts.memory_limit >> 10 } else { 8 << 20 }, self.guest.memory() >> 10);
                self.say(
                    pid,
                    &format!(
                        "              total        used        free\nMem:    {total:>11} {used:>11} {:>11}\n",
                        total.saturating_sub(used)
                    ),
                )
            }
            "env" => self.env(pid, args),
            "printenv" => self.printenv(pid, args),
            "ps" | "top" => self.ps(pid),
            "kill" => {
                let (code, errors) = super::kill(args, self);
                for error in errors {
                    self.write(pid, Stream::Err, &format!("kill: {error}\n"));
                }
                Some(code)
            }
            "killall" | "pkill" => self.kill_by_name(pid, args),
            "pidof" | "pgrep" => {
                let found: Vec<String> =
                    self.guest.processes.iter().filter(|p| p.pid != pid && p.name() == first).map(|p| p.pid.to_string()).collect();
                if found.is_empty() { Some(1) } else { self.say(pid, &format!("{}\n", found.join(" "))) }
            }
            "which" => match super::path_of(self, first) {
                Some(path) => self.say(pid, &format!("{path}\n")),
                None => Some(1),
            },
            "yes" => {
                let line = if args.is_empty() { "y\n".to_owned() } else { format!("{}\n", args.join(" ")) };
                self.keep(pid, Native::Yes(line))
            }
            "xargs" => self.keep(pid, Native::Xargs(String::new())),
            "timeout" => self.timeout(pid, args),
            "test" | "[" => self.run_by_shell(pid, name, args),
            "apk" | "apt" | "apt-get" | "yum" | "dnf" | "pip" => {
                self.complain(pid, &format!("{} {name}: there is no network outside of this cluster\n", crate::container::guest::MARK), 1)
            }
            _ => return None,
        })
    }
    fn begin_sleep(&mut self, pid: u32, name: &str, args: &[String]) -> Option<i32> {
        let mut whole = Span(0);
        if args.is_empty() {
            return self.complain(pid, &format!("{name}: missing operand\n"), 1);
        }
        for arg in args {
            match duration(arg) {
                Some(span) if name == "usleep" => whole = whole + Span(span.0 / 1_000_000),
                Some(span) => whole = whole + span,
                None => return self.complain(pid, &format!("sleep: invalid number '{arg}'\n"), 1),
            }
        }
        let until = self.now + whole;
        self.sleep(pid, Native::Ends(0), until)
    }
    fn env(&mut self, pid: u32, args: &[String]) -> Option<i32> {
        let mut env = self.guest.process(pid)?.env.to_vec();
        let mut rest = args.iter().peekable();
        while let Some(arg) = rest.peek() {
            match arg.split_once('=') {
                Some((name, value)) => {
                    env.retain(|(known, _)| known != name);
                    env.push((name.into(), value.into()));
                }
                None if **arg == "-i" || **arg == "-" => env.clear(),
                None => break,
            }
            rest.next();
        }
        let words: Vec<String> = rest.cloned().collect();
        if words.is_empty() {
            let text: String = env.iter().map(|(name, value)| format!("{name}={value}\n")).collect();
            return self.say(pid, &text);
        }
        self.become_program(pid, words, env)
    }
    /// Replaces the program of a process by another command, as `exec` does.
    fn become_program(&mut self, pid: u32, words: Vec<String>, env: Vec<(arcstr::ArcStr, arcstr::ArcStr)>) -> Option<i32> {
        match super::resolve(self, pid, &words, &env) {
            Ok(work) => {
                let fds = self.guest.process(pid)?.fds.clone();
                super::replace(self, pid, words, std::sync::Arc::new(env), fds, work);
                None
            }
            Err((code, message)) => self.complain(pid, &format!("{message}\n"), code),
        }
    }
    fn printenv(&mut self, pid: u32, args: &[String]) -> Option<i32> {
        if args.is_empty() {
            return self.env(pid, &[]);
        }
        let process = self.guest.process(pid)?;
        let found: Vec<Option<String>> = args.iter().map(|name| process.variable(name).map(str::to_owned)).collect();
        let code = i32::from(found.iter().any(Option::is_none));
        for value in found.into_iter().flatten() {
            self.write(pid, Stream::Out, &format!("{value}\n"));
        }
        Some(code)
    }
    fn ps(&mut self, pid: u32) -> Option<i32> {
        let mut text = "PID   USER     TIME  COMMAND\n".to_owned();
        for (pid, uid, title) in self.process_list() {
            let user = if uid == 0 { "root".to_owned() } else { uid.to_string() };
            text.push_str(&format!("{pid:>5} {user:<8}  0:00 {title}\n"));
        }
        self.say(pid, &text)
    }
    fn kill_by_name(&mut self, pid: u32, args: &[String]) -> Option<i32> {
        let signal = args.iter().find_map(|arg| arg.strip_prefix('-')).and_then(crate::container::process::signal_number).unwrap_or(15);
        let Some(name) = args.iter().rfind(|arg| !arg.starts_with('-')) else { return Some(1) };
        let found: Vec<u32> = self.guest.processes.iter().filter(|p| p.pid != pid && p.name() == name).map(|p| p.pid).collect();
        for target in &found {
            self.guest.signal(*target, signal);
        }
        Some(i32::from(found.is_empty()))
    }
    fn timeout(&mut self, pid: u32, args: &[String]) -> Option<i32> {
        let rest: Vec<String> = args.iter().skip_while(|arg| arg.starts_with('-')).cloned().collect();
        let Some((limit, words)) = rest.split_first() else { return Some(125) };
        let Some(span) = duration(limit) else { return self.complain(pid, &format!("timeout: invalid time interval '{limit}'\n"), 125) };
        let process = self.guest.process(pid)?;
        let (env, fds) = (process.env.clone(), process.fds.clone());
        match super::resolve(self, pid, words, &env) {
            Ok(work) => {
                let child = self.spawn(pid, words.to_vec().into(), fds, work)?;
                self.begin(child);
                let deadline = self.now + span;
                self.keep(pid, Native::Timeout(child, deadline));
                if let Some(process) = self.guest.process_mut(pid) {
                    process.state = State::Sleeping(self.now);
                    process.fds = [Fd::Null, Fd::Null, process.fds[2].clone()];
                }
                None
            }
            Err((code, message)) => self.complain(pid, &format!("timeout: {message}\n"), code),
        }
    }
    /// Lets a shell carry out a command that is built into the shell.
    fn run_by_shell(&mut self, pid: u32, name: &str, args: &[String]) -> Option<i32> {
        let text = std::iter::once(name).chain(args.iter().map(String::as_str)).map(|word| format!("'{}'", word.replace('\'', "'\\''")));
        let env = self.guest.process(pid)?.env.clone();
        match super::script(&text.collect::<Vec<_>>().join(" "), vec![name.to_owned()], &env) {
            Ok(work) => {
                if let Some(process) = self.guest.process_mut(pid) {
                    process.work = work;
                }
                None
            }
            Err((code, _)) => Some(code),
        }
    }
}
