//! `kubectl apply --prune`. Counterpart: `kubectl/pkg/cmd/apply/prune.go`.

use super::apply::LAST_APPLIED;
use super::errors::Stop;
use super::flags::Args;
use super::manifest::Item;
use super::print::DryRun;
use super::resource::qualified;
use super::{Cx, Run};
use crate::api::order::Order;
use crate::api::request::{Answer, Propagation, Request, Verb};

/// The kinds that `--prune` considers, as far as they are simulated.
const KINDS: &[&str] = &[
    "configmaps",
    "endpoints",
    "namespaces",
    "persistentvolumeclaims",
    "persistentvolumes",
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
];

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
    let kinds: Vec<_> = cx.env.kinds.all().filter(|kind| KINDS.contains(&kind.row().plural)).collect();
    for kind in kinds {
        let places = if kind.row().namespaced { namespaces.clone() } else { vec![Default::default()] };
        for place in places {
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
    }
    Ok(())
}
