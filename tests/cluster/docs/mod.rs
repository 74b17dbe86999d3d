//! Pages of the Kubernetes documentation: each test runs the commands of a page and checks the state of the
//! cluster after them.

mod assign_memory;
mod client_tools;
mod configmaps;
mod connecting_applications;
mod debug_pods;
mod debug_running_pods;
mod define_command;
mod deployments;
mod dns;
mod downward_api;
mod env_files;
mod environment_variables;
mod extended_resources;
mod from_pods;
mod guestbook;
mod horizontal_pod_autoscaling;
mod image_volumes;
mod images;
mod indexed_jobs;
mod init_containers;
mod job_image;
mod kubernetes_basics;
mod lifecycle_hooks;
mod logging;
mod own_restart_policy;
mod persistent_volumes;
mod pod_level_resources;
mod pod_lifecycle;
mod policies;
mod preemption;
mod probes;
mod projected_volumes;
mod quality_of_service;
mod replicasets;
mod resize;
mod rollouts;
mod secret_variables;
mod secrets;
mod security_context;
mod service_accounts;
mod services;
mod share_processes;
mod shell_in_container;
mod sidecars;
mod single_instance;
mod statefulset_basics;
mod terminating_endpoints;
mod termination;
mod updating_configmaps;
mod user_namespaces;
mod volumes;

use loopscope::api::time::Span;
use loopscope::kubectl::{self, CommandLine};
use loopscope::shell::{Env, Line};
use loopscope::sim::{Cluster, Command, Config, Effect};
use std::sync::Arc;

/// A cluster of three nodes, and a terminal with files.
struct Page {
    cluster: Cluster,
    files: Vec<(String, String)>,
}

impl Page {
    fn open() -> Page {
        let mut page = Page { cluster: Cluster::new(Config::default()), files: Vec::new() };
        page.pass(5);
        page
    }
    fn pass(&mut self, seconds: i64) {
        self.cluster.run_until(self.cluster.now + Span::secs(seconds), u64::MAX);
    }
    /// Runs a kubectl command to its end and returns what it prints.
    fn run(&mut self, line: &str) -> String {
        let words = kubectl::split(line).unwrap_or_default();
        let files = self.files.clone();
        let program = CommandLine { words, stdin: String::new(), namespace: "default".into(), files, editor: false };
        self.cluster.command(Command::Run(Arc::new(program)));
        self.cluster.step();
        let id = self.cluster.last_console();
        for _ in 0..2_000 {
            if let Some(console) = self.cluster.console(id)
                && console.exit().is_some()
            {
                return format!("{}{}", console.output().stdout(), console.output().stderr());
            }
            self.cluster.run_until(self.cluster.now + Span::millis(200), u64::MAX);
        }
        panic!("{line} does not end");
    }
    /// Goes through a page of the documentation: runs the terminal's lines that begin with `$`, and lets the seconds after `wait` pass. Each
    /// other line must be a part of a line that the command before it printed, apart from the width of blanks; one after `!` must not.
    fn walk(&mut self, script: &str) {
        let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let (mut command, mut output) = (String::new(), String::new());
        for line in script.lines().map(str::trim).filter(|line| !line.is_empty()) {
            if let Some(seconds) = line.strip_prefix("wait ") {
                self.pass(seconds.parse().expect("seconds"));
            } else if let Some(text) = line.strip_prefix("$ ") {
                (command, output) = (text.to_owned(), self.enter(text));
            } else {
                let (unwanted, wanted) = line.strip_prefix("! ").map_or((false, line), |rest| (true, rest));
                let found = output.lines().any(|line| squeezed(line).contains(&squeezed(wanted)));
                assert!(found != unwanted, "{command}: {line}\n{output}");
            }
        }
    }
    /// Runs a line of the terminal to its end and returns what it prints. The files that it writes stay.
    fn enter(&mut self, text: &str) -> String {
        let env = Env { namespace: "default".into(), files: Arc::new(self.files.clone()), width: 80, ..Env::default() };
        self.cluster.command(Command::Run(Arc::new(Line { text: text.to_owned(), env })));
        self.cluster.step();
        let id = self.cluster.last_console();
        for _ in 0..2_000 {
            if let Some(console) = self.cluster.console(id).filter(|console| console.exit().is_some()) {
                for effect in console.effects() {
                    if let Effect::Write { path, text } = effect {
                        self.files.retain(|(name, _)| name != path);
                        self.files.push((path.clone(), text.clone()));
                    }
                }
                return format!("{}{}", console.output().stdout(), console.output().stderr());
            }
            self.cluster.run_until(self.cluster.now + Span::millis(200), u64::MAX);
        }
        panic!("{text} does not end");
    }
    /// Starts a kubectl command that does not end by itself. Returns the number of the command.
    fn begin(&mut self, line: &str) -> u64 {
        let words = kubectl::split(line).unwrap_or_default();
        let files = self.files.clone();
        let program = CommandLine { words, stdin: String::new(), namespace: "default".into(), files, editor: false };
        self.cluster.command(Command::Run(Arc::new(program)));
        self.cluster.step();
        self.cluster.last_console()
    }
    /// Types a line into a command's session in a container, and lets a second pass. `None` closes the
    /// input.
    fn type_into(&mut self, id: u64, text: Option<&str>) {
        self.cluster.command(Command::Type(id, text.map(Into::into)));
        self.pass(1);
    }
    /// Returns what a command has printed up to this moment, and its exit code if it has ended.
    fn said(&self, id: u64) -> (String, Option<i32>) {
        let console = self.cluster.console(id).expect("the console");
        let text: String = console.output().pieces().iter().map(|(_, text)| text.as_str()).collect();
        (text, console.exit())
    }
    /// Applies a manifest.
    fn apply(&mut self, manifest: &str) {
        self.files = vec![("page.yaml".to_owned(), manifest.to_owned())];
        let text = self.run("apply -f page.yaml");
        assert!(text.contains("created") || text.contains("configured"), "{text}");
    }
    /// Returns a field of an object by its JSONPath.
    fn field(&mut self, object: &str, path: &str) -> String {
        self.run(&format!("get {object} -o 'jsonpath={{{path}}}'"))
    }
    /// Returns the STATUS and RESTARTS columns of a pod.
    fn pod(&mut self, name: &str) -> (String, String) {
        let text = self.run(&format!("get pod {name} --no-headers"));
        let words: Vec<&str> = text.split_whitespace().collect();
        (words.get(2).unwrap_or(&"").to_string(), words.get(3).unwrap_or(&"").to_string())
    }
    fn status(&mut self, name: &str) -> String {
        self.pod(name).0
    }
    /// Returns the messages of all Events about an object, one per line.
    fn events(&mut self, name: &str) -> String {
        let columns = r#"jsonpath={range .items[*]}{.reason}{": "}{.message}{"\n"}{end}"#;
        self.run(&format!("get events --field-selector=involvedObject.name={name} -o '{columns}'"))
    }
}
