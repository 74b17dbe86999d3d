//! The introduction of a first visit: three steps, each of which points at something on the page and says what it is. Time goes on meanwhile.
//!
//! The page shows a step only once the thing that it points at is there, and makes its text from the run.

use super::{Page, Pane};
use crate::view::cluster::Health;
use crate::view::{Selection, Side, Stage};

/// A step of the introduction of a first visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Points at the number of pods in the manifest.
    Asked,
    /// Points at the pass of a controller.
    Compared,
    /// Points at a pod.
    There,
}

/// An action on the introduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntroductionAction {
    /// Goes on to the next step of the introduction, or ends it after the last.
    Next,
    /// Ends the introduction for good.
    End,
}

/// The step of the introduction that is shown, with its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Introduction {
    /// The step that is shown.
    pub step: Step,
    /// A sentence about the thing that the step points at.
    pub words: String,
}

impl Step {
    /// All steps of the introduction, in order.
    pub const ALL: [Step; 3] = [Step::Asked, Step::Compared, Step::There];
    /// Returns the step's number, from 1.
    pub fn number(self) -> usize {
        self as usize + 1
    }
    fn next(self) -> Option<Step> {
        Step::ALL.get(self.number()).copied()
    }
    /// Returns the pane that contains the thing that the step points at.
    fn pane(self) -> Pane {
        match self {
            Step::Asked => Pane::Desired,
            Step::Compared => Pane::Loop,
            Step::There => Pane::Actual,
        }
    }
}

impl Page {
    /// Begins the introduction.
    pub(super) fn introduce(&mut self) {
        self.introduction = Some(Step::Asked);
        self.pane = Step::Asked.pane();
    }
    /// Goes on in the introduction, or ends it.
    pub(super) fn go_on_introducing(&mut self, action: IntroductionAction) {
        self.introduction = self.introduction.filter(|_| action == IntroductionAction::Next).and_then(Step::next);
        if let Some(step) = self.introduction {
            self.show_pane(step.pane());
            // Whoever reads slowly finds the scheduler at work by now: the controller that compares numbers of pods explains more.
            if step == Step::Compared {
                self.selection.turn_to(Selection::default().controller);
            }
        }
    }
    /// Ends the introduction if the person has followed its last step and deleted a pod.
    pub(super) fn follow_introduction(&mut self) {
        self.introduction = self.introduction.filter(|step| *step != Step::There);
    }
    /// Returns the current step; `None` while the thing that it points at is not there, and once the introduction is over.
    pub(super) fn introduction(&self) -> Option<Introduction> {
        let step = self.introduction?;
        let (balance, selection) = (&self.run.notes().balance, &self.selection);
        let words = match step {
            Step::Asked if balance.desired > 0 => format!("This is what you asked for: {}.", pods(balance.desired)),
            Step::Compared if selection.side == Side::Loop && self.frame.side.pass.is_some() => match self.frame.side.name.as_str() {
                "scheduler" => {
                    "The scheduler is a controller too: it compares what a pod needs with what the nodes have, and chooses one.".to_owned()
                }
                name => format!("A controller, here {name}, compares what you asked for with what it sees, and acts on the difference."),
            },
            Step::There if selection.stage == Stage::Cluster && self.run.notes().census.counts().total() > 0 => {
                let counts = self.run.notes().census.counts();
                let there = i64::try_from(counts.total() - counts.of(Health::Done)).unwrap_or(i64::MAX);
                format!("This is what is there: {}, {} ready. Delete a pod and watch.", pods(there), balance.ready)
            }
            _ => return None,
        };
        Some(Introduction { step, words })
    }
}

fn pods(count: i64) -> String {
    format!("{count} {}", if count == 1 { "pod" } else { "pods" })
}
