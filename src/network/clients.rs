//! Programs that send network requests: `curl`, `wget`, `nslookup`, `getent hosts`, `nc`, and those of [`super::tools`]. Counterparts: curl, BusyBox and
//! BIND's nslookup.
//!
//! A program consists of its request and of the text that it prints for the answer, so the terminal and the processes of containers share the same
//! programs.
//!
//! Left out: bodies and headers of requests, redirects, every protocol but HTTP, TCP and DNS.

use super::container_clients::{self, Other};
use super::{NetAnswer, NetRequest, NetResult, Origin, Protocol};
use crate::api::float;
use crate::api::kind::pod::ip_text;
use crate::api::time::Span;

/// The address of the cluster's DNS server, as nslookup prints it.
const SERVER: &str = "10.96.0.10";

/// A program that sends one network request.
#[derive(Clone, Debug, PartialEq)]
pub struct NetProgram {
    /// The request that the program sends.
    pub request: NetRequest,
    tool: Tool,
}

/// The output and the exit code of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Printed {
    /// The text on standard output.
    pub stdout: String,
    /// The text on standard error.
    pub stderr: String,
    /// The exit code of the program.
    pub code: i32,
    /// Set if the text on standard error comes after that on standard output.
    pub errors_last: bool,
    /// The path and content of the file that the program writes, if any.
    pub file: Option<(String, String)>,
}

#[derive(Clone, Debug, PartialEq)]
enum Tool {
    Curl(Curl),
    Wget { quiet: bool, to: Option<String>, spider: bool },
    Nslookup(Nslookup),
    Getent,
    Nc { verbose: bool },
    Other(Other),
}

/// The programs that are called `nslookup`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nslookup {
    /// The one of BIND.
    Bind,
    /// The one of BusyBox since 1.29, which completes only names without a dot, and asks for every completion.
    Busybox,
    /// The one of BusyBox up to 1.28, which also prints the names of addresses.
    OldBusybox,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Curl {
    silent: bool,
    errors: bool,
    fail: bool,
    head: bool,
    include: bool,
    verbose: bool,
    to: Option<String>,
    format: String,
}

/// The names of the programs on a person's own machine.
pub const NAMES: &[&str] = &["curl", "wget", "nslookup", "getent", "nc"];

impl NetProgram {
    /// Parses a command line. Returns `None` if its program is none of these, and the error message with the exit code if the program does not understand
    /// the line.
    pub fn parse(words: &[String], from: &Origin) -> Option<Result<NetProgram, Printed>> {
        let (name, args) = words.split_first()?;
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let read = match name.rsplit('/').next().unwrap_or(name) {
            "curl" => curl(&args),
            "wget" => wget(&args),
            "nslookup" => nslookup(&args),
            "getent" => getent(&args),
            "nc" | "netcat" | "telnet" => nc(&args),
            name => match container_clients::read(name, &args)? {
                Ok((request, other)) => Ok(NetProgram { request, tool: Tool::Other(other) }),
                Err(complaint) => Err(complaint),
            },
        };
        let complain = |(stderr, code)| Printed { stderr, code, ..Printed::default() };
        Some(read.map_err(complain).map(|mut program| {
            program.request.from = from.clone();
            program
        }))
    }
    /// Sets which `nslookup` the program is, if it is one.
    pub fn set_nslookup(&mut self, kind: Nslookup) {
        let Tool::Nslookup(own) = &mut self.tool else { return };
        *own = kind;
        if kind == Nslookup::Busybox && self.request.host.contains('.') {
            self.request.host = format!("{}.", self.request.host.trim_end_matches('.')).into();
        }
    }
    /// Returns the program's output for an answer.
    pub fn print(&self, answer: &NetAnswer) -> Printed {
        match &self.tool {
            Tool::Curl(options) => self.print_curl(options, answer),
            Tool::Wget { quiet, to, spider } => self.print_wget(*quiet, to.as_deref(), *spider, answer),
            Tool::Nslookup(kind) => self.print_nslookup(*kind, answer),
            Tool::Getent => match &answer.result {
                NetResult::Addresses(all) => {
                    let name = full_name(answer).unwrap_or_else(|| self.request.host.to_string());
                    done(all.iter().map(|ip| format!("{:<16}{name}\n", ip_text(*ip))).collect())
                }
                _ => Printed { code: 2, ..Printed::default() },
            },
            Tool::Nc { verbose } => self.print_nc(*verbose, answer),
            Tool::Other(other) => other.print(&self.request, answer),
        }
    }
    /// Returns the address and port that were asked, as text; the host name if DNS found no address.
    fn address_text(&self, answer: &NetAnswer) -> String {
        let ip = answer.hops.iter().find_map(|hop| match hop {
            super::Hop::Resolved { addresses, .. } => addresses.first().copied(),
            _ => None,
        });
        format!("{}:{}", ip.map_or_else(|| self.request.host.to_string(), ip_text), self.request.port)
    }
    fn print_curl(&self, options: &Curl, answer: &NetAnswer) -> Printed {
        let (host, port, ms) = (&self.request.host, self.request.port, answer.took.0 / 1000);
        let fails = |code: i32, text: String| {
            let stderr = if options.silent && !options.errors { String::new() } else { format!("curl: ({code}) {text}\n") };
            Printed { stdout: write_out(options, 0), stderr, code, ..Printed::default() }
        };
        match &answer.result {
            NetResult::Http { status, body } => {
                if options.fail && *status >= 400 {
                    return fails(22, format!("The requested URL returned error: {status}"));
                }
                let head = format!("HTTP/1.1 {status} {}\nContent-Length: {}\n\n", reason(*status), body.len());
                let shown = match (options.head, options.include) {
                    (true, _) => head,
                    (false, true) => head + body,
                    (false, false) => body.clone(),
                };
                let stderr = if options.verbose {
                    format!(
                        "*   Trying {}...\n* Connected to {host} port {port}\n> GET {} HTTP/1.1\n> Host: {host}\n> \n< HTTP/1.1 {status} {}\n",
                        self.address_text(answer),
                        self.request.path,
                        reason(*status)
                    )
                } else {
                    String::new()
                };
                let end = write_out(options, *status);
                match options.to.as_deref() {
                    None | Some("-") => Printed { stdout: shown + &end, stderr, ..Printed::default() },
                    Some("/dev/null") => Printed { stdout: end, stderr, ..Printed::default() },
                    Some(path) => Printed { stdout: end, stderr, file: Some((path.to_owned(), shown)), ..Printed::default() },
                }
            }
            NetResult::NoSuchHost => fails(6, format!("Could not resolve host: {host}")),
            NetResult::TimedOut => fails(28, format!("Connection timed out after {ms} milliseconds")),
            _ => fails(7, format!("Failed to connect to {host} port {port} after {ms} ms: Could not connect to server")),
        }
    }
    fn print_wget(&self, quiet: bool, to: Option<&str>, spider: bool, answer: &NetAnswer) -> Printed {
        let host = &self.request.host;
        let fails = |text: String| {
            let first = match answer.result {
                NetResult::NoSuchHost => String::new(),
                _ if quiet => String::new(),
                _ => format!("Connecting to {host} ({})\n", self.address_text(answer)),
            };
            Printed { stderr: format!("{first}wget: {text}\n"), code: 1, ..Printed::default() }
        };
        match &answer.result {
            NetResult::Http { status, body } if *status < 400 => {
                let path = to.map_or_else(|| file_of(&self.request.path), str::to_owned);
                let mut stderr = if quiet { String::new() } else { format!("Connecting to {host} ({})\n", self.address_text(answer)) };
                if spider {
                    stderr.push_str(if quiet { "" } else { "remote file exists\n" });
                    return Printed { stderr, ..Printed::default() };
                }
                if !quiet {
                    stderr.push_str(&match path.as_str() {
                        "-" => "writing to stdout\n-                    100% |********************************|\nwritten to stdout\n"
                            .to_owned(),
                        path => format!("saving to '{path}'\n{path:<20} 100% |********************************|\n'{path}' saved\n"),
                    });
                }
                match path.as_str() {
                    "-" => Printed { stdout: body.clone(), stderr, ..Printed::default() },
                    "/dev/null" => Printed { stderr, ..Printed::default() },
                    path => Printed { stderr, file: Some((path.to_owned(), body.clone())), ..Printed::default() },
                }
            }
            NetResult::Http { status, .. } => fails(format!("server returned error: HTTP/1.1 {status} {}", reason(*status))),
            NetResult::NoSuchHost => fails(format!("bad address '{host}'")),
            NetResult::TimedOut => fails("download timed out".to_owned()),
            _ => {
                let ip = self.address_text(answer);
                fails(format!("can't connect to remote host ({}): Connection refused", ip.split(':').next().unwrap_or("")))
            }
        }
    }
    fn print_nslookup(&self, kind: Nslookup, answer: &NetAnswer) -> Printed {
        let host = self.request.host.trim_end_matches('.');
        let Some((tried, names)) = answer.hops.iter().find_map(|hop| match hop {
            super::Hop::Resolved { tried, names, .. } => Some((tried, names)),
            _ => None,
        }) else {
            return Printed {
                stdout: ";; connection timed out; no servers could be reached\n\n".to_owned(),
                code: 1,
                ..Printed::default()
            };
        };
        let found = match &answer.result {
            NetResult::Addresses(all) => Some((tried.last().map_or(host, String::as_str), all)),
            _ => None,
        };
        if kind == Nslookup::OldBusybox {
            let head = format!("Server:    {SERVER}\nAddress 1: {SERVER} kube-dns.kube-system.svc.cluster.local\n\n");
            let Some((_, all)) = found else {
                return Printed {
                    stdout: head,
                    stderr: format!("nslookup: can't resolve '{host}'\n"),
                    code: 1,
                    errors_last: true,
                    file: None,
                };
            };
            let named = all.iter().enumerate().map(|(n, ip)| {
                let name = names.get(n).map_or("", String::as_str);
                format!("Address {}: {} {name}", n + 1, ip_text(*ip)).trim_end().to_owned() + "\n"
            });
            return done(format!("{head}Name:      {host}\n{}", named.collect::<String>()));
        }
        let mut printed = done(format!("Server:\t\t{SERVER}\nAddress:\t{SERVER}{}53\n\n", if kind == Nslookup::Bind { '#' } else { ':' }));
        // BusyBox asks for IPv4 addresses under all names, then for IPv6 addresses, which do not exist.
        let (asked, rounds) = match kind {
            Nslookup::Bind => (vec![found.map_or(host, |(name, _)| name).to_owned()], 1),
            _ => (completions(host, tried), 2),
        };
        for round in 0..rounds {
            for name in &asked {
                match found.filter(|(known, _)| known == name) {
                    Some((_, all)) if round == 0 => {
                        printed.stdout.extend(all.iter().map(|ip| format!("Name:\t{name}\nAddress: {}\n", ip_text(*ip))));
                    }
                    Some(_) => {}
                    None => {
                        printed.stdout.push_str(&format!("** server can't find {name}: NXDOMAIN\n"));
                        printed.code = 1;
                    }
                }
                printed.stdout.push('\n');
            }
        }
        printed
    }
    fn print_nc(&self, verbose: bool, answer: &NetAnswer) -> Printed {
        let (host, target) = (&self.request.host, self.address_text(answer));
        let say =
            |text: String, code| Printed { stderr: if verbose || code != 0 { text } else { String::new() }, code, ..Printed::default() };
        match &answer.result {
            NetResult::Connected | NetResult::Http { .. } => say(format!("{host} ({target}) open\n"), 0),
            NetResult::NoSuchHost => say(format!("nc: bad address '{host}'\n"), 1),
            NetResult::TimedOut => say(format!("nc: {host} ({target}): Operation timed out\n"), 1),
            _ => say(format!("nc: {host} ({target}): Connection refused\n"), 1),
        }
    }
}

pub(super) fn done(stdout: String) -> Printed {
    Printed { stdout, ..Printed::default() }
}

/// Returns the names for which BusyBox asks: the name with each search domain, if it has no dot. The first name that was tried has the longest domain, of
/// which the others are parts.
fn completions(host: &str, tried: &[String]) -> Vec<String> {
    let Some(mut domain) = tried.first().and_then(|name| name.strip_prefix(host)?.strip_prefix('.')).filter(|_| !host.contains('.')) else {
        return vec![host.to_owned()];
    };
    let mut all = Vec::new();
    while domain.contains('.') {
        all.push(format!("{host}.{domain}"));
        domain = domain.split_once('.').map_or("", |(_, rest)| rest);
    }
    all
}

/// Returns the full name under which DNS found the host.
pub(super) fn full_name(answer: &NetAnswer) -> Option<String> {
    answer.hops.iter().find_map(|hop| match hop {
        super::Hop::Resolved { tried, .. } => tried.last().cloned(),
        _ => None,
    })
}

/// Returns the text that curl writes for `--write-out`.
fn write_out(options: &Curl, status: u16) -> String {
    let code = format!("{status:03}");
    let text = options.format.replace("%{http_code}", &code).replace("%{response_code}", &code);
    text.replace("\\n", "\n").replace("\\t", "\t")
}

/// Returns the name of the file into which wget saves a path.
fn file_of(path: &str) -> String {
    let page = path.split('?').next().unwrap_or(path);
    match page.rsplit('/').next() {
        Some("") | None => "index.html".to_owned(),
        Some(name) => name.to_owned(),
    }
}

/// Returns the reason phrase of an HTTP status.
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

type Read = Result<NetProgram, (String, i32)>;

/// Splits a URL such as `http://web:8080/path` into host, port and path.
fn url(text: &str) -> Option<(String, u16, String)> {
    let (scheme, rest) = text.split_once("://").unwrap_or(("http", text));
    let (place, path) = rest.find(['/', '?']).map_or((rest, ""), |at| rest.split_at(at));
    let usual = match scheme {
        "http" => 80,
        "https" => 443,
        _ => return None,
    };
    let place = place.rsplit('@').next().unwrap_or(place);
    let (host, port) = match place.rsplit_once(':') {
        Some((host, port)) => (host, port.parse().ok()?),
        None => (place, usual),
    };
    let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
    (!host.is_empty()).then(|| (host.to_owned(), port, path))
}

fn http(target: &str, timeout: Option<f64>) -> Option<NetRequest> {
    let (host, port, path) = url(target)?;
    let timeout = timeout.map_or(Span(0), |seconds| Span((seconds.clamp(0.0, 3_600.0) * 1e6) as i64));
    Some(NetRequest { host: host.into(), port, path: path.into(), timeout, ..NetRequest::default() })
}

fn curl(args: &[&str]) -> Read {
    let (mut options, mut target, mut timeout, mut by_name) = (Curl::default(), None, None, false);
    let mut rest = args.iter();
    while let Some(word) = rest.next() {
        let missing = || (format!("curl: option {word}: requires parameter\n"), 2);
        match *word {
            "-o" | "--output" => options.to = Some((*rest.next().ok_or_else(missing)?).to_owned()),
            "-w" | "--write-out" => options.format = (*rest.next().ok_or_else(missing)?).to_owned(),
            "-m" | "--max-time" | "--connect-timeout" => timeout = float::parse(rest.next().ok_or_else(missing)?),
            "--url" => target = rest.next(),
            "-H" | "--header" | "-X" | "--request" | "-d" | "--data" | "-A" | "--user-agent" | "-u" | "--user" | "--retry" | "--cacert" => {
                rest.next().ok_or_else(missing)?;
            }
            "--remote-name" => by_name = true,
            "--silent" => options.silent = true,
            "--show-error" => options.errors = true,
            "--fail" => options.fail = true,
            "--head" => options.head = true,
            "--include" => options.include = true,
            "--verbose" => options.verbose = true,
            "--no-progress-meter" | "--no-buffer" | "--ipv4" => {}
            long if long.starts_with("--max-time=") || long.starts_with("--connect-timeout=") => {
                timeout = long.rsplit('=').next().and_then(float::parse);
            }
            "--insecure" | "--location" | "--globoff" | "--compressed" => {}
            long if long.starts_with("--") => {
                return Err((format!("curl: option {long}: is unknown\n"), 2));
            }
            short if short.len() > 1 && short.starts_with('-') => {
                for letter in short.chars().skip(1) {
                    match letter {
                        's' => options.silent = true,
                        'S' => options.errors = true,
                        'f' => options.fail = true,
                        'I' => options.head = true,
                        'i' => options.include = true,
                        'v' => options.verbose = true,
                        'k' | 'L' | 'g' | 'N' | '4' => {}
                        'O' => by_name = true,
                        'o' => options.to = Some((*rest.next().ok_or_else(missing)?).to_owned()),
                        'm' => timeout = float::parse(rest.next().ok_or_else(missing)?),
                        'w' => options.format = (*rest.next().ok_or_else(missing)?).to_owned(),
                        'X' | 'H' | 'd' | 'A' | 'u' => drop(rest.next().ok_or_else(missing)?),
                        other => return Err((format!("curl: option -{other}: is unknown\n"), 2)),
                    }
                }
            }
            _ => target = Some(word),
        }
    }
    let target = *target.ok_or_else(|| ("curl: (2) no URL specified\n".to_owned(), 2))?;
    if by_name {
        options.to = target.rsplit('/').next().map(str::to_owned);
    }
    let request = http(target, timeout).ok_or_else(|| (format!("curl: (3) URL rejected: {target}\n"), 3))?;
    Ok(NetProgram { request, tool: Tool::Curl(options) })
}

fn wget(args: &[&str]) -> Read {
    let (mut quiet, mut to, mut spider, mut target, mut timeout) = (false, None, false, None, None);
    let mut rest = args.iter();
    while let Some(word) = rest.next() {
        match *word {
            "-q" | "--quiet" => quiet = true,
            "-S" | "-c" | "-nv" | "--no-check-certificate" | "--server-response" => {}
            "--spider" => spider = true,
            "-O" | "--output-document" => to = rest.next().map(|path| (*path).to_owned()),
            "-T" | "--timeout" => timeout = rest.next().and_then(|n| float::parse(n)),
            "-t" | "--tries" | "-P" | "--header" => drop(rest.next()),
            word if word.starts_with("--timeout=") => timeout = word.rsplit('=').next().and_then(float::parse),
            word if ["--tries=", "--header=", "--post-data="].iter().any(|flag| word.starts_with(flag)) => {}
            word if word.starts_with("-O") => to = Some(word[2..].to_owned()),
            word if word.starts_with("-T") => timeout = float::parse(&word[2..]),
            word if word.starts_with("-qO") => {
                quiet = true;
                to = if word == "-qO" { rest.next().map(|path| (*path).to_owned()) } else { Some(word[3..].to_owned()) };
            }
            word if word.starts_with('-') && word.len() > 1 => return Err((format!("wget: unrecognized option: {word}\n"), 1)),
            address => target = Some(address),
        }
    }
    let target = target.ok_or_else(|| ("wget: missing URL\n".to_owned(), 1))?;
    let request = http(target, timeout).ok_or_else(|| (format!("wget: not an http or ftp url: {target}\n"), 1))?;
    Ok(NetProgram { request, tool: Tool::Wget { quiet, to, spider } })
}

pub(super) fn lookup(name: &str) -> NetRequest {
    NetRequest { host: name.into(), protocol: Protocol::Dns, ..NetRequest::default() }
}

fn nslookup(args: &[&str]) -> Read {
    let name = args.iter().find(|word| !word.starts_with('-'));
    let name = name.ok_or_else(|| ("nslookup: give a name to look up\n".to_owned(), 1))?;
    Ok(NetProgram { request: lookup(name), tool: Tool::Nslookup(Nslookup::Bind) })
}

fn getent(args: &[&str]) -> Read {
    match args {
        ["hosts" | "ahosts" | "ahostsv4", name] => Ok(NetProgram { request: lookup(name), tool: Tool::Getent }),
        _ => Err(("getent: only the database hosts is there\n".to_owned(), 1)),
    }
}

fn nc(args: &[&str]) -> Read {
    let verbose = args.iter().any(|w| w.starts_with('-') && w.contains('v'));
    let timeout = args.iter().position(|w| *w == "-w").and_then(|at| float::parse(args.get(at + 1)?));
    let mut words = args.iter().enumerate().filter(|(i, w)| !(w.starts_with('-') || *i > 0 && args[i - 1] == "-w")).map(|(_, w)| *w);
    match (words.next(), words.next().and_then(|port| port.parse().ok())) {
        (Some(host), Some(port)) => {
            let timeout = timeout.map_or(Span(0), |seconds| Span((seconds.clamp(0.0, 3_600.0) * 1e6) as i64));
            let request = NetRequest { host: host.into(), port, protocol: Protocol::Tcp, timeout, ..NetRequest::default() };
            Ok(NetProgram { request, tool: Tool::Nc { verbose } })
        }
        _ => Err(("nc: give a host and a port\n".to_owned(), 1)),
    }
}
