//! Network programs that containers have and a person's machine lacks: `dig`, `host`, `ping`, and the clients of databases.
//!
//! Left out: queries to databases, whose servers hold no data here.

use super::clients::{Printed, done, lookup};
use super::{NetAnswer, NetRequest, NetResult, Protocol};
use crate::api::kind::pod::ip_text;

/// The exit code of a program that the simulator cannot run.
const STOPPED: i32 = 125;
/// The clients of databases, with the default port of each.
const DATABASES: &[(&str, u16)] =
    &[("redis-cli", 6379), ("psql", 5432), ("pg_isready", 5432), ("mysql", 3306), ("mysqladmin", 3306), ("mongosh", 27017)];
/// Options of these programs that take a value.
const WITH_VALUE: &[&str] = &["-h", "-p", "-U", "-u", "-c", "-d", "-i", "-W", "-w", "-t", "-P"];

/// One of the programs of this file, with its arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Other {
    name: String,
    /// The arguments that are not options.
    words: Vec<String>,
}

/// Parses the command line of a program of this file; `None` if the name belongs to none of them.
pub fn read(name: &str, args: &[&str]) -> Option<Result<(NetRequest, Other), (String, i32)>> {
    let database = DATABASES.iter().find(|(known, _)| *known == name);
    if database.is_none() && !matches!(name, "dig" | "host" | "ping") {
        return None;
    }
    let value = |flag: &str| args.iter().position(|arg| *arg == flag).and_then(|at| args.get(at + 1).copied());
    let is_value = |at: usize| at > 0 && WITH_VALUE.contains(&args[at - 1]);
    let words: Vec<String> =
        args.iter().enumerate().filter(|(at, arg)| !arg.starts_with('-') && !is_value(*at)).map(|(_, arg)| (*arg).to_owned()).collect();
    let request = match database {
        Some((_, port)) => {
            let port = value("-p").or(value("-P")).and_then(|port| port.parse().ok()).unwrap_or(*port);
            NetRequest { host: value("-h").unwrap_or("127.0.0.1").into(), port, protocol: Protocol::Tcp, ..NetRequest::default() }
        }
        None => match words.iter().find(|word| !word.starts_with(['@', '+']) && !matches!(word.as_str(), "A" | "SRV" | "ANY")) {
            Some(host) => lookup(host),
            None => return Some(Err((format!("{name}: missing operand\n"), 1))),
        },
    };
    Some(Ok((request, Other { name: name.to_owned(), words })))
}

impl Other {
    /// Returns the program's output for an answer.
    pub fn print(&self, request: &NetRequest, answer: &NetAnswer) -> Printed {
        let host = &request.host;
        match (self.name.as_str(), &answer.result) {
            ("ping", NetResult::Addresses(all)) => {
                let ip = all.first().copied().map(ip_text).unwrap_or_default();
                done(format!("PING {host} ({ip}): 56 data bytes\n64 bytes from {ip}: seq=0 ttl=64 time=0.1 ms\n"))
            }
            ("ping", _) => wrong(format!("ping: bad address '{host}'\n"), 1),
            ("host", NetResult::Addresses(all)) => done(all.iter().map(|ip| format!("{host} has address {}\n", ip_text(*ip))).collect()),
            ("host", _) => Printed { stdout: format!("Host {host} not found: 3(NXDOMAIN)\n"), code: 1, ..Printed::default() },
            ("dig", NetResult::Addresses(all)) => done(all.iter().map(|ip| format!("{}\n", ip_text(*ip))).collect()),
            ("dig", _) => Printed::default(),
            (_, NetResult::Connected) => self.connected(request),
            (_, NetResult::NoSuchHost) => wrong(format!("Could not connect to server at {host}: Name or service not known\n"), 1),
            (_, NetResult::TimedOut) => wrong(format!("Could not connect to server at {host}:{}: Connection timed out\n", request.port), 1),
            _ => wrong(format!("Could not connect to server at {host}:{}: Connection refused\n", request.port), 1),
        }
    }
    fn connected(&self, request: &NetRequest) -> Printed {
        match self.name.as_str() {
            "redis-cli" if self.words.iter().any(|word| word.eq_ignore_ascii_case("ping")) => done("PONG\n".to_owned()),
            "pg_isready" => done(format!("{}:{} - accepting connections\n", request.host, request.port)),
            "mysqladmin" => done("mysqld is alive\n".to_owned()),
            name => wrong(format!("[loopscope] the query of {name} is not run by this playground (exit code {STOPPED})\n"), STOPPED),
        }
    }
}

fn wrong(stderr: String, code: i32) -> Printed {
    Printed { stderr, code, ..Printed::default() }
}
