//! The limits on a recommended number of replicas: earlier recommendations, the bounds of the spec, and how fast the number may change. Counterpart:
//! `normalizeDesiredReplicas` and `normalizeDesiredReplicasWithBehaviors` in `horizontal.go`.

use crate::api::kind::horizontalpodautoscaler::{Behavior, Rules};
use crate::api::time::{Span, Time};

/// The time for which an earlier, higher recommendation keeps the replicas up. Counterpart: `--horizontal-pod-autoscaler-downscale-stabilization`.
const STABILIZATION: Span = Span::secs(300);
/// The number of replicas up to which an autoscaler without `behavior` may scale at once; above, a step at most doubles the number.
const FREE_STEP: i32 = 4;
/// The longest period of a scaling policy, for which changes are remembered.
const LONGEST_PERIOD: Span = Span::secs(1800);

/// State that the controller keeps about an autoscaler between passes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AutoscalerRecord {
    /// Recommended numbers of replicas, before any limits, with the times of the recommendations.
    pub recommendations: Vec<(i32, Time)>,
    /// Changes of the number of replicas, with their times; positive if it grew.
    pub changes: Vec<(i32, Time)>,
}

/// A number of replicas, and the condition to write about how it came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limited {
    /// The number of replicas.
    pub replicas: i32,
    /// The reason of the condition to write.
    pub reason: &'static str,
    /// The message of the condition to write.
    pub message: &'static str,
}

const WITHIN: (&str, &str) = ("DesiredWithinRange", "the desired count is within the acceptable range");
const TOO_FEW: (&str, &str) = ("TooFewReplicas", "the desired replica count is less than the minimum replica count");
const TOO_MANY: (&str, &str) = ("TooManyReplicas", "the desired replica count is more than the maximum replica count");
const UP_LIMIT: (&str, &str) = ("ScaleUpLimit", "the desired replica count is increasing faster than the maximum scale rate");
const DOWN_LIMIT: (&str, &str) = ("ScaleDownLimit", "the desired replica count is decreasing faster than the maximum scale rate");
const UP_STABILIZED: (&str, &str) =
    ("ScaleUpStabilized", "recent recommendations were lower than current one, applying the lowest recent recommendation");
const DOWN_STABILIZED: (&str, &str) =
    ("ScaleDownStabilized", "recent recommendations were higher than current one, applying the highest recent recommendation");
const READY: (&str, &str) = ("ReadyForNewScale", "recommended size matches current size");

fn limited(replicas: i32, (reason, message): (&'static str, &'static str)) -> Limited {
    Limited { replicas, reason, message }
}

/// The numbers between which a recommendation must stay.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The workload's current number of replicas.
    pub current: i32,
    /// The least number of replicas (`minReplicas`, or 1).
    pub min: i32,
    /// The largest number of replicas (`maxReplicas`).
    pub max: i32,
    /// The time of the pass.
    pub now: Time,
}

impl AutoscalerRecord {
    /// Remembers the current number of replicas as the first recommendation, if there is none yet.
    pub fn begin(&mut self, current: i32, now: Time) {
        if self.recommendations.is_empty() {
            self.recommendations.push((current, now));
        }
    }
    /// Remembers a change of the number of replicas.
    pub fn changed(&mut self, from: i32, to: i32, now: Time) {
        self.changes.retain(|(_, at)| now - *at <= LONGEST_PERIOD);
        self.changes.push((to - from, now));
    }
    /// Returns the recommendation, stabilized by the recent ones, with the condition to write about it. Remembers the unchanged recommendation.
    pub fn stabilize(&mut self, wanted: i32, behavior: Option<&Behavior>, bounds: Bounds) -> Limited {
        let Bounds { current, now, .. } = bounds;
        let window = |rules: &Rules, fallback: Span| rules.stabilization_window_seconds.map_or(fallback, |s| Span::secs(s.into()));
        let (up, down) =
            behavior.map_or((Span(0), STABILIZATION), |b| (window(&b.scale_up, Span(0)), window(&b.scale_down, STABILIZATION)));
        let recent = |span: Span| self.recommendations.iter().filter(move |(_, at)| now - *at < span).map(|(n, _)| *n);
        let (lowest, highest) = (recent(up).fold(wanted, i32::min), recent(down).fold(wanted, i32::max));
        let stable = if behavior.is_some() { current.max(lowest).min(highest) } else { highest };
        let longest = up.max(down);
        self.recommendations.retain(|(_, at)| now - *at <= longest);
        self.recommendations.push((wanted, now));
        match () {
            () if stable == wanted => limited(stable, READY),
            () if behavior.is_some() && wanted >= current => limited(stable, UP_STABILIZED),
            () => limited(stable, DOWN_STABILIZED),
        }
    }
    /// Returns a number of replicas within the bounds and no further from the current one than a single step may go, with the condition to write about it.
    pub fn limit(&self, wanted: i32, behavior: Option<&Behavior>, bounds: Bounds) -> Limited {
        let Bounds { current, min, max, .. } = bounds;
        let Some(behavior) = behavior else {
            let step = current.saturating_mul(2).max(FREE_STEP);
            let (most, why) = if max > step { (step, UP_LIMIT) } else { (max, TOO_MANY) };
            return match () {
                () if wanted < min => limited(min, TOO_FEW),
                () if wanted > most => limited(most, why),
                () => limited(wanted, WITHIN),
            };
        };
        if wanted > current {
            let step = self.step(&behavior.scale_up, bounds, true).max(current);
            let (most, why) = if max > step { (step, UP_LIMIT) } else { (max, TOO_MANY) };
            if wanted > most {
                return limited(most, why);
            }
        } else if wanted < current {
            let step = self.step(&behavior.scale_down, bounds, false).min(current);
            let (least, why) = if min < step { (step, DOWN_LIMIT) } else { (min, TOO_FEW) };
            if wanted < least {
                return limited(least, why);
            }
        }
        limited(wanted, WITHIN)
    }
    /// Returns the number of replicas that the scaling policies allow now, upwards or downwards. Counterpart: `calculateScaleUpLimitWithScalingRules`,
    /// `calculateScaleDownLimitWithBehaviors`.
    fn step(&self, rules: &Rules, Bounds { current, now, .. }: Bounds, up: bool) -> i32 {
        let select = rules.select_policy.as_deref().unwrap_or("Max");
        if select == "Disabled" {
            return current;
        }
        let proposals = rules.policies.iter().map(|policy| {
            let period = Span::secs(policy.period_seconds.into());
            let changed: i32 = self.changes.iter().filter(|(_, at)| now - *at < period).map(|(n, _)| n).sum();
            let (start, value) = (i64::from(current - changed), i64::from(policy.value));
            let number = match (policy.type_ == "Pods", up) {
                (true, true) => start + value,
                (true, false) => start - value,
                (false, true) => (start * (100 + value) + 99).div_euclid(100),
                (false, false) => start * (100 - value) / 100,
            };
            number.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
        });
        // `Max` selects the policy that allows the greatest change: upwards that is the highest number, downwards the lowest.
        let highest = (select == "Max") == up;
        (if highest { proposals.max() } else { proposals.min() }).unwrap_or(current)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Time = Time(60_000_000);

    #[test]
    fn a_higher_recommendation_of_the_last_five_minutes_keeps_the_number_up() {
        let mut record = AutoscalerRecord::default();
        let bounds = |seconds: i64| Bounds { current: 8, min: 1, max: 10, now: Time(0) + Span::secs(seconds) };
        record.begin(8, Time(0));
        assert_eq!(record.stabilize(2, None, bounds(15)).replicas, 8);
        assert_eq!(record.stabilize(2, None, bounds(299)).reason, "ScaleDownStabilized");
        assert_eq!(record.stabilize(2, None, bounds(301)).replicas, 2);
    }

    #[test]
    fn without_rules_a_step_up_at_most_doubles_or_reaches_four() {
        let record = AutoscalerRecord::default();
        let limit = |current: i32, wanted: i32| record.limit(wanted, None, Bounds { current, min: 1, max: 100, now: MINUTE });
        assert_eq!((limit(1, 50).replicas, limit(1, 50).reason), (4, "ScaleUpLimit"));
        assert_eq!(limit(10, 50).replicas, 20);
        assert_eq!((limit(10, 0).replicas, limit(10, 0).reason), (1, "TooFewReplicas"));
    }
}
