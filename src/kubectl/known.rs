//! What completion knows about a cluster: the names in its store, and the terminal's files.

use super::complete::Names;
use crate::api::kind::Kind;
use crate::api::meta::Key;
use crate::api::value::Value;
use crate::apiserver::ApiServer;

/// A cluster's names as a terminal sees them.
#[derive(Clone, Copy, Debug)]
pub struct Known<'k> {
    /// The cluster's API server with its store.
    pub server: &'k ApiServer,
    /// The current namespace.
    pub namespace: &'k str,
    /// The terminal's files: path and text.
    pub files: &'k [(String, String)],
}

impl Names for Known<'_> {
    fn namespace(&self) -> String {
        self.namespace.to_owned()
    }
    fn objects(&self, kind: Kind, namespace: &str) -> Vec<String> {
        self.server.store.range(kind, namespace, None).map(|object| object.meta.name.to_string()).collect()
    }
    fn containers(&self, kind: Kind, namespace: &str, name: &str) -> Vec<String> {
        let Some(object) = self.server.store.get(kind, &Key { namespace: namespace.into(), name: name.into() }) else { return Vec::new() };
        let tree = object.to_map();
        let specs = [&["spec"][..], &["spec", "template", "spec"]].into_iter().filter_map(|path| tree.at(path)?.as_map());
        let containers = specs.flat_map(|spec| spec.list("initContainers").iter().chain(spec.list("containers")));
        containers.filter_map(|container| container.get("name").and_then(Value::as_str)).map(str::to_owned).collect()
    }
    fn labels(&self, kind: Kind, namespace: &str) -> Vec<String> {
        let objects = self.server.store.range(kind, namespace, None);
        let mut all: Vec<String> =
            objects.flat_map(|object| object.meta.labels.entries().iter().map(|(key, value)| format!("{key}={value}"))).collect();
        all.sort();
        all.dedup();
        all
    }
    fn files(&self) -> Vec<String> {
        self.files.iter().map(|(path, _)| path.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::complete;
    use super::super::tests::World;
    use super::*;

    #[test]
    fn names_come_from_the_store() {
        let mut world = World::new();
        world.run("create deployment demo --image=nginx:1.25", "");
        let files = [("demo.yaml".to_owned(), String::new())];
        let known = Known { server: &world.server, namespace: "default", files: &files };
        for (line, wanted) in [
            ("get deploy ", "demo"),
            ("get deploy -n other ", ""),
            ("get deploy -l ", "app=demo"),
            ("set image deploy/demo ", "nginx="),
            ("apply -f ", "demo.yaml"),
            ("cordon ", "node-1"),
        ] {
            assert_eq!(complete(line, line.len(), &known).candidates.join(" "), wanted, "{line}");
        }
    }
}
