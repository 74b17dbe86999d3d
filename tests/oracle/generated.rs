//! Tests requests that are generated from the schema table, not taken from recordings: mistakes in any place are reported as the real server reports
//! them, valid objects do not change when they are defaulted a second time, and nothing makes the server panic.

use loopscope::api::json;
use loopscope::api::kind::Kind;
use loopscope::api::random::Rng;
use loopscope::api::request::{Payload, Request, Response, Verb};
use loopscope::api::schema::{self, FieldInfo, Kind as Holds, Schema, Shape};
use loopscope::api::time::Time;
use loopscope::api::value::{Map, Value};
use loopscope::apiserver::ApiServer;
use loopscope::map;

const ROUNDS: usize = 40;

fn server() -> ApiServer {
    let mut server = ApiServer::new(Rng::new(11, 1));
    let tree = map! { "metadata" => map! { "name" => "default" } };
    let mut request = Request::new(Verb::Create, Kind::NAMESPACE, "", "");
    request.payload = Payload::Tree(Box::new(tree.into()));
    server.handle(&request, Time(0));
    server
}

fn create(server: &mut ApiServer, kind: Kind, tree: Map) -> Response {
    let namespace = if kind.row().namespaced { "default" } else { "" };
    let mut request = Request::new(Verb::Create, kind, namespace, "").with(|o| o.dry_run = true);
    request.payload = Payload::Tree(Box::new(tree.into()));
    server.handle(&request, Time::parse("2026-11-16T01:52:12Z").unwrap()).response
}

/// A place in a schema: the structs on the way from the root, each with the field that leads to the next.
struct Place {
    /// The path of fields with list indices, as errors about unknown fields show it.
    path: String,
    /// The names of the fields without list indices, as errors about types show them.
    fields: Vec<&'static str>,
    at: &'static Schema,
    keys: Vec<(&'static FieldInfo, bool)>,
}

/// Walks down from the root of a kind through random fields.
fn walk(kind: Kind, rng: &mut Rng, depth: usize) -> Option<Place> {
    let mut place = Place { path: String::new(), fields: Vec::new(), at: schema::schema(kind.row().schema)?, keys: Vec::new() };
    for _ in 0..rng.below(depth as u64 + 1) {
        let inner: Vec<&'static FieldInfo> = place
            .at
            .fields
            .iter()
            .filter(|f| matches!(f.kind, Holds::Schema(_)) && f.shape != Shape::Map && f.name != "managedFields")
            .collect();
        if inner.is_empty() {
            break;
        }
        let field = inner[rng.below(inner.len() as u64) as usize];
        let Holds::Schema(name) = field.kind else { break };
        let index = if field.shape == Shape::List { "[0]" } else { "" };
        place.path = if place.path.is_empty() { format!("{}{index}", field.name) } else { format!("{}.{}{index}", place.path, field.name) };
        place.fields.push(field.name);
        place.keys.push((field, field.shape == Shape::List));
        place.at = schema::schema(name)?;
    }
    Some(place)
}

/// Builds an object that has one value, at a place.
fn with_value(place: &Place, key: &'static str, value: Value) -> Map {
    let mut inner: Map = [(key.into(), value)].into_iter().collect();
    for (field, is_list) in place.keys.iter().rev() {
        let value: Value = if *is_list { vec![Value::Map(inner)].into() } else { inner.into() };
        inner = [(field.name.into(), value)].into_iter().collect();
    }
    inner
}

fn refusal(response: &Response) -> (u16, String) {
    response.refusal().map_or((response.code(), String::new()), |status| (response.code(), status.message.clone()))
}

#[test]
fn an_unknown_field_at_any_depth_is_refused_by_its_path() {
    let (mut rng, mut server) = (Rng::new(3, 5), server());
    for kind in Kind::built_in() {
        let row = kind.row();
        for _ in 0..ROUNDS {
            let Some(place) = walk(kind, &mut rng, 8) else { continue };
            let tree = with_value(&place, "noSuchField", 1.into());
            let path = if place.path.is_empty() { "noSuchField".to_owned() } else { format!("{}.noSuchField", place.path) };
            let wanted = format!(
                "{} in version \"{}\" cannot be handled as a {}: strict decoding error: unknown field \"{path}\"",
                row.name, row.version, row.name
            );
            assert_eq!(refusal(&create(&mut server, kind, tree)), (400, wanted), "{}", row.name);
        }
    }
}

#[test]
fn a_wrong_type_at_any_depth_is_refused_in_the_words_of_the_decoder() {
    let (mut rng, mut server) = (Rng::new(7, 9), server());
    for kind in Kind::built_in() {
        for _ in 0..ROUNDS {
            let Some(place) = walk(kind, &mut rng, 8) else { continue };
            let plain =
                |f: &&FieldInfo| !matches!(f.kind, Holds::Any | Holds::Time | Holds::MicroTime | Holds::Quantity | Holds::IntOrString);
            let own = |f: &&FieldInfo| !(place.keys.is_empty() && matches!(f.name, "apiVersion" | "kind"));
            let fields: Vec<&FieldInfo> = place.at.fields.iter().filter(plain).filter(own).collect();
            if fields.is_empty() {
                continue;
            }
            let field = fields[rng.below(fields.len() as u64) as usize];
            let (wrong, word): (Value, &str) = match (field.shape, field.kind) {
                (Shape::One, Holds::String | Holds::Bytes) | (Shape::List | Shape::Map, _) => (7.into(), "number"),
                _ => ("x".into(), "string"),
            };
            let (code, message) = refusal(&create(&mut server, kind, with_value(&place, field.name, wrong)));
            let message = crate::fields::without_embedded(&message);
            let dotted = [place.fields.as_slice(), &[field.name]].concat().join(".");
            let begins = format!("json: cannot unmarshal {word} into Go struct field {}.{dotted} of type ", place.at.go_type());
            assert_eq!(code, 400, "{} {dotted}: {message}", kind.row().name);
            assert!(message.contains(&begins), "{message} lacks {begins}");
        }
    }
}

/// Makes up a value of a field: most are valid, some are not.
fn made_up(field: &FieldInfo, rng: &mut Rng, depth: usize) -> Value {
    let one = |rng: &mut Rng| -> Value {
        match field.kind {
            Holds::String | Holds::Bytes => {
                ["web", "", "nginx:1.25", "Always", "TCP", "-", "a/b", "kube-system", "ä", "10.0.0.1", "*"][rng.below(11) as usize].into()
            }
            Holds::Int32 | Holds::Int64 => [0, 1, -1, 80, 443, 2_147_483_647][rng.below(6) as usize].into(),
            Holds::Double => Value::Float(0.5),
            Holds::Bool => (rng.below(2) == 0).into(),
            Holds::Time | Holds::MicroTime => "2026-11-16T01:52:12Z".into(),
            Holds::Quantity => ["1", "100m", "1Gi", "-1", "0"][rng.below(5) as usize].into(),
            Holds::IntOrString => [Value::Int(1), "25%".into(), "http".into(), Value::Int(-5)][rng.below(4) as usize].clone(),
            Holds::Any => map! { "a" => 1 }.into(),
            Holds::Schema(name) => match schema::schema(name) {
                Some(inner) if depth > 0 => object(inner, rng, depth - 1).into(),
                _ => Map::new().into(),
            },
        }
    };
    match field.shape {
        Shape::One => one(rng),
        Shape::List => (0..rng.below(3)).map(|_| one(rng)).collect::<Vec<_>>().into(),
        Shape::Map => {
            ["a", "cpu", "example.com/x"].iter().take(rng.below(4) as usize).map(|k| ((*k).into(), one(rng))).collect::<Map>().into()
        }
    }
}

fn object(of: &Schema, rng: &mut Rng, depth: usize) -> Map {
    let chosen = of.fields.iter().filter(|f| f.required || rng.below(4) == 0).collect::<Vec<_>>();
    chosen.into_iter().map(|f| (f.name.into(), made_up(f, rng, depth))).collect()
}

#[test]
fn made_up_objects_are_answered_and_what_is_accepted_is_defaulted_once() {
    let (mut rng, mut server) = (Rng::new(21, 4), server());
    let mut accepted = 0;
    for kind in Kind::built_in() {
        let Some(root) = schema::schema(kind.row().schema) else { continue };
        for _ in 0..ROUNDS {
            let mut tree = object(root, &mut rng, 6);
            tree.insert("apiVersion", kind.row().api_version);
            tree.insert("kind", kind.row().name);
            tree.insert("metadata", map! { "name" => "web" });
            let response = create(&mut server, kind, tree.clone());
            let Some(made) = response.object() else {
                assert!(response.code() >= 400, "{}", json::to_string(&tree.into()));
                continue;
            };
            accepted += 1;
            let mut again = made.to_map();
            again.insert("metadata", map! { "name" => "web" });
            let second = create(&mut server, kind, again.clone());
            let shown = |map: &Map| {
                let mut map = map.clone();
                map.retain(|key, _| !matches!(key, "metadata" | "status"));
                json::to_string(&map.into())
            };
            let second = second.object().unwrap_or_else(|| panic!("{} {:?}", shown(&again), refusal(&second))).to_map();
            assert_eq!(stable(&shown(&second)), stable(&shown(&again)), "{}", kind.row().name);
        }
    }
    assert!(accepted > 100, "{accepted}");
}

/// Returns the text without the random suffix of a pod's token volume.
fn stable(text: &str) -> String {
    text.split("kube-api-access-").enumerate().map(|(i, part)| if i == 0 { part } else { part.get(5..).unwrap_or("") }).collect()
}
