//! Deletes objects: grace periods, finalizers, preconditions, propagation. Counterpart: `rest.BeforeDelete` and the generic registry store.

use super::read::selection;
use super::{ApiServer, Outcome, Stage, Work};
use crate::api::kind::Generation;
use crate::api::meta::{Deletion, Uid};
use crate::api::object::Object;
use crate::api::request::{Answer, Listing, Propagation};
use crate::api::status::Status;
use crate::api::time::Span;
use arcstr::ArcStr;
use std::sync::Arc;

/// The finalizer that delays the deletion of an owner until its dependents no longer refer to it.
pub const ORPHAN: &str = "orphan";
/// The finalizer that delays the deletion of an owner until its dependents are gone.
pub const FOREGROUND: &str = "foregroundDeletion";

impl ApiServer {
    pub(super) fn delete(&mut self, work: &mut Work) -> Outcome {
        let object = self.current(work.request)?;
        self.check_preconditions(work, &object)?;
        if let Some(why) = (object.kind().row().undeletable)(&object) {
            return Err(Status::forbidden(object.kind(), &object.meta.name, why));
        }
        self.delete_object(work, &object)
    }
    pub(super) fn delete_collection(&mut self, work: &mut Work) -> Outcome {
        let selection = selection(work.request)?;
        let all = self.store.range(work.request.kind, &work.request.namespace, None);
        let items: Vec<Arc<Object>> = all.filter(|o| selection.matches(o)).cloned().collect();
        for object in &items {
            self.delete_object(work, object)?;
        }
        Ok(Answer::List(Box::new(Listing { items, revision: self.store.revision(), ..Listing::default() })))
    }
    pub(super) fn check_preconditions(&self, work: &mut Work, object: &Object) -> Result<(), Status> {
        work.stage = Stage::Conflict;
        let (row, options) = (object.kind().row(), work.options);
        let same = options.uid.is_none_or(|uid| uid == object.meta.uid)
            && options.resource_version.is_none_or(|version| version == object.meta.resource_version);
        if same && options.preconditions == [None, None] {
            return Ok(());
        }
        let refuse = |why: String| {
            let mut status = Status::conflict(object.kind(), &object.meta.name, &why);
            status.message = format!("Operation cannot be fulfilled on {} \"{}\": {why}", row.name, object.meta.name);
            Err(status)
        };
        let (uid, version) = (object.meta.uid.text(), object.meta.resource_version.to_string());
        let [wanted_uid, wanted_version] = &work.options.preconditions;
        let wanted_uid = wanted_uid.clone().or_else(|| work.options.uid.map(Uid::text));
        if let Some(wanted) = wanted_uid.filter(|wanted| *wanted != uid) {
            return refuse(format!(
                "the UID in the precondition ({wanted}) does not match the UID in record ({uid}). The object might have been deleted and then recreated"
            ));
        }
        let wanted_version = wanted_version.clone().or_else(|| work.options.resource_version.map(|v| v.to_string()));
        match wanted_version.filter(|wanted| *wanted != version) {
            Some(wanted) => refuse(format!(
                "the ResourceVersion in the precondition ({wanted}) does not match the ResourceVersion in record ({version}). The object might have been modified"
            )),
            None => Ok(()),
        }
    }
    /// Returns the propagation policy for the dependents of a deleted object. A few old kinds orphan them if the request names no policy, with a warning.
    fn propagation(&self, work: &mut Work, object: &Object) -> Option<Propagation> {
        let Some(warning) = object.kind().row().orphans_by_default.filter(|_| work.options.propagation.is_none()) else {
            return work.options.propagation;
        };
        if !work.warnings.iter().any(|w| w == warning) {
            work.warnings.push(warning.to_owned());
        }
        let has = |name: &str| object.meta.finalizers().iter().any(|f| f == name);
        if has(ORPHAN) || has(FOREGROUND) { None } else { Some(Propagation::Orphan) }
    }
    pub(super) fn delete_object(&mut self, work: &mut Work, object: &Arc<Object>) -> Outcome {
        let row = object.kind().row();
        let grace = (row.grace_seconds)(object, work.options.grace_seconds);
        let propagation = self.propagation(work, object);
        let finalizers = finalizers_for(object, propagation);
        let held = !finalizers.is_empty() || (row.has_other_finalizers)(object);
        let at_once = grace == 0 && !held;
        if at_once && (!row.marked_before_removal || work.options.dry_run) {
            return self.erase(work, object);
        }
        let mut new = (**object).clone();
        let already = object.meta.deletion;
        let shortened = already.is_none_or(|d| grace < d.grace_seconds);
        if shortened {
            let at = already.map_or(work.now, |d| d.at.min(work.now));
            new.meta.deletion = Some(Deletion { at: (at + Span::secs(grace)).whole_second(), grace_seconds: grace });
        }
        if already.is_none() && row.generation != Generation::Absent {
            new.meta.generation += 1;
        }
        if finalizers != object.meta.finalizers() {
            new.meta.finalizers = (!finalizers.is_empty()).then(|| finalizers.into());
        }
        (row.begin_deletion)(&mut new);
        let answer =
            if new == **object { Answer::Object { object: object.clone(), created: false } } else { self.write(work, new, false)? };
        match answer {
            Answer::Object { object, .. } if at_once => self.erase(work, &object),
            answer => Ok(answer),
        }
    }
}

/// Returns the finalizers of an object once its deletion has begun.
fn finalizers_for(object: &Object, propagation: Option<Propagation>) -> Vec<ArcStr> {
    let mut all: Vec<ArcStr> = object.meta.finalizers().to_vec();
    let (add, drop): (Option<&str>, &[&str]) = match propagation {
        None => (None, &[]),
        Some(Propagation::Background) => (None, &[ORPHAN, FOREGROUND]),
        Some(Propagation::Foreground) => (Some(FOREGROUND), &[ORPHAN]),
        Some(Propagation::Orphan) => (Some(ORPHAN), &[FOREGROUND]),
    };
    all.retain(|f| !drop.contains(&f.as_str()));
    if let Some(add) = add
        && !all.iter().any(|f| f == add)
    {
        all.push(add.into());
    }
    all
}
