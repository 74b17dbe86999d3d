//! The programs of people. Their requests go to the API server like all others, one question at a time, each after the answer to the last.

use super::cluster::Cluster;
use super::program::{Effect, Next, Output, Program, Progress, Reply, ReplyBody, Start, Wait};
use super::sessions::OpenSession;
use super::step::{Call, Process, Timer};
use crate::api::kind::Kinds;
use crate::api::request::{ReadAt, Request, Response, Verb};
use crate::api::time::{Span, Time};
use crate::api::watch::WatchEvent;
use crate::network::NetAnswer;
use std::sync::Arc;

/// A request to the API server that a person's program has made.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramRequest {
    /// The time at which the program made the request.
    pub at: Time,
    /// The reason why the program made the request, in words.
    pub why: &'static str,
    /// The request that the program sent to the API server.
    pub request: Arc<Request>,
    /// The HTTP status code of the API server's answer; `None` until the answer has arrived.
    pub code: Option<u16>,
}

/// A program that a person has started, with its output so far.
#[derive(Clone, Debug)]
pub struct Console {
    /// The program that the person started.
    pub program: Arc<dyn Program>,
    /// The time at which the person started the program.
    pub started: Time,
    /// The output of the program that is running now (`running`), and its next action.
    pub progress: Arc<Progress>,
    /// The requests to the API server that the person's program has made, oldest first, at most `MAX_CALLS`.
    pub calls: Arc<Vec<ProgramRequest>>,
    /// The time at which the person's program ended; `None` while it runs.
    pub ended: Option<Time>,
    /// The program that is running now, and the data that it was started with. It is the program that the person started, or one that replaced that
    /// program (`Next::Replace`).
    running: (Arc<dyn Program>, Start),
    replies: Arc<Vec<Reply>>,
    /// The output and effects of the earlier programs that `running` has replaced.
    written: Arc<(Output, Vec<Effect>)>,
    /// The question (`Wait`) by which the program opened its current watch, log stream or session; `None` if none is open.
    pub(super) open: Option<Arc<Wait>>,
    heard: Arc<Vec<WatchEvent>>,
    /// For each log that the program follows, the number of the last line that it has read.
    read: Arc<Vec<u64>>,
    /// The number of the program's wake-up that was set last; earlier wake-ups are ignored.
    asked: u32,
    /// The answer to the program's network request, until the time at which the answer arrives.
    on_its_way: Option<Arc<NetAnswer>>,
    /// The session in a container that the program has opened, if there is one.
    pub(super) session: Option<Arc<OpenSession>>,
}

impl Console {
    /// Starts a person's program and runs it up to its first question.
    pub(super) fn begin(program: Arc<dyn Program>, now: Time, kinds: Kinds) -> Console {
        let start = Start { at: now, kinds };
        Console {
            started: now,
            progress: Arc::new(program.run(&start, now, &[])),
            calls: Arc::default(),
            ended: None,
            running: (program.clone(), start),
            program,
            replies: Arc::default(),
            written: Arc::default(),
            open: None,
            heard: Arc::default(),
            read: Arc::default(),
            asked: 0,
            on_its_way: None,
            session: None,
        }
    }
    /// Returns the exit code of the person's program; `None` while it runs.
    pub fn exit(&self) -> Option<i32> {
        match self.progress.next {
            Next::Exit(code) => Some(code),
            _ => None,
        }
    }
    /// Returns everything that the person's program has written. Of a long output, the oldest text has been dropped.
    pub fn output(&self) -> Output {
        let mut output = self.written.0.clone();
        self.progress.add_to(&mut output);
        output
    }
    /// Returns everything that the person's program has done outside the cluster, such as writing a file.
    pub fn effects(&self) -> impl Iterator<Item = &Effect> {
        self.written.1.iter().chain(&self.progress.effects)
    }
    pub(super) fn call(&mut self, at: Time, why: &'static str, request: &Request) {
        let calls = Arc::make_mut(&mut self.calls);
        if calls.len() >= MAX_CALLS {
            calls.remove(0);
        }
        calls.push(ProgramRequest { at, why, request: Arc::new(request.clone()), code: None });
    }
    /// Replaces the running program by another, and keeps the output of the one that is replaced.
    pub(super) fn become_next(&mut self, program: Arc<dyn Program>, now: Time) {
        let written = Arc::make_mut(&mut self.written);
        self.progress.add_to(&mut written.0);
        written.1.extend(self.progress.effects.iter().filter(|e| **e != Effect::ClearScreen).cloned());
        if written.0.len() > MAX_OUTPUT {
            written.0.trim(MAX_OUTPUT / 2);
        }
        self.replies = Arc::default();
        let start = Start { at: now, kinds: self.running.1.kinds.clone() };
        self.progress = Arc::new(program.run(&start, now, &[]));
        self.running = (program, start);
    }
    /// Records the HTTP status code of the answer to the request that the program made last.
    pub(super) fn answer_last_call(&mut self, code: u16) {
        if let Some(called) = Arc::make_mut(&mut self.calls).last_mut() {
            called.code = Some(code);
        }
    }
    pub(super) fn reply(&mut self, at: Time, told: ReplyBody) {
        Arc::make_mut(&mut self.replies).push(Reply { at, body: told });
        self.progress = Arc::new(self.running.0.run(&self.running.1, at, &self.replies));
    }
}

/// The number of people's programs that the cluster keeps, running or ended.
const REMEMBERED: usize = 256;
/// The number of requests that are kept of each person's program.
const MAX_CALLS: usize = 200;
/// The number of bytes of output that are kept of each person's program.
const MAX_OUTPUT: usize = 400_000;
/// The number of questions that a person's program may have answered without time passing. After that the program waits for a millisecond.
const MOST_TURNS: u32 = 200;
/// The number of requests over the network that a program may send at once.
const MOST_AT_ONCE: u32 = 1_000;
/// The interval at which a program that follows logs reads them.
const LOOK_AT_LOGS: Span = Span::millis(500);
/// The exit code of an interrupted program.
pub const INTERRUPTED: i32 = 130;

impl Cluster {
    pub(super) fn start_program(&mut self, program: Arc<dyn Program>) {
        self.last_person += 1;
        let id = self.last_person;
        self.last_commanded = id;
        let now = self.now;
        let console = Console::begin(program, now, self.api.kinds.clone());
        self.consoles.insert(id, console);
        while self.consoles.len() > REMEMBERED {
            let Some(oldest) = self.consoles.get_min().map(|(id, _)| *id) else { break };
            self.close_watches(Process::Person(oldest));
            self.consoles.remove(&oldest);
        }
        self.ask_next(id);
    }
    /// Interrupts a person's program, as Ctrl-C does: the program ends at once.
    pub(super) fn interrupt(&mut self, id: u64) {
        if let Some(console) = self.consoles.get_mut(&id).filter(|c| c.exit().is_none()) {
            Arc::make_mut(&mut console.progress).next = Next::Exit(INTERRUPTED);
            self.ask_next(id);
        }
    }
    /// Carries out what a person's program wants, one thing after the other, until the program has to wait.
    pub(super) fn ask_next(&mut self, id: u64) {
        // A program's work is not background work, even if a background step triggered it. Its reads and waits set `background` again.
        let background = std::mem::replace(&mut self.background, false);
        for _ in 0..MOST_TURNS {
            if !self.turn(id) {
                self.background = background;
                return;
            }
        }
        self.background = background;
        self.wake_person(id, self.now + Span::millis(1));
    }
    /// Carries out the next thing that a person's program wants. Returns whether the program can continue at once.
    fn turn(&mut self, id: u64) -> bool {
        let now = self.now;
        let Some(console) = self.consoles.get_mut(&id) else { return false };
        match console.progress.next.clone() {
            Next::Exit(_) => {
                (console.ended, console.open) = (Some(now), None);
                (console.heard, console.read, console.replies) = Default::default();
                self.close_watches(Process::Person(id));
                self.leave_session(id);
                false
            }
            Next::Replace(program) => {
                console.become_next(program, now);
                true
            }
            Next::Wait(Wait::Request { request, why }) => {
                // A program that sends a request has stopped following logs. If it follows the same logs again, it reads them from their beginning.
                console.open = console.open.take().filter(|open| !matches!(**open, Wait::Follow(_)));
                console.call(now, why, &request);
                self.background = request.verb == Verb::Get || request.verb == Verb::List;
                self.send(Process::Person(id), now, Call::Person, request);
                false
            }
            Next::Wait(Wait::Sleep(span)) => {
                self.wake_person(id, now + span);
                false
            }
            Next::Wait(Wait::Network(request)) => {
                let answer = self.send_over_network(&request);
                let arrives = now + answer.took;
                if let Some(console) = self.consoles.get_mut(&id) {
                    console.on_its_way = Some(answer);
                }
                self.wake_person(id, arrives);
                false
            }
            Next::Wait(Wait::Load(request, count)) => {
                let sent = (0..count.min(MOST_AT_ONCE)).map(|_| self.send_over_network(&request));
                let answered = sent.filter(|answer| answer.is_success()).count() as u32;
                if let Some(console) = self.consoles.get_mut(&id) {
                    console.reply(now, ReplyBody::Answered(answered));
                }
                true
            }
            Next::Wait(Wait::Spawn(job)) => {
                let commanded = self.last_commanded;
                self.start_program(job.0);
                self.last_commanded = commanded;
                let number = self.last_person;
                if let Some(console) = self.consoles.get_mut(&id) {
                    console.reply(now, ReplyBody::Number(number));
                }
                true
            }
            Next::Wait(Wait::Kill(other)) => {
                console.reply(now, ReplyBody::Nothing);
                if other != id {
                    self.interrupt(other);
                }
                true
            }
            Next::Wait(Wait::Forward(_)) => false,
            Next::Wait(Wait::Session(request)) => self.session_on(id, &request),
            Next::Wait(wait @ Wait::Watch { .. }) => self.watch_on(id, wait),
            Next::Wait(wait @ Wait::Follow(_)) => self.follow_on(id, wait),
        }
    }
    fn watch_on(&mut self, id: u64, wait: Wait) -> bool {
        let now = self.now;
        let (Wait::Watch { request, until }, Some(console)) = (&wait, self.consoles.get_mut(&id)) else { return false };
        let same = matches!(console.open.as_deref(), Some(Wait::Watch { request: open, .. }) if open.is_same_watch(request));
        // Events up to the revision that this request names belong to an earlier watch.
        if let (true, ReadAt::Exact(since) | ReadAt::NotOlderThan(since)) =
            (same, request.options.as_ref().map(|o| o.at).unwrap_or_default())
        {
            Arc::make_mut(&mut console.heard).retain(|event| event.revision > since);
        }
        if same && !console.heard.is_empty() {
            let heard = std::mem::take(&mut console.heard);
            console.reply(now, ReplyBody::Events(heard));
            return true;
        }
        if until.is_some_and(|until| until <= now) {
            console.reply(now, ReplyBody::Nothing);
            return true;
        }
        if let Some(until) = *until {
            self.wake_person(id, until);
        }
        if !same && let Some(console) = self.consoles.get_mut(&id) {
            console.call(now, "to hear of every change", request);
            console.heard = Arc::default();
            let request = request.clone();
            console.open = Some(Arc::new(wait));
            self.background = true;
            self.close_watches(Process::Person(id));
            self.send(Process::Person(id), now, Call::Person, request);
        }
        false
    }
    fn follow_on(&mut self, id: u64, wait: Wait) -> bool {
        let now = self.now;
        let (Wait::Follow(requests), Some(console)) = (&wait, self.consoles.get_mut(&id)) else { return false };
        let first = console.open.as_deref() != Some(&wait);
        if first {
            requests.iter().for_each(|request| console.call(now, "to follow the log", request));
            console.read = Arc::new(vec![0; requests.len()]);
            for called in Arc::make_mut(&mut console.calls) {
                called.code.get_or_insert(200);
            }
        }
        let mut read = (*console.read).clone();
        let (mut news, mut over) = (Vec::new(), true);
        for (i, (request, read)) in requests.iter().zip(&mut read).enumerate() {
            let (text, ended) = self.log_since(request, read);
            over &= ended;
            if !text.is_empty() {
                news.push((i, text));
            }
        }
        let Some(console) = self.consoles.get_mut(&id) else { return false };
        console.read = Arc::new(read);
        console.open = Some(Arc::new(wait));
        if over || !news.is_empty() {
            console.reply(now, ReplyBody::Text(Arc::new(news), over));
            return true;
        }
        self.wake_person(id, now + LOOK_AT_LOGS);
        false
    }
    fn wake_person(&mut self, id: u64, at: Time) {
        let Some(console) = self.consoles.get_mut(&id) else { return };
        console.asked += 1;
        let timer = Timer::Person(console.asked);
        self.wake(Process::Person(id), at, timer);
    }
    /// Handles a wake-up of a person's program. `asked` is the number of the wake-up; only the one that was set last counts.
    pub(super) fn person_woken(&mut self, id: u64, asked: u32) {
        let now = self.now;
        let Some(console) = self.consoles.get_mut(&id).filter(|c| c.asked == asked) else { return };
        match (&console.progress.next, console.on_its_way.take()) {
            (Next::Wait(Wait::Sleep(_)), _) => console.reply(now, ReplyBody::Nothing),
            (Next::Wait(Wait::Network(_)), Some(answer)) => console.reply(now, ReplyBody::Network(answer)),
            _ => {}
        }
        self.ask_next(id);
    }
    /// Handles the API server's answer to a request of a person's program.
    pub(super) fn person_answered(&mut self, id: u64, request: &Request, response: &Arc<Response>) {
        let now = self.now;
        let Some(console) = self.consoles.get_mut(&id) else { return };
        let called = Arc::make_mut(&mut console.calls).iter_mut().rev().find(|c| c.code.is_none() && *c.request == *request);
        if let Some(called) = called {
            called.code = Some(response.code());
        }
        match &console.progress.next {
            Next::Wait(Wait::Request { .. }) => console.reply(now, ReplyBody::Response(response.clone())),
            // The answer to a watch or session that was opened has no content; only a refusal is passed on.
            Next::Wait(Wait::Watch { .. } | Wait::Session(_)) if response.result.is_err() => {
                console.reply(now, ReplyBody::Response(response.clone()))
            }
            _ => return,
        }
        self.ask_next(id);
    }
    /// Handles a watch event that reaches a person's program.
    pub(super) fn person_heard(&mut self, id: u64, event: WatchEvent) {
        let Some(console) = self.consoles.get_mut(&id) else { return };
        Arc::make_mut(&mut console.heard).push(event);
        if matches!(console.progress.next, Next::Wait(Wait::Watch { .. })) {
            self.ask_next(id);
        }
    }
    /// Returns the program of a person that has this number; `None` if it is no longer kept.
    pub fn console(&self, id: u64) -> Option<&Console> {
        self.consoles.get(&id)
    }
    /// Returns the number of the program that a person started last. Programs that this one started beside itself have higher numbers.
    pub fn last_console(&self) -> u64 {
        self.last_commanded
    }
}

impl Request {
    /// True if both requests are watches that differ at most in the revision at which they begin.
    fn is_same_watch(&self, other: &Request) -> bool {
        let bare = |r: &Request| r.clone().with(|o| o.at = Default::default());
        self.verb == Verb::Watch && bare(self) == bare(other)
    }
}
