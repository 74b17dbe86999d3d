//! `kubectl diff`: shows what `kubectl apply` would change. Counterpart: `kubectl/pkg/cmd/diff`, with the output of `diff -u -N`.

use super::apply::{LAST_APPLIED, patch_for};
use super::errors::Stop;
use super::flags::{Args, FILES, Flag, Takes, switch, takes, text};
use super::manifest::{self, Item};
use super::print::DryRun;
use super::{Cx, Run, server_side};
use crate::api::diff::unified;
use crate::api::kind::Kind;
use crate::api::order::Order;
use crate::api::request::{Answer, PatchType, Payload, Request, Verb};
use crate::api::status::Reason;
use crate::api::time::Time;
use crate::api::value::{Map, Value};
use crate::api::yaml;

const FLAGS: &[Flag] = &[
    takes("concurrency", Takes::Int),
    text("field-manager"),
    switch("force-conflicts"),
    switch("prune"),
    text("prune-allowlist"),
    text("selector").or('l'),
    switch("server-side"),
    switch("show-managed-fields"),
];

/// The folder in which the real client writes the two versions of an object.
const FOLDER: &str = "/tmp";

/// Runs `kubectl diff -f …`: the exit code is 0 without a difference, 1 with one, 2 after a failure.
pub fn diff(cx: &mut Cx, words: &[String]) -> Run {
    cx.failure_code = 2;
    let args = Args::read("diff", &[FILES, FLAGS], words)?;
    server_side::check(&args, DryRun::None)?;
    if args.on("prune") {
        return Err(Stop::plain("this playground has no \"kubectl diff --prune\""));
    }
    if !args.words.is_empty() {
        return Err(Stop::usage("diff", &format!("Unexpected args: [{}]", args.words.join(" "))));
    }
    manifest::require(&args)?;
    let (items, failures) = manifest::read(cx, &args);
    failures.finish()?;
    let mut files: Vec<(String, String, String)> = Vec::new();
    for item in &items {
        let (mut live, mut merged) = both(cx, &args, item)?;
        if item.kind == Kind::SECRET {
            mask(&mut live, &mut merged);
        }
        let text = |object: &Map| if object.is_empty() { String::new() } else { yaml::emit(&Value::Map(object.clone())) };
        files.push((file_name(item), text(&live), text(&merged)));
    }
    // `diff` compares the two folders in the order of their file names.
    files.order();
    let mut differ = false;
    let (stamp, id) = (stamp(cx.now), cx.env.now.0.unsigned_abs() % 10_000_000_000);
    for (name, live, merged) in files.iter().filter(|(_, live, merged)| live != merged) {
        differ = true;
        let (from, to) = (format!("{FOLDER}/LIVE-{id}/{name}"), format!("{FOLDER}/MERGED-{id}/{name}"));
        cx.println(format!("diff -u -N {from} {to}\n--- {from}\t{stamp}\n+++ {to}\t{stamp}"));
        cx.print(&unified(live, merged, 3));
    }
    if differ { Err(Stop::exit(1)) } else { Ok(()) }
}

/// Returns the live object (empty if there is none) and the object as `kubectl apply` would leave it.
fn both(cx: &mut Cx, args: &Args, item: &Item) -> Run<(Map, Map)> {
    let live = match cx.try_request(Request::new(Verb::Get, item.kind, item.namespace.clone(), item.name.clone()))? {
        Ok(Answer::Object { object, .. }) => object,
        Err(status) if status.reason == Reason::NotFound && args.on("server-side") => {
            return Ok((Map::new(), cx.object(server_side::request(args, item, DryRun::Server))?.to_map()));
        }
        Err(status) if status.reason == Reason::NotFound => {
            let mut request = item.request(Verb::Create, "").with(|o| o.dry_run = true);
            request.payload = Payload::Tree(Box::new(Value::Map(item.object.clone())));
            return Ok((Map::new(), cx.object(request)?.to_map()));
        }
        Err(status) => return Err(Stop::server(status)),
        Ok(_) => return Err(Stop::plain("the server's answer is no object")),
    };
    if args.on("server-side") {
        return Ok((live.to_map(), cx.object(server_side::request(args, item, DryRun::Server))?.to_map()));
    }
    let mut new = item.object.clone();
    // `map_mut` adds an empty `annotations` map if there is none, because the last-applied manifest has one, too.
    new.map_mut("metadata").map_mut("annotations").remove(LAST_APPLIED);
    let patch = patch_for(item, live, &new);
    if patch.as_map().is_some_and(Map::is_empty) {
        return Ok((live.to_map(), live.to_map()));
    }
    let mut request = item.request(Verb::Patch, &item.name).with(|o| o.dry_run = true);
    request.payload = Payload::Patch(PatchType::Strategic, Box::new(patch));
    Ok((live.to_map(), cx.object(request)?.to_map()))
}

/// Returns the name of the file to which the real client writes an object, such as `apps.v1.Deployment.default.demo`.
fn file_name(item: &Item) -> String {
    let row = item.kind.row();
    let group = if row.group.is_empty() { String::new() } else { format!("{}.", row.group) };
    format!("{group}{}.{}.{}.{}", row.version, row.name, item.namespace, item.name)
}

/// Replaces a Secret's values by asterisks that still show which of them differ.
fn mask(live: &mut Map, merged: &mut Map) {
    let (old, new) = (live.map("data").cloned().unwrap_or_default(), merged.map("data").cloned().unwrap_or_default());
    let hide = |object: &mut Map, own: &Map, other: &Map, differs: &str| {
        if let Some(data) = object.get_mut("data").and_then(Value::as_map_mut) {
            for (key, value) in data.iter_mut() {
                let changed = other.get(key).is_some_and(|there| own.get(key) != Some(there));
                *value = if changed { differs.into() } else { "***".into() };
            }
        }
    };
    hide(live, &old, &new, "*** (before)");
    hide(merged, &new, &old, "*** (after)");
}

/// Formats a time as `diff` does in the header of a file.
fn stamp(time: Time) -> String {
    let (year, month, day, hour, minute, second) = time.civil();
    let micros = time.0.rem_euclid(1_000_000);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}.{micros:06}000 +0000")
}

#[cfg(test)]
mod tests {
    use super::super::tests::World;
    use super::FOLDER;

    const CONFIG: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: cfg\ndata:\n  a: b\n";

    #[test]
    fn a_difference_is_shown_and_told_by_the_exit_code() {
        let mut world = World::new();
        world.run("apply -f -", CONFIG);
        assert_eq!(world.run("diff -f -", CONFIG), "0");
        let shown = world.run("diff -f -", &CONFIG.replace("a: b", "a: c\n  x: z"));
        let mut lines = shown.lines();
        let head = lines.next().unwrap();
        assert!(head.starts_with(&format!("diff -u -N {FOLDER}/LIVE-")) && head.ends_with("/v1.ConfigMap.default.cfg"), "{head}");
        let (file, stamp) = lines.next().unwrap().split_once('\t').unwrap();
        assert!(file.ends_with("/v1.ConfigMap.default.cfg"), "{file}");
        assert!(stamp.starts_with("2026-11-16 01:52:12.") && stamp.ends_with("000 +0000"), "{stamp}");
        assert!(lines.next().unwrap().starts_with(&format!("+++ {FOLDER}/MERGED-")));
        let rest: Vec<&str> = lines.collect();
        let wanted = [
            "@@ -1,6 +1,7 @@",
            " apiVersion: v1",
            " data:",
            "-  a: b",
            "+  a: c",
            "+  x: z",
            " kind: ConfigMap",
            " metadata:",
            "   annotations:",
            "1",
        ];
        assert_eq!(rest, wanted, "{shown}");
        assert_eq!(world.run("get cm cfg -o jsonpath='{.data}'", ""), "{\"a\":\"b\"}0", "nothing was changed");
    }

    #[test]
    fn a_new_object_is_all_added_and_a_mistake_has_its_own_exit_code() {
        let mut world = World::new();
        let shown = world.run("diff -f -", CONFIG);
        assert!(shown.contains("\n@@ -0,0 +1,") && shown.contains("\n+  a: b\n") && shown.ends_with("\n1"), "{shown}");
        assert_eq!(world.run("diff", ""), "error: must specify one of -f and -k\n2");
        let bad = world.run("diff -f -", &CONFIG.replace("name: cfg", "name: Cfg"));
        assert!(bad.starts_with("The ConfigMap \"Cfg\" is invalid: metadata.name") && bad.ends_with("\n2"), "{bad}");
    }

    #[test]
    fn secrets_stay_hidden() {
        let mut world = World::new();
        let secret = |value: &str| format!("apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\ndata:\n  p: {value}\n  same: eA==\n");
        world.run("create -f -", &secret("cQ=="));
        let shown = world.run("diff -f -", &secret("cg=="));
        assert!(shown.contains("-  p: '*** (before)'\n+  p: '*** (after)'\n   same: '***'\n"), "{shown}");
    }
}
