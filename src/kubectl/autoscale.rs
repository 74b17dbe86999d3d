//! `kubectl autoscale`. Counterpart: `kubectl/pkg/cmd/autoscale`.
//!
//! HorizontalPodAutoscalers are not simulated: the command checks its flags and prints the object with `--dry-run=client`; otherwise it fails as the
//! server would.

use super::errors::Stop;
use super::flags::{Args, Flag, NAMED, OUTPUT, Takes, switch, takes, text};
use super::print::{DryRun, Output, document};
use super::resource::each;
use super::{Cx, Run};
use crate::api::value::Value;
use crate::apiserver::unsimulated;
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

/// `kubectl autoscale TYPE NAME --max=N`
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
    let (output, dry_run) = (Output::of(&args, false)?, DryRun::of(&args)?);
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
        let made = map! { "apiVersion" => "autoscaling/v2", "kind" => "HorizontalPodAutoscaler", "metadata" => map! { "name" => name }, "spec" => spec };
        match (dry_run, output) {
            (DryRun::Client, Output::Human) => {
                cx.println(format!("horizontalpodautoscaler.autoscaling/{name} created{}", dry_run.suffix()))
            }
            (DryRun::Client, Output::Name) => cx.println(format!("horizontalpodautoscaler.autoscaling/{name}")),
            (DryRun::Client, _) => document(cx, output, &made),
            _ => return Err(refused(&Value::Map(made))),
        }
        Ok(())
    })
}

fn refused(made: &Value) -> Stop {
    match unsimulated::named("HorizontalPodAutoscaler") {
        Some(kind) => Stop::server(&unsimulated::refuse(&kind, made)),
        None => Stop::plain("no autoscalers"),
    }
}
