//! The methods by which a script acts on the cluster. Each act is recorded as if a person had done it, so it is part of the share state.
//!
//! A request or program that only reads is answered from the selected moment: no virtual time passes, and nothing is recorded. Any other takes the virtual
//! time that it needs, up to the timeout that the script gives.

use super::time::{seconds, span};
use super::{Answer, Engine, Error, bad_input};
use crate::api::time::Span;
use crate::api::value::Value as Tree;
use crate::api::{self, yaml};
use crate::apiserver::HttpRequest;
use crate::kubectl::{self, CommandLine, HttpCall};
use crate::sim::{Console, INTERRUPTED, Program};
use crate::view::share::read_fault;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::sync::Arc;

/// The default virtual time after which a program that has not ended is interrupted.
const PATIENCE: Span = Span::secs(60);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApplyInput {
    manifest: Value,
    namespace: Option<String>,
    timeout: Option<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KubectlInput {
    /// The command line as one text, or as a list of words.
    command: Value,
    #[serde(default)]
    stdin: String,
    namespace: Option<String>,
    timeout: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RequestInput {
    #[serde(default = "get")]
    verb: String,
    path: String,
    #[serde(default)]
    query: Map<String, Value>,
    body: Option<Value>,
    content_type: Option<String>,
    #[serde(default)]
    accept: String,
    timeout: Option<Value>,
}

fn get() -> String {
    "GET".to_owned()
}

impl Engine {
    /// Runs `kubectl apply -f -` with a text, an object or a list of objects as its input.
    pub(super) fn apply(&mut self, input: ApplyInput) -> Answer {
        let stdin = match input.manifest {
            Value::String(text) => text,
            Value::Array(objects) => objects.iter().map(|object| format!("---\n{object}\n")).collect(),
            object @ Value::Object(_) => object.to_string(),
            _ => return Err(bad_input("manifest must be a text, an object or a list of objects")),
        };
        let words = ["apply", "-f", "-"].map(str::to_owned).to_vec();
        self.run_line(words, stdin, input.namespace, input.timeout.as_ref())
    }
    /// Runs a kubectl command line. Returns its exit code and its output.
    pub(super) fn kubectl(&mut self, input: KubectlInput) -> Answer {
        let mut words = match input.command {
            Value::String(line) => kubectl::split(&line).map_err(|why| bad_input(format!("command: {why}")))?,
            Value::Array(words) => {
                let words: Option<Vec<String>> = words.into_iter().map(|word| word.as_str().map(str::to_owned)).collect();
                words.ok_or_else(|| bad_input("command must be a text or a list of texts"))?
            }
            _ => return Err(bad_input("command must be a text or a list of texts")),
        };
        if words.first().is_some_and(|word| word == "kubectl") {
            words.remove(0);
        }
        self.run_line(words, input.stdin, input.namespace, input.timeout.as_ref())
    }
    fn run_line(&mut self, words: Vec<String>, stdin: String, namespace: Option<String>, timeout: Option<&Value>) -> Answer {
        let namespace = namespace.unwrap_or_else(|| "default".to_owned()).into();
        let line = CommandLine { words, stdin, namespace, files: Vec::new(), editor: false };
        let console = self.run_program(Arc::new(line), timeout)?;
        let output = console.output();
        Ok(json!({ "exitCode": console.exit(), "stdout": output.stdout(), "stderr": output.stderr(), "at": seconds(self.run.elapsed()) }))
    }
    /// Runs a program to its end: against the selected moment if it only reads, otherwise on the run, with virtual time passing.
    fn run_program(&mut self, program: Arc<dyn Program>, timeout: Option<&Value>) -> Result<Console, Error> {
        let patience = timeout.map(|value| span("timeout", value)).transpose()?.unwrap_or(PATIENCE);
        if let Some(console) = self.run.cluster().answer_still(program.clone()) {
            return Ok(console);
        }
        self.run.run_for_answer(program);
        let id = self.run.cluster().last_console();
        let has_ended = |engine: &mut Engine| engine.run.cluster().console(id).is_none_or(|console| console.exit().is_some());
        let until = self.run.now() + patience;
        if self.pass(until, has_ended)? && !has_ended(self) {
            self.run.interrupt_program(id);
        }
        let console = self.run.cluster().console(id).cloned();
        console.ok_or_else(|| bad_input("so many programs run that this one was forgotten"))
    }
    /// Sends a request to the API server as a client does. Returns the answer's code, body and warnings.
    pub(super) fn request(&mut self, input: RequestInput) -> Answer {
        let timeout = input.timeout.clone();
        let http = http_request(input)?;
        let console = self.run_program(Arc::new(HttpCall(http)), timeout.as_ref())?;
        let output = console.output();
        let text = output.stdout();
        let body: Value = serde_json::from_str(&text).unwrap_or(Value::String(text));
        let called = console.calls.last().and_then(|call| call.code);
        let code = match console.exit() {
            Some(0) => called.unwrap_or(200),
            // No answer arrived.
            Some(INTERRUPTED) | None => 0,
            Some(_) => called.or(body.get("code").and_then(Value::as_u64).map(|code| code as u16)).unwrap_or(500),
        };
        let stderr = output.stderr();
        let warnings: Vec<&str> = stderr.lines().filter_map(|line| line.strip_prefix("Warning: ")).collect();
        Ok(json!({ "code": code, "body": body, "warnings": warnings, "at": seconds(self.run.elapsed()) }))
    }
    /// Injects a fault into the cluster, or ends one. Returns the status of the cluster.
    pub(super) fn fault(&mut self, input: &str) -> Answer {
        let Tree::Map(map) = Tree::from(super::parse(input)?) else { return Err(bad_input("a fault is an object")) };
        let fault = read_fault(map).map_err(bad_input)?;
        self.run.fault(fault);
        Ok(self.status())
    }
}

fn http_request(input: RequestInput) -> Result<HttpRequest, Error> {
    let method = match input.verb.to_ascii_uppercase().as_str() {
        "GET" | "LIST" => "GET",
        "POST" | "CREATE" => "POST",
        "PUT" | "UPDATE" => "PUT",
        "PATCH" => "PATCH",
        "DELETE" | "DELETECOLLECTION" => "DELETE",
        "WATCH" => return Err(bad_input("a request has one answer: watch() tells of every change")),
        _ => return Err(bad_input("verb must be one of GET, POST, PUT, PATCH and DELETE, or a verb of the API")),
    };
    if !input.path.starts_with('/') {
        return Err(bad_input("path must begin with a slash, as /api/v1/namespaces/default/pods"));
    }
    let mut path = input.path;
    for (key, value) in &input.query {
        let value = match value {
            Value::String(text) => text.clone(),
            Value::Number(_) | Value::Bool(_) => value.to_string(),
            _ => return Err(bad_input(format!("query.{key} must be a text, a number, true or false"))),
        };
        if key == "watch" && value != "false" {
            return Err(bad_input("a request has one answer: watch() tells of every change"));
        }
        let mark = if path.contains('?') { '&' } else { '?' };
        path = format!("{path}{mark}{}={}", escape(key), escape(&value));
    }
    let body = input.body.filter(|body| !body.is_null()).map(read_body).transpose()?;
    // The default patch type, as in `kubectl patch`.
    let default = match (&body, method) {
        (Some(api::Value::List(_)), "PATCH") => "application/json-patch+json",
        (Some(_), "PATCH") => "application/strategic-merge-patch+json",
        _ => "",
    };
    let content_type = input.content_type.unwrap_or_else(|| default.to_owned());
    Ok(HttpRequest { method: method.to_owned(), path, body, content_type, accept: input.accept })
}

/// Converts the body of a request to a tree. A body that is a text is parsed as YAML, which includes JSON.
fn read_body(body: Value) -> Result<api::Value, Error> {
    match body {
        Value::String(text) => yaml::parse(&text).map_err(|why| bad_input(format!("body: {}", why.message))),
        body => serde_json::from_value(body).map_err(|why| bad_input(format!("body: {why}"))),
    }
}

fn escape(text: &str) -> String {
    text.bytes().fold(String::new(), |mut all, byte| {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => all.push(byte as char),
            _ => drop(write!(all, "%{byte:02X}")),
        }
        all
    })
}
