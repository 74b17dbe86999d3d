//! `kubectl get`. Counterpart: `kubectl/pkg/cmd/get`.
//!
//! `flags.rs` says how to add a flag. With `-w`, `follow.rs` prints, so a flag that changes the output has to be read there too. [`get`] also leaves
//! early for `--raw` (`raw.rs`), for kinds that are made up from others (`derived.rs`) and for Scales (`scales`).

use super::errors::Stop;
use super::flags::{Args, Flag, NAMED, PRINT, Takes, switch, takes, text};
use super::follow::get_and_follow;
use super::jsonpath::Template;
use super::print::{Output, cell, document, table};
use super::resource::{self, Selection, Target, object_text, qualified};
use super::{Cx, Failures, Run, api_resources, derived, manifest, raw, sort, templates};
use crate::api::duration::{labels, since};
use crate::api::kind::Kind;
use crate::api::object::Object;
use crate::api::request::{Answer, Request, Subresource, Verb};
use crate::api::value::{Map, Value};
use crate::map;
use std::sync::Arc;

const FLAGS: &[Flag] = &[
    text("selector").or('l'),
    text("field-selector"),
    switch("all-namespaces").or('A'),
    text("raw"),
    switch("show-labels"),
    switch("show-kind"),
    switch("no-headers"),
    text("label-columns").or('L'),
    text("sort-by"),
    switch("ignore-not-found"),
    switch("watch").or('w'),
    switch("watch-only"),
    takes("chunk-size", Takes::Int),
    switch("server-print"),
    switch("output-watch-events"),
    text("subresource"),
];

/// Runs `kubectl get …`.
pub fn get(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("get", &[NAMED, PRINT, FLAGS], words)?;
    if let Some(path) = args.text("raw").filter(|path| !path.is_empty()) {
        check_raw(&args)?;
        return raw::get(cx, path);
    }
    let output = Output::of(&args, true)?;
    check(&args, output)?;
    let parts = derived::parts(&cx.env.kinds, &args.words);
    if parts.len() > 1 && matches!(output, Output::Human | Output::Wide | Output::Name) {
        return in_parts(cx, &args, output, parts);
    }
    run(cx, args, output)
}

/// Runs the parts of a command one after the other, with a blank line between their tables.
fn in_parts(cx: &mut Cx, args: &Args, output: Output, parts: Vec<Vec<String>>) -> Run {
    let (mut shown, mut failures) = (false, Failures::default());
    for words in parts {
        let before = std::mem::take(&mut cx.output);
        let mut one = args.with("show-kind", "true");
        one.words = words;
        let done = run(cx, one, output);
        let own = std::mem::replace(&mut cx.output, before);
        let text = own.stdout();
        if shown && !text.is_empty() && output != Output::Name && !args.on("no-headers") {
            cx.println("");
        }
        shown |= !text.is_empty();
        cx.print(&text);
        own.stderr().lines().filter(|line| !line.starts_with("No resources found")).for_each(|line| cx.eprintln(line));
        failures.keep(done)?;
    }
    if !shown && failures.0.is_empty() && !args.on("ignore-not-found") && output != Output::Name {
        nothing_found(cx, args, &[]);
    }
    failures.finish()
}

fn run(cx: &mut Cx, args: Args, output: Output) -> Run {
    api_resources::warn_of_ambiguity(cx, &args.words);
    let (watches, follows) = (args.on("watch"), args.on("watch") || args.on("watch-only"));
    if follows && args.text("sort-by").is_some_and(|path| !path.is_empty()) {
        let (flag, what) = if watches { ("watch", " for watch events received") } else { ("watch-only", "") };
        cx.eprintln(format!("warning: --{flag} requested, --sort-by will be ignored{what}"));
    }
    if args.words.is_empty() && !args.has_manifest() {
        if follows {
            return Err(resource::nothing_given());
        }
        cx.eprintln(
            "You must specify the type of resource to get. Use \"kubectl api-resources\" for a complete list of supported resources.\n",
        );
        let text = "Required resource not specified.\nUse \"kubectl explain <resource>\" for a detailed description of that resource (e.g. kubectl explain pods).";
        return Err(Stop::usage("get", text));
    }
    if let Some((kind, names)) = derived::derived_kind(&cx.env.kinds, &args.words) {
        return derived::get(cx, &args, output, kind, &names);
    }
    if args.text("subresource") == Some("scale") {
        return scales(cx, &args, output);
    }
    let table = matches!(output, Output::Human | Output::Wide);
    let (targets, objects, failures) = read(cx, &args, table)?;
    if follows && failures.0.is_empty() {
        return get_and_follow(cx, args, output, &targets, &objects);
    }
    match output {
        Output::Yaml | Output::Json | Output::Kyaml => {
            if let Some(tree) = whole(&args, &targets, &objects) {
                document(cx, output, &tree);
            }
        }
        Output::Template => templates::show(cx, &args, whole(&args, &targets, &objects))?,
        Output::Name => objects.iter().for_each(|o| cx.println(object_text(o))),
        Output::Human | Output::Wide => tables(cx, &args, output == Output::Wide, &targets, &objects),
    }
    if objects.is_empty() && table && failures.0.is_empty() && !args.on("ignore-not-found") {
        nothing_found(cx, &args, &targets);
    }
    // The failures are a list inside a list, so that not even a single one is told with `error: ` before it.
    if failures.0.is_empty() { Ok(()) } else { Err(Stop::many(failures.0)) }
}

/// Prints the Scale of each object, for `--subresource=scale`.
fn scales(cx: &mut Cx, args: &Args, output: Output) -> Run {
    let (_, objects, mut failures) = read(cx, args, true)?;
    let mut found = Vec::new();
    for object in &objects {
        let mut request = Request::new(Verb::Get, object.kind(), object.meta.namespace.clone(), object.meta.name.clone());
        request.subresource = Subresource::Scale;
        let answer = cx.request(request);
        if let Some(Answer::Tree(tree)) = failures.keep(answer)? {
            found.extend(tree.as_map().cloned());
        }
    }
    match output {
        Output::Yaml | Output::Json | Output::Kyaml => found.iter().for_each(|tree| document(cx, output, tree)),
        Output::Template => templates::show(cx, args, found.into_iter().next())?,
        Output::Name => found.iter().for_each(|tree| cx.println(format!("scale.autoscaling/{}", name_of(tree)))),
        Output::Human | Output::Wide => {
            let number = |tree: &Map, path: [&str; 2]| tree.at(&path).and_then(Value::as_int).unwrap_or(0).to_string();
            let mut rows = vec![["NAME", "DESIRED", "AVAILABLE", "AGE"].map(str::to_owned).to_vec()];
            for (tree, object) in found.iter().zip(&objects) {
                let age = since(object.meta.created, cx.now);
                rows.push(vec![name_of(tree), number(tree, ["spec", "replicas"]), number(tree, ["status", "replicas"]), age]);
            }
            if rows.len() > 1 {
                cx.print(&table(&rows));
            }
        }
    }
    failures.finish()
}

fn name_of(tree: &Map) -> String {
    tree.at(&["metadata", "name"]).and_then(Value::as_str).unwrap_or("").to_owned()
}

fn check_raw(args: &Args) -> Result<(), Stop> {
    if !args.words.is_empty() {
        return Err(Stop::plain("arguments may not be passed when --raw is specified"));
    }
    if args.on("watch") || args.on("watch-only") || args.text("selector").is_some() {
        return Err(Stop::plain("--raw may not be specified with other flags that filter the server request or alter the output"));
    }
    match args.text("output") {
        Some(_) => Err(Stop::plain("--raw and --output are mutually exclusive")),
        None => Ok(()),
    }
}

/// Refuses flags that do not go together or are not supported.
fn check(args: &Args, output: Output) -> Result<(), Stop> {
    if args.on("show-labels") && !matches!(output, Output::Human | Output::Wide) {
        let format = args.text("output").unwrap_or("");
        return Err(Stop::plain(format!("--show-labels option cannot be used with {format} printer")));
    }
    if args.on("output-watch-events") && !args.on("watch") && !args.on("watch-only") {
        return Err(Stop::plain("--output-watch-events option can only be used with --watch or --watch-only"));
    }
    Ok(())
}

fn nothing_found(cx: &mut Cx, args: &Args, targets: &[Target]) {
    let types = args.words.first().map_or("", String::as_str).split(',');
    let of_cluster = |word: &str| resource::find_served(&cx.env.kinds, word).is_some_and(|served| !served.namespaced);
    if args.on("all-namespaces") || targets.iter().any(|t| !t.kind.row().namespaced) || types.into_iter().any(of_cluster) {
        cx.eprintln("No resources found");
    } else {
        let namespace = resource::namespace(cx, args).0;
        cx.eprintln(format!("No resources found in {namespace} namespace."));
    }
}

type Found = (Vec<Target>, Vec<Arc<Object>>, Failures);

/// Reads the objects that the command means. `--sort-by` sorts each list of a table, or all objects of any other output.
fn read(cx: &mut Cx, args: &Args, table: bool) -> Run<Found> {
    let mut selection = Selection::of(cx, args)?;
    resource::check_files(cx, args, &args.words)?;
    let mut failures = Failures::default();
    let targets = if args.has_manifest() {
        let (items, broken) = manifest::read(cx, args);
        // A file that does not exist is noticed before anything is read.
        if broken.0.iter().any(|failure| failure.message().starts_with("the path ")) {
            broken.finish()?;
        } else {
            failures = broken;
        }
        items.into_iter().map(|i| Target { kind: i.kind, name: Some(i.name.to_string()) }).collect()
    } else {
        resource::check_words(&args.words, selection.has_selector())?;
        match resource::targets(&cx.env.kinds, &args.words) {
            Err(failure) if args.on("ignore-not-found") && failure.is_not_found() => Vec::new(),
            targets => targets?,
        }
    };
    resource::subresource(args, &targets)?;
    let named = targets.iter().any(|t| t.name.is_some());
    if named && (selection.all || selection.namespace.is_empty()) {
        selection.check(&targets)?;
    }
    selection.all = true;
    let sort_path = args.text("sort-by").filter(|path| !path.is_empty());
    let mut objects: Vec<Arc<Object>> = Vec::new();
    let mut tables = 0;
    for target in &targets {
        let found = selection.read(cx, target);
        let missing_is_fine = args.on("ignore-not-found");
        match failures.keep(found)? {
            Some(found) => {
                tables += 1;
                objects.extend(found);
            }
            None if missing_is_fine => failures.0.retain(|f| !f.is_not_found()),
            None => {}
        }
    }
    match sort_path.filter(|_| table) {
        // Several tables are sorted as wholes, and have none of the fields of their rows.
        Some(path) if tables > 1 && !args.on("watch") && !args.on("watch-only") => {
            Template::path(path).map_err(Stop::plain)?;
            return Err(sort::nothing_found(path));
        }
        // A printer that cannot sort a table prints nothing, and nobody asks it why.
        Some(path) if objects.len() > 1 && sort::sort(&mut objects, path).is_err() => objects.clear(),
        _ => {}
    }
    if let Some(path) = sort_path.filter(|_| !table && !matches!(targets.as_slice(), [Target { name: Some(_), .. }])) {
        sort::sort(&mut objects, path)?;
    }
    Ok((targets, objects, failures))
}

/// Returns an object as a tree for the output. YAML, KYAML and JSON leave `managedFields` out unless `--show-managed-fields` is given; templates may name
/// them.
fn shown(args: &Args, object: &Object) -> Map {
    let plain = matches!(args.text("output"), Some("yaml" | "json" | "kyaml")) && !args.on("show-managed-fields");
    if plain { object.to_map() } else { object.to_full_map() }
}

/// Returns the tree to print: the object if one was named, otherwise a `List` of all; `None` if the named object was not found.
fn whole(args: &Args, targets: &[Target], objects: &[Arc<Object>]) -> Option<Map> {
    let one_meant = matches!(targets, [Target { name: Some(_), .. }]);
    match objects {
        [only] if one_meant => Some(shown(args, only)),
        [] if one_meant || (args.on("ignore-not-found") && !targets.iter().any(|t| t.name.is_none())) => None,
        all => {
            let items: Vec<Value> = all.iter().map(|o| Value::Map(shown(args, o))).collect();
            Some(map! { "apiVersion" => "v1", "kind" => "List", "items" => items, "metadata" => map! { "resourceVersion" => "" } })
        }
    }
}

/// Prints a table for each group of consecutive objects of one kind, with a blank line between.
fn tables(cx: &mut Cx, args: &Args, wide: bool, targets: &[Target], objects: &[Arc<Object>]) {
    // A named object that was not found does not count, a type without objects does.
    let mut kinds = targets.iter().filter(|t| t.name.is_none()).map(|t| t.kind).chain(objects.iter().map(|o| o.kind()));
    let several = kinds.next().is_some_and(|first| kinds.any(|kind| kind != first)) || resource::lists_several(&args.words);
    let with_kind = several || args.on("show-kind");
    let mut rest = objects;
    let mut first = true;
    while let Some(kind) = rest.first().map(|o| o.kind()) {
        let end = rest.iter().position(|o| o.kind() != kind).unwrap_or(rest.len());
        let (group, after) = rest.split_at(end);
        if !first && !args.on("no-headers") {
            cx.println("");
        }
        let rows = rows(cx, args, wide, with_kind, kind, group);
        cx.print(&table(&rows));
        (rest, first) = (after, false);
    }
}

/// Returns the rows of a table as cells, with a header row unless `--no-headers` is given.
pub fn rows(cx: &Cx, args: &Args, wide: bool, with_kind: bool, kind: Kind, objects: &[Arc<Object>]) -> Vec<Vec<String>> {
    let row = kind.row();
    let spaced = args.on("all-namespaces") && row.namespaced;
    // Without the server's columns the client knows only what all objects have.
    let plain = args.text("server-print") == Some("false");
    let label_columns: Vec<&str> = args.list("label-columns");
    let mut rows = Vec::new();
    if !args.on("no-headers") {
        let mut head: Vec<String> = Vec::new();
        head.extend(spaced.then(|| "NAMESPACE".to_owned()));
        if plain {
            head.extend(["NAME", "AGE"].map(str::to_owned));
        } else {
            head.extend(row.columns.iter().filter(|c| wide || !c.wide).map(|c| c.name.to_ascii_uppercase()));
        }
        head.extend(label_columns.iter().map(|key| key.rsplit('/').next().unwrap_or(key).to_ascii_uppercase()));
        head.extend(args.on("show-labels").then(|| "LABELS".to_owned()));
        rows.push(head);
    }
    for object in objects {
        let cells = (row.cells)(object, cx.now);
        let shown = row.columns.iter().zip(&cells).filter(|(column, _)| wide || !column.wide);
        let prefix = |column: &str| if with_kind && column == "Name" { format!("{}/", qualified(kind)) } else { String::new() };
        let mut line: Vec<String> = if plain {
            vec![prefix("Name") + &object.meta.name, since(object.meta.created, cx.now)]
        } else {
            shown.map(|(column, value)| prefix(column.name) + &cell(value)).collect()
        };
        if spaced {
            line.insert(0, object.meta.namespace.to_string());
        }
        line.extend(label_columns.iter().map(|key| object.meta.labels.get(key).map(ToString::to_string).unwrap_or_default()));
        line.extend(args.on("show-labels").then(|| labels(&object.meta.labels)));
        rows.push(line);
    }
    rows
}
