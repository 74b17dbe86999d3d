//! Lease. Counterpart: `coordination/v1.Lease`.

mod columns;
mod rules;

use super::{Body, Generation, Kind, KindRow};
use crate::api::time::Time;
use crate::api::value::Map;
use crate::text::Str;

/// Says who holds something, and since when: a node's heartbeat, or a leader's claim.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lease {
    /// Who holds it.
    pub holder: Str,
    /// For how long without a renewal.
    pub duration_seconds: Option<i32>,
    /// When the holder took it.
    pub acquired: Option<Time>,
    /// When the holder last renewed it.
    pub renewed: Option<Time>,
    /// How often it changed hands.
    pub transitions: Option<i32>,
    /// Other fields, kept as written.
    pub other: Option<Box<Map>>,
}

impl Lease {
    fn decode(m: &Map) -> Body {
        let mut spec = m.map("spec").cloned().unwrap_or_default();
        let lease = Lease {
            holder: spec.str("holderIdentity").into(),
            duration_seconds: spec.int("leaseDurationSeconds").map(|n| n as i32),
            acquired: Time::parse(spec.str("acquireTime")),
            renewed: Time::parse(spec.str("renewTime")),
            transitions: spec.int("leaseTransitions").map(|n| n as i32),
            other: None,
        };
        // An empty holder is kept as it was written.
        let empty_holder = spec.get("holderIdentity").is_some_and(|h| h.as_str() == Some(""));
        spec.retain(|k, _| {
            (k == "holderIdentity" && empty_holder)
                || !matches!(k, "holderIdentity" | "leaseDurationSeconds" | "acquireTime" | "renewTime" | "leaseTransitions")
        });
        Body::Lease(Box::new(Lease { other: (!spec.is_empty()).then(|| Box::new(spec)), ..lease }))
    }
    pub(super) fn encode(&self, out: &mut Map) {
        let mut spec = self.other.as_deref().cloned().unwrap_or_default();
        if !self.holder.is_empty() {
            spec.insert("holderIdentity", &self.holder);
        }
        for (key, n) in [("leaseDurationSeconds", self.duration_seconds), ("leaseTransitions", self.transitions)] {
            if let Some(n) = n {
                spec.insert(key, n);
            }
        }
        for (key, t) in [("acquireTime", self.acquired), ("renewTime", self.renewed)] {
            if let Some(t) = t {
                spec.insert(key, t.rfc3339_micro());
            }
        }
        out.insert("spec", spec);
    }
}

/// The table's row.
pub const ROW: KindRow = KindRow {
    kind: Kind::LEASE,
    group: "coordination.k8s.io",
    version: "v1",
    api_version: "coordination.k8s.io/v1",
    name: "Lease",
    plural: "leases",
    singular: "lease",
    short_names: &[],
    namespaced: true,
    in_all: false,
    schema: "coordination.v1.Lease",
    has_status: false,
    has_scale: false,
    generation: Generation::Absent,
    unconditional_update: false,
    default: rules::default,
    validate: rules::validate,
    validate_update: rules::validate_update,
    decode: Lease::decode,
    columns: columns::COLUMNS,
    cells: columns::cells,
    fields: &[],
};
