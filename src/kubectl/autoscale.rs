//! `kubectl autoscale`. Counterpart: `kubectl/pkg/cmd/autoscale`.

use super::errors::Stop;
use super::flags::{Args, Flag, NAMED, OUTPUT, Takes, switch, takes, text};
use super::generate::create_object;
use super::resource::each;
use super::{Cx, Run};
use crate::api::kind::Kind;
use crate::api::value::Value;
use crate::map;

const FLAGS: &[Flag] = &[
    takes("min", Takes::Int),
    takes("max", Takes::Int),
    takes("cpu-percent", Takes::Int),
    text("cpu"),
    text("memory"),
    text("name"),
    switch("save-config"),
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
    let percent = args.text("cpu").and_then(|c| c.strip_suffix('%')).and_then(|c| c.parse().ok()).or(args.int("cpu-percent"));
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
        if let Some(percent) = percent {
            let goal = map! { "type" => "Utilization", "averageUtilization" => percent };
            let metric: Value = map! { "type" => "Resource", "resource" => map! { "name" => "cpu", "target" => goal } }.into();
            spec.insert("metrics", vec![metric]);
        }
        let made = map! { "metadata" => map! { "name" => name }, "spec" => spec };
        create_object(cx, &args, Kind::HORIZONTAL_POD_AUTOSCALER, made, "autoscaled", None)
    })
}
