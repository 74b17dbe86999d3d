//! Commands that are run in a container from outside: `kubectl exec`, exec probes and hooks. Counterpart: `ExecSync` of the CRI.

use super::files::Disk;
use super::guest::{BUSY_PAUSE, Guest, Kernel};
use super::log::LOG_BYTES;
use super::process::{Fd, State};
use crate::api::time::{Span, Time};

/// The number of times that a command of an exec session may wait.
const MAX_ROUNDS: usize = 2_000;

/// What came of a command that was run in a container.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Called {
    /// The exit code; `None` if it had not ended when its time was over.
    pub code: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// The time that it took.
    pub took: Span,
    /// Set if the container has no such program.
    pub missing: bool,
}

/// Answers what a process asks of the network, and tells how long that takes.
pub type Asks<'a> = dyn FnMut(&super::network::Request, &Guest, &Disk, Time) -> (Span, super::network::Answer) + 'a;

impl Kernel<'_> {
    /// Runs a command in an exec session until it has ended, waits for ever, or `limit` is over. Its time passes for it alone.
    pub fn call(&mut self, argv: &[String], limit: Span, ask: &mut Asks) -> Called {
        let mut called = Called::default();
        let env = self.guest.facts.env.clone();
        let work = match super::programs::resolve(self, 0, argv, &env) {
            Ok(work) => work,
            Err((127 | 126, _)) => {
                called.missing = true;
                return called;
            }
            Err((code, message)) => return Called { code: Some(code), stderr: format!("sh: {message}\n"), ..called },
        };
        let (out, err) = (self.pipe(), self.pipe());
        let fds = [Fd::Null, Fd::Writer(out), Fd::Writer(err)];
        let Some(pid) = self.spawn(0, argv.to_vec().into(), fds, work) else {
            return Called { code: Some(126), stderr: "can't fork: Resource temporarily unavailable\n".to_owned(), ..called };
        };
        if let Some(process) = self.guest.process_mut(pid) {
            process.session = pid;
        }
        self.guest.listening.extend([out, err]);
        self.begin(pid);
        let (start, mut rounds) = (self.now, 0);
        loop {
            self.run(Some(pid));
            called.stdout.push_str(&self.drain(out));
            called.stderr.push_str(&self.drain(err));
            for (pid, request) in std::mem::take(&mut self.requests) {
                let (delay, answer) = ask(&request, self.guest, self.disk, self.now);
                self.answer(pid, answer, self.now + delay);
            }
            if let Some(at) = self.guest.finished.iter().position(|(ended, _)| *ended == pid) {
                called.code = Some(self.guest.finished.remove(at).1);
                break;
            }
            let own = self.guest.processes.iter().filter(|p| p.session == pid);
            let next = own.filter_map(|p| match p.state {
                State::Sleeping(at) => Some(at.max(self.now)),
                State::Ready => Some(self.now + BUSY_PAUSE),
                _ => None,
            });
            rounds += 1;
            match next.min().filter(|next| *next - start <= limit && rounds < MAX_ROUNDS && called.stdout.len() < LOG_BYTES) {
                Some(next) => self.now = next,
                None => break,
            }
        }
        called.took = if called.code.is_some() { self.now - start } else { limit };
        self.now = start;
        self.guest.processes.retain(|p| p.session != pid);
        self.guest.listening.clear();
        self.close_pipe(out);
        self.close_pipe(err);
        called
    }
}
