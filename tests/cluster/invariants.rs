//! Properties that always hold of the API server and its store: a refused request changes nothing, nonsense is refused and breaks nothing, and a
//! cache that has been listed has the store's objects at the cache's revision.

use loopscope::api::kind::{Kind, Kinds};
use loopscope::api::object::Object;
use loopscope::api::random::Rng;
use loopscope::api::time::Time;
use loopscope::api::value::{Map, Value};
use loopscope::apiserver::{ApiServer, HttpRequest, Stage, route};
use loopscope::sim::Cluster;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Words that are valid in some place of the API, so that random requests get past the first check.
const WORDS: [&str; 48] = [
    "metadata",
    "spec",
    "status",
    "name",
    "namespace",
    "labels",
    "app",
    "replicas",
    "selector",
    "matchLabels",
    "template",
    "containers",
    "image",
    "nginx:1.25",
    "web",
    "default",
    "apps/v1",
    "v1",
    "kind",
    "apiVersion",
    "Pod",
    "Deployment",
    "ReplicaSet",
    "Service",
    "ports",
    "port",
    "resources",
    "requests",
    "cpu",
    "100m",
    "finalizers",
    "ownerReferences",
    "uid",
    "resourceVersion",
    "generation",
    "$patch",
    "delete",
    "$retainKeys",
    "strategy",
    "rollingUpdate",
    "maxSurge",
    "25%",
    "taints",
    "key",
    "conditions",
    "type",
    "",
    "é\u{301}😀",
];

struct Nonsense(Rng);

impl Nonsense {
    fn below(&mut self, n: u64) -> u64 {
        self.0.below(n)
    }
    fn word(&mut self) -> &'static str {
        WORDS[self.below(WORDS.len() as u64) as usize]
    }
    fn value(&mut self, depth: u32) -> Value {
        match self.below(if depth == 0 { 6 } else { 10 }) {
            0 => Value::Null,
            1 => (self.below(2) == 0).into(),
            2 => Value::Int([0, 1, -1, 3, i64::MAX, i64::MIN, 70_000][self.below(7) as usize]),
            3 => Value::Float([0.5, -1e300, 1e15, f64::MIN_POSITIVE][self.below(4) as usize]),
            4 | 5 => self.word().into(),
            6 => (0..self.below(4)).map(|_| self.value(depth - 1)).collect::<Vec<_>>().into(),
            _ => self.map(depth - 1).into(),
        }
    }
    fn map(&mut self, depth: u32) -> Map {
        let mut map = Map::new();
        for _ in 0..self.below(6) {
            map.insert(self.word(), self.value(depth));
        }
        map
    }
    /// Returns a valid object with one to three of its values spoilt.
    fn spoilt(&mut self, good: &Value) -> Value {
        let mut value = good.clone();
        for _ in 0..1 + self.below(3) {
            self.spoil(&mut value);
        }
        value
    }
    fn spoil(&mut self, value: &mut Value) {
        let stop = self.below(40) == 0;
        match value {
            Value::Map(map) if !stop && !map.is_empty() => {
                let n = self.below(map.len() as u64) as usize;
                let key = map.iter().nth(n).map(|(k, _)| k.clone()).unwrap_or_default();
                match self.below(24) {
                    0 => map.remove(&key),
                    1 => map.insert(self.word(), self.value(2)),
                    _ => map.get_mut(&key).into_iter().for_each(|inner| self.spoil(inner)),
                }
            }
            Value::List(list) if !stop && !list.is_empty() => {
                let n = self.below(list.len() as u64) as usize;
                self.spoil(&mut list[n]);
            }
            // Mostly of the same type, so that more than the decoder has something to refuse.
            Value::Int(n) if self.below(5) > 0 => *n = [0, 1, -1, 2, 5, 65_536, i64::from(i32::MAX), i64::MAX][self.below(8) as usize],
            Value::Str(_) if self.below(5) > 0 => *value = self.word().into(),
            Value::Bool(b) => *b = !*b,
            other => *other = self.value(2),
        }
    }
    fn path(&mut self, cluster: &Cluster) -> String {
        let kind = Kind::built_in().nth(self.below(Kind::built_in().count() as u64) as usize).unwrap_or(Kind::POD);
        let row = kind.row();
        let mut path = if row.group.is_empty() { "/api/v1".to_owned() } else { format!("/apis/{}", row.api_version) };
        if row.namespaced && self.below(8) > 0 {
            path += if self.below(8) == 0 { "/namespaces/nowhere" } else { "/namespaces/default" };
        }
        path = format!("{path}/{}", row.plural);
        if self.below(3) > 0 {
            let names: Vec<_> = cluster.api.store.range(kind, "", None).map(|o| o.meta.name.clone()).collect();
            let known = names.get(self.below(names.len().max(1) as u64) as usize).map_or("nothing", |n| n.as_str());
            path = format!("{path}/{}", if self.below(6) == 0 { self.word() } else { known });
        }
        if self.below(4) == 0 {
            path += ["/status", "/scale", "/binding", "/eviction", "/finalize", "/log", "//"][self.below(7) as usize];
        }
        if self.below(6) == 0 {
            let query = [
                "labelSelector=app%3Dweb",
                "fieldSelector=metadata.name=x",
                "limit=1&continue=zz",
                "resourceVersion=1",
                "dryRun=All",
                "a=%zz&&=",
            ];
            path = format!("{path}?{}", query[self.below(6) as usize]);
        }
        path
    }
    fn request(&mut self, cluster: &Cluster) -> HttpRequest {
        let method = ["GET", "POST", "PUT", "PATCH", "DELETE", "TRACE"][self.below(6) as usize].to_owned();
        let types = [
            "application/json-patch+json",
            "application/merge-patch+json",
            "application/strategic-merge-patch+json",
            "application/json",
            "",
        ];
        let content_type = types[self.below(5) as usize].to_owned();
        let path = self.path(cluster);
        let named = path.split('?').next().and_then(|p| p.rsplit('/').next()).unwrap_or("").to_owned();
        let good = Kind::built_in().flat_map(|kind| cluster.api.store.range(kind, "", None)).find(|o| o.meta.name == named);
        let body = match (self.below(5), good) {
            (0, _) => None,
            (1, _) => Some(self.value(4)),
            (2, _) => Some(self.json_patch()),
            (_, Some(object)) => Some(self.spoilt(&object.to_map().into())),
            (_, None) => Some(self.another(cluster, &named)),
        };
        let accept = if self.below(8) == 0 { "application/json;as=Table" } else { "" }.to_owned();
        HttpRequest { method, path, body, content_type, accept }
    }
    /// Returns an object like one that exists, with another name and in most cases a little spoilt.
    fn another(&mut self, cluster: &Cluster, plural: &str) -> Value {
        let kind = Kind::built_in().find(|k| k.row().plural == plural);
        let Some(object) = kind.and_then(|k| cluster.api.store.range(k, "", None).next()) else { return self.map(4).into() };
        let mut map = object.to_map();
        let metadata = map.map_mut("metadata");
        metadata.insert("name", format!("n{}", self.below(1_000_000)));
        ["uid", "resourceVersion", "ownerReferences"].iter().for_each(|key| metadata.remove(key));
        let value = Value::Map(map);
        if self.below(4) == 0 { value } else { self.spoilt(&value) }
    }
    fn json_patch(&mut self) -> Value {
        let ops = (0..self.below(4)).map(|_| {
            let mut op = Map::new();
            op.insert("op", ["add", "remove", "replace", "move", "copy", "test", "x"][self.below(7) as usize]);
            for key in ["path", "from"] {
                let parts: Vec<&str> = (0..self.below(4))
                    .map(|_| if self.below(4) == 0 { ["-", "0", "99", "~1"][self.below(4) as usize] } else { self.word() })
                    .collect();
                op.insert(key, format!("/{}", parts.join("/")));
            }
            op.insert("value", self.value(2));
            Value::Map(op)
        });
        ops.collect::<Vec<_>>().into()
    }
}

/// Creates a cluster with some objects in it.
fn cluster(seed: u64) -> Cluster {
    let script = crate::random::script::Script::new(seed);
    let mut play = crate::random::play::Play::new(&script);
    play.play(&script, &mut |cluster, _| cluster.steps < 2_500);
    play.mend();
    play.cluster
}

fn contents(api: &ApiServer) -> BTreeMap<(Kind, String), Arc<Object>> {
    Kind::built_in().flat_map(|kind| api.store.range(kind, "", None).map(move |o| ((kind, o.key().to_string()), o.clone()))).collect()
}

/// Returns true if two states contain the same objects (the same allocations, not copies).
fn same(a: &BTreeMap<(Kind, String), Arc<Object>>, b: &BTreeMap<(Kind, String), Arc<Object>>) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|((k, x), (l, y))| k == l && Arc::ptr_eq(x, y))
}

#[test]
fn nonsense_is_refused_and_a_refusal_changes_nothing() {
    let (mut refused, mut done, mut stages) = (0, 0, [0; 8]);
    for seed in 0..20 {
        let fresh = cluster(seed);
        let mut cluster = fresh.clone();
        let mut nonsense = Nonsense(Rng::new(seed, 99));
        let mut before = contents(&cluster.api);
        for n in 0..2_000 {
            if n % 20 == 0 {
                // Some requests delete whole collections.
                cluster = fresh.clone();
                before = contents(&cluster.api);
            }
            let http = nonsense.request(&cluster);
            let Ok(request) = route(&Kinds::default(), &http) else {
                refused += 1;
                continue;
            };
            let revision = cluster.api.store.revision();
            let handled = cluster.api.handle(&request, Time(cluster.now.0));
            let all = Stage::ALL.iter().position(|(stage, _)| *stage == handled.stage).unwrap_or(0);
            stages[all] += 1;
            if handled.response.result.is_err() {
                refused += 1;
                assert!(handled.changes.is_empty(), "{http:?}");
                assert_eq!(cluster.api.store.revision(), revision, "{http:?}");
                assert!(same(&contents(&cluster.api), &before), "{http:?}");
            } else {
                done += 1;
                assert!(cluster.api.store.revision() >= revision);
                before = contents(&cluster.api);
            }
        }
    }
    println!("{refused} refused, {done} carried out; by stage {stages:?}");
    assert!(refused > 10_000 && done > 2_000, "{refused} refused, {done} carried out");
}

#[test]
fn a_cluster_survives_what_nonsense_was_carried_out() {
    for seed in 100..130 {
        let mut cluster = cluster(seed);
        let mut nonsense = Nonsense(Rng::new(seed, 98));
        for _ in 0..150 {
            let http = nonsense.request(&cluster);
            if let Ok(request) = route(&Kinds::default(), &http) {
                let program = loopscope::sim::Once(request);
                cluster.command(loopscope::sim::Command::Run(Arc::new(program)));
            }
            cluster.run_until(cluster.now + loopscope::api::time::Span::millis(300), 2_000);
        }
        cluster.run_until(cluster.now + loopscope::api::time::Span::secs(600), 30_000);
    }
}

#[test]
fn every_cache_that_was_listed_is_the_store_at_its_revision() {
    let mut looked = 0;
    for seed in 40..60 {
        let script = crate::random::script::Script::new(seed);
        let mut play = crate::random::play::Play::new(&script);
        play.play(&script, &mut |cluster, _| {
            if cluster.steps % 211 == 0 {
                looked += caches_are_true(cluster, seed);
            }
            cluster.steps < 8_000
        });
        play.mend();
    }
    assert!(looked > 1_000, "{looked}");
}

/// Checks that the caches are true. A cache knows nothing of revisions at which other kinds changed, so each cache is compared with the store at
/// the last revision at which an object of the cache's kind changed. Returns the number of caches compared.
fn caches_are_true(cluster: &Cluster, seed: u64) -> usize {
    let mut looked = 0;
    for manager in cluster.managers.iter().filter(|m| m.alive && m.leads) {
        for kind in Kind::built_in().filter(|k| *k != Kind::EVENT) {
            let cache = manager.caches.of(kind);
            let Ok(then) = cluster.api.store.range_at(kind, "", cache.revision) else { continue };
            if !cache.synced {
                continue;
            }
            let versions = |all: &mut dyn Iterator<Item = &Arc<Object>>| -> BTreeMap<u64, u64> {
                all.map(|o| (o.meta.uid.0, o.meta.resource_version)).collect()
            };
            let (cached, stored) = (versions(&mut cache.all()), versions(&mut then.iter()));
            assert_eq!(cached, stored, "seed {seed}, step {}: {} at {}", cluster.steps, kind.row().plural, cache.revision);
            looked += 1;
        }
    }
    looked
}

#[test]
fn a_list_can_be_had_as_a_table_with_the_columns_of_kubectl() {
    let mut server = ApiServer::new(Rng::new(1, 1));
    let namespace = HttpRequest {
        method: "POST".into(),
        path: "/api/v1/namespaces".into(),
        body: loopscope::api::yaml::parse("metadata: {name: default}").ok(),
        ..HttpRequest::default()
    };
    assert_eq!(server.handle(&route(&Kinds::default(), &namespace).unwrap(), Time(1_000_000)).response.code(), 201);
    let list = HttpRequest {
        method: "GET".into(),
        path: "/api/v1/namespaces".into(),
        accept: "application/json;as=Table;v=v1".into(),
        ..HttpRequest::default()
    };
    let handled = server.handle(&route(&Kinds::default(), &list).unwrap(), Time(6_000_000));
    let Ok(loopscope::api::request::Answer::Tree(table)) = &handled.response.result else { panic!("no table") };
    let columns: Vec<_> = table.get("columnDefinitions").and_then(Value::as_list).unwrap().iter().map(|c| c.get("name").cloned()).collect();
    assert_eq!(columns, ["Name", "Status", "Age"].map(|n| Some(Value::from(n))));
    let cells = table.get("rows").and_then(Value::as_list).unwrap()[0].get("cells").unwrap();
    assert_eq!(*cells, Value::from(vec!["default".into(), "Active".into(), "5s".into()]));
}
