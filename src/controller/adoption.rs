//! Adoption and release: an owner adopts orphans that its selector matches, and releases objects that it no longer matches.
//! Counterpart: `pkg/controller/controller_ref_manager.go`.

use super::Turn;
use super::halt::{self, Halt};
use crate::api::kind::template::LabelSelector;
use crate::api::meta::StrMap;
use crate::api::object::Object;
use crate::api::request::{PatchType, Request, Verb};
use crate::api::status::Reason;
use crate::api::value::{Map, Value};
use crate::map;
use std::sync::Arc;

/// Claims objects for one owner. Counterpart: `BaseControllerRefManager`.
pub struct Claim<'a> {
    owner: &'a Object,
    selector: &'a LabelSelector,
    /// Returns whether an object (second argument) that the selector matches may belong to the owner (first argument).
    filter: fn(&Object, &Object) -> bool,
    /// The labels of the owner's pod template. They match the selector and most objects carry exactly these, so they are compared first.
    template: &'a StrMap,
    /// A finalizer that objects get when they are adopted, and lose when they are released.
    finalizer: Option<&'static str>,
    /// The result of `check`, which runs once per pass, before the first adoption; `None` until then.
    may_adopt: Option<Result<(), String>>,
}

impl<'a> Claim<'a> {
    /// Creates a claim. `template` holds the labels of the owner's pod template, which always match `selector`.
    pub fn new(owner: &'a Object, selector: &'a LabelSelector, template: &'a StrMap) -> Claim<'a> {
        Claim { owner, selector, filter: |_, _| true, template, finalizer: None, may_adopt: None }
    }
    /// Restricts the claim to objects for which `filter(owner, object)` is true.
    pub fn only(mut self, filter: fn(&Object, &Object) -> bool) -> Claim<'a> {
        self.filter = filter;
        self
    }
    /// Adopts objects without an owner. The first refusal fails the pass.
    pub fn adopt_all<'o>(mut self, orphans: impl Iterator<Item = &'o Arc<Object>>, turn: &mut Turn) -> Result<(), Halt> {
        for object in orphans {
            self.adopt(object, turn)?.map_err(Halt::failed)?;
        }
        Ok(())
    }
    /// Makes the claim add this finalizer to objects that it adopts, and remove it from those that it releases.
    pub fn with_finalizer(self, finalizer: &'static str) -> Claim<'a> {
        Claim { finalizer: Some(finalizer), ..self }
    }
    /// Adopts and releases candidates, and returns those that belong to the owner. A refused request does not keep the other candidates from being claimed, but
    /// fails the pass in the end.
    pub fn claim_all<'o>(
        mut self,
        candidates: impl Iterator<Item = &'o Arc<Object>>,
        turn: &mut Turn,
    ) -> Result<Vec<&'o Arc<Object>>, Halt> {
        let mut claimed = Vec::new();
        let mut failures: Vec<String> = Vec::new();
        for object in candidates {
            match self.claim_object(object, turn)? {
                Ok(true) => claimed.push(object),
                Ok(false) => {}
                Err(failure) => failures.push(failure),
            }
        }
        match failures.len() {
            0 => Ok(claimed),
            1 => Err(Halt::failed(failures.remove(0))),
            _ => Err(Halt::failed(format!("[{}]", failures.join(", ")))),
        }
    }
    fn matches(&self, object: &Object) -> bool {
        let labels = &object.meta.labels;
        (labels.quick_eq(self.template) || self.selector.matches(labels)) && (self.filter)(self.owner, object)
    }
    fn claim_object(&mut self, object: &Object, turn: &mut Turn) -> Result<Result<bool, String>, Halt> {
        let matches = self.matches(object);
        match object.meta.controller() {
            Some(owner) if owner.uid != self.owner.meta.uid => Ok(Ok(false)),
            Some(_) if matches => Ok(Ok(true)),
            Some(_) if self.owner.meta.is_deleting() => Ok(Ok(false)),
            Some(_) => self.release(object, turn),
            None if self.owner.meta.is_deleting() || !matches || object.meta.is_deleting() => Ok(Ok(false)),
            None => self.adopt(object, turn),
        }
    }
    /// Asks the API server whether the owner still exists and is not being deleted, because the cache may be out of date. Counterpart:
    /// `RecheckDeletionTimestamp`.
    fn check(&mut self, turn: &mut Turn) -> Result<Result<(), String>, Halt> {
        if let Some(known) = &self.may_adopt {
            return Ok(known.clone());
        }
        let owner = &self.owner.meta;
        let answer = turn.request(Request::new(Verb::Get, self.owner.kind(), owner.namespace.clone(), owner.name.clone()))?;
        let found = match halt::object(answer) {
            Err(Halt::Failed(status)) => Err(status.message.clone()),
            Err(Halt::Pending) => return Err(Halt::Pending),
            Ok(fresh) if fresh.meta.uid != owner.uid => {
                let kind = self.owner.kind().row().name;
                Err(format!("original {kind} {} is gone: got uid {}, wanted {}", owner.key(), fresh.meta.uid, owner.uid))
            }
            Ok(fresh) => match fresh.meta.deletion {
                Some(deletion) => Err(format!("{} has just been deleted at {}", owner.key(), deletion.at)),
                None => Ok(()),
            },
        };
        self.may_adopt = Some(found.clone());
        Ok(found)
    }
    fn adopt(&mut self, object: &Object, turn: &mut Turn) -> Result<Result<bool, String>, Halt> {
        if let Err(why) = self.check(turn)? {
            return Ok(Err(format!("can't adopt {} {} ({}): {why}", object.kind().row().name, object.key(), object.meta.uid)));
        }
        let reference = self.owner.controller_ref().to_value();
        let answer = turn.request(patch_owners(object, reference, self.finalizer))?;
        Ok(match answer.refusal() {
            None => Ok(true),
            Some(status) if status.reason == Reason::NotFound => Ok(false),
            Some(status) => Err(status.message.clone()),
        })
    }
    fn release(&mut self, object: &Object, turn: &mut Turn) -> Result<Result<bool, String>, Halt> {
        let reference = map! { "$patch" => "delete", "uid" => self.owner.meta.uid.text() };
        let answer = turn.request(patch_owners(object, reference.into(), self.finalizer))?;
        Ok(match answer.refusal() {
            // NotFound: the object is gone. Invalid: it was replaced or has no owner. Either way the owner no longer controls it.
            Some(status) if !matches!(status.reason, Reason::NotFound | Reason::Invalid) => Err(status.message.clone()),
            _ => Ok(false),
        })
    }
}

/// Returns a patch of an object's `ownerReferences`. It contains the object's uid, so the API server refuses it if another object has the same name by then.
fn patch_owners(object: &Object, reference: Value, finalizer: Option<&str>) -> Request {
    let releases = reference.get("$patch").is_some();
    let mut metadata = Map::new();
    metadata.insert("ownerReferences", vec![reference]);
    metadata.insert("uid", object.meta.uid.text());
    if let Some(finalizer) = finalizer {
        let key = if releases { "$deleteFromPrimitiveList/finalizers" } else { "finalizers" };
        metadata.insert(key, vec![finalizer.into()]);
    }
    Request::patch(object.kind(), &object.meta.namespace, &object.meta.name, PatchType::Strategic, map! { "metadata" => metadata })
}
