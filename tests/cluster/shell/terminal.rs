//! A terminal: what a line changes outside the cluster (variables, files, the folder) is there for
//! the lines after it.

use loopscope::api::kind::Kind;
use loopscope::api::random::Rng;
use loopscope::api::request::{Payload, Request, Verb};
use loopscope::api::time::{Span, Time};
use loopscope::api::value::Value;
use loopscope::apiserver::ApiServer;
use loopscope::map;
use loopscope::shell::{Env, Line};
use loopscope::sim::{Effect, Next, Output, Program, Reply, ReplyBody, Start, Wait};
use std::sync::Arc;

/// A terminal with an API server that runs without controllers.
#[derive(Clone)]
pub struct Terminal {
    pub server: ApiServer,
    pub now: Time,
    pub env: Env,
}

/// The outcome of a line.
pub struct Ran {
    pub output: Output,
    pub effects: Vec<Effect>,
    /// The exit code, or `None` if the line had not ended after the permitted number of answers.
    pub code: Option<i32>,
}

impl Terminal {
    pub fn new() -> Terminal {
        let env = Env { namespace: "default".into(), width: 80, ..Env::default() };
        let now = Time::parse("2026-11-16T01:52:12Z").expect("a time");
        let mut terminal = Terminal { server: ApiServer::new(Rng::new(7, 1)), now, env };
        for name in ["default", "kube-system"] {
            terminal.make(Kind::NAMESPACE, "", map! { "metadata" => map! { "name" => name } }.into());
        }
        for name in ["one", "two", "three"] {
            let spec = map! { "containers" => vec![map! { "name" => "web", "image" => "nginx:1.25" }.into()] };
            let meta = map! { "name" => name, "labels" => map! { "app" => "web" } };
            terminal.make(Kind::POD, "default", map! { "metadata" => meta, "spec" => spec }.into());
        }
        terminal
    }
    fn make(&mut self, kind: Kind, namespace: &str, tree: Value) {
        let mut request = Request::new(Verb::Create, kind, namespace, "");
        request.payload = Payload::Tree(Box::new(tree));
        let made = self.server.handle(&request, self.now).response;
        assert!(made.result.is_ok(), "{made:?}");
    }
    /// Runs a line until it ends, but for at most `most` answers of the API server.
    pub fn run(&mut self, text: &str, most: usize) -> Ran {
        let mut program: Arc<dyn Program> = Arc::new(Line { text: text.to_owned(), env: self.env.clone() });
        let (mut started, mut replies) = (self.now, Vec::new());
        let mut ran = Ran { output: Output::default(), effects: Vec::new(), code: None };
        for left in (0..=most).rev() {
            let progress = program.run(&Start { at: started, ..Start::default() }, self.now, &replies);
            self.now = self.now + Span::millis(1);
            let told = match progress.next {
                Next::Wait(Wait::Request { request, .. }) if left > 0 => {
                    ReplyBody::Response(Arc::new(self.server.handle(&request, self.now).response))
                }
                Next::Wait(Wait::Follow(_)) if left > 0 => ReplyBody::Text(Arc::default(), true),
                Next::Wait(Wait::Watch { until, .. }) if left > 0 => {
                    self.now = until.unwrap_or(self.now).max(self.now);
                    ReplyBody::Nothing
                }
                Next::Wait(Wait::Sleep(span)) if left > 0 => {
                    self.now = self.now + span;
                    ReplyBody::Nothing
                }
                next => {
                    if progress.effects.contains(&Effect::ClearScreen) {
                        ran.output = Output::default();
                    }
                    ran.output.append(&progress.output);
                    ran.effects.extend(progress.effects);
                    match next {
                        Next::Replace(next) => (program, started, replies) = (next, self.now, Vec::new()),
                        Next::Exit(code) => {
                            ran.code = Some(code);
                            break;
                        }
                        Next::Wait(_) => break,
                    }
                    continue;
                }
            };
            replies.push(Reply { at: self.now, body: told });
        }
        self.keep(&ran);
        ran
    }
    /// Keeps what a line has changed in the terminal, for the lines after it.
    fn keep(&mut self, ran: &Ran) {
        for effect in &ran.effects {
            match effect {
                Effect::Namespace(name) => self.env.namespace = name.clone(),
                Effect::Write { path, text } => put(&mut self.env.files, path, Some(text)),
                Effect::Variable { name, value } => put(&mut self.env.variables, name, value.as_ref()),
                Effect::Edit(_) | Effect::ClearScreen => {}
            }
        }
        self.env.status = ran.code.unwrap_or(130);
    }
}

fn put(all: &mut Arc<Vec<(String, String)>>, name: &str, value: Option<&String>) {
    let all = Arc::make_mut(all);
    all.retain(|(n, _)| n != name);
    all.extend(value.map(|value| (name.to_owned(), value.clone())));
}
