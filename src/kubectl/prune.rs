//! `kubectl apply --prune`. Counterpart: `kubectl/pkg/cmd/apply/prune.go`.

use super::apply::LAST_APPLIED;
use super::errors::Stop;
use super::flags::Args;
use super::manifest::Item;
use super::print::{DryRun, log_line};
use super::resource::qualified;
use super::{Cx, Run};
use crate::api::kind::{Kind, Kinds};
use crate::api::order::Order;
use crate::api::request::{Answer, Propagation, Request, Verb};
use arcstr::ArcStr;

/// The kinds that `--prune` considers, first those in namespaces, as far as they are simulated.
const KINDS: &[&str] = &[
    "configmaps",
    "persistentvolumeclaims",
    "pods",
    "replicationcontrollers",
    "secrets",
    "services",
    "jobs",
    "cronjobs",
    "ingresses",
    "daemonsets",
    "deployments",
    "replicasets",
    "statefulsets",
    "namespaces",
    "persistentvolumes",
];

const DEPRECATED: &str = "prune.go:71] Deprecated: kubectl apply will no longer prune non-namespaced resources by default when used with the --namespace flag in a future release. To preserve the current behaviour, list the resources you want to target explicitly in the --prune-allowlist flag.";

/// Returns the kinds that `--prune-allowlist` names as `group/version/kind`; none if the flag is not given. Counterpart: `prune.ParseResources`.
pub fn allowed(kinds: &Kinds, args: &Args) -> Result<Vec<Kind>, Stop> {
    let parse = |text: &str| match text.split('/').collect::<Vec<_>>()[..] {
        [group, version, kind] => {
            let group = if group == "core" { "" } else { group };
            let of = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
            kinds.find(group, version, kind).ok_or_else(|| Stop::plain(format!("no matches for kind \"{kind}\" in version \"{of}\"")))
        }
        _ => Err(Stop::plain(format!("invalid GroupVersionKind format: {text}, please follow <group/version/kind>"))),
    };
    args.all("prune-allowlist").into_iter().map(parse).collect()
}

/// Refuses `--prune` without `--all` or a selector, which would prune more than was meant.
pub fn check(args: &Args) -> Run {
    if args.on("prune") && !args.on("all") && args.text("selector").is_none_or(str::is_empty) {
        return Err(Stop::plain(
            "all resources selected for prune without explicitly passing --all. To prune all resources, pass the --all flag. If you did not mean to prune all resources, specify a label selector",
        ));
    }
    Ok(())
}

/// Deletes the objects that were once applied, that the selector selects, and that the manifests no longer have.
pub fn prune(cx: &mut Cx, args: &Args, items: &[Item], dry_run: DryRun) -> Run {
    let mut namespaces: Vec<_> = items.iter().map(|item| item.namespace.clone()).filter(|n| !n.is_empty()).collect();
    namespaces.order();
    namespaces.dedup();
    let mut kinds = allowed(&cx.env.kinds, args)?;
    if kinds.is_empty() {
        cx.eprintln(log_line('W', cx.now, DEPRECATED));
        kinds = KINDS.iter().filter_map(|plural| cx.env.kinds.all().find(|kind| kind.row().plural == *plural)).collect();
    }
    let (inside, outside): (Vec<_>, Vec<_>) = kinds.into_iter().partition(|kind| kind.row().namespaced);
    let inside = namespaces.iter().flat_map(|place| inside.iter().map(move |kind| (place.clone(), *kind)));
    for (place, kind) in inside.chain(outside.into_iter().map(|kind| (ArcStr::default(), kind))) {
        let selector = args.text("selector").unwrap_or("").to_owned();
        let list = Request::new(Verb::List, kind, place, "").with(|o| o.label_selector = selector);
        let Answer::List(list) = cx.request(list)? else { continue };
        for object in list.items.clone() {
            let meta = &object.meta;
            let kept = items.iter().any(|i| i.kind == kind && i.namespace == meta.namespace && i.name == meta.name);
            if kept || meta.annotations.get(LAST_APPLIED).is_none() {
                continue;
            }
            if dry_run != DryRun::Client {
                let delete = Request::delete(kind, &meta.namespace, &meta.name).with(|o| {
                    o.propagation = Some(Propagation::Background);
                    o.dry_run = dry_run == DryRun::Server;
                });
                cx.request(delete)?;
            }
            cx.println(format!("{}/{} pruned{}", qualified(kind), meta.name, dry_run.suffix()));
        }
    }
    Ok(())
}
