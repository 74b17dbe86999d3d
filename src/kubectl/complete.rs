//! Tab completion of a command line. Counterparts: `spf13/cobra`'s completion and `kubectl/pkg/util/completion`.
//!
//! Never fails: any text and any cursor get an answer, perhaps an empty one. The flags come from the tables that the commands parse with.

use super::flags::{Flag, GLOBAL, NONE, Takes};
use super::resource::find_kind;
use super::{Cx, Env, config, dispatch, explain, help, kinds};
use crate::api::kind::{Kind, Kinds, PodSelector};
use crate::api::order::Order;

/// Source of the names in the cluster and the terminal that can be completed.
pub trait CompletionSource {
    /// Returns the current namespace.
    fn namespace(&self) -> String;
    /// Returns the kinds that the API server serves.
    fn kinds(&self) -> Kinds {
        Kinds::default()
    }
    /// Returns the names of the objects of a kind, in a namespace (`""` for cluster-scoped kinds).
    fn objects(&self, kind: Kind, namespace: &str) -> Vec<String>;
    /// Returns the names of the containers of a pod, or of the pod template of another object.
    fn containers(&self, _kind: Kind, _namespace: &str, _name: &str) -> Vec<String> {
        Vec::new()
    }
    /// Returns the labels of the objects of a kind, as `key=value`.
    fn labels(&self, _kind: Kind, _namespace: &str) -> Vec<String> {
        Vec::new()
    }
    /// Returns the paths of the files that a command can read.
    fn files(&self) -> Vec<String> {
        Vec::new()
    }
}

/// The candidates for the word at the cursor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// The byte offset in the line from which a candidate replaces the text up to the cursor.
    pub from: usize,
    /// All candidates for the replacement, sorted.
    pub candidates: Vec<String>,
}

/// Returns the candidates for the word that ends at byte offset `cursor` of a line. The line may begin with `kubectl` or `k`.
pub fn complete(line: &str, cursor: usize, world: &dyn CompletionSource) -> Completion {
    let mut end = cursor.min(line.len());
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    let before = line.get(..end).unwrap_or_default();
    let (mut words, start) = split(before);
    let current = before.get(start..).unwrap_or_default();
    let named = words.first().is_some_and(|word| word == "kubectl" || word == "k");
    if named {
        words.remove(0);
    }
    let context = CompletionContext::new(words, world);
    let mut found = context.candidates(current);
    if !named && context.words.is_empty() {
        found.1.push("kubectl".to_owned());
    }
    let (skip, mut candidates) = found;
    let prefix = current.get(skip..).unwrap_or_default();
    candidates.retain(|candidate| candidate.starts_with(prefix));
    candidates.order();
    candidates.dedup();
    Completion { from: start + skip, candidates }
}

/// Splits a text into the words before the last one, and the byte offset of the last one. Quotes hold words together and are removed.
fn split(text: &str) -> (Vec<String>, usize) {
    let (mut words, mut word, mut start) = (Vec::new(), String::new(), None);
    let mut quote = None;
    for (i, c) in text.char_indices() {
        match (quote, c) {
            (None, ' ' | '\t' | '\n' | '\r') => {
                if start.take().is_some() {
                    words.push(std::mem::take(&mut word));
                }
                continue;
            }
            // Only the command after the last `|`, `;` or `&` is completed.
            (None, '|' | ';' | '&') => {
                words.clear();
                word.clear();
                start = None;
                continue;
            }
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            _ => word.push(c),
        }
        start = start.or(Some(i));
    }
    (words, start.unwrap_or(text.len()))
}

/// The words before the one to complete, parsed as a command line.
struct CompletionContext<'w> {
    world: &'w dyn CompletionSource,
    /// All words before the one to complete.
    words: Vec<String>,
    /// The command with its subcommand, as the help pages name it: `rollout undo`.
    path: String,
    /// The flags that the command accepts.
    flags: Vec<Flag>,
    /// Words that are neither the command nor flags.
    plain: Vec<String>,
    /// The flag whose value is the word to complete, if any.
    open_flag: Option<Flag>,
    /// Set if `--` was among the words.
    over: bool,
    namespace: String,
    kinds: Kinds,
}

type Found = (usize, Vec<String>);

impl<'w> CompletionContext<'w> {
    fn new(words: Vec<String>, world: &'w dyn CompletionSource) -> CompletionContext<'w> {
        let mut context = CompletionContext {
            world,
            words,
            path: String::new(),
            flags: GLOBAL.to_vec(),
            plain: Vec::new(),
            open_flag: None,
            over: false,
            namespace: world.namespace(),
            kinds: world.kinds(),
        };
        for word in context.words.clone() {
            context.take(word);
        }
        context
    }

    fn take(&mut self, word: String) {
        if let Some(flag) = self.open_flag.take() {
            if flag.long == "namespace" {
                self.namespace = word;
            }
            return;
        }
        if self.over {
            return;
        }
        if word == "--" {
            self.over = true;
        } else if let Some(flag) = self.flag_of(&word) {
            match word.split_once('=') {
                Some((_, value)) if flag.long == "namespace" => self.namespace = value.to_owned(),
                Some(_) => {}
                None if matches!(flag.takes, Takes::Nothing | Takes::Maybe(_)) => {}
                None => self.open_flag = Some(flag),
            }
        } else if !word.starts_with('-') && !self.descend(&word) {
            self.plain.push(word);
        }
    }

    /// Takes a word as a command or subcommand; returns `false` if the word is neither.
    fn descend(&mut self, word: &str) -> bool {
        if !self.plain.is_empty() {
            return false;
        }
        let word = match (self.path.as_str(), word) {
            ("create", "cm") => "configmap",
            ("create", "deploy" | "dep") => "deployment",
            ("create", "ns") => "namespace",
            ("create", "svc") => "service",
            ("create", "sa") => "serviceaccount",
            (_, word) => word,
        };
        let path = if self.path.is_empty() { word.to_owned() } else { format!("{} {word}", self.path) };
        let known = help::subcommands(&self.path).any(|(name, _)| name == word) || matches!(path.as_str(), "help" | "options");
        if known {
            self.flags = flags_of(&path);
            self.flags.extend(GLOBAL);
            self.path = path;
        }
        known
    }

    fn flag_of(&self, word: &str) -> Option<Flag> {
        let name = word.split('=').next().unwrap_or(word);
        let is = |flag: &&Flag| match name.strip_prefix("--") {
            Some(long) => flag.long == long,
            None => name.strip_prefix('-').is_some_and(|short| flag.short != NONE && short.chars().eq([flag.short])),
        };
        self.flags.iter().find(is).copied()
    }

    /// Returns the number of bytes of the current word that are kept, and the candidates for the rest of it.
    fn candidates(&self, current: &str) -> Found {
        if let Some(flag) = self.open_flag {
            return self.values(flag.long, current);
        }
        if self.over {
            return (0, Vec::new());
        }
        if current.starts_with('-') {
            let Some((name, value)) = current.split_once('=') else { return (0, self.flag_names(current)) };
            let Some(flag) = self.flag_of(name) else { return (0, Vec::new()) };
            let (skip, found) = self.values(flag.long, value);
            return (name.len() + 1 + skip, found);
        }
        let below: Vec<String> = help::subcommands(&self.path).map(|(name, _)| name.to_owned()).collect();
        if self.plain.is_empty() && !below.is_empty() && (self.path != "apply" || !current.is_empty()) {
            return (0, below);
        }
        self.arguments(current)
    }

    fn flag_names(&self, current: &str) -> Vec<String> {
        let long = self.flags.iter().map(|flag| format!("--{}", flag.long));
        let short = self.flags.iter().filter(|flag| flag.short != NONE && current == "-").map(|flag| format!("-{}", flag.short));
        long.chain(short).collect()
    }

    fn arguments(&self, current: &str) -> Found {
        let with_scale = |kind: &Kind| kind.row().scale.is_some();
        let with_pods = |kind: &Kind| !kind.row().pod_spec.is_empty();
        let exposed = |kind: &Kind| kind.row().pod_selector != PodSelector::Nothing;
        let rolled_out = |kind: &Kind| kinds::of(*kind).rollout.is_some();
        match self.path.as_str() {
            "get" | "describe" | "delete" | "label" | "annotate" | "edit" | "patch" | "wait" | "apply view-last-applied" => {
                self.objects(current, |_| true)
            }
            "auth can-i" if self.plain.is_empty() => {
                let verbs = ["create", "delete", "get", "list", "patch", "update", "watch"];
                (0, verbs.map(str::to_owned).to_vec())
            }
            "auth can-i" => (0, self.types(current, |_| true)),
            "scale" => self.objects(current, with_scale),
            "expose" => self.objects(current, exposed),
            "set image" if self.object().is_some() => {
                let (kind, name) = self.object().unwrap_or((Kind::POD, ""));
                let containers = self.world.containers(kind, &self.namespace_of(kind), name);
                (0, containers.into_iter().map(|container| format!("{container}=")).collect())
            }
            "set image" | "set env" | "set resources" => self.objects(current, with_pods),
            path if path.starts_with("rollout ") => self.objects(current, rolled_out),
            "cordon" | "uncordon" | "drain" => (0, self.others(self.world.objects(Kind::NODE, ""))),
            "taint" => self.objects(current, |kind| *kind == Kind::NODE),
            "logs" | "exec" if self.plain.is_empty() => {
                let (skip, mut found) = self.objects(current, with_pods);
                if !current.contains('/') {
                    found = self.types(current, with_pods).into_iter().map(|name| format!("{name}/")).collect();
                    found.extend(self.world.objects(Kind::POD, &self.namespace));
                }
                (skip, found)
            }
            "explain" if self.plain.is_empty() => self.explained(current),
            "config use-context" | "config set-context" | "config get-contexts" => (0, vec![config::CONTEXT.to_owned()]),
            "help" => {
                let path = self.plain.join(" ");
                (0, help::subcommands(&path).map(|(name, _)| name.to_owned()).collect())
            }
            _ => (0, Vec::new()),
        }
    }

    /// Returns candidates for `TYPE NAME…`, `TYPE/NAME` and `TYPE,TYPE`, of the kinds that `chosen` accepts.
    fn objects(&self, current: &str, chosen: impl Fn(&Kind) -> bool) -> Found {
        if let Some((word, _)) = current.split_once('/') {
            let Ok(kind) = find_kind(&self.kinds, word) else { return (0, Vec::new()) };
            return (word.len() + 1, self.others(self.world.objects(kind, &self.namespace_of(kind))));
        }
        let slashed = self.plain.iter().any(|word| word.contains('/'));
        match self.plain.first() {
            Some(word) if !slashed => {
                let Ok(kind) = find_kind(&self.kinds, word) else { return (0, Vec::new()) };
                (0, self.others(self.world.objects(kind, &self.namespace_of(kind))))
            }
            Some(_) => (0, self.types(current, chosen).into_iter().map(|name| format!("{name}/")).collect()),
            None => {
                let skip = current.rfind(',').map_or(0, |comma| comma + 1);
                (skip, self.types(current.get(skip..).unwrap_or_default(), chosen))
            }
        }
    }

    /// Returns those of the names that are not on the command line yet.
    fn others(&self, mut names: Vec<String>) -> Vec<String> {
        names.retain(|name| !self.plain.iter().any(|word| word.rsplit('/').next() == Some(name)));
        names
    }

    /// Returns the object that the command line names so far, by kind and name.
    fn object(&self) -> Option<(Kind, &str)> {
        let first = self.plain.first()?;
        match (first.split_once('/'), self.plain.get(1)) {
            (Some((kind, name)), _) => Some((find_kind(&self.kinds, kind).ok()?, name)),
            (None, Some(name)) => Some((find_kind(&self.kinds, first).ok()?, name)),
            (None, None) => None,
        }
    }

    fn kind(&self) -> Option<Kind> {
        let first = self.plain.first()?;
        find_kind(&self.kinds, first.split(['/', ',']).next()?).ok()
    }

    fn namespace_of(&self, kind: Kind) -> String {
        if kind.row().namespaced { self.namespace.clone() } else { String::new() }
    }

    /// Returns candidates for the value of a flag.
    fn values(&self, flag: &str, current: &str) -> Found {
        let fixed: &[&str] = match (flag, self.path.as_str()) {
            ("output", "get") => &["custom-columns=", "json", "jsonpath=", "name", "wide", "yaml"],
            ("output", "explain") => &["plaintext"],
            ("output", "config get-contexts" | "api-resources") => &["name"],
            ("output", _) => &["json", "name", "yaml"],
            ("dry-run", _) => &["client", "none", "server"],
            ("cascade", _) => &["background", "foreground", "orphan"],
            ("type", "patch") => &["json", "merge", "strategic"],
            ("type", "expose") => &["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"],
            ("types", _) => &["Normal", "Warning"],
            ("restart", _) => &["Always", "Never", "OnFailure"],
            ("image-pull-policy", _) => &["Always", "IfNotPresent", "Never"],
            ("protocol", _) => &["SCTP", "TCP", "UDP"],
            ("subresource", _) => &["scale", "status"],
            ("sort-by", _) => &[".metadata.creationTimestamp", ".metadata.name"],
            ("context", _) => &[config::CONTEXT],
            ("for", "wait") => &["condition=Available", "condition=Progressing", "condition=Ready", "create", "delete", "jsonpath="],
            _ => &[],
        };
        if !fixed.is_empty() {
            return (0, fixed.iter().map(|value| (*value).to_owned()).collect());
        }
        let after_comma = current.rfind(',').map_or(0, |comma| comma + 1);
        match flag {
            "namespace" => (0, self.world.objects(Kind::NAMESPACE, "")),
            "filename" | "patch-file" | "from-env-file" | "cert" | "key" => (0, self.world.files()),
            "from-file" => (current.find('=').map_or(0, |at| at + 1), self.world.files()),
            "for" => CompletionContext {
                plain: Vec::new(),
                words: Vec::new(),
                path: String::new(),
                flags: Vec::new(),
                namespace: self.namespace.clone(),
                kinds: self.kinds.clone(),
                ..*self
            }
            .objects(current, |_| true),
            "container" | "containers" => {
                let (kind, name) = self.object().or_else(|| Some((Kind::POD, self.plain.first()?.as_str()))).unwrap_or((Kind::POD, ""));
                (0, self.world.containers(kind, &self.namespace_of(kind), name))
            }
            "selector" => {
                let kind = self.kind().unwrap_or(Kind::POD);
                (after_comma, self.world.labels(kind, &self.namespace_of(kind)))
            }
            "field-selector" => {
                let own = self.kind().map(|kind| kind.row().fields).unwrap_or_default();
                let names = ["metadata.name", "metadata.namespace"].into_iter().chain(own.iter().map(|(name, _)| *name));
                (after_comma, names.map(|name| format!("{name}=")).collect())
            }
            _ => (0, Vec::new()),
        }
    }

    /// Returns names of types: the plural, and once a letter is typed also the singular and the short names.
    fn types(&self, current: &str, chosen: impl Fn(&Kind) -> bool) -> Vec<String> {
        let names = self.kinds.all().filter(chosen).flat_map(|kind| {
            let row = kind.row();
            let short = if current.is_empty() { &[][..] } else { row.short_names };
            let singular = if current.is_empty() { None } else { Some(row.singular) };
            std::iter::once(row.plural).chain(singular).chain(short.iter().copied())
        });
        names.map(str::to_owned).collect()
    }

    /// Returns candidates for `kubectl explain`: a type, or the next field of a path such as `pod.spec.con`.
    fn explained(&self, current: &str) -> Found {
        match current.rfind('.') {
            None => {
                let mut found = self.types(current, |_| true);
                found.extend(explain::types().map(str::to_owned));
                (0, found)
            }
            Some(dot) => {
                let path = current.get(..dot).unwrap_or_default();
                (dot + 1, explain::fields_under(&self.kinds, path).into_iter().map(str::to_owned).collect())
            }
        }
    }
}

/// Returns the flags that a command accepts, by running it with `--help`.
pub(super) fn flags_of(path: &str) -> Vec<Flag> {
    let words: Vec<String> = path.split(' ').chain(["--help"]).map(str::to_owned).collect();
    let env = Env::default();
    match dispatch(&mut Cx::new(&env, "", &[]), &words) {
        Err(stop) => stop.help_request().map(|asked| asked.flags.clone()).unwrap_or_default(),
        Ok(()) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Small;

    impl CompletionSource for Small {
        fn namespace(&self) -> String {
            "default".into()
        }
        fn objects(&self, kind: Kind, namespace: &str) -> Vec<String> {
            let names: &[&str] = match (kind, namespace) {
                (Kind::POD, "default") => &["demo-1", "demo-2", "other"],
                (Kind::POD, "kube-system") => &["dns"],
                (Kind::DEPLOYMENT, "default") => &["demo"],
                (Kind::NODE, "") => &["node-1", "node-2"],
                (Kind::NAMESPACE, "") => &["default", "kube-system"],
                _ => &[],
            };
            names.iter().map(|name| name.to_string()).collect()
        }
        fn containers(&self, _: Kind, _: &str, name: &str) -> Vec<String> {
            if name == "demo" || name == "demo-1" { vec!["nginx".into()] } else { Vec::new() }
        }
        fn labels(&self, _: Kind, _: &str) -> Vec<String> {
            vec!["app=demo".into(), "tier=front".into()]
        }
        fn files(&self) -> Vec<String> {
            vec!["pod.yaml".into()]
        }
    }

    #[test]
    fn lines_are_completed_where_they_end() {
        for (line, wanted) in [
            ("kubectl rol", "rollout"),
            ("kubec", "kubectl"),
            ("kubectl rollout un", "undo"),
            ("kubectl create secret ", "docker-registry generic tls"),
            ("kubectl create d", "deployment"),
            ("kubectl get dep", "deploy deployment deployments"),
            ("kubectl get pods,dep", "deploy deployment deployments"),
            ("kubectl get pods ", "demo-1 demo-2 other"),
            ("kubectl get pods demo-1 d", "demo-2"),
            ("kubectl get pod/d", "demo-1 demo-2"),
            ("kubectl get po -n kube-system ", "dns"),
            ("kubectl -n kube-system get po ", "dns"),
            ("kubectl get po --namespace=kube-system ", "dns"),
            ("kubectl get po -n kube", "kube-system"),
            ("kubectl get po --namespace=d", "default"),
            ("kubectl get po -o y", "yaml"),
            ("kubectl get po --no-h", "--no-headers"),
            ("kubectl delete pod x --cas", "--cascade"),
            ("kubectl delete pod x --cascade=o", "orphan"),
            ("kubectl get po -l a", "app=demo"),
            ("kubectl get po -l app=demo,t", "tier=front"),
            ("kubectl get po --field-selector status.ph", "status.phase="),
            ("kubectl apply -f ", "pod.yaml"),
            ("kubectl wait pod/other --for=d", "delete"),
            ("kubectl rollout restart deployment/", "demo"),
            ("kubectl rollout restart deployment ", "demo"),
            ("kubectl set image deployment/demo ", "nginx="),
            ("kubectl drain ", "node-1 node-2"),
            ("kubectl taint nodes node-1", "node-1"),
            ("kubectl explain pod.spec.nodeN", "nodeName"),
            ("kubectl explain sta", "statefulset statefulsets"),
            ("kubectl config use-context ", "loopscope"),
            ("kubectl help rol", "rollout"),
            ("kubectl get po | kubectl drain node-2 ", "node-1"),
            ("kubectl get nothing ", ""),
            ("kubectl run x --image=y -- g", ""),
        ] {
            let found = complete(line, line.len(), &Small);
            assert_eq!(found.candidates.join(" "), wanted, "{line}");
            let kept = line.get(found.from..).unwrap();
            assert!(found.candidates.iter().all(|candidate| candidate.starts_with(kept)), "{line}");
        }
        let all = complete("", 0, &Small).candidates;
        assert!(all.contains(&"kubectl".to_owned()) && all.contains(&"get".to_owned()));
    }

    #[test]
    fn the_cursor_may_stand_anywhere() {
        let line = "kubectl get \"pö ds' -l app= --for=a,/b -n | c=/,-- -o=\u{1F600} explain a..b --=x -";
        for cursor in 0..line.len() + 3 {
            let found = complete(line, cursor, &Small);
            assert!(found.from <= cursor.min(line.len()) && line.is_char_boundary(found.from));
        }
        for flag in ["-", "--", "=", "/", ",", ".", "'", "-n", "-n=", "--namespace"] {
            for command in ["", "get ", "explain ", "set image ", "logs ", "config ", "wait --for ", "apply "] {
                let line = format!("{command}{flag}");
                complete(&line, line.len(), &Small);
            }
        }
    }
}
