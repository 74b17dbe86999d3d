//! The log of the store: every revision with its key and writer, the differences between revisions, and the refused writes, which were never stored.

use super::clock;
use super::notes::writes::Wrote;
use super::object::fields::{changes, summary};
use super::object::who;
use super::run::Run;
use super::selection::{Selection, Subject};
use crate::api::diff::{self, Line};
use crate::api::kind::Kind;
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::value::{Map, Value};
use crate::api::watch::WatchType;
use crate::api::yaml;
use crate::store::Change;
use std::rc::Rc;

/// A person's choices for the store's log.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoreSelection {
    /// A text that key, writer or verb of the listed revisions contains; empty for all revisions.
    pub text: String,
    /// The kind of the objects whose revisions are listed; `None` for all kinds.
    pub kind: Option<Kind>,
    /// Set if heartbeats (changes of Leases) are listed too.
    pub leases: bool,
    /// The revision to compare the open one with; `None` means the one before it.
    pub base: Option<u64>,
}

/// The store's log, as the page shows it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoreView {
    /// The revision of the store at the selected moment.
    pub revision: u64,
    /// The oldest revision that can still be watched from.
    pub compacted: u64,
    /// The number of keys of each kind that has any: `1 deployment`.
    pub kinds: Vec<String>,
    /// The listed revisions, newest first.
    pub rows: Vec<Rc<Revision>>,
    /// The revision that is open, as its differences from an earlier one.
    pub open: Option<Rc<Diff>>,
    /// Writes that were refused, newest first.
    pub refused: Vec<Refusal>,
    /// The number of forks and the person's choices when `rows` was made; while both are the same, `rows` is reused.
    stamp: (u32, StoreSelection),
}

/// One revision of the store: a write of one object.
#[derive(Clone, Debug, PartialEq)]
pub struct Revision {
    /// The number of the revision.
    pub number: u64,
    /// The number of forks of the run before this revision. After going back in time, a revision number can be assigned again.
    fork: u32,
    /// The object that was written.
    pub subject: Subject,
    /// The key of the object in the store.
    pub key: String,
    /// The time of the write, as text.
    pub at: String,
    /// The name of the writer.
    pub who: String,
    /// The verb of the request that wrote the object.
    pub verb: String,
    /// The effect of the write on the object: `new`, `changed`, `gone`.
    pub became: &'static str,
    /// A summary of the fields that the write changed.
    pub change: String,
    /// The number of fields that the write changed.
    pub fields: usize,
}

/// The differences between two revisions of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Diff {
    /// The older revision; 0 if the object was new.
    pub from: u64,
    /// The newer revision.
    pub to: u64,
    fork: u32,
    /// The object whose revisions are compared.
    pub subject: Subject,
    /// The title of the comparison: `from revision 12 to 15`.
    pub title: String,
    /// The lines of both revisions around each difference.
    pub lines: Vec<DiffLine>,
}

/// A line of a diff.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffLine {
    /// The sign of the line: `+`, `-`, a blank, or `…` where equal lines are left out.
    pub sign: &'static str,
    /// The text of the line.
    pub text: String,
}

/// A write that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The time of the request, as text.
    pub at: String,
    /// The process that sent the request.
    pub who: String,
    /// The verb of the request, and its object.
    pub asked: String,
    /// The HTTP status code of the answer.
    pub code: u16,
    /// The API server's message about the refusal.
    pub message: String,
}

/// The greatest number of revisions that are listed.
const ROWS_SHOWN: usize = 100;
/// The greatest number of revisions that are searched for rows.
const LOOKED_THROUGH: usize = 5_000;
/// The greatest number of refused writes that are listed.
const REFUSED_SHOWN: usize = 5;
/// The number of equal lines that are shown around a change.
const CONTEXT: usize = 3;

/// Returns the store's log at the selected moment, reusing parts of the last view.
pub fn store_log(run: &Run, selection: &Selection, last: &StoreView) -> StoreView {
    let store = &run.cluster().api.store;
    let stamp = (run.forks, selection.store.clone());
    let known = last.revision == store.revision() && last.stamp == stamp;
    let kinds = run.cluster().api.kinds.all().map(|kind| (kind.row(), store.count(kind))).filter(|(_, count)| *count > 0);
    StoreView {
        revision: store.revision(),
        compacted: store.compacted(),
        kinds: kinds.map(|(row, count)| clock::count(count, row.singular, row.plural)).collect(),
        rows: if known { last.rows.clone() } else { rows(run, &selection.store, last) },
        stamp,
        open: selection.revision.and_then(|revision| opened(run, revision, selection.store.base, last.open.as_ref())),
        refused: run
            .notes()
            .writes
            .refused()
            .take(REFUSED_SHOWN)
            .map(|refused| {
                let name = &refused.request.name;
                let kind = refused.request.kind.row().singular;
                Refusal {
                    at: clock::moment(refused.at - run.start),
                    who: who::process(refused.by, run.cluster()),
                    asked: format!("{} {kind} {name}", who::asked(&refused.request)).trim_end().to_owned(),
                    code: refused.code,
                    message: refused.message.clone(),
                }
            })
            .collect(),
    }
}

fn rows(run: &Run, wanted: &StoreSelection, last: &StoreView) -> Vec<Rc<Revision>> {
    let text = wanted.text.to_ascii_lowercase();
    let fits =
        |row: &Revision| text.is_empty() || [&row.key, &row.who, &row.verb].iter().any(|part| part.to_ascii_lowercase().contains(&text));
    let leases = if wanted.leases && wanted.kind.is_none_or(|kind| kind.row().is_heartbeat) { heartbeats(run) } else { Vec::new() };
    let mut leases = leases.into_iter().peekable();
    let mut rows = Vec::new();
    let newest = run.notes().writes.newest().take(LOOKED_THROUGH).filter(|w| wanted.kind.is_none_or(|kind| w.object.kind() == kind));
    for wrote in newest {
        while let Some(lease) = leases.next_if(|lease| lease.number > wrote.revision) {
            rows.extend(fits(&lease).then(|| Rc::new(lease)));
        }
        rows.extend(row(wrote, run, &last.rows, fits));
        if rows.len() >= ROWS_SHOWN {
            break;
        }
    }
    rows.extend(leases.filter(fits).map(Rc::new));
    rows.truncate(ROWS_SHOWN);
    rows
}

/// Returns the row of a write; `None` if `wanted` rejects the row. A row that `last` already contains is returned as the same pointer.
pub fn row(wrote: &Wrote, run: &Run, last: &[Rc<Revision>], wanted: impl Fn(&Revision) -> bool) -> Option<Rc<Revision>> {
    if let Some(known) = last.iter().find(|row| row.number == wrote.revision && row.fork == run.forks) {
        return wanted(known).then(|| known.clone());
    }
    let mut row = bare(wrote.revision, wrote.type_, &wrote.object, run);
    row.at = clock::moment(wrote.at - run.start);
    row.who = who::writer(wrote, run.cluster());
    row.verb = who::verb(wrote);
    if !wanted(&row) {
        return None;
    }
    if let (Some(old), WatchType::Modified) = (&wrote.old, wrote.type_) {
        let changed = changes(&old.to_map(), &wrote.object.to_map());
        row.fields = changed.len();
        row.change = summary(&changed);
    }
    Some(Rc::new(row))
}

fn bare(number: u64, type_: WatchType, object: &Object, run: &Run) -> Revision {
    Revision {
        number,
        fork: run.forks,
        subject: Subject { kind: object.kind(), key: object.key() },
        key: key_of(object),
        at: String::new(),
        who: String::new(),
        verb: String::new(),
        became: match type_ {
            WatchType::Added => "new",
            WatchType::Deleted => "gone",
            _ => "changed",
        },
        change: String::new(),
        fields: 0,
    }
}

/// Returns the changes of Leases, newest first, from the store's own log, because the notes leave them out.
fn heartbeats(run: &Run) -> Vec<Revision> {
    let store = &run.cluster().api.store;
    let from = store.revision().saturating_sub(LOOKED_THROUGH as u64).max(store.compacted());
    let lease = |change: &&Change| change.object.kind().row().is_heartbeat;
    let mut found: Vec<&Change> = store.changes_since(from).into_iter().flatten().filter(lease).collect();
    found.order_by_key(|change| u64::MAX - change.revision);
    let row = |change: &&Change| {
        let mut row = bare(change.revision, change.type_, &change.object, run);
        row.at = clock::moment(change.at - run.start);
        row.who = who::holder(&change.object);
        row.verb = "update".to_owned();
        row.change = "a heartbeat".to_owned();
        row.fields = 1;
        row
    };
    found.iter().take(ROWS_SHOWN).map(row).collect()
}

/// Returns the key under which the real API server keeps an object in etcd.
pub fn key_of(object: &Object) -> String {
    let row = object.kind().row();
    let folder = if row.etcd_folder.is_empty() { row.plural } else { row.etcd_folder };
    format!("/registry/{folder}/{}", object.key())
}

/// Returns the changes that a revision made to its object, or the differences between it and the object's revision `base`.
pub fn opened(run: &Run, revision: u64, base: Option<u64>, last: Option<&Rc<Diff>>) -> Option<Rc<Diff>> {
    let writes = &run.notes().writes;
    let leased = || {
        let store = &run.cluster().api.store;
        let mut since = store.changes_since(revision.saturating_sub(1).max(store.compacted())).ok()?;
        since.next().filter(|change| change.revision == revision).map(|change| (change.old.clone(), change.object.clone(), change.type_))
    };
    let found = writes.get(revision).map(|wrote| (wrote.old.clone(), wrote.object.clone(), wrote.type_));
    let (mut old, mut object, mut type_) = found.or_else(leased)?;
    let subject = Subject { kind: object.kind(), key: object.key() };
    let mut to = revision;
    if let Some(other) = base.and_then(|b| writes.get(b)).filter(|o| o.object.kind() == subject.kind && o.object.key() == subject.key) {
        // The older of the two revisions comes first, whichever was chosen first.
        if other.revision < revision {
            old = Some(other.object.clone());
        } else {
            (old, object, type_, to) = (Some(object), other.object.clone(), other.type_, other.revision);
        }
    }
    let from = old.as_ref().map_or(0, |o| o.meta.resource_version);
    if let Some(known) = last.filter(|d| (d.from, d.to, d.fork) == (from, to, run.forks) && d.subject == subject) {
        return Some(known.clone());
    }
    let gone = type_ == WatchType::Deleted;
    let title = match (from, gone) {
        (0, _) => format!("new at revision {to}"),
        (_, true) => format!("gone at revision {to}; its last state was revision {from}"),
        _ => format!("from revision {from} to {to}"),
    };
    // The title already names the resource versions.
    let text = |o: &Object| {
        let mut tree = o.to_map();
        tree.map_mut("metadata").remove("resourceVersion");
        yaml::emit(&Value::Map(tree))
    };
    let after = if gone { String::new() } else { text(&object) };
    Some(Rc::new(Diff { from, to, fork: run.forks, subject, title, lines: diff_lines(&old.map(|o| text(&o)).unwrap_or_default(), &after) }))
}

/// Returns the differences between two texts, with a few lines around each change.
pub fn diff_lines(old: &str, new: &str) -> Vec<DiffLine> {
    let all = diff::lines(old, new);
    let is_near = |i: usize| {
        let around = all.get(i.saturating_sub(CONTEXT)..(i + CONTEXT + 1).min(all.len())).unwrap_or_default();
        around.iter().any(|line| !matches!(line, Line::Same(_)))
    };
    let mut out: Vec<DiffLine> = Vec::new();
    for (i, line) in all.iter().enumerate() {
        let (sign, text) = match line {
            Line::Same(text) => (" ", text),
            Line::New(text) => ("+", text),
            Line::Gone(text) => ("-", text),
        };
        if sign != " " || is_near(i) {
            out.push(DiffLine { sign, text: text.trim_end_matches('\n').to_owned() });
        } else if out.last().is_none_or(|last| last.sign != "…") {
            out.push(DiffLine { sign: "…", text: String::new() });
        }
    }
    out
}

/// Returns an object as kubectl prints it, in parts of name and text: each map or list at the top by itself, adjacent one-line values together without a name.
pub fn parts(tree: &Map) -> Vec<(String, String)> {
    let mut out: Vec<(String, String)> = Vec::new();
    for (key, value) in tree.iter() {
        let mut one = Map::new();
        one.insert(key.clone(), value.clone());
        let text = yaml::emit(&Value::Map(one));
        let large = matches!(value, Value::Map(_) | Value::List(_));
        match out.last_mut().filter(|(name, _)| !large && name.is_empty()) {
            Some((_, so_far)) => so_far.push_str(&text),
            None => out.push((if large { key.to_string() } else { String::new() }, text)),
        }
    }
    out
}
