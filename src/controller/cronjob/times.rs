//! The scheduled times that matter to a CronJob. Counterpart: `pkg/controller/cronjob/utils.go`.

use crate::api::cron::Schedule;
use crate::api::kind::cronjob::{CronJob, CronJobSpec};
use crate::api::object::Object;
use crate::api::time::{Span, Time};
use crate::api::zone::Zone;

/// The time that the controller waits beyond a scheduled time, so that its clock has surely reached it. Counterpart: `nextScheduleDelta`.
const DELTA: Span = Span::millis(100);
/// The number of missed scheduled times above which the controller records a warning.
const MANY: i64 = 100;

/// The scheduled time to act on, and whether earlier ones were missed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Due {
    /// The last scheduled time up to now; `None` if no time has come since the last one that the controller acted on.
    pub at: Option<Time>,
    /// Set if more than 100 scheduled times were missed.
    pub many_missed: bool,
    missed: bool,
}

/// Parses a CronJob's schedule in its time zone. Counterpart: `formatSchedule`.
pub fn schedule(spec: &CronJobSpec) -> Result<Schedule, String> {
    match &spec.time_zone {
        Some(zone) if !spec.schedule.contains("TZ") && Zone::load(zone).is_ok() => Schedule::parse(&format!("TZ={zone} {}", spec.schedule)),
        _ => Schedule::parse(&spec.schedule),
    }
}

fn earliest(object: &Object, cron_job: &CronJob) -> Time {
    cron_job.status.last_schedule_time.unwrap_or(object.meta.created)
}

/// Returns the last scheduled time after `from` and up to `now`. Counterpart: `mostRecentScheduleTime`.
fn most_recent(from: Time, now: Time, schedule: &Schedule) -> Result<Due, String> {
    let too_close = || "time difference between two schedules is less than 1 second".to_owned();
    let first = schedule.next(from).ok_or_else(too_close)?;
    let second = schedule.next(first).ok_or_else(too_close)?;
    if now < first {
        return Ok(Due::default());
    }
    if now < second {
        return Ok(Due { at: Some(first), ..Due::default() });
    }
    let between = (second - first).as_secs();
    if between < 1 {
        return Err(too_close());
    }
    let missed = (now - first).as_secs() / between + 1;
    // The times of a schedule may be unevenly spaced, so the last missed time is searched for from about two estimated intervals back.
    let mut at = None;
    let mut time = schedule.next(first + Span::secs((missed - 2) * between));
    while let Some(next) = time.filter(|t| *t <= now) {
        at = Some(next);
        time = schedule.next(next);
    }
    Ok(Due { at, many_missed: missed > MANY, missed: true })
}

/// Returns the scheduled time to act on. Times that are longer ago than `startingDeadlineSeconds` are given up. Counterpart: `nextScheduleTime`.
pub fn due(object: &Object, cron_job: &CronJob, now: Time, schedule: &Schedule) -> Result<Due, String> {
    let mut from = earliest(object, cron_job);
    if let Some(seconds) = cron_job.spec.starting_deadline_seconds {
        from = from.max(Time(now.0.saturating_sub(seconds.saturating_mul(1_000_000))));
    }
    most_recent(from, now, schedule)
}

/// Returns the time from now until shortly after the next scheduled time. Counterpart: `nextScheduleTimeDuration`.
pub fn until_next(object: &Object, cron_job: &CronJob, now: Time, schedule: &Schedule) -> Span {
    let from = earliest(object, cron_job);
    let recent = match most_recent(from, now, schedule) {
        Err(_) => now,
        Ok(Due { at: Some(at), .. }) => at,
        Ok(Due { missed: false, .. }) => from,
        Ok(_) => now,
    };
    let next = schedule.next(recent).unwrap_or(now + Span::secs(24 * 3600));
    Span((next + DELTA - now).0.max(0))
}
