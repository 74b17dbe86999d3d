//! `kubectl top`: prints the cpu and memory that nodes and pods use. Counterpart: `kubectl/pkg/cmd/top`.

use super::errors::Stop;
use super::flags::{Args, Flag, command_first, switch, text};
use super::resource;
use super::{Cx, Run};
use crate::api::kind::Kind;
use crate::api::kind::pod::Resources;
use crate::api::order::Order;
use crate::api::quantity::Quantity;
use crate::api::request::{Answer, Request, Subresource, Verb};
use crate::api::value::{Map, Value};

const FLAGS: &[Flag] = &[
    text("selector").or('l'),
    text("field-selector"),
    text("sort-by"),
    switch("all-namespaces").or('A'),
    switch("containers"),
    switch("no-headers"),
    switch("sum"),
    switch("show-capacity"),
    switch("show-swap"),
    switch("use-protocol-buffers"),
];

/// Runs `kubectl top node|pod`.
pub fn top(cx: &mut Cx, words: &[String]) -> Run {
    let words = command_first(words);
    let (what, rest) = words.split_first().map_or(("", words.as_slice()), |(what, rest)| (what.as_str(), rest));
    match what {
        "node" | "nodes" | "no" => nodes(cx, &read("top node", "node [NAME | -l label]", "--selector", rest)?),
        "pod" | "pods" | "po" => pods(cx, &read("top pod", "pod [NAME | -l label]", "selector", rest)?),
        "" => Err(Stop::usage("top", "one of node, pod is required")),
        _ => Err(Stop::usage("top", &format!("unknown command \"{}\"", words.join(" ")))),
    }
}

/// Parses the words of a subcommand, and refuses what does not go together.
fn read(command: &str, usage: &str, selector: &str, words: &[String]) -> Result<Args, Stop> {
    let args = Args::read(command, &[FLAGS], words)?;
    if args.words.len() > 1 {
        return Err(Stop::usage(command, usage));
    }
    if !matches!(args.text("sort-by").unwrap_or(""), "" | "cpu" | "memory") {
        return Err(Stop::plain("--sort-by accepts only cpu or memory"));
    }
    if !args.words.is_empty() && ["selector", "field-selector"].iter().any(|flag| args.text(flag).is_some_and(|text| !text.is_empty())) {
        return Err(Stop::plain(format!("only one of NAME or {selector} can be provided")));
    }
    Ok(args)
}

/// The measured usage of a node, a pod or a container.
struct Used {
    namespace: String,
    name: String,
    container: String,
    cpu_milli: i64,
    memory: i64,
}

fn metrics(cx: &mut Cx, args: &Args, kind: Kind, namespace: arcstr::ArcStr) -> Run<Vec<Map>> {
    let name = args.words.first().map(String::as_str).unwrap_or("");
    let mut request = Request::new(Verb::List, kind, namespace, name);
    request.subresource = Subresource::Metrics;
    let request = request.with(|o| {
        o.label_selector = args.text("selector").unwrap_or("").to_owned();
        o.field_selector = args.text("field-selector").unwrap_or("").to_owned();
    });
    match cx.try_request(request)? {
        Ok(Answer::Tree(list)) => {
            Ok(list.as_map().map(|m| m.list("items")).unwrap_or_default().iter().filter_map(|v| v.as_map().cloned()).collect())
        }
        Ok(_) => Ok(Vec::new()),
        Err(status) if status.code == 404 => Err(Stop::plain("Metrics API not available")),
        Err(status) => Err(Stop::server(status)),
    }
}

fn used(item: &Map, container: &Map) -> Used {
    let amount = |key: &str| container.at(&["usage", key]).and_then(Value::as_str).and_then(|t| Quantity::parse(t).ok());
    let text = |key: &str| item.at(&["metadata", key]).and_then(Value::as_str).unwrap_or("").to_owned();
    Used {
        namespace: text("namespace"),
        name: text("name"),
        container: container.str("name").to_owned(),
        cpu_milli: amount("cpu").map_or(0, |q| q.milli_value()),
        memory: amount("memory").map_or(0, |q| q.value()),
    }
}

fn sort(rows: &mut [Used], by: Option<&str>) -> Run {
    match by {
        None | Some("") => rows.order_by(|a, b| (&a.namespace, &a.name, &a.container).cmp(&(&b.namespace, &b.name, &b.container))),
        Some("cpu") => rows.order_by_key(|r| std::cmp::Reverse(r.cpu_milli)),
        Some("memory") => rows.order_by_key(|r| std::cmp::Reverse(r.memory)),
        Some(_) => return Err(Stop::plain("--sort-by accepts only cpu or memory")),
    }
    Ok(())
}

fn pods(cx: &mut Cx, args: &Args) -> Run {
    let everywhere = args.on("all-namespaces");
    let namespace = if everywhere { Default::default() } else { resource::namespace(cx, args).0 };
    let items = metrics(cx, args, Kind::POD, namespace.clone())?;
    if items.is_empty() {
        match args.words.first() {
            Some(name) => {
                return Err(Stop::plain(format!(
                    "Error from server (NotFound): podmetrics.metrics.k8s.io \"{namespace}/{name}\" not found"
                )));
            }
            None if everywhere => cx.eprintln("No resources found"),
            None => cx.eprintln(format!("No resources found in {namespace} namespace.")),
        }
        return Ok(());
    }
    let mut rows = Vec::new();
    for item in &items {
        let containers = item.list("containers").iter().filter_map(Value::as_map).map(|c| used(item, c));
        if args.on("containers") {
            rows.extend(containers);
        } else {
            let mut sum = used(item, &Map::new());
            containers.for_each(|c| {
                sum.cpu_milli += c.cpu_milli;
                sum.memory += c.memory;
            });
            rows.push(sum);
        }
    }
    sort(&mut rows, args.text("sort-by"))?;
    let mut table: Vec<Vec<String>> = Vec::new();
    let named = |cells: [&str; 5]| -> Vec<String> {
        let shown = [everywhere, true, args.on("containers"), true, true];
        cells.iter().zip(shown).filter(|(_, shown)| *shown).map(|(cell, _)| (*cell).to_owned()).collect()
    };
    if !args.on("no-headers") {
        let first = if args.on("containers") { "POD" } else { "NAME" };
        table.push(named(["NAMESPACE", first, "NAME", "CPU(cores)", "MEMORY(bytes)"]));
    }
    for row in &rows {
        table.push(named([&row.namespace, &row.name, &row.container, &format!("{}m", row.cpu_milli), &mebibytes(row.memory)]));
    }
    if args.on("sum") {
        let (cpu, memory) = rows.iter().fold((0, 0), |(c, m), r| (c + r.cpu_milli, m + r.memory));
        table.push(named(["", "", "", "________", "________"]));
        table.push(named(["", "", "", &format!("{cpu}m"), &mebibytes(memory)]));
    }
    print(cx, &table);
    Ok(())
}

fn mebibytes(bytes: i64) -> String {
    format!("{}Mi", bytes / (1 << 20))
}

fn nodes(cx: &mut Cx, args: &Args) -> Run {
    let items = metrics(cx, args, Kind::NODE, Default::default())?;
    let mut rows: Vec<Used> = items.iter().map(|item| used(item, item)).collect();
    sort(&mut rows, args.text("sort-by"))?;
    let mut table: Vec<Vec<String>> = Vec::new();
    if !args.on("no-headers") {
        table.push(["NAME", "CPU(cores)", "CPU(%)", "MEMORY(bytes)", "MEMORY(%)"].map(str::to_owned).to_vec());
    }
    for row in rows {
        let node = cx.object(Request::new(Verb::Get, Kind::NODE, "", row.name.as_str()))?.to_map();
        let key = if args.on("show-capacity") { "capacity" } else { "allocatable" };
        let all = Resources::decode(node.at(&["status", key]).and_then(Value::as_map));
        let share = |part: i64, all: i64| if all > 0 { format!("{}%", part.saturating_mul(100) / all) } else { "<unknown>".to_owned() };
        table.push(vec![
            row.name,
            format!("{}m", row.cpu_milli),
            share(row.cpu_milli, all.cpu_milli),
            mebibytes(row.memory),
            share(row.memory, all.memory),
        ]);
    }
    print(cx, &table);
    Ok(())
}

/// Prints a table whose columns are as wide as their widest cell plus three spaces.
fn print(cx: &mut Cx, table: &[Vec<String>]) {
    let columns = table.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> =
        (0..columns).map(|i| table.iter().filter_map(|row| row.get(i)).map(|cell| cell.chars().count()).max().unwrap_or(0) + 3).collect();
    for row in table {
        let cells: String = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        cx.println(cells);
    }
}
