//! The pass to show to a reader who follows whoever makes a difference, and what came after it. Both depend on the moment alone, so that a moment of the past
//! looks as it did when it was the newest.

use crate::api::kind::Kind;
use crate::api::time::{Span, Time};
use crate::sim::Process;
use crate::view::ahead::BEGINNINGS;
use crate::view::notes::passes::Noted;
use crate::view::run::Run;
use crate::view::{clock, kinds, monologue, pass};
use std::rc::Rc;

/// The virtual time for which a new pass is shown before the page goes back to the pass of a workload's controller that led to it.
const SETTLED: Span = Span::secs(1);
/// The number of newest changes that are searched for those of kubelets.
const LOOKED_THROUGH: usize = 200;
/// The maximum number of components of which it is said what they did later.
const SHOWN: usize = 3;

/// What a component did after the pass that is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Later {
    /// The component, and its deed in a few words.
    pub words: Rc<str>,
    /// What a person opens to see it.
    pub opens: Opens,
}

/// What shows a later deed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opens {
    /// A pass, by the index of its controller and its number.
    Pass(usize, u64),
    /// The loop of a kubelet, by its node.
    Kubelet(String),
}

/// Returns the pass that made the last difference. Once nothing has followed it for a while, this is the pass of a workload's controller that created or
/// deleted what the person's last effective command asked for: the passes of the scheduler and of others follow from it.
pub fn telling(run: &Run) -> Option<&Noted> {
    let is_workload = |p: &Noted| kinds::of(p.key.kind).workload.is_some();
    let counts = |p: &&Noted| {
        let is_own = p.at - run.start > BEGINNINGS || p.decision.is_some() || is_workload(p);
        p.compared.is_some() && p.makes_difference() && is_own
    };
    let newest = run.notes().passes.all().filter(counts).max_by_key(|p| p.number)?;
    if newest.ended.is_none_or(|ended| run.now() - ended < SETTLED) {
        return Some(newest);
    }
    let deciding = run.notes().passes.all().filter(|p| is_workload(p) && p.creates_or_deletes()).max_by_key(|p| p.number);
    let commanded = run.session.commands().iter().rev().map(|given| given.at).find(|at| *at <= newest.at);
    deciding.filter(|p| commanded.is_none_or(|at| p.at >= at)).or(Some(newest))
}

/// Returns what others did after a pass, the last deed of each: passes that made a difference, and a kubelet's changes of pods.
pub fn later(run: &Run, shown: &Noted) -> Vec<Later> {
    let mut passes: Vec<&Noted> = run.notes().passes.all().filter(|p| p.number > shown.number && p.makes_difference()).collect();
    passes.sort_by_key(|p| std::cmp::Reverse(p.number));
    let mut all: Vec<(u64, usize, Later)> = Vec::new();
    for p in passes {
        if p.controller != shown.controller && !all.iter().any(|(_, controller, _)| *controller == p.controller) {
            let at = clock::moment(p.at - run.start);
            let words = format!("{}, {at}: {} → {}", p.controller_name, p.key.key.name, deed(p, run.now())).into();
            all.push((p.number, p.controller, Later { words, opens: Opens::Pass(p.controller, p.number) }));
        }
    }
    all.truncate(SHOWN);
    let by_kubelet = run.notes().writes.newest().take(LOOKED_THROUGH).take_while(|w| w.at > shown.at).find_map(|w| {
        let Process::Kubelet(n) = w.by else { return None };
        let node = run.cluster().nodes.get(n as usize).filter(|_| w.object.kind() == Kind::POD)?.name.to_string();
        let (state, at) = ((kinds::of(Kind::POD).observed)(&w.object), clock::moment(w.at - run.start));
        let words = format!("kubelet {node}, {at}: {} → {state}", w.object.meta.name).into();
        Some(Later { words, opens: Opens::Kubelet(node) })
    });
    all.into_iter().map(|(.., later)| later).rev().chain(by_kubelet).collect()
}

/// Describes what a pass has done in a few words: `created configmap kube-root-ca.crt`, or else what came of it.
fn deed(pass: &Noted, now: Time) -> String {
    let asked = monologue::told(monologue::request_sentences(pass).join(" "), pass, now);
    match asked.strip_prefix("I ") {
        Some(deed) if pass.ended.is_some() && pass.decision.is_none() => deed.trim_end_matches('.').replace(". I ", ", "),
        _ => pass::result(pass),
    }
}
