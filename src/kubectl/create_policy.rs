//! `kubectl create quota`. Counterpart: `create_quota.go`.

use super::errors::Stop;
use super::flags::{Args, Flag, OUTPUT, switch, text};
use super::generate::{create_object, named, one_name};
use super::{Cx, Run};
use crate::api::kind::Kinds;
use crate::api::quantity::Quantity;
use crate::api::value::{Map, Value};

const QUOTA: &[Flag] = &[text("hard"), text("scopes"), switch("save-config"), text("validate")];

/// Runs `kubectl create quota NAME --hard=… --scopes=…`.
pub fn quota(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("create quota", &[OUTPUT, QUOTA], words)?;
    let mut object = named(one_name("create quota", &args)?);
    let mut hard = Map::new();
    for part in args.text("hard").unwrap_or("").split(',').filter(|part| !part.is_empty()) {
        let [name, amount] = part.split('=').collect::<Vec<_>>()[..] else {
            return Err(Stop::plain(format!("Invalid argument syntax {part}, expected <resource>=<value>")));
        };
        Quantity::parse(amount).map_err(Stop::plain)?;
        hard.insert(name, amount);
    }
    let spec = object.map_mut("spec");
    if !hard.is_empty() {
        spec.insert("hard", hard);
    }
    let scopes: Vec<Value> = args.text("scopes").unwrap_or("").split(',').filter(|s| !s.is_empty()).map(Value::from).collect();
    if !scopes.is_empty() {
        spec.insert("scopes", scopes);
    }
    object.insert("status", Map::new());
    let Some(kind) = Kinds::default().of_resource("", "v1", "resourcequotas") else { return Ok(()) };
    create_object(cx, &args, kind, object, "created", Some("failed to create quota: "))
}
