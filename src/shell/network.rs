//! Programs of the terminal that send network requests. `curl`, `wget` and similar ones run on the person's own machine, outside the cluster. `request`
//! and `load` exist only in Loopscope: they send from a client inside the cluster, `request` once with all hops shown, `load` at a steady rate.

use crate::api::time::{Span, Time};
use crate::kubectl::manifest_url;
use crate::network::{NetAnswer, NetProgram, NetRequest, NetResult, Origin};
use crate::sim::{Effect, Next, Output, Program, Progress, Reply, ReplyBody, Start, Wait};
use std::sync::Arc;

/// The names of the programs that exist only in Loopscope.
pub const OWN: &[&str] = &["load", "request"];

/// The highest rate of `load`, in requests per second.
const MOST: u32 = 1_000;
/// The default rate of `load`, in requests per second.
const USUAL: u32 = 10;
/// The timeout of a request that `load` or `request` sends.
const PATIENCE: Span = Span::secs(5);

/// Returns the network program that a command line names; `None` if it names none. An error is a message and an exit code.
pub fn program(words: &[String]) -> Option<Result<Arc<dyn Program>, (String, i32)>> {
    let name = words.first()?.as_str();
    match name {
        "request" => Some(one(words.get(1..).unwrap_or_default()).map_err(|why| (format!("request: {why}\n"), 2))),
        "load" => Some(load(words.get(1..).unwrap_or_default()).map_err(|why| (format!("load: {why}\n"), 2))),
        _ if !crate::network::NAMES.contains(&name) => None,
        _ => Some(match NetProgram::parse(words, &Origin::Outside)? {
            Ok(program) => {
                // The manifests of the documentation are at hand; there is no other network outside of the cluster.
                let body = words.iter().filter(|word| manifest_url::is_address(word)).find_map(|word| manifest_url::fetch(word).ok());
                Ok(Arc::new(Outside(program, body)))
            }
            Err(printed) => Err((printed.stderr, printed.code)),
        }),
    }
}

/// Parses a URL by the rules of curl into a request that is sent from inside the cluster.
fn target(address: &str) -> Result<NetRequest, String> {
    let words = ["curl".to_owned(), address.to_owned()];
    match NetProgram::parse(&words, &Origin::Inside) {
        Some(Ok(program)) => Ok(NetRequest { timeout: PATIENCE, ..program.request }),
        _ => Err(format!("\"{address}\" is no address such as http://web.default:80/")),
    }
}

fn one(words: &[String]) -> Result<Arc<dyn Program>, String> {
    match words {
        [address] => Ok(Arc::new(Request(Arc::new(target(address)?)))),
        _ => Err("give one address, as in: request http://web.default:80/".to_owned()),
    }
}

fn load(words: &[String]) -> Result<Arc<dyn Program>, String> {
    let (mut address, mut rate, mut seconds) = (None, USUAL, None);
    for word in words {
        match word.split_once('=') {
            Some(("--rate", n)) => {
                rate = n.parse().ok().filter(|n| (1..=MOST).contains(n)).ok_or(format!("--rate goes from 1 to {MOST}"))?
            }
            Some(("--seconds", n)) => seconds = Some(n.parse::<u32>().map_err(|_| "--seconds takes a number")?),
            _ if word.starts_with('-') => return Err(format!("there is no {word}, only --rate=N and --seconds=N")),
            _ => address = Some(word),
        }
    }
    let address = address.ok_or("give an address, as in: load http://web.default:80/ --rate=20")?;
    let request = Arc::new(target(address)?);
    Ok(Arc::new(Load { request, rate, left: seconds.map(|s| Span::secs(i64::from(s))), sent: 0, answered: 0 }))
}

fn progress(output: Output, next: Next) -> Progress {
    Progress { output, effects: Vec::new(), next }
}

/// A network program that runs on the person's own machine.
struct Outside(NetProgram, Option<&'static str>);

impl Program for Outside {
    fn run(&self, _start: &Start, _now: Time, replies: &[Reply]) -> Progress {
        let printed = match (self.1, replies.first().map(|r| &r.body)) {
            (Some(body), _) => {
                let result = NetResult::Http { status: 200, body: body.to_owned() };
                self.0.print(&NetAnswer { result, hops: Vec::new(), took: Span::millis(80) })
            }
            (None, Some(ReplyBody::Network(answer))) => self.0.print(answer),
            (None, _) => return progress(Output::default(), Next::Wait(Wait::Network(Arc::new(self.0.request.clone())))),
        };
        let mut output = Output::default();
        output.err(&printed.stderr);
        output.out(&printed.stdout);
        let effects = printed.file.map(|(path, text)| Effect::Write { path, text }).into_iter().collect();
        Progress { output, effects, next: Next::Exit(printed.code) }
    }
    fn title(&self) -> String {
        "a request".to_owned()
    }
}

/// The program `request`: sends one request from inside the cluster and prints its hops.
struct Request(Arc<NetRequest>);

impl Program for Request {
    fn run(&self, _start: &Start, _now: Time, replies: &[Reply]) -> Progress {
        let Some(ReplyBody::Network(answer)) = replies.first().map(|r| &r.body) else {
            return progress(Output::default(), Next::Wait(Wait::Network(self.0.clone())));
        };
        let mut output = Output::default();
        answer.words().iter().for_each(|line| output.out(&format!("{line}\n")));
        progress(output, Next::Exit(i32::from(!answer.is_success())))
    }
    fn title(&self) -> String {
        format!("request {}", self.0.host)
    }
}

/// The program `load`: sends requests at a steady rate, without waiting for their answers.
struct Load {
    request: Arc<NetRequest>,
    rate: u32,
    /// The remaining time; `None` if the program runs until it is interrupted.
    left: Option<Span>,
    sent: u32,
    answered: u32,
}

impl Load {
    /// Returns the time between two batches, and the number of requests in a batch.
    fn batch(&self) -> (Span, u32) {
        let count = (self.rate / 10).max(1);
        (Span(i64::from(count) * 1_000_000 / i64::from(self.rate)), count)
    }
}

impl Program for Load {
    fn run(&self, _start: &Start, _now: Time, replies: &[Reply]) -> Progress {
        let (period, count) = self.batch();
        if self.left.is_some_and(|left| left.0 <= 0) {
            let mut output = Output::default();
            output.out(&format!("{} requests, {} answered, {} failed\n", self.sent, self.answered, self.sent - self.answered));
            return progress(output, Next::Exit(i32::from(self.answered < self.sent)));
        }
        let next = match replies {
            [] => Next::Wait(Wait::Load(self.request.clone(), count)),
            [_] => Next::Wait(Wait::Sleep(period)),
            [first, ..] => {
                let answered = match first.body {
                    ReplyBody::Answered(n) => n,
                    _ => 0,
                };
                Next::Replace(Arc::new(Load {
                    request: self.request.clone(),
                    rate: self.rate,
                    left: self.left.map(|left| Span(left.0 - period.0)),
                    sent: self.sent.saturating_add(count),
                    answered: self.answered.saturating_add(answered),
                }))
            }
        };
        progress(Output::default(), next)
    }
    fn title(&self) -> String {
        format!("load {}", self.request.host)
    }
}
