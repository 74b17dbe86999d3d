//! The cpu and memory that containers use, as the metrics server scrapes them: of their processes, and of the requests that they answer. Counterpart: cAdvisor.
//!
//! Simplification: every answered request takes the same cpu, and a pod's usage is scraped for all its containers together.

use super::cluster::Cluster;
use crate::api::meta::Key;
use crate::api::request::{Request, Subresource};
use crate::api::time::{Span, Time};
use crate::api::usage;

/// The cpu that one answered request takes, in milliseconds.
const REQUEST_MS: i64 = 10;

/// The requests that a pod has answered lately.
#[derive(Clone, Copy, Debug, Default)]
pub struct Served {
    /// The last scrape before the newest request.
    scrape: Time,
    /// The number of requests in the period before the scrape.
    before: i64,
    /// The number of requests since the scrape.
    since: i64,
}

impl Served {
    /// Returns the number of requests that were answered in the period up to a scrape.
    fn up_to(&self, scrape: Time, period: Span) -> i64 {
        match self.scrape {
            at if at == scrape => self.before,
            at if at + period == scrape => self.since,
            _ => 0,
        }
    }
}

impl Cluster {
    fn scrape_period(&self) -> Span {
        Span::secs(self.config.metrics_seconds.max(1))
    }
    /// Counts a request that a pod has answered.
    pub(super) fn count_served(&mut self, pod: &Key) {
        let period = self.scrape_period();
        let scrape = usage::scraped_at(self.now, period);
        let known = self.traffic.served.get(pod).copied().unwrap_or_default();
        let served = if known.scrape == scrape { known } else { Served { scrape, before: known.up_to(scrape, period), since: 0 } };
        self.traffic.served.insert(pod.clone(), Served { since: served.since + 1, ..served });
    }
    /// Hands the usage of the containers to the metrics server, if a request asks for metrics. The runtime of the recordings uses nothing.
    pub(super) fn measure_for(&mut self, request: &Request) {
        if request.subresource != Subresource::Metrics || self.config.runtime.recorded {
            return;
        }
        let period = self.scrape_period();
        let scrape = usage::scraped_at(self.now, period);
        let served = &mut self.traffic.served;
        let old: Vec<Key> = served.iter().filter(|(_, s)| s.scrape + period < scrape).map(|(key, _)| key.clone()).collect();
        for key in &old {
            served.remove(key);
        }
        let cpu_milli =
            |pod: &Key| self.traffic.served.get(pod).map_or(0, |s| s.up_to(scrape, period) * REQUEST_MS / period.as_secs().max(1));
        let measured = self.nodes.iter().filter(|node| node.alive).flat_map(|node| node.kubelet.usages(cpu_milli)).collect();
        self.api.set_measured(measured);
    }
}
