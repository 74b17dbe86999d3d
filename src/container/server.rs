//! Programs that serve requests until a signal ends them: web servers, databases, and the test images of Kubernetes. Counterpart: the programs in most
//! pods.
//!
//! A server is described, not run: its ports, its answers, its memory, and how it ends. So it costs nothing while it serves. Images below `playground/`
//! contain a server that does what its arguments say: `--listen=8080`, `--status=500`, `--text=hello`, `--start=5s` (it listens only after this time),
//! `--exit-after=30s`, `--exit-code=1`, `--memory=200Mi`, `--print=line`, `--ignore-term`.

use super::files::Disk;
use super::guest::Facts;
use super::images::Image;
use super::process::{TERM, signal_number};
use crate::api::quantity::Quantity;
use crate::api::time::Span;
use arcstr::ArcStr;

/// The type of a server, which determines its answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// nginx, which serves the files below its document root.
    Nginx,
    /// Apache, which serves the files below its document root, or a default page.
    Apache,
    /// `python -m http.server`, which serves the files of its directory.
    Python,
    /// `agnhost netexec`, the test server of Kubernetes.
    Netexec,
    /// `agnhost serve-hostname` and similar servers, which answer with the host name.
    Hostname,
    /// The liveness server of the Kubernetes documentation, which is healthy for ten seconds.
    Liveness,
    /// A server that answers every path with the same text.
    Echo,
    /// A server that speaks another protocol than HTTP.
    Raw,
    /// Any other web server.
    Web,
}

/// A program that serves requests.
#[derive(Clone, Debug, PartialEq)]
pub struct Server {
    /// The type of the server.
    pub kind: Kind,
    /// The ports on which the server listens.
    pub ports: Vec<u16>,
    /// The exit code with which the server ends on a signal.
    pub exit_code: i32,
    /// The bytes of memory that the server uses.
    pub memory: u64,
    /// The lines that the server prints when it starts.
    pub prints: Vec<ArcStr>,
    /// The body of the server's answers (`Echo` and `Web`), or the directory whose files it serves (`Python`).
    pub text: ArcStr,
    /// The HTTP status of the server's answers (`Echo` and `Web`).
    pub status: u16,
    /// The time from the start of the server until it listens.
    pub start: Span,
    /// The time after which the server ends by itself, and its exit code then; `None` if it does not.
    pub ends: Option<(Span, i32)>,
    /// The numbers of the signals on which the server ends.
    pub signals: Vec<u8>,
}

/// The result of starting a command that is a server.
#[derive(Clone, Debug, PartialEq)]
pub enum Launch {
    /// The server starts to serve requests.
    Serves(Server),
    /// The command prints these lines and ends at once with this exit code.
    Ends(Vec<ArcStr>, i32),
}

const TEN_SECONDS: Span = Span::secs(10);

impl Server {
    fn new(kind: Kind, image: &Image) -> Server {
        let mut signals = vec![TERM, 2, 3];
        signals.extend(signal_number(image.stop_signal));
        Server {
            kind,
            ports: image.ports.clone(),
            exit_code: 0,
            memory: (image.memory_mb as u64) << 20,
            prints: Vec::new(),
            text: ArcStr::default(),
            status: 200,
            start: Span(0),
            ends: None,
            signals,
        }
    }
    fn on(mut self, ports: &[u16]) -> Server {
        self.ports = ports.to_vec();
        self
    }
    fn saying(mut self, lines: &[&str]) -> Server {
        self.prints = lines.iter().map(|line| ArcStr::from(*line)).collect();
        self
    }
    /// Returns the server with SIGTERM ignored, as by an interpreter that is a container's first process.
    fn ignoring_term(mut self) -> Server {
        self.signals = Vec::new();
        self
    }
    /// Returns whether a signal ends the server.
    pub fn ends_on(&self, signal: u8) -> bool {
        self.signals.contains(&signal)
    }
    /// Returns whether the server listens on a port once it has run for `age`.
    pub fn listens(&self, port: u16, age: Span) -> bool {
        self.ports.contains(&port) && age >= self.start
    }
    /// Answers an HTTP request with a status and a body; `None` if the server does not speak HTTP.
    pub fn respond(&self, path: &str, disk: Option<&Disk>, facts: &Facts, age: Span) -> Option<(u16, String)> {
        let plain = path.split(['?', '#']).next().unwrap_or(path);
        let file = |root: &str| {
            let full = super::files::absolute(root, plain.trim_start_matches('/'));
            let index = format!("{}/index.html", full.trim_end_matches('/'));
            disk.and_then(|disk| disk.read(&full).or_else(|_| disk.read(&index)).ok())
        };
        let home = plain.is_empty() || plain == "/" || plain == "/index.html";
        let ok = |text: &str| Some((200, text.to_owned()));
        match self.kind {
            Kind::Raw => None,
            Kind::Nginx => match file("/usr/share/nginx/html") {
                Some(text) => ok(&text),
                None if home && disk.is_none() => ok(WELCOME),
                None if home => Some((403, "<html><body>403 Forbidden</body></html>\n".to_owned())),
                None => Some((404, "<html><body>404 Not Found</body></html>\n".to_owned())),
            },
            Kind::Apache => match file("/usr/local/apache2/htdocs") {
                Some(text) => ok(&text),
                None if home => ok("<html><body><h1>It works!</h1></body></html>\n"),
                None => Some((404, "<html><body>404 Not Found</body></html>\n".to_owned())),
            },
            Kind::Python => match file(if self.text.is_empty() { "/" } else { &self.text }) {
                Some(text) => ok(&text),
                None if home => ok("<!DOCTYPE HTML>\n<title>Directory listing for /</title>\n"),
                None => Some((404, "Error response: 404 File not found\n".to_owned())),
            },
            Kind::Netexec => match plain {
                "/hostname" | "/hostName" => ok(&facts.hostname),
                "/healthz" | "/" | "" => ok(""),
                "/clientip" => ok(&facts.address),
                _ if plain.starts_with("/echo") => ok(path.split_once("msg=").map_or("", |(_, text)| text)),
                _ => Some((404, "404 page not found\n".to_owned())),
            },
            Kind::Hostname => ok(&format!("{}\n", facts.hostname)),
            Kind::Liveness if plain == "/healthz" && age > TEN_SECONDS => Some((500, format!("error: {}", age.as_secs()))),
            Kind::Liveness => ok("ok"),
            Kind::Echo => Some((self.status, format!("{}\n", self.text))),
            Kind::Web if self.text.is_empty() => Some((self.status, format!("Hello from {}\n", facts.hostname))),
            Kind::Web => {
                let tag = facts.tag.trim_start_matches('v');
                Some((self.status, self.text.replace("$HOSTNAME", &facts.hostname).replace("$TAG", tag)))
            }
        }
    }
}

/// The start page of nginx.
pub const WELCOME: &str =
    "<!DOCTYPE html>\n<html>\n<head>\n<title>Welcome to nginx!</title>\n</head>\n<body>\n<h1>Welcome to nginx!</h1>\n</body>\n</html>\n";

/// Returns the port that an option such as `--http-port=8080` or `-listen=:5678` gives; `names` are the names of the option.
fn port_option(args: &[String], names: &[&str]) -> Option<u16> {
    let number = |text: &str| text.rsplit(':').next().and_then(|n| n.parse().ok());
    args.iter().enumerate().find_map(|(n, arg)| {
        let bare = arg.trim_start_matches('-');
        match bare.split_once('=') {
            Some((name, value)) if names.contains(&name) => number(value),
            None if arg.starts_with('-') && names.contains(&bare) => args.get(n + 1).and_then(|value| number(value)),
            _ => None,
        }
    })
}

fn option<'a>(args: &'a [String], name: &str) -> Option<&'a str> {
    args.iter().find_map(|arg| arg.trim_start_matches('-').strip_prefix(name)?.strip_prefix('='))
}

/// Returns how a command starts if it is a server; `None` for any other command. `name` is the last part of the command's path.
pub fn launch(image: &Image, name: &str, args: &[String], variable: &dyn Fn(&str) -> Option<String>) -> Option<Launch> {
    let default = image.command_line(&[""; 0], false);
    let is_default = || {
        let own: Vec<&str> = std::iter::once(name).chain(args.iter().map(String::as_str)).collect();
        let words: Vec<&str> = default.iter().map(|word| word.rsplit('/').next().unwrap_or(word)).collect();
        let last: Vec<&str> = own.iter().map(|word| word.rsplit('/').next().unwrap_or(word)).collect();
        !image.ports.is_empty() && words.ends_with(&last)
    };
    let server = |kind| Server::new(kind, image);
    let made = match name {
        "nginx" | "nginx-debug" if image.ports.is_empty() || args.iter().any(|arg| arg.contains("daemon off")) => {
            server(Kind::Nginx).saying(&["/docker-entrypoint.sh: Configuration complete; ready for start up"])
        }
        "nginx" | "nginx-debug" if !args.iter().any(|arg| arg.starts_with('-')) => return Some(Launch::Ends(Vec::new(), 0)),
        "httpd-foreground" | "apache2-foreground" => server(Kind::Apache).saying(&["AH00094: Command line: 'httpd -D FOREGROUND'"]),
        "redis-server" | "valkey-server" => {
            let port = port_option(args, &["port"]).unwrap_or(6379);
            server(Kind::Raw).on(&[port]).saying(&[
                "* Running mode=standalone, port=6379.",
                "* Server initialized",
                "* Ready to accept connections tcp",
            ])
        }
        "mysqld" | "mariadbd" | "postgres" | "mongod" | "run.sh"
            if is_default() || matches!(name, "mysqld" | "mariadbd" | "postgres" | "mongod") =>
        {
            if let Some(lines) = missing_variable(image, variable) {
                return Some(Launch::Ends(lines, 1));
            }
            let ready = match name {
                "postgres" => "LOG:  database system is ready to accept connections",
                "mysqld" | "mariadbd" => {
                    "[Server] ready for connections. Version: '8.0'  socket: '/var/run/mysqld/mysqld.sock'  port: 3306"
                }
                _ => "Waiting for connections",
            };
            server(Kind::Raw).saying(&[ready])
        }
        "python" | "python3" if args.iter().any(|arg| arg == "http.server") => {
            let at = args.iter().position(|arg| arg == "http.server").unwrap_or(0);
            let port = args.get(at + 1..).into_iter().flatten().find_map(|arg| arg.parse().ok()).unwrap_or(8000);
            let mut made = server(Kind::Python).on(&[port]).ignoring_term();
            made.text = option(args, "directory").unwrap_or("").into();
            made.memory = 12 << 20;
            made
        }
        "agnhost" => agnhost(args, server(Kind::Raw))?,
        "http-echo" => {
            let mut made = server(Kind::Echo).on(&[port_option(args, &["listen"]).unwrap_or(5678)]);
            made.text = option(args, "text").unwrap_or("hello-world").into();
            made
        }
        "serve_hostname" => server(Kind::Hostname),
        "whoami" if image.repository.ends_with("/whoami") => server(Kind::Hostname),
        "server" if image.repository.ends_with("/liveness") => server(Kind::Liveness),
        "hello-app" => {
            let mut made = server(Kind::Web);
            made.text = "Hello, world!\nVersion: $TAG.0\nHostname: $HOSTNAME\n".into();
            made.saying(&["Server listening on port 8080"])
        }
        "pause" => server(Kind::Raw).on(&[]),
        "etcd" => server(Kind::Raw),
        "nc" | "netcat" if args.iter().any(|arg| arg.starts_with("-l") || arg.starts_with("-k")) => {
            let port = port_option(args, &["p", "lp", "lkp"]).or_else(|| args.iter().rev().find_map(|arg| arg.parse().ok()))?;
            server(Kind::Raw).on(&[port]).ignoring_term()
        }
        "playground" => return Some(Launch::Serves(playground(args, server(Kind::Web).on(&[80])))),
        _ if image.repository.ends_with("/kubernetes-bootcamp") && is_default() => {
            let mut made = server(Kind::Web).ignoring_term();
            made.text = "Hello Kubernetes bootcamp! | Running on: $HOSTNAME | v=$TAG\n".into();
            made
        }
        "node" | "java" | "ruby" | "gunicorn" | "npm" if is_default() => server(Kind::Web).ignoring_term(),
        _ if is_default() => server(Kind::Web),
        _ => return None,
    };
    Some(Launch::Serves(made))
}

fn agnhost(args: &[String], server: Server) -> Option<Server> {
    let made = match args.first().map_or("pause", String::as_str) {
        "pause" => Server { signals: vec![TERM, 2], ..server.on(&[]).saying(&["Paused"]) },
        "netexec" => {
            let (http, udp) = (port_option(args, &["http-port"]).unwrap_or(8080), port_option(args, &["udp-port"]).unwrap_or(8081));
            let line = format!("Started HTTP server on port {http}");
            Server { kind: Kind::Netexec, ..server.on(&[http, udp]).saying(&[&line, &format!("Started UDP server on port  {udp}")]) }
        }
        "serve-hostname" => Server { kind: Kind::Hostname, ..server.on(&[port_option(args, &["port"]).unwrap_or(9376)]) },
        "liveness" => Server { kind: Kind::Liveness, ..server.on(&[8080]) },
        "test-webserver" => Server { kind: Kind::Web, ..server.on(&[port_option(args, &["port"]).unwrap_or(80)]) },
        "porter" | "nettest" | "webhook" | "grpc-health-checking" => {
            Server { kind: Kind::Web, ..server.on(&[port_option(args, &["port"]).unwrap_or(8080)]) }
        }
        _ => return None,
    };
    Some(made)
}

fn playground(args: &[String], mut server: Server) -> Server {
    let span = |text: &str| crate::posix::print::duration(text).unwrap_or(Span(0));
    let mut code = 0;
    for arg in args {
        let bare = arg.trim_start_matches('-');
        let (name, value) = bare.split_once('=').unwrap_or((bare, ""));
        match name {
            "listen" => server.ports = value.split(',').filter_map(|port| port.parse().ok()).collect(),
            "status" => server.status = value.parse().unwrap_or(200),
            "text" => server.text = format!("{value}\n").into(),
            "start" => server.start = span(value),
            "exit-after" => server.ends = Some((span(value), 0)),
            "exit-code" => code = value.parse::<i32>().unwrap_or(1) & 0xff,
            "memory" => server.memory = Quantity::parse(value).map_or(0, |q| q.value().max(0)) as u64,
            "print" => server.prints.push(value.into()),
            "ignore-term" => server = server.ignoring_term(),
            _ => server.prints.push(format!("{} no such option: --{name}", super::guest::MARK).into()),
        }
    }
    server.exit_code = code;
    server.ends = server.ends.map(|(after, _)| (after, code));
    server
}

/// Returns the error message of a database image if none of its required environment variables is set.
fn missing_variable(image: &Image, variable: &dyn Fn(&str) -> Option<String>) -> Option<Vec<ArcStr>> {
    if image.needs.is_empty() || image.needs.iter().any(|name| variable(name).is_some_and(|value| !value.is_empty())) {
        return None;
    }
    let mut lines: Vec<ArcStr> = Vec::new();
    if image.programs.contains(&"postgres") {
        lines.push("Error: Database is uninitialized and superuser password is not specified.".into());
        lines.push("       You must specify POSTGRES_PASSWORD to a non-empty value for the superuser.".into());
        return Some(lines);
    }
    lines.push("[ERROR] [Entrypoint]: Database is uninitialized and password option is not specified".into());
    lines.push("    You need to specify one of the following as an environment variable:".into());
    lines.extend(image.needs.iter().map(|name| format!("    - {name}").into()));
    Some(lines)
}
