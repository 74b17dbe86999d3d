//! Requests by path: `kubectl get --raw`, and any HTTP request that a script makes. Counterpart: `kubectl/pkg/rawhttp`.

use super::errors::Stop;
use super::{Cx, Run};
use crate::api::json;
use crate::api::time::Time;
use crate::apiserver::{HttpRequest, body, route, unrouted};
use crate::sim::{Next, Output, Program, Progress, Reply, ReplyBody, Start, Wait};
use std::any::Any;

/// Prints the answer to a GET of a path.
pub fn get(cx: &mut Cx, path: &str) -> Run {
    if !path.starts_with('/') {
        let text = format!("--raw must be a valid URL path: parse \"{path}\": invalid URI for request");
        return Err(Stop::plain(text));
    }
    if let Some(text) = unrouted(&cx.env.kinds, path) {
        cx.print(&text);
        return Ok(());
    }
    let http = HttpRequest { method: "GET".to_owned(), path: path.to_owned(), ..HttpRequest::default() };
    let request = route(&cx.env.kinds, &http).map_err(|mut status| {
        // For a group that it does not serve the server sends no Status, and the client prints a message of its own.
        if status.message.is_empty() {
            status.message = "the server could not find the requested resource".to_owned();
        }
        Stop::server(&status)
    })?;
    match body(&request, cx.request(request.clone())?) {
        Ok(tree) => cx.println(json::to_string(&tree)),
        Err(text) => cx.print(&text),
    }
    Ok(())
}

/// A program that sends one HTTP request. Its output is the body of the answer, and its exit code is 1 if the server refuses the request.
#[derive(Clone, Debug, PartialEq)]
pub struct HttpCall(pub HttpRequest);

impl Program for HttpCall {
    fn run(&self, start: &Start, _now: Time, replies: &[Reply]) -> Progress {
        let mut output = Output::default();
        let next = match (route(&start.kinds, &self.0), unrouted(&start.kinds, &self.0.path).filter(|_| self.0.method == "GET")) {
            (_, Some(text)) => {
                output.out(&text);
                Next::Exit(0)
            }
            (Err(status), None) => {
                output.out(&json::to_string(&status.to_map().into()));
                Next::Exit(1)
            }
            (Ok(request), None) => match replies.first().map(|reply| &reply.body) {
                None => Next::Wait(Wait::Request { request, why: "to do what was asked" }),
                Some(ReplyBody::Response(response)) => {
                    response.warnings.iter().for_each(|warning| output.err(&format!("Warning: {warning}\n")));
                    let text = match &response.result {
                        Ok(answer) => body(&request, answer).map_or_else(|text| text, |tree| json::to_string(&tree)),
                        Err(status) => json::to_string(&status.to_map().into()),
                    };
                    output.out(&text);
                    Next::Exit(i32::from(response.result.is_err()))
                }
                Some(_) => Next::Exit(1),
            },
        };
        Progress { output, effects: Vec::new(), next }
    }
    fn title(&self) -> String {
        format!("{} {}", self.0.method, self.0.path)
    }
    fn source(&self) -> Option<&dyn Any> {
        Some(self)
    }
}
