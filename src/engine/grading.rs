//! Grading: replays a learner's share state and judges its goals at the moment that the state names. Learners can forge a grade that their browser computed;
//! a teacher's machine computes here what the page would have shown.

use super::time::seconds;
use super::{Answer, Engine, Error, error, parse, read_state, replay};
use crate::view::Run;
use crate::view::goal::Lesson;
use serde_json::{Value, json};

/// Grades a share state. `state` and `lesson` are JSON; `lesson` may be `null` if the state names a lesson.
pub fn grade(state: &str, lesson: &str) -> Result<String, Error> {
    let lesson = parse(lesson)?;
    let (run, share) = replay(read_state(&parse(state)?)?)?;
    judge(&run, &lesson, share.lesson.as_deref()).map(|grade| grade.to_string())
}

impl Engine {
    /// Judges the goals of a lesson, given as JSON, at the selected moment of the run.
    pub(super) fn check(&self, lesson: &Value) -> Answer {
        judge(&self.run, lesson, self.lesson.as_deref())
    }
}

fn judge(run: &Run, lesson: &Value, of_state: Option<&str>) -> Answer {
    let lesson = match (lesson, of_state) {
        (Value::Null, Some(text)) => Lesson::read(&text.into()),
        (Value::Null, None) => return Err(error("bad-lesson", "no lesson is given, and the state names none")),
        (lesson, _) => Lesson::read(&lesson.clone().into()),
    };
    let lesson = lesson.map_err(|why| error("bad-lesson", format!("the lesson cannot be read: {why}")))?;
    let mut grade = json!(lesson.grade(run));
    if let Some(grade) = grade.as_object_mut() {
        grade.insert("simTime".to_owned(), json!(seconds(run.elapsed())));
        grade.insert("hash".to_owned(), json!(format!("{:016x}", run.cluster().hash)));
    }
    Ok(grade)
}
