//! Refuses objects that would exceed a ResourceQuota, and counts those that do not. Counterpart: `apiserver/pkg/admission/plugin/resourcequota`.
//!
//! Simplification: nothing is limited unless a quota says so (`LimitedResources` of the plugin's configuration is empty).

use crate::api::kind::Kind;
use crate::api::kind::resourcequota::{Amounts, QuotaView, missing_amounts, to_map, usage};
use crate::api::object::Object;
use crate::api::status::Status;
use crate::apiserver::{ApiServer, Work};
use arcstr::ArcStr;
use std::sync::Arc;

/// The quotas that an object is charged to, each with the `status.used` that it gets.
#[derive(Default)]
pub(in crate::apiserver) struct Charges(Vec<(Arc<Object>, Amounts)>);

impl ApiServer {
    /// Returns the quotas that a new or an updated object is charged to, or refuses the object if it exceeds one.
    pub(in crate::apiserver) fn check_quotas(&self, work: &Work, object: &Object, old: Option<&Object>) -> Result<Charges, Status> {
        let mut charges = Charges::default();
        let row = object.kind().row();
        if !row.namespaced || row.is_event_or_lease || self.store.count(Kind::RESOURCE_QUOTA) == 0 {
            return Ok(charges);
        }
        let refuse = |why: String| Status::forbidden(object.kind(), &object.meta.name, &why);
        let asked = usage(object, work.now);
        let mut interesting = Vec::new();
        for stored in self.store.range(Kind::RESOURCE_QUOTA, &object.meta.namespace, None) {
            let Some(quota) = QuotaView::of(stored) else { continue };
            let restricted = quota.restricted(object, &quota.hard);
            if restricted.is_empty() {
                continue;
            }
            if let Some(why) = object.pod().and_then(|pod| missing_amounts(&pod.spec.raw, &restricted)) {
                return Err(refuse(format!("failed quota: {}: {why}", quota.name)));
            }
            if restricted.iter().any(|name| !quota.used.contains_key(name)) {
                return Err(refuse(format!("status unknown for quota: {}, resources: {}", quota.name, restricted.join(","))));
            }
            interesting.push((stored, quota, restricted));
        }
        // Only now are amounts compared: what no quota can count is refused first.
        for (stored, quota, restricted) in interesting {
            let counted_before = old.filter(|old| !quota.restricted(old, &quota.hard).is_empty()).map(|old| usage(old, work.now));
            let requested = increase(&asked, counted_before.as_ref(), &restricted);
            if requested.is_empty() {
                continue;
            }
            let mut used = quota.used.clone();
            crate::api::kind::pod::add(&mut used, &requested);
            let exceeded: Vec<&ArcStr> = requested.keys().filter(|name| used.get(*name) > quota.hard.get(*name)).collect();
            if !exceeded.is_empty() {
                let pretty = |amounts: &Amounts| {
                    let part = |name: &&ArcStr| amounts.get(*name).map(|amount| format!("{name}={amount}"));
                    exceeded.iter().filter_map(part).collect::<Vec<_>>().join(",")
                };
                return Err(refuse(format!(
                    "exceeded quota: {}, requested: {}, used: {}, limited: {}",
                    quota.name,
                    pretty(&requested),
                    pretty(&quota.used),
                    pretty(&quota.hard)
                )));
            }
            charges.0.push((stored.clone(), used));
        }
        Ok(charges)
    }
    /// Writes the new `status.used` into the quotas.
    pub(in crate::apiserver) fn charge(&mut self, work: &mut Work, charges: Charges) {
        if work.options.dry_run {
            return;
        }
        for (quota, used) in charges.0 {
            let mut new = (*quota).clone();
            if let Some(content) = new.resource_quota_mut() {
                content.content.map_mut("status").insert("used", to_map(&used));
            }
            let change = self.store.put(new, work.now);
            work.changes.push(change);
        }
    }
}

/// Returns the amounts of the restricted resources that a request uses in addition to before.
fn increase(asked: &Amounts, before: Option<&Amounts>, restricted: &[ArcStr]) -> Amounts {
    let more = |name: &ArcStr| {
        let amount = asked.get(name)?;
        let added = before.and_then(|b| b.get(name)).map_or(*amount, |b| amount.sub(b));
        (added.nano() > 0).then(|| (name.clone(), added))
    };
    restricted.iter().filter_map(more).collect()
}
