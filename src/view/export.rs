//! A run as a folder for a real cluster: the manifests that were applied, in order, and all kubectl commands as a shell script.
//!
//! Simplified: a fault becomes a comment, because the way to break a real node differs from place to place, and the times of commands are kept only if the
//! person asks for it.

use super::clock;
use super::run::{NAMESPACE, Run};
use super::share::{Done, Input, Share};
use super::zip::{Member, zip};
use crate::api::value::{Map, Value};
use crate::api::{json, yaml};
use crate::apiserver::HttpRequest;
use crate::kubectl::{CommandLine, HttpCall, SaveEdit};
use crate::shell::Line;
use std::fmt::Write;

/// Returns the folder of a run as a zip file.
pub fn folder_zip(run: &Run) -> Vec<u8> {
    zip(&folder(run))
}

/// Returns the files of a run's folder: a script, the manifests in `manifests`, other files that the script reads, and instructions.
pub fn folder(run: &Run) -> Vec<Member> {
    let share = Share::of(run, &Default::default(), "");
    let mut folder = Folder { script: SCRIPT_HEAD.to_owned(), files: Vec::new(), number: 0, before: None };
    share.commands.iter().for_each(|done| folder.add(done));
    let nodes = share.config.nodes.count;
    let mut members = vec![
        member("loopscope/README.md", readme(nodes)),
        member("loopscope/kind.yaml", kind_config(nodes)),
        Member { executable: true, ..member("loopscope/run.sh", folder.script) },
    ];
    members.extend(folder.files.into_iter().map(|(path, text)| member(&format!("loopscope/{path}"), text)));
    members
}

const SCRIPT_HEAD: &str = "\
#!/usr/bin/env bash
# What was done in Loopscope, for a real cluster: the one of your current context. Look at it before you run it.
# PACE=1 ./run.sh leaves as much time between two commands as there was.
set -u
cd \"$(dirname \"$0\")\"
pause() { [ -z \"${PACE:-}\" ] || sleep \"$1\"; }
";

fn member(path: &str, text: String) -> Member {
    Member { path: path.to_owned(), text, executable: false }
}

fn readme(nodes: u32) -> String {
    format!(
        "# A run of Loopscope, for a real cluster\n\n\
         - `manifests/`: the manifests that were applied, in order.\n\
         - `run.sh`: these and every other command with kubectl, in order. It works on the cluster of your current context; `PACE=1 ./run.sh` keeps the time\n  \
           between them.\n\
         - `kind.yaml`: a cluster with {nodes} worker nodes on your own machine: `kind create cluster --config kind.yaml`.\n\n\
         Faults are comments in `run.sh`: how to break a node depends on where it runs. With kind, `docker stop kind-worker` is a crashed node.\n\
         The names of pods end differently in every cluster, so a command that names one may need another name.\n"
    )
}

fn kind_config(nodes: u32) -> String {
    let workers = "- role: worker\n".repeat(nodes.min(100) as usize);
    format!("kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\nnodes:\n- role: control-plane\n{workers}")
}

struct Folder {
    script: String,
    files: Vec<(String, String)>,
    /// The number of the last file that was made for a command.
    number: u32,
    /// The time of the command before this one, since the run began.
    before: Option<crate::api::time::Span>,
}

impl Folder {
    fn add(&mut self, done: &Done) {
        let at = done.moment.at;
        let _ = write!(self.script, "\n# {}\n", clock::clock(at));
        if let Some(before) = self.before.replace(at).filter(|before| *before < at) {
            let _ = writeln!(self.script, "pause {:.1}", (at.0 - before.0) as f64 / 1e6);
        }
        let text = match &done.input {
            Input::Kubectl(line) => self.kubectl(line),
            Input::Line(line) => self.line(line),
            Input::Save(saved) => self.save(saved),
            Input::Request(HttpCall(http)) => self.request(http),
            Input::Fault(fault) => format!("# You {}.", fault.row().did),
            Input::Interrupt(_) => "# Ctrl-C".to_owned(),
            Input::Type(_, None) => "# Ctrl-D".to_owned(),
            Input::Type(_, Some(text)) => format!("# You typed into the container: {}", text.replace('\n', " ")),
        };
        self.script.push_str(&text);
        self.script.push('\n');
    }
    /// Adds a file that a command reads, and returns its path.
    fn file(&mut self, folder: &str, name: &str, ending: &str, text: &str) -> String {
        self.number += 1;
        let name: String = name.to_ascii_lowercase().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).take(40).collect();
        let path = format!("{folder}/{:02}-{}.{ending}", self.number, name.trim_matches('-'));
        self.files.push((path.clone(), text.to_owned()));
        path
    }
    fn kubectl(&mut self, line: &CommandLine) -> String {
        let mut words = line.words.clone();
        let reads_input = words.windows(2).any(|pair| matches!(pair[0].as_str(), "-f" | "--filename") && pair[1] == "-")
            || words.contains(&"-f=-".to_owned());
        let mut input = String::new();
        if reads_input {
            let path = self.file("manifests", &first_name(&line.stdin), "yaml", &line.stdin);
            for word in words.iter_mut().filter(|word| *word == "-") {
                word.clone_from(&path);
            }
        } else if !line.stdin.is_empty() {
            input = format!(" <{}", quoted(&self.file("input", &line.words.join(" "), "txt", &line.stdin)));
        }
        if line.namespace != NAMESPACE {
            words.insert(0, format!("--namespace={}", line.namespace));
        }
        format!("kubectl {}{input}", words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "))
    }
    /// Returns a line of the terminal as a line of the script. Adds the files that it may read and that no earlier line has made.
    fn line(&mut self, line: &Line) -> String {
        for (name, text) in line.env.files.iter() {
            let is_plain = !name.is_empty() && !name.starts_with('/') && !name.split('/').any(|part| part == "..");
            let is_known = self.files.iter().any(|(path, _)| path == name) || self.script.contains(&format!(" {name}\n"));
            if is_plain && !is_known && line.text.contains(name.as_str()) {
                self.files.push((name.clone(), text.clone()));
            }
        }
        line.text.clone()
    }
    fn save(&mut self, saved: &SaveEdit) -> String {
        let draft = &saved.draft;
        let name = format!("{}/{}", draft.kind.row().plural, draft.name);
        if saved.text == draft.original {
            return format!("# kubectl edit {name}: nothing was changed");
        }
        let text = yaml::parse(&saved.text).map(|mut tree| {
            forget_identity(&mut tree);
            yaml::emit(&tree)
        });
        let path = self.file("manifests", &format!("edit {name}"), "yaml", text.as_deref().unwrap_or(&saved.text));
        format!("# kubectl edit {name}\nkubectl replace -f {path}")
    }
    fn request(&mut self, http: &HttpRequest) -> String {
        let path = http.path.split('?').next().unwrap_or_default();
        let body = http.body.as_ref().map(|body| {
            let text = json::pretty(body, 2);
            let parts: Vec<&str> = path.split('/').collect();
            self.file("input", &parts[parts.len().saturating_sub(2)..].join(" "), "json", &text)
        });
        let with_file = body.as_ref().map(|file| format!(" -f {file}")).unwrap_or_default();
        match http.method.as_str() {
            "POST" => format!("kubectl create --raw {}{with_file}", quoted(&http.path)),
            "PUT" => format!("kubectl replace --raw {}{with_file}", quoted(&http.path)),
            "DELETE" => format!("kubectl delete --raw {}{with_file}", quoted(&http.path)),
            "PATCH" => patch(http, path, body.as_deref().unwrap_or_default()),
            _ => format!("kubectl get --raw {}", quoted(&http.path)),
        }
    }
}

/// Returns a patch as a kubectl command. kubectl has no raw patch, so the path is split into kind, namespace and name.
fn patch(http: &HttpRequest, path: &str, file: &str) -> String {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let (group, rest) = match parts.as_slice() {
        ["api", _, rest @ ..] => (String::new(), rest),
        ["apis", group, _, rest @ ..] => (format!(".{group}"), rest),
        _ => return format!("# PATCH {}", quoted(&http.path)),
    };
    let (namespace, rest) = match rest {
        ["namespaces", namespace, plural, within @ ..] if !within.is_empty() => {
            (format!(" -n {}", quoted(namespace)), std::iter::once(*plural).chain(within.iter().copied()).collect())
        }
        rest => (String::new(), rest.to_vec()),
    };
    let type_ = match http.content_type.as_str() {
        "application/json-patch+json" => "json",
        "application/merge-patch+json" => "merge",
        "application/strategic-merge-patch+json" => "strategic",
        _ => return format!("kubectl apply --server-side{namespace} -f {file}"),
    };
    match rest.as_slice() {
        [plural, name, subresource @ ..] => {
            let subresource = subresource.first().map(|s| format!(" --subresource={}", quoted(s))).unwrap_or_default();
            format!("kubectl patch {}{group} {}{namespace}{subresource} --type={type_} --patch-file={file}", quoted(plural), quoted(name))
        }
        _ => format!("# PATCH {}", quoted(&http.path)),
    }
}

/// Removes the fields that a cluster sets and another cluster would refuse.
fn forget_identity(tree: &mut Value) {
    let Some(tree) = tree.as_map_mut() else { return };
    tree.remove("status");
    if let Some(meta) = tree.get_mut("metadata").and_then(Value::as_map_mut) {
        let given = ["uid", "resourceVersion", "creationTimestamp", "generation", "managedFields", "selfLink"];
        given.iter().for_each(|key| Map::remove(meta, key));
    }
}

/// Returns kind and name of the first object of a manifest.
fn first_name(manifest: &str) -> String {
    let first = yaml::parse_documents(manifest).into_iter().flatten().find_map(|document| {
        let map = document.value.as_map()?;
        Some(format!("{} {}", map.str("kind"), map.map("metadata").map_or("", |meta| meta.str("name"))))
    });
    first.filter(|name| !name.trim().is_empty()).unwrap_or_else(|| "manifest".to_owned())
}

/// Quotes a word for a shell, if the word needs it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}
