//! Programs that send network requests: wget, curl, nslookup, dig, nc, ping, redis-cli, psql. [`crate::network`] has the programs themselves; this file runs
//! them as processes.

use super::Native;
use crate::api::time::Time;
use crate::container::guest::Kernel;
use crate::container::images::Base;
use crate::container::process::{State, Stream, Work};
use crate::network::{NetAnswer, NetProgram, Nslookup, Origin};
use std::sync::Arc;

impl Kernel<'_> {
    /// Starts a program that sends a network request. The outer `None` means that `argv` names no such program.
    pub(super) fn network_program(&mut self, pid: u32, argv: &[String]) -> Option<Option<i32>> {
        let mut program = match NetProgram::parse(argv, &Origin::Inside)? {
            Ok(program) => program,
            Err(printed) => return Some(self.complain(pid, &printed.stderr, printed.code)),
        };
        let image = self.guest.image;
        let version = self.guest.facts.tag.strip_prefix("1.").and_then(|rest| rest.split(['.', '-']).next()?.parse::<u32>().ok());
        program.set_nslookup(match image.base {
            Base::Busybox if image.repository == "radial/busyboxplus" || version.is_some_and(|minor| minor < 29) => Nslookup::OldBusybox,
            Base::Busybox | Base::Alpine if !image.programs.contains(&"dig") => Nslookup::Busybox,
            _ => Nslookup::Bind,
        });
        self.requests.push((pid, program.request.clone()));
        if let Some(process) = self.guest.process_mut(pid) {
            process.state = State::Network;
        }
        Some(self.keep(pid, Native::Asks(Box::new(program), None)))
    }
    /// Hands a process the answer to its network request, which arrives at the time `at`.
    pub fn answer(&mut self, pid: u32, answer: Arc<NetAnswer>, at: Time) {
        let Some(process) = self.guest.process_mut(pid) else { return };
        if let Work::Program(native) = &mut process.work
            && let Native::Asks(_, place) = &mut **native
        {
            *place = Some(answer);
            process.state = State::Sleeping(at);
        }
    }
    /// Prints the answer to a program's network request and returns the exit code; if there is no answer yet, lets the program wait.
    pub(super) fn client(&mut self, pid: u32, program: Box<NetProgram>, answer: Option<Arc<NetAnswer>>) -> Option<i32> {
        let Some(answer) = answer else {
            if let Some(process) = self.guest.process_mut(pid) {
                process.state = State::Network;
            }
            return self.keep(pid, Native::Asks(program, None));
        };
        let printed = program.print(&answer);
        let texts = [(Stream::Err, &printed.stderr), (Stream::Out, &printed.stdout)];
        for n in if printed.errors_last { [1, 0] } else { [0, 1] } {
            self.write(pid, texts[n].0, texts[n].1);
        }
        if let Some((path, text)) = printed.file {
            match self.create(pid, &path, false) {
                Ok(fd) => {
                    if let Some(process) = self.guest.process_mut(pid) {
                        process.fds[1] = fd;
                    }
                    self.write(pid, Stream::Out, &text);
                }
                Err(error) => {
                    let name = self.guest.process(pid).map(|p| p.name().to_owned()).unwrap_or_default();
                    return self.complain(pid, &format!("{name}: can't open '{path}': {}\n", error.text()), 1);
                }
            }
        }
        Some(printed.code)
    }
}
