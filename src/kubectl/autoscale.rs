//! `kubectl autoscale`. Counterpart: `kubectl/pkg/cmd/autoscale`.

use super::create_kinds::create_object;
use super::errors::Stop;
use super::flags::{Args, Flag, NAMED, OUTPUT, RECORD, Takes, switch, takes, text};
use super::print::DryRun;
use super::resource::each;
use super::{Cx, Run};
use crate::api::float;
use crate::api::kind::Kind;
use crate::api::quantity::Quantity;
use crate::api::value::{Map, Value};
use crate::map;

const FLAGS: &[Flag] = &[
    takes("min", Takes::Int),
    takes("max", Takes::Int),
    takes("cpu-percent", Takes::Int),
    text("cpu"),
    text("memory"),
    text("name"),
    switch("save-config"),
    RECORD,
];

/// Runs `kubectl autoscale TYPE NAME --max=N`.
pub fn autoscale(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("autoscale", &[NAMED, OUTPUT, FLAGS], words)?;
    if args.text("cpu-percent").is_some() {
        cx.eprintln("Flag --cpu-percent has been deprecated, Use --cpu with percentage or resource quantity format (e.g., '70%' for utilization or '500m' for milliCPU).");
    }
    args.require(&["max"])?;
    let (min, max) = (args.int("min").unwrap_or(-1), args.int("max").unwrap_or(-1));
    if max < 1 {
        return Err(Stop::plain(format!("--max=MAXPODS is required and must be at least 1, max: {max}")));
    }
    if max < min {
        return Err(Stop::plain(format!("--max=MAXPODS must be larger or equal to --min=MINPODS, max: {max}, min: {min}")));
    }
    let percent = args.int("cpu-percent").filter(|percent| *percent > 0);
    if percent.is_some() && args.text("cpu").is_some() {
        return Err(Stop::plain("--cpu-percent and --cpu are mutually exclusive"));
    }
    let mut metrics: Vec<Value> = Vec::new();
    metrics.extend(percent.map(|percent| metric("cpu", map! { "type" => "Utilization", "averageUtilization" => percent })));
    for (name, unit) in [("cpu", "m"), ("memory", "Mi")] {
        if let Some(goal) = args.text(name).filter(|goal| !goal.is_empty()) {
            metrics.push(metric(name, target(name, goal.trim(), unit)?));
        }
    }
    each(cx, &args, &args.words, |cx, object| {
        let row = object.kind().row();
        if row.scale.is_none() {
            let text = format!(
                "cannot autoscale a {}: could not find scale subresource for {}/{}, Resource={} in discovery information",
                row.name, row.group, row.version, row.plural
            );
            return Err(Stop::plain(text));
        }
        let name = args.text("name").unwrap_or(&object.meta.name);
        let target = map! { "apiVersion" => row.api_version, "kind" => row.name, "name" => &object.meta.name };
        let mut spec = map! { "maxReplicas" => max, "scaleTargetRef" => target };
        if min > 0 {
            spec.insert("minReplicas", min);
        }
        if !metrics.is_empty() {
            spec.insert("metrics", metrics.clone());
        }
        let mut made = map! { "metadata" => map! { "name" => name }, "spec" => spec };
        if DryRun::of(&args)? == DryRun::Client {
            made.insert("status", map! { "currentMetrics" => Value::Null, "desiredReplicas" => 0 });
            return create_object(cx, &args, Kind::HORIZONTAL_POD_AUTOSCALER, made, "created", None);
        }
        create_object(cx, &args, Kind::HORIZONTAL_POD_AUTOSCALER, made, "autoscaled", None)
    })
}

fn metric(name: &str, target: Map) -> Value {
    map! { "type" => "Resource", "resource" => map! { "name" => name, "target" => target } }.into()
}

/// Parses the target of a metric: `70%`, `500m`, or a number in the default unit. Counterpart: `parseResourceInput`.
fn target(name: &str, text: &str, unit: &str) -> Result<Map, Stop> {
    if let Some(percent) = text.strip_suffix('%') {
        let why = || Stop::plain(format!("invalid percentage value: {percent}"));
        let percent = percent.parse::<i32>().ok().filter(|percent| *percent >= 0).ok_or_else(why)?;
        return Ok(map! { "type" => "Utilization", "averageUtilization" => i64::from(percent) });
    }
    let text = if float::parse(text).is_some() { format!("{text}{unit}") } else { text.to_owned() };
    let amount = Quantity::normalize(&text).map_err(|_| Stop::plain(format!("invalid resource {name} value: {text}")))?;
    Ok(map! { "type" => "AverageValue", "averageValue" => amount })
}
