//! Programs that ask the network: wget, curl, nslookup, dig, nc, ping, redis-cli, psql.

use super::Native;
use crate::api::time::Time;
use crate::container::guest::{Kernel, MARK};
use crate::container::network::{Answer, Request};
use crate::container::process::{State, Stream};

/// A program that waits for an answer, and how it tells the answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Client {
    /// The program.
    pub program: Program,
    /// What it asks.
    pub request: Request,
    /// Set if only errors are told (`-q`, `-s`).
    pub quiet: bool,
    /// The file that gets the body; `None` for the standard output.
    pub output: Option<String>,
    /// Set if a status of 400 and above is an error.
    pub fails: bool,
    /// Set if the head of a response is shown (`-I`, `-i`).
    pub head: bool,
}

/// The programs of this file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// wget.
    Wget,
    /// curl.
    Curl,
    /// nslookup.
    Nslookup,
    /// dig, host and getent.
    Dig,
    /// nc.
    Netcat,
    /// ping.
    Ping,
    /// A client of a database.
    Database,
}

/// Takes an address apart: host, port and path.
fn address(url: &str) -> (String, u16, String) {
    let (scheme, rest) = url.split_once("://").unwrap_or(("http", url));
    let (authority, path) = rest.find('/').map_or((rest, "/"), |at| rest.split_at(at));
    let default = if scheme == "https" { 443 } else { 80 };
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) => (host, port.parse().unwrap_or(default)),
        None => (authority, default),
    };
    (host.to_owned(), port, path.to_owned())
}

impl Kernel<'_> {
    /// Begins a program of this file; `None` if the name is another's.
    pub(super) fn network_program(&mut self, pid: u32, name: &str, args: &[String]) -> Option<Option<i32>> {
        let program = match name {
            "wget" => Program::Wget,
            "curl" => Program::Curl,
            "nslookup" => Program::Nslookup,
            "dig" | "host" | "getent" => Program::Dig,
            "nc" | "netcat" | "telnet" => Program::Netcat,
            "ping" => Program::Ping,
            "redis-cli" | "psql" | "mysql" | "mysqladmin" | "pg_isready" | "mongosh" => Program::Database,
            _ => return None,
        };
        let value = |names: &[&str]| {
            args.iter().enumerate().find_map(|(n, arg)| {
                let joined = names.iter().find_map(|name| arg.strip_prefix(name)).filter(|rest| !rest.is_empty());
                match joined {
                    Some(rest) => Some(rest.trim_start_matches('=').to_owned()),
                    None if names.contains(&arg.as_str()) => args.get(n + 1).cloned(),
                    None => None,
                }
            })
        };
        const WITH_VALUE: &[&str] =
            &["-O", "-o", "-T", "-m", "--max-time", "--connect-timeout", "-w", "-X", "-H", "-d", "-c", "-p", "-h", "-U", "-u", "-t", "-i"];
        let mut operands = Vec::new();
        let mut skip = false;
        for arg in args {
            if std::mem::take(&mut skip) {
                continue;
            }
            skip = WITH_VALUE.contains(&arg.as_str()) && !(program == Program::Curl && arg == "-i");
            if !arg.starts_with('-') {
                operands.push(arg.clone());
            }
        }
        let timeout =
            value(&["-T", "-m", "--max-time", "--connect-timeout", "-w", "--timeout"]).and_then(|text| text.parse().ok()).unwrap_or(0);
        let flags: String =
            args.iter().filter(|arg| arg.starts_with('-') && !arg.starts_with("--")).flat_map(|arg| arg.chars().skip(1)).collect();
        let Some(first) = operands.first().cloned().or_else(|| (program == Program::Database).then(String::new)) else {
            return Some(self.complain(pid, &format!("{name}: missing operand\n"), 1));
        };
        let request = match program {
            Program::Nslookup | Program::Dig => {
                let name = operands.iter().find(|word| !word.starts_with('@') && !matches!(word.as_str(), "A" | "SRV" | "hosts" | "ANY"));
                Request::Resolve { name: name.cloned().unwrap_or(first) }
            }
            Program::Ping => Request::Resolve { name: first },
            Program::Netcat => {
                let port = operands.get(1).and_then(|port| port.parse().ok()).unwrap_or(0);
                Request::Connect { host: first, port, timeout }
            }
            Program::Database => {
                let host = value(&["-h"]).unwrap_or_else(|| "127.0.0.1".to_owned());
                let default = match name {
                    "redis-cli" => 6379,
                    "psql" | "pg_isready" => 5432,
                    "mongosh" => 27017,
                    _ => 3306,
                };
                Request::Connect { host, port: value(&["-p"]).and_then(|port| port.parse().ok()).unwrap_or(default), timeout }
            }
            Program::Wget | Program::Curl => {
                let (host, port, path) = address(&first);
                let method = if flags.contains('I') || args.iter().any(|arg| arg == "--spider") { "HEAD" } else { "GET" };
                Request::Http { method: value(&["-X"]).unwrap_or_else(|| method.to_owned()), host, port, path, timeout }
            }
        };
        let output = match program {
            Program::Wget if args.iter().any(|arg| arg == "--spider") => Some("/dev/null".to_owned()),
            Program::Wget => match value(&["-O", "-qO"]) {
                Some(path) if path == "-" => None,
                Some(path) => Some(path),
                None => Some(wget_name(&request)),
            },
            Program::Curl => value(&["-o"]).filter(|path| path != "-"),
            _ => None,
        };
        let quiet = flags.contains(if program == Program::Wget { 'q' } else { 's' });
        let fails = program == Program::Wget || flags.contains('f') || args.iter().any(|arg| arg == "--fail");
        let client = Client { program, request: request.clone(), quiet, output, fails, head: flags.contains(['I', 'i']) };
        self.requests.push((pid, request));
        if let Some(process) = self.guest.process_mut(pid) {
            process.state = State::Network;
        }
        Some(self.keep(pid, Native::Asks(Box::new(client), None)))
    }
    /// Hands a process the answer to its request, which it gets at `at`.
    pub fn answer(&mut self, pid: u32, answer: Answer, at: Time) {
        let Some(process) = self.guest.process_mut(pid) else { return };
        if let crate::container::process::Work::Program(native) = &mut process.work
            && let Native::Asks(_, place) = &mut **native
        {
            *place = Some(answer);
            process.state = State::Sleeping(at);
        }
    }
    /// Lets a client tell its answer.
    pub(super) fn client(&mut self, pid: u32, client: Client, answer: Option<Answer>) -> Option<i32> {
        let Some(answer) = answer else {
            if let Some(process) = self.guest.process_mut(pid) {
                process.state = State::Network;
            }
            return self.keep(pid, Native::Asks(Box::new(client), None));
        };
        if let Answer::Absent(why) = &answer {
            return self.complain(pid, &format!("{MARK} {why}\n"), 1);
        }
        match client.program {
            Program::Wget | Program::Curl => self.tell_http(pid, &client, answer),
            Program::Nslookup | Program::Dig | Program::Ping => self.tell_name(pid, &client, answer),
            Program::Netcat | Program::Database => self.tell_connection(pid, &client, answer),
        }
    }
    fn tell_http(&mut self, pid: u32, client: &Client, answer: Answer) -> Option<i32> {
        let Request::Http { host, port, method, .. } = &client.request else { return Some(1) };
        let curl = client.program == Program::Curl;
        let wrong = |curl_text: String, curl_code: i32, wget: String| {
            if curl { (format!("curl: ({curl_code}) {curl_text}\n"), curl_code) } else { (format!("wget: {wget}\n"), 1) }
        };
        let (text, code) = match answer {
            Answer::Http(address, status, body) => {
                if !curl && !client.quiet {
                    self.write(pid, Stream::Err, &format!("Connecting to {host}:{port} ({address})\n"));
                }
                if status >= 400 && client.fails {
                    let reason = reason(status);
                    let (text, code) = wrong(
                        format!("The requested URL returned error: {status}"),
                        22,
                        format!("server returned error: HTTP/1.1 {status} {reason}"),
                    );
                    return self.complain(pid, &text, code);
                }
                let mut shown = String::new();
                if client.head {
                    shown = format!("HTTP/1.1 {status} {}\r\nContent-Length: {}\r\n\r\n", reason(status), body.len());
                }
                if method != "HEAD" {
                    shown.push_str(&body);
                }
                match &client.output {
                    Some(path) => {
                        if let Ok(fd) = self.create(pid, path, false)
                            && let Some(process) = self.guest.process_mut(pid)
                        {
                            process.fds[1] = fd;
                        }
                        self.write(pid, Stream::Out, &shown);
                    }
                    None => self.write(pid, Stream::Out, &shown),
                }
                return Some(0);
            }
            Answer::NoName => wrong(format!("Could not resolve host: {host}"), 6, format!("bad address '{host}:{port}'")),
            Answer::Refused(address) => wrong(
                format!("Failed to connect to {host} port {port} after 1 ms: Couldn't connect to server"),
                7,
                format!("can't connect to remote host ({address}): Connection refused"),
            ),
            _ => wrong("Connection timed out after 10001 milliseconds".to_owned(), 28, "download timed out".to_owned()),
        };
        self.complain(pid, &text, code)
    }
    fn tell_name(&mut self, pid: u32, client: &Client, answer: Answer) -> Option<i32> {
        let Request::Resolve { name } = &client.request else { return Some(1) };
        match (client.program, answer) {
            (Program::Nslookup, Answer::Addresses(full, addresses)) => {
                let mut text = "Server:\t\t10.96.0.10\nAddress:\t10.96.0.10:53\n\n".to_owned();
                for address in addresses {
                    text.push_str(&format!("Name:\t{full}\nAddress: {address}\n"));
                }
                text.push('\n');
                self.say(pid, &text)
            }
            (Program::Nslookup, _) => {
                self.write(pid, Stream::Out, "Server:\t\t10.96.0.10\nAddress:\t10.96.0.10:53\n\n");
                self.write(pid, Stream::Out, &format!("** server can't find {name}: NXDOMAIN\n\n"));
                Some(1)
            }
            (Program::Ping, Answer::Addresses(_, addresses)) => {
                let address = addresses.first().cloned().unwrap_or_default();
                self.say(pid, &format!("PING {name} ({address}): 56 data bytes\n64 bytes from {address}: seq=0 ttl=64 time=0.1 ms\n"))
            }
            (Program::Ping, _) => self.complain(pid, &format!("ping: bad address '{name}'\n"), 1),
            (_, Answer::Addresses(_, addresses)) => self.say(pid, &addresses.iter().map(|a| format!("{a}\n")).collect::<String>()),
            (..) => Some(1),
        }
    }
    fn tell_connection(&mut self, pid: u32, client: &Client, answer: Answer) -> Option<i32> {
        let Request::Connect { host, port, .. } = &client.request else { return Some(1) };
        let database = client.program == Program::Database;
        match answer {
            Answer::Connected if database => {
                let (name, args) = {
                    let process = self.guest.process(pid)?;
                    (process.name().to_owned(), process.argv.join(" ").to_ascii_lowercase())
                };
                match name.as_str() {
                    "redis-cli" if args.contains("ping") => self.say(pid, "PONG\n"),
                    "pg_isready" => self.say(pid, &format!("{host}:{port} - accepting connections\n")),
                    "mysqladmin" => self.say(pid, "mysqld is alive\n"),
                    _ => self.cannot(pid, &format!("the query of {name}")),
                }
            }
            Answer::Connected => self.complain(pid, &format!("{host} ({host}:{port}) open\n"), 0),
            Answer::NoName => self.complain(pid, &format!("nc: bad address '{host}'\n"), 1),
            Answer::Refused(_) if database => {
                self.complain(pid, &format!("Could not connect to server at {host}:{port}: Connection refused\n"), 1)
            }
            Answer::Refused(address) => self.complain(pid, &format!("nc: {host} ({address}:{port}): Connection refused\n"), 1),
            _ => self.complain(pid, "nc: timed out\n", 1),
        }
    }
}

fn wget_name(request: &Request) -> String {
    let Request::Http { path, .. } = request else { return "index.html".to_owned() };
    path.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or("index.html").to_owned()
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        301 => "Moved Permanently",
        302 => "Found",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        _ => "Unknown",
    }
}
