//! Follows a change back through its chain of causes, down to a person's command or fault.
//!
//! A timer has no cause of its own in the trace: the node controller, for example, checks all nodes every few seconds, whatever happens. But what it finds has
//! a cause, and this file looks for it among the commands: a node is silent because somebody cut its power.

use super::{Link, Opens, Sort, sentences};
use crate::api::kind::Kind;
use crate::api::meta::Key;
use crate::api::time::Time;
use crate::api::watch::WatchType;
use crate::kubelet;
use crate::sim::faults::Target;
use crate::sim::{Command, Fault, Process, ProcessName, Record, Step, Timer};
use crate::view::notes::writes::{Origin, Wrote};
use crate::view::run::Run;

/// The number of changes of a chain that are described one by one. Of a longer chain, only the number of the earlier ones is given.
const MOST: usize = 12;
/// The most changes that are followed back.
const LONGEST: usize = 300;

/// Returns the chain of causes that ends in a change, the first cause first.
pub fn chain(run: &Run, wrote: &Wrote) -> Vec<Link> {
    let mut links = Vec::new();
    let (mut current, mut left_out) = (wrote, 0);
    for told in 0..LONGEST {
        let cause = cause(run, current);
        if told < MOST {
            links.push(sentences::write(run, current, cause.wrote()));
            links.extend(sentences::pass(run, current, cause.wrote()));
            links.extend(sentences::refused(run, current, cause.wrote()));
        } else {
            left_out += 1;
        }
        match cause {
            Cause::Wrote(next) => current = next,
            Cause::First(first) => {
                if left_out > 0 {
                    links.push(sentences::left_out(left_out));
                }
                links.extend(first);
                break;
            }
            Cause::Through(through, next) => {
                links.extend(through.into_iter().filter(|_| told < MOST));
                current = next;
            }
        }
    }
    links.reverse();
    links
}

/// Drops all but the first link of each pass, since a pass may make several of the changes that are told.
pub fn tell_each_pass_once(links: &mut Vec<Link>) {
    let (mut known, mut is_again) = (Vec::new(), false);
    links.retain_mut(|link| {
        if let (Sort::Pass, Opens::Pass(_, number)) = (link.sort, &link.opens)
            && !link.is_refusal()
        {
            is_again = known.contains(number);
            known.push(*number);
            return !is_again;
        }
        if std::mem::take(&mut is_again)
            && let Some(rest) = link.sentence.strip_prefix("It ")
        {
            link.sentence = format!("The same pass {rest}");
        }
        true
    });
}

/// The cause of a change to the store.
enum Cause<'a> {
    /// Another change to the store.
    Wrote(&'a Wrote),
    /// Another change, which led to this one by way of these links (such as a fault or an election), newest link first.
    Through(Vec<Link>, &'a Wrote),
    /// Nothing before it is known: these links begin the chain, newest link first.
    First(Vec<Link>),
}

impl<'a> Cause<'a> {
    fn wrote(&self) -> Option<&'a Wrote> {
        match self {
            Cause::Wrote(wrote) => Some(wrote),
            _ => None,
        }
    }
}

fn cause<'a>(run: &'a Run, wrote: &'a Wrote) -> Cause<'a> {
    match wrote.origin {
        Origin::Write(revision) => match run.notes().writes.get(revision).filter(|w| w.step < wrote.step) {
            Some(cause) => Cause::Wrote(cause),
            None => Cause::First(vec![sentences::forgotten()]),
        },
        Origin::Person(step) => Cause::First(vec![given(run, step)]),
        Origin::Fault(step) => found_anew(run, wrote, vec![given(run, step)]),
        Origin::Clock(step) => by_itself(run, wrote, step),
        Origin::Beginning => Cause::First(vec![sentences::beginning("the cluster")]),
        Origin::Forgotten => Cause::First(vec![sentences::forgotten()]),
    }
}

/// Returns the chain link for a person's command, given the number of the command's step.
fn given(run: &Run, step: u64) -> Link {
    let known = run.session.trail().get(step).and_then(|record| match &*record.step {
        Step::Run(program) => Some((Command::Run(program.clone()), record.at)),
        Step::Fault(fault) => Some((Command::Fault(fault.clone()), record.at)),
        Step::Interrupt(id) => Some((Command::Interrupt(*id), record.at)),
        Step::Type(id, text) => Some((Command::Type(*id, text.clone()), record.at)),
        Step::Extend(extension) => Some((Command::Extend(extension.clone()), record.at)),
        _ => None,
    });
    // If a step is no longer in the trail of steps, its command is the last one that was given before it.
    let command = || run.session.commands().iter().rev().find(|g| g.after < step).map(|g| (g.command.clone(), g.at));
    known.or_else(command).map_or_else(sentences::forgotten, |(command, at)| sentences::person(&command, at, run.start))
}

/// Returns the cause of a change that a timer triggered: what the process found then, and the reason for it.
fn by_itself<'a>(run: &'a Run, wrote: &'a Wrote, step: u64) -> Cause<'a> {
    let record = run.session.trail().get(step);
    let Some(Step::Wake(process, timer)) = record.map(|r| &*r.step) else {
        // The trail of steps is shorter than the notes. A change of a node can still only come from the node controller.
        return if wrote.object.kind() == Kind::NODE { silence(run, wrote) } else { Cause::First(vec![sentences::forgotten()]) };
    };
    match timer {
        Timer::MonitorNodes => silence(run, wrote),
        Timer::SweepPods => sweep(run, wrote),
        Timer::Kubelet(timer) => kubelet_clock(run, wrote, *process, timer, record),
        Timer::Elect => {
            // By the time of the pass, everything has been read.
            let pass = wrote.made_by.as_ref().and_then(|made| run.notes().passes.pass(made.pass));
            let mut links = vec![sentences::elected(*process, pass.map_or(wrote.at, |pass| pass.at), run.start)];
            links.extend(last_fault(run, wrote.at, |fault| hits_process(fault, *process, run)));
            found_anew(run, wrote, links)
        }
        _ => Cause::First(vec![sentences::clock(timer, wrote, run.start)]),
    }
}

/// Returns the cause of a change by a process that has just started, begun to lead or got its link back. Such a process reads everything again, so the
/// cause is the last change of the object that it reconciles.
fn found_anew<'a>(run: &'a Run, wrote: &'a Wrote, links: Vec<Link>) -> Cause<'a> {
    let writes = &run.notes().writes;
    let of_pass = wrote.made_by.as_ref().map(|made| (made.over.0, &made.over.1));
    let before = of_pass.and_then(|(kind, key)| {
        let mut earlier = writes.of(kind, key).filter(|w| w.step < wrote.step && w.touches().0);
        earlier.next()
    });
    match before {
        Some(wanted) => Cause::Through(links, wanted),
        None => Cause::First(links),
    }
}

/// Returns the cause of a change that the node controller made because a node sent no heartbeats, or sent them again.
fn silence<'a>(run: &'a Run, wrote: &'a Wrote) -> Cause<'a> {
    let name = match &wrote.made_by {
        Some(made) if made.over.0 == Kind::NODE => made.over.1.name.to_string(),
        _ => wrote.object.meta.name.to_string(),
    };
    let renewed = last_heartbeat(run, &name, wrote.at);
    let mut links = vec![sentences::monitored(&name, renewed, wrote, run)];
    links.extend(last_fault(run, wrote.at, |fault| silences(fault, &name)));
    Cause::First(links)
}

/// Returns the time at which a node last renewed its Lease before a moment, if the Lease still holds that time.
pub fn last_heartbeat(run: &Run, node: &str, before: Time) -> Option<Time> {
    let lease = run.cluster().api.store.get(Kind::LEASE, &Key::new("kube-node-lease", node));
    lease.and_then(|o| o.lease()?.spec.renew_time).filter(|at| *at < before)
}

/// Returns the cause of the deletion of pods whose node is gone: the deletion of the node.
fn sweep<'a>(run: &'a Run, wrote: &'a Wrote) -> Cause<'a> {
    let link = sentences::clock(&Timer::SweepPods, wrote, run.start);
    let node = wrote.object.pod().map(|pod| Key::new("", pod.node.clone()));
    let ended = |w: &&Wrote| w.object.kind() == Kind::NODE && w.type_ == WatchType::Deleted && Some(w.object.key()) == node;
    match run.notes().writes.newest().filter(|w| w.step < wrote.step).find(ended) {
        Some(end) => Cause::Through(vec![link], end),
        None => Cause::First(vec![link]),
    }
}

fn kubelet_clock<'a>(run: &'a Run, wrote: &'a Wrote, process: Process, timer: &kubelet::Timer, record: Option<&Record>) -> Cause<'a> {
    let at = record.map_or(wrote.at, |r| r.at);
    let meta = &wrote.object.meta;
    let pod = (meta.namespace.as_str(), meta.name.as_str());
    let link = match timer {
        kubelet::Timer::Exit { code, .. } => sentences::ended(wrote, *code, at, run.start),
        kubelet::Timer::Probe { .. } => sentences::probed(wrote, at, run.start),
        _ => {
            let mut links = vec![sentences::reported(process, wrote, run)];
            links.extend(last_fault(run, wrote.at, |fault| brings_up(fault, &meta.name)));
            return Cause::First(links);
        }
    };
    if let Some(fault) = last_fault(
        run,
        at,
        |fault| matches!(fault, Fault::ProbeFile { namespace, pod: name, .. } if (namespace.as_str(), name.as_str()) == pod),
    ) {
        return Cause::First(vec![link, fault]);
    }
    // Nobody made the container end or its probe answer so: the cause is the creation of its pod.
    let subject_key = meta.key();
    let created = run
        .notes()
        .writes
        .of(wrote.object.kind(), &subject_key)
        .find(|w| w.type_ == WatchType::Added && w.step < wrote.step)
        .map(|w| w.revision);
    match created.and_then(|revision| run.notes().writes.get(revision)) {
        Some(created) => Cause::Through(vec![link], created),
        None => Cause::First(vec![link]),
    }
}

/// Returns the chain link for the last fault before a time for which `fits` holds.
fn last_fault(run: &Run, before: Time, fits: impl Fn(&Fault) -> bool) -> Option<Link> {
    let steps = run.cluster().steps;
    let given = run.session.commands().iter().rev().filter(|g| g.at <= before && g.after <= steps);
    let is_it = |command: &Command| matches!(command, Command::Fault(fault) if fits(fault));
    given.into_iter().find(|g| is_it(&g.command)).map(|g| sentences::person(&g.command, g.at, run.start))
}

/// Returns whether a fault stops or starts a node's heartbeats.
fn silences(fault: &Fault, name: &str) -> bool {
    let row = fault.row();
    row.interrupts && row.target.node() == Some(name)
}

fn brings_up(fault: &Fault, name: &str) -> bool {
    silences(fault, name) || matches!(fault, Fault::AddNode { node } if node == name)
}

/// Returns whether a fault stops a process or its link, or lets it go on.
fn hits_process(fault: &Fault, process: Process, run: &Run) -> bool {
    let row = fault.row();
    let Target::Process(name) = row.target else { return false };
    let is_it = match (name, process) {
        (ProcessName::ControllerManager(_), Process::Manager(_)) | (ProcessName::Scheduler, Process::Scheduler) => true,
        (ProcessName::Kubelet(node), Process::Kubelet(n)) => run.cluster().nodes.get(n as usize).is_some_and(|k| k.name == *node),
        _ => false,
    };
    // A slow link neither stops the process nor lets it go on.
    is_it && row.interrupts && !matches!(fault, Fault::SlowLink { .. })
}
