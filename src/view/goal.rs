//! The goals of a learner, and whether a run has reached them. The page checks them while the learner works, and a grader checks them again after replaying
//! the share state: both use this code, so both get the same result.
//!
//! A goal is `converged` or `converged within 60s`: a person has given a command, and desired and actual have agreed since a moment at most that long after
//! the run began. Simplified: lessons have no text and no steps of their own yet.

use super::clock;
use super::run::Run;
use crate::api::float;
use crate::api::time::Span;
use crate::api::value::Value;
use serde::{Deserialize, Serialize};

/// The most goals that a lesson may have.
const MOST_GOALS: usize = 100;
/// The longest name of a lesson or a goal, in bytes.
const LONGEST_NAME: usize = 200;
/// The longest time that a goal may give, in seconds: ten years.
const LONGEST_SECONDS: i64 = 315_576_000;

/// A lesson: a name, and the goals that a learner is to reach.
#[derive(Clone, Debug, PartialEq)]
pub struct Lesson {
    /// The name of the lesson.
    pub id: String,
    /// The goals of the lesson, at least one.
    pub goals: Vec<Goal>,
}

/// One goal of a learner: desired and actual agree, in time.
#[derive(Clone, Debug, PartialEq)]
pub struct Goal {
    /// The name of the goal, which no other goal of the lesson has.
    pub id: String,
    /// The time since the run began by which the goal must be reached; `None` for any time.
    pub within: Option<Span>,
}

/// The state of a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum GoalStatus {
    /// The goal can still be reached.
    Open,
    /// The goal is reached.
    Reached,
    /// The time for the goal is over.
    Missed,
}

/// The state of a goal at a moment.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GoalResult {
    /// The goal's name.
    pub id: String,
    /// The state of the goal.
    pub status: GoalStatus,
    /// The time at which the goal was reached, in seconds since the run began; `None` if it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sim_time: Option<f64>,
    /// A sentence about the state of the goal.
    pub text: String,
}

/// The state of a lesson at a moment.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Grade {
    /// The lesson's name.
    pub lesson: String,
    /// Set if all goals of the lesson are reached.
    pub passed: bool,
    /// The number of goals that are reached.
    pub score: usize,
    /// The number of all goals of the lesson.
    pub max: usize,
    /// The state of each goal of the lesson.
    pub goals: Vec<GoalResult>,
}

impl Lesson {
    /// Reads a lesson in one of its forms: a text such as `converged within 60s`, an object with one goal (`{"within": "60s"}`), or an object with a list of
    /// them (`{"id": …, "goals": […]}`). The error is a sentence.
    pub fn read(value: &Value) -> Result<Lesson, String> {
        match value {
            Value::Str(text) => Ok(Lesson { id: text.trim().to_owned(), goals: vec![Goal::parse(text)?] }),
            Value::Map(map) if map.has("goals") => {
                let written: WrittenLesson = super::share::sentence::read(value)?;
                let goals =
                    written.goals.iter().enumerate().map(|(i, goal)| read_goal(goal, i).map_err(|why| format!("goal {}: {why}", i + 1)));
                let lesson = Lesson { id: written.id.unwrap_or_default(), goals: goals.collect::<Result<_, _>>()? };
                lesson.checked()
            }
            Value::Map(_) => Lesson { id: String::new(), goals: vec![read_goal(value, 0)?] }.checked(),
            _ => Err("a lesson is a text as \"converged within 60s\", or an object with goals".to_owned()),
        }
    }
    fn checked(self) -> Result<Lesson, String> {
        if self.goals.is_empty() || self.goals.len() > MOST_GOALS {
            return Err(format!("a lesson has from 1 to {MOST_GOALS} goals, and this has {}", self.goals.len()));
        }
        let names = || self.goals.iter().map(|goal| &goal.id);
        if names().chain([&self.id]).any(|name| name.len() > LONGEST_NAME) {
            return Err(format!("a name has at most {LONGEST_NAME} letters"));
        }
        if let Some(twice) = names().enumerate().find(|(i, name)| names().take(*i).any(|other| other == *name)) {
            return Err(format!("two goals have the name \"{}\"", twice.1));
        }
        Ok(self)
    }
    /// Returns the state of the lesson at the selected moment.
    pub fn grade(&self, run: &Run) -> Grade {
        let goals: Vec<GoalResult> = self.goals.iter().map(|goal| goal.check(run)).collect();
        let score = goals.iter().filter(|goal| goal.status == GoalStatus::Reached).count();
        Grade { lesson: self.id.clone(), passed: score == goals.len(), score, max: goals.len(), goals }
    }
}

impl Goal {
    /// Parses a goal: `converged`, `converged within 1m30s`, or only the time.
    pub fn parse(text: &str) -> Result<Goal, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let within = match words.as_slice() {
            ["converged"] => None,
            ["converged", "within", time] => Some(parse_span(time)?),
            // The parameter `goal` of the page's address may hold only the time, such as `60s`.
            [time] if time.starts_with(|c: char| c.is_ascii_digit()) => Some(parse_span(time)?),
            _ => return Err(format!("a goal is \"converged\" or \"converged within 60s\", and not \"{}\"", clip(text))),
        };
        Ok(Goal { id: "converged".to_owned(), within })
    }
    /// Returns the state of the goal at the selected moment.
    pub fn check(&self, run: &Run) -> GoalResult {
        let result = |status, sim_time: Option<Span>, text: String| {
            let sim_time = sim_time.map(|at| at.0 as f64 / 1e6);
            GoalResult { id: self.id.clone(), status, sim_time, text }
        };
        let late = self.within.filter(|within| run.elapsed() > *within);
        match (agreed(run), self.within) {
            (Some(at), within) if within.is_none_or(|within| at <= within) => {
                result(GoalStatus::Reached, Some(at), format!("Desired and actual agree since {}.", clock::clock(at)))
            }
            (Some(at), Some(within)) => {
                let text = format!("Desired and actual agree since {}, which is later than {}.", clock::clock(at), clock::clock(within));
                result(GoalStatus::Missed, None, text)
            }
            (None, Some(within)) if late.is_some() => {
                result(GoalStatus::Missed, None, format!("Desired and actual did not agree by {}.", clock::clock(within)))
            }
            _ if !has_begun(run) => result(GoalStatus::Open, None, "Nothing has been done yet.".to_owned()),
            _ => result(GoalStatus::Open, None, "Desired and actual do not agree yet.".to_owned()),
        }
    }
}

/// Returns the time since the run began from which on desired and actual agree; `None` if they do not, or if no person has given a command.
fn agreed(run: &Run) -> Option<Span> {
    let balance = &run.notes().balance;
    let since = balance.rest().filter(|_| balance.agrees() && run.is_at_rest() && has_begun(run))?;
    Some(since - run.start)
}

/// Returns whether a person had given a command before the selected moment.
fn has_begun(run: &Run) -> bool {
    let steps = run.cluster().steps;
    run.session.commands().first().is_some_and(|first| first.after < steps)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenLesson {
    id: Option<String>,
    goals: Vec<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenGoal {
    id: Option<String>,
    within: Option<Value>,
}

fn read_goal(value: &Value, index: usize) -> Result<Goal, String> {
    let number = |goal: Goal| Goal { id: format!("{}-{}", goal.id, index + 1), ..goal };
    if let Value::Str(text) = value {
        return Goal::parse(text).map(number);
    }
    let WrittenGoal { id, within } = super::share::sentence::read(value)?;
    let within = within.as_ref().map(read_span).transpose().map_err(|why| format!("within: {why}"))?;
    let goal = Goal { id: "converged".to_owned(), within };
    Ok(match id {
        Some(id) => Goal { id, ..goal },
        None => number(goal),
    })
}

/// Reads a duration: a number of seconds, or a text such as `1m30s`.
pub fn read_span(value: &Value) -> Result<Span, String> {
    match value {
        Value::Str(text) => parse_span(text),
        Value::Int(seconds) => span_of(*seconds as f64),
        Value::Float(seconds) => span_of(*seconds),
        _ => Err(not_a_time()),
    }
}

fn span_of(seconds: f64) -> Result<Span, String> {
    let fits = (0.0..=LONGEST_SECONDS as f64).contains(&seconds);
    if fits { Ok(Span((seconds * 1e6) as i64)) } else { Err(not_a_time()) }
}

fn not_a_time() -> String {
    format!("a time is a number of seconds from 0 to {LONGEST_SECONDS}, or a text as 500ms, 90s or 1m30s")
}

/// Parses a duration such as `90s`, `1m30s`, `500ms` or, in seconds, `90`.
pub fn parse_span(text: &str) -> Result<Span, String> {
    let bad = || format!("{}, and not \"{}\"", not_a_time(), clip(text));
    let mut rest = text.trim();
    if let Ok(seconds) = rest.parse::<u32>() {
        return Some(Span::secs(i64::from(seconds))).filter(|s| s.0 <= LONGEST_SECONDS * 1_000_000).ok_or_else(bad);
    }
    let mut total: i64 = 0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').ok_or_else(bad)?;
        let (number, tail) = rest.split_at(digits);
        let (unit, micros) = [("ms", 1_000), ("us", 1), ("h", 3_600_000_000_i64), ("m", 60_000_000), ("s", 1_000_000)]
            .into_iter()
            .find(|(unit, _)| tail.starts_with(unit))
            .ok_or_else(bad)?;
        let number = float::parse(number).ok_or_else(bad)?;
        total = total.saturating_add((number * micros as f64) as i64);
        rest = &tail[unit.len()..];
    }
    if text.trim().is_empty() || total > LONGEST_SECONDS * 1_000_000 { Err(bad()) } else { Ok(Span(total)) }
}

/// Returns the beginning of a text that a stranger wrote, for an error message.
fn clip(text: &str) -> String {
    text.chars().take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{Config, Fault};
    use crate::view::FIRST_MANIFEST;
    use serde_json::json;

    fn read(lesson: &serde_json::Value) -> Result<Lesson, String> {
        Lesson::read(&lesson.clone().into())
    }

    fn statuses(lesson: &serde_json::Value, run: &Run) -> Vec<GoalStatus> {
        read(lesson).unwrap().grade(run).goals.iter().map(|goal| goal.status).collect()
    }

    #[test]
    fn a_goal_is_reached_when_desired_and_actual_agree_in_time() {
        let lesson = json!({"id": "first", "goals": ["converged", "converged within 1s", {"id": "slow", "within": 60}]});
        let mut run = Run::new(Config::default());
        run.advance(run.now() + Span::millis(500), 10_000);
        assert_eq!(statuses(&lesson, &run), [GoalStatus::Open; 3], "an empty cluster in which nobody did anything");
        run.apply(FIRST_MANIFEST);
        assert_eq!(statuses(&lesson, &run), [GoalStatus::Open; 3], "the manifest is on its way");
        run.advance(run.start + Span::secs(30), 100_000);
        assert_eq!(statuses(&lesson, &run), [GoalStatus::Reached, GoalStatus::Missed, GoalStatus::Reached]);
        let grade = read(&lesson).unwrap().grade(&run);
        assert_eq!((grade.score, grade.max, grade.passed, grade.lesson.as_str()), (2, 3, false, "first"));
        assert!(grade.goals[0].sim_time.is_some_and(|at| (1.0..10.0).contains(&at)), "{:?}", grade.goals[0]);
    }

    #[test]
    fn a_goal_is_open_again_after_something_broke_and_missed_when_it_is_too_late() {
        let mut run = Run::first_visit();
        run.advance(run.start + Span::secs(20), 100_000);
        run.fault(Fault::CrashNode { node: "node-1".into() });
        run.advance(run.start + Span::secs(21), 100_000);
        let lesson = json!("converged within 30s");
        assert_eq!(statuses(&lesson, &run), [GoalStatus::Open]);
        run.advance(run.start + Span::secs(31), 100_000);
        assert_eq!(statuses(&lesson, &run), [GoalStatus::Missed]);
        run.seek(run.start + Span::secs(19));
        assert_eq!(statuses(&lesson, &run), [GoalStatus::Reached], "looking back at the moment before");
    }

    #[test]
    fn looking_does_not_reach_or_lose_anything() {
        let mut run = Run::first_visit();
        run.advance(run.start + Span::secs(20), 100_000);
        let before = read(&json!("converged")).unwrap().grade(&run);
        run.kubectl(&["get", "pods"], "");
        run.advance(run.start + Span::secs(40), 100_000);
        assert_eq!(read(&json!("converged")).unwrap().grade(&run), before);
    }

    #[test]
    fn a_lesson_with_a_mistake_is_refused_with_a_sentence() {
        for (value, wanted) in [
            (json!(1), "a lesson is a text as \"converged within 60s\", or an object with goals"),
            (json!("win"), "a goal is \"converged\" or \"converged within 60s\", and not \"win\""),
            (json!({"goals": []}), "a lesson has from 1 to 100 goals, and this has 0"),
            (json!({"goals": "x"}), "goals must be a list"),
            (json!({"goals": [{"by": 1}]}), "goal 1: the field \"by\" is not known"),
            (json!({"goals": [{"id": "a"}, {"id": "a"}]}), "two goals have the name \"a\""),
            (json!({"within": "soon"}), &format!("within: {}, and not \"soon\"", not_a_time())),
            (json!({"within": -1}), &format!("within: {}", not_a_time())),
        ] {
            assert_eq!(read(&value), Err(wanted.to_owned()), "{value}");
        }
    }

    #[test]
    fn times_are_read_as_people_write_them() {
        for (text, micros) in [("90", 90_000_000), ("1m30s", 90_000_000), ("500ms", 500_000), ("1.5s", 1_500_000), ("1h", 3_600_000_000)] {
            assert_eq!(parse_span(text), Ok(Span(micros)), "{text}");
        }
        for text in ["", "s", "-1s", "1", "1d", "99999999999h", "1e9", "..s", "1s1"] {
            assert_eq!(parse_span(text).is_err(), text != "1", "{text}");
        }
    }
}
