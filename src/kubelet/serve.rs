//! Containers as servers: the ports on which they listen, and what they answer over HTTP. Counterpart: the programs in the images.
//!
//! An image of the catalogue listens where it does in reality, whatever ports the manifest declares. Any other server listens on the declared ports. Answers are
//! short: what matters is which container gave them.

use super::Kubelet;
use super::runtime::Program;
use super::worker::PodWorker;
use crate::api::kind::pod::Container;
use crate::api::meta::Key;
use crate::api::time::{Span, Time};
use crate::container::images;
use arcstr::ArcStr;

/// The outcome of a connection to an address of a node.
#[derive(Clone, Debug, PartialEq)]
pub enum Contact {
    /// No pod has the address.
    Nobody,
    /// The pod does not listen on the port.
    Closed(Key),
    /// A container listens: the pod, the HTTP status and the body.
    Open(Key, u16, String),
}

/// Returns the last part of an image's name, without tag and digest.
fn image_name(image: &str) -> &str {
    image.rsplit('/').next().and_then(|n| n.split([':', '@']).next()).unwrap_or(image)
}

/// Tells whether a container listens on a port while it runs.
pub fn listens(container: &Container, port: u16) -> bool {
    if let Some(own) = ports_of_command(container) {
        return own.contains(&port);
    }
    if !Program::of(container).server {
        return false;
    }
    let declared = || container.ports.iter().any(|(_, n, _)| *n == i32::from(port));
    match images::find(&container.image, true) {
        Ok(image) if container.command.is_empty() && !image.ports.is_empty() => image.ports.contains(&port),
        _ => declared(),
    }
}

/// Returns the ports of commands that are servers by themselves.
fn ports_of_command(container: &Container) -> Option<Vec<u16>> {
    let words: Vec<&str> = container.command.iter().map(ArcStr::as_str).collect();
    let text = words.join(" ");
    if let Some(after) = text.split("http.server").nth(1) {
        let port = after.split_whitespace().next().and_then(|word| word.parse().ok());
        return Some(vec![port.unwrap_or(8000)]);
    }
    let flag = |name: &str| words.iter().find_map(|w| w.strip_prefix(name)?.trim_start_matches('=').parse().ok());
    if words.contains(&"netexec") || words.contains(&"serve-hostname") {
        let usual = if words.contains(&"netexec") { 8080 } else { 9376 };
        return Some(vec![flag("--http-port").or_else(|| flag("--port")).unwrap_or(usual)]);
    }
    None
}

impl Kubelet {
    /// Connects to an address of this node.
    pub fn connect(&self, ip: u32, port: u16, path: &str, now: Time) -> Contact {
        let mut at_home = self.pods.values().filter(|w| w.ip == ip && (w.sandbox || w.any_running())).peekable();
        let Some(first) = at_home.peek().map(|w| key_of(w)) else { return Contact::Nobody };
        for w in at_home {
            for (i, instance) in w.containers.iter().enumerate().filter(|(_, c)| c.is_running()) {
                let Some(container) = w.container(i).filter(|c| listens(c, port)) else { continue };
                let (status, body) = answer(container, &w.object.meta.name, path, now, now - instance.started);
                return Contact::Open(key_of(w), status, body);
            }
        }
        Contact::Closed(first)
    }
}

fn key_of(w: &PodWorker) -> Key {
    w.object.key()
}

/// Returns the status of a GET, for probes.
pub fn status_of(container: &Container, path: &str, age: Span) -> u16 {
    answer(container, "", path, Time(0), age).0
}

fn answer(container: &Container, pod: &str, path: &str, now: Time, age: Span) -> (u16, String) {
    let page = path.split(['?', '#']).next().unwrap_or(path);
    let at_root = matches!(page, "" | "/" | "/index.html");
    match image_name(&container.image) {
        "nginx" | "nginx-unprivileged" if at_root => (
            200,
            "<!DOCTYPE html>\n<html>\n<head><title>Welcome to nginx!</title></head>\n<body><h1>Welcome to nginx!</h1></body>\n</html>\n"
                .to_owned(),
        ),
        "nginx" | "nginx-unprivileged" => (
            404,
            "<html>\n<head><title>404 Not Found</title></head>\n<body><center><h1>404 Not Found</h1></center></body>\n</html>\n".to_owned(),
        ),
        "httpd" if at_root => (200, "<html><body><h1>It works!</h1></body></html>\n".to_owned()),
        "httpd" => (404, "<html><head><title>404 Not Found</title></head><body><h1>Not Found</h1></body></html>\n".to_owned()),
        "hello-app" => (200, format!("Hello, world!\nVersion: {}\nHostname: {pod}\n", version(&container.image))),
        "agnhost" if page == "/" => (200, format!("NOW: {}", now.rfc3339())),
        "agnhost" | "serve-hostname" | "serve_hostname" if page != "/healthz" => (200, pod.to_owned()),
        "http-echo" => {
            let text = container.command.iter().find_map(|word| word.strip_prefix("-text=")).unwrap_or("hello-world");
            (200, format!("{text}\n"))
        }
        _ if page == "/healthz" && container.command.iter().any(|w| w == "liveness") => {
            if age < Span::secs(10) {
                (200, "ok".to_owned())
            } else {
                (500, "error: 10\n".to_owned())
            }
        }
        _ => (200, format!("Hostname: {pod}\n")),
    }
}

fn version(image: &str) -> String {
    let tag = image.rsplit('/').next().and_then(|n| n.split_once(':')).map_or("1.0", |(_, tag)| tag);
    if tag.matches('.').count() == 1 { format!("{tag}.0") } else { tag.to_owned() }
}
