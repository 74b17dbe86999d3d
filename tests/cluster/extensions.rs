//! Kinds and controllers that are added while a cluster runs: they use the same API server, caches, queues and passes as the built-in ones.

use loopscope::api::kind::custom::{DefinedColumn, ScalePaths};
use loopscope::api::kind::{Body, Custom, Kind, KindDefinition, configmap::ConfigMap};
use loopscope::api::meta::{Key, Meta};
use loopscope::api::request::Request;
use loopscope::api::status::Reason;
use loopscope::api::time::{Span, Time};
use loopscope::api::{Object, Value};
use loopscope::client::{Change, WorkKey};
use loopscope::controller::{Controller, Observation, Outcome, Pending, Turn, View};
use loopscope::kubectl::{self, CommandLine};
use loopscope::map;
use loopscope::sim::{Cluster, Command, Config, Extension, Session};
use loopscope::view::cluster::Health;
use loopscope::view::menus::{Thing, menu_entries};
use loopscope::view::selection::Subject;
use loopscope::view::{self, Frame, Run, Selection};
use std::sync::Arc;

const MANIFEST: &str = "apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: one\nspec:\n  size: 3\n  parts: [a, b]\n";

fn widget() -> Arc<KindDefinition> {
    Arc::new(KindDefinition {
        group: "example.com".into(),
        version: "v1".into(),
        name: "Widget".into(),
        plural: "widgets".into(),
        singular: "widget".into(),
        short_names: vec!["wd".into()],
        has_status: true,
        scale: Some(ScalePaths { wanted: ".spec.size".into(), current: ".status.size".into(), selector: String::new() }),
        columns: vec![DefinedColumn { name: "Size".into(), path: ".spec.size".into(), wide: false }],
        ..KindDefinition::default()
    })
}

/// A controller that gives every Widget a ConfigMap, and writes the size of the Widget that it has seen into the Widget's status.
#[derive(Debug)]
struct WidgetController {
    kinds: [Kind; 2],
}

impl Controller for WidgetController {
    fn name(&self) -> &str {
        "widget-controller"
    }
    fn watches(&self) -> &[Kind] {
        &self.kinds
    }
    fn notify(&self, _view: &View, change: &Change, queue: &mut dyn FnMut(WorkKey, Span)) {
        let Some(object) = change.object() else { return };
        let owner = object.meta.controller().map(|o| Key::new(object.meta.namespace.clone(), o.name.clone()));
        let key = if object.kind() == self.kinds[0] { Some(object.key()) } else { owner };
        if let Some(key) = key {
            queue(WorkKey::new(self.kinds[0], key), Span(0));
        }
    }
    fn observe(&self, view: &View, key: &WorkKey) -> Observation {
        let mut seen = view.observation(key, view.caches.get(key.kind, &key.key).cloned());
        seen.related.extend(view.caches.get(Kind::CONFIG_MAP, &key.key).cloned());
        seen
    }
    fn reconcile(&self, seen: &Observation, turn: &mut Turn) -> Result<Outcome, Pending> {
        let Some(object) = seen.primary.as_ref().filter(|o| !o.meta.is_deleting()) else { return Ok(Outcome::Done) };
        let Body::Custom(custom) = &object.body else { return Ok(Outcome::Done) };
        if seen.related.is_empty() {
            turn.differ("config maps", 1, 0);
            let owners = Some([object.controller_ref()].into());
            let meta = Meta { namespace: object.meta.namespace.clone(), name: object.meta.name.clone(), owners, ..Meta::default() };
            turn.request(Request::create(Object { meta, body: Body::ConfigMap(ConfigMap::default()) }))?;
        }
        let wanted = custom.content.at(&["spec", "size"]).cloned().unwrap_or_default();
        let status: Value = map! { "size" => wanted, "observedGeneration" => object.meta.generation }.into();
        if custom.content.get("status") != Some(&status) {
            let mut new = (**object).clone();
            let mut content = (*custom.content).clone();
            content.insert("status", status);
            new.body = Body::Custom(Custom { kind: custom.kind, content: Arc::new(content) });
            let answer = turn.request(Request::update_status(new))?;
            if let Some(refusal) = answer.refusal() {
                return Ok(Outcome::Retry(refusal.message.clone()));
            }
        }
        Ok(Outcome::Done)
    }
}

/// A session with a simulated cluster, and a kubectl client.
struct World {
    session: Session,
}

impl World {
    fn new() -> World {
        let mut world = World { session: Session::new(Config::default()) };
        world.pass(20);
        world
    }
    fn extended() -> World {
        let mut world = World::new();
        world.extend(Extension::Kind(widget()));
        let kind = world.kind();
        world.extend(Extension::Controller(Arc::new(WidgetController { kinds: [kind, Kind::CONFIG_MAP] })));
        world
    }
    fn cluster(&self) -> &Cluster {
        self.session.cluster()
    }
    fn extend(&mut self, extension: Extension) {
        self.session.command(Command::Extend(extension));
        self.pass(1);
    }
    fn pass(&mut self, seconds: i64) {
        let until: Time = self.cluster().now + Span::secs(seconds);
        self.session.run_until(until, u64::MAX);
    }
    fn kind(&self) -> Kind {
        self.cluster().api.kinds.find("example.com", "v1", "Widget").expect("the kind is served")
    }
    fn start(&mut self, line: &str, stdin: &str) -> u64 {
        let words = kubectl::split(line).unwrap();
        let program = CommandLine { words, stdin: stdin.to_owned(), namespace: "default".into(), files: Vec::new(), editor: false };
        self.session.command(Command::Run(Arc::new(program)));
        self.session.step();
        self.cluster().last_console()
    }
    fn text(&self, id: u64) -> String {
        let output = self.cluster().console(id).unwrap().output();
        format!("{}{}", output.stdout(), output.stderr())
    }
    fn run(&mut self, line: &str, stdin: &str) -> String {
        let id = self.start(line, stdin);
        for _ in 0..60 {
            if self.cluster().console(id).unwrap().exit().is_some() {
                return self.text(id);
            }
            self.pass(1);
        }
        panic!("{line} does not end: {}", self.text(id));
    }
}

#[test]
fn an_added_kind_is_created_read_listed_watched_changed_and_deleted() {
    let mut world = World::new();
    assert_eq!(world.run("get widgets", ""), "error: the server doesn't have a resource type \"widgets\"\n");
    let refused = world.run("create -f -", MANIFEST);
    assert!(refused.contains("no matches for kind \"Widget\" in version \"example.com/v1\""), "{refused}");
    world.extend(Extension::Kind(widget()));
    assert_eq!(world.run("get wd", ""), "No resources found in default namespace.\n");
    let watch = world.start("get widgets -w", "");
    assert_eq!(world.run("create -f -", MANIFEST), "widget.example.com/one created\n");
    assert_eq!(
        world.run("create -f -", MANIFEST).lines().next().unwrap(),
        "Error from server (AlreadyExists): error when creating \"STDIN\": widgets.example.com \"one\" already exists"
    );
    assert_eq!(world.run("get widgets --no-headers", "").split_whitespace().take(2).collect::<Vec<_>>(), ["one", "3"]);
    assert!(world.run("get widget one", "").starts_with("NAME   SIZE\none    3"), "a definition's own columns take the place of AGE");
    assert_eq!(world.run("get wd/one -o jsonpath={.spec.parts[1]}", ""), "b");
    assert!(world.run("api-resources --api-group=example.com", "").contains("widgets   wd           example.com/v1   true         Widget"));
    let page = world.run("describe widget one", "");
    assert!(page.contains("Name:") && page.contains("Kind:") && page.contains("Size:") && page.contains("Events:"), "{page}");
    assert_eq!(world.run("label wd one colour=red", ""), "widget.example.com/one labeled\n");
    assert_eq!(world.run("get widgets -l colour=red -o name", ""), "widget.example.com/one\n");
    assert_eq!(world.run("rollout status wd/one", ""), "error: no status viewer has been implemented for Widget.example.com\n");
    assert_eq!(world.run("delete wd one", ""), "widget.example.com \"one\" deleted from default namespace\n");
    assert!(world.run("get widget one", "").contains("(NotFound): widgets.example.com \"one\" not found"));
    assert_eq!(world.text(watch).lines().count(), 4, "the heading, and the object added, changed and deleted: {}", world.text(watch));
}

#[test]
fn generation_status_and_scale_of_an_added_kind_follow_its_definition() {
    let mut world = World::new();
    world.extend(Extension::Kind(widget()));
    world.run("create -f -", &MANIFEST.replace("spec:", "status:\n  size: 9\nspec:"));
    let stored = |world: &World| world.cluster().api.store.get(world.kind(), &Key::new("default", "one")).unwrap().clone();
    assert_eq!(stored(&world).to_map().get("status"), None, "a new object has no status");
    assert_eq!(stored(&world).meta.generation, 1);
    assert_eq!(world.run("scale wd one --replicas=5", ""), "widget.example.com/one scaled\n");
    assert_eq!(world.run("get wd one -o jsonpath={.spec.size}", ""), "5");
    assert_eq!(stored(&world).meta.generation, 2);
    world.run("patch wd one --type=merge --subresource=status -p '{\"status\":{\"size\":5},\"spec\":{\"size\":1}}'", "");
    let tree = stored(&world).to_map();
    assert_eq!((tree.at(&["status", "size"]).unwrap().as_int(), tree.at(&["spec", "size"]).unwrap().as_int()), (Some(5), Some(5)));
    assert_eq!(stored(&world).meta.generation, 2, "a status is no wish");
    world.run("patch wd one --type=merge -p '{\"status\":{\"size\":7},\"spec\":{\"size\":6}}'", "");
    let tree = stored(&world).to_map();
    assert_eq!((tree.at(&["status", "size"]).unwrap().as_int(), tree.at(&["spec", "size"]).unwrap().as_int()), (Some(5), Some(6)));
    assert_eq!(stored(&world).meta.generation, 3);
    let mut finalize = Request::update(Object::clone(&stored(&world)));
    finalize.subresource = loopscope::api::request::Subresource::Finalize;
    let refusal = world.cluster().api.clone().handle(&finalize, Time(0)).response;
    assert_eq!(refusal.refusal().map(|s| s.reason), Some(Reason::MethodNotAllowed), "what a kind has not is refused");
}

#[test]
fn an_added_controller_runs_through_the_same_passes() {
    let mut world = World::extended();
    world.run("create -f -", MANIFEST);
    world.pass(2);
    assert_eq!(world.run("get configmap one -o jsonpath={.metadata.ownerReferences[0].kind}", ""), "Widget");
    assert_eq!(world.run("get wd one -o jsonpath={.status.size}-{.status.observedGeneration}", ""), "3-1");
    world.run("delete configmap one", "");
    world.pass(2);
    assert!(world.run("get configmap one", "").starts_with("NAME"), "it is made again");
    assert!(world.run("-n kube-system logs -l component=kube-controller-manager --tail=50", "").contains("widget-controller"));
    world.run("delete wd one", "");
    world.pass(5);
    assert!(world.run("get configmap one", "").contains("not found"), "the garbage collector follows owners of added kinds");
    assert!(world.cluster().clone().run_until_converged(world.cluster().now + Span::secs(60)), "and then there is rest");
}

#[test]
fn an_object_that_was_there_before_its_controller_is_worked_on() {
    let mut world = World::new();
    world.extend(Extension::Kind(widget()));
    world.run("create -f -", MANIFEST);
    let kind = world.kind();
    world.extend(Extension::Controller(Arc::new(WidgetController { kinds: [kind, Kind::CONFIG_MAP] })));
    world.pass(2);
    assert_eq!(world.run("get wd one -o jsonpath={.status.size}", ""), "3");
}

#[test]
fn a_namespace_takes_its_added_objects_with_it() {
    let mut world = World::extended();
    world.run("create namespace room", "");
    world.run("create -n room -f -", MANIFEST);
    world.run("delete namespace room", "");
    world.pass(30);
    assert_eq!(world.cluster().api.store.count(world.kind()), 0);
    assert!(world.run("get namespace room", "").contains("not found"));
}

#[test]
fn extended_runs_repeat_whatever_the_process_knew_before() {
    let play = || {
        let mut world = World::extended();
        world.run("create -f -", MANIFEST);
        world.pass(5);
        world
    };
    let hash = play().cluster().hash;
    // Another definition takes the next place in the process's memory of kinds; no run may notice.
    World::new().extend(Extension::Kind(Arc::new(KindDefinition {
        name: "Aardvark".into(),
        plural: "aardvarks".into(),
        ..(*widget()).clone()
    })));
    let mut again = play();
    assert_eq!(again.cluster().hash, hash);
    let (live, copy) = (again.cluster().hash, again.cluster().clone());
    again.session.seek(5);
    assert_eq!(again.cluster().api.kinds.named("Widget"), None, "the past does not know of what was added later");
    again.session.return_to_live();
    assert_eq!((again.cluster().hash, copy.hash), (live, live));
}

#[test]
fn the_page_shows_an_added_kind_by_what_every_object_has() {
    let mut run = Run::first_visit();
    run.extend(Extension::Kind(widget()));
    let kind = run.cluster().api.kinds.named("Widget").expect("the kind is served");
    run.extend(Extension::Controller(Arc::new(WidgetController { kinds: [kind, Kind::CONFIG_MAP] })));
    run.kubectl(&["create", "-f", "-"], MANIFEST);
    let until = run.now() + Span::secs(10);
    while !run.advance(until, 1_000) {}
    let subject = Subject::new(kind, "default", "one");
    let selection = Selection { controller: run.cluster().controllers.len() - 1, ..Selection::default() };
    let frame = view::frame(&run, &selection, &Frame::default());
    assert_eq!(frame.side.name, "widget");
    assert!(frame.side.rings.iter().any(|ring| ring.name == "widget" && ring.passes > 0));
    assert!(frame.side.lines.iter().any(|line| line.key == "default/one" && line.drift), "{:?}", frame.side.lines);
    let head = view::object::head::head(&run, &subject, &view::object::presence(&run, &subject));
    assert_eq!(
        (head.kind, head.health, head.state.as_str(), head.generation),
        ("Widget", Some(Health::Good), "3 of 3 replicas", Some((1, 1)))
    );
    assert_eq!(head.owned.len(), 1);
    let tree = view::owners::owners(&run, &selection.owners);
    let row = tree.rows.iter().find(|row| row.kind() == "Widget").expect("it is in the tree of owners");
    assert_eq!(
        (row.subject.key.name.as_str(), row.numbers.as_str(), row.generation, row.children),
        ("one", "3 of 3 replicas", Some((1, 1)), 1)
    );
    let menu: Vec<String> = menu_entries(&run, &Thing::Object(subject)).into_iter().map(|entry| entry.label).collect();
    assert!(menu.iter().any(|label| label == "Scale up to 4") && menu.iter().any(|label| label == "Delete"), "{menu:?}");
}
