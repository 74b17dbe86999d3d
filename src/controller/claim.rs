//! Adoption and release: an owner takes in what its selector matches and nobody owns, and lets go of what it no longer matches.
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

/// One owner's claim on objects.
#[derive(Debug)]
pub struct Claim<'a> {
    owner: &'a Object,
    selector: &'a LabelSelector,
    /// Labels known to match, which most objects share with the template.
    template: &'a StrMap,
    /// What the check before the first adoption found; it is made once per pass.
    may_adopt: Option<Result<(), String>>,
}

impl<'a> Claim<'a> {
    /// The claim of an owner; its template's labels always match its selector.
    pub fn new(owner: &'a Object, selector: &'a LabelSelector, template: &'a StrMap) -> Claim<'a> {
        Claim { owner, selector, template, may_adopt: None }
    }
    /// The candidates that are the owner's, after adopting and releasing. A refusal does not keep the others from being claimed, but ends the pass.
    pub fn settle<'o>(mut self, candidates: impl Iterator<Item = &'o Arc<Object>>, turn: &mut Turn) -> Result<Vec<&'o Arc<Object>>, Halt> {
        let mut claimed = Vec::new();
        let mut failures: Vec<String> = Vec::new();
        for object in candidates {
            match self.one(object, turn)? {
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
    fn matches(&self, labels: &StrMap) -> bool {
        labels.same(self.template) || self.selector.matches(labels)
    }
    fn one(&mut self, object: &Object, turn: &mut Turn) -> Result<Result<bool, String>, Halt> {
        let matches = self.matches(&object.meta.labels);
        match object.meta.controller() {
            Some(owner) if owner.uid != self.owner.meta.uid => Ok(Ok(false)),
            Some(_) if matches => Ok(Ok(true)),
            Some(_) if self.owner.meta.is_deleting() => Ok(Ok(false)),
            Some(_) => self.release(object, turn),
            None if self.owner.meta.is_deleting() || !matches || object.meta.is_deleting() => Ok(Ok(false)),
            None => self.adopt(object, turn),
        }
    }
    /// The cache may be old: before anything is adopted, the server itself is asked whether the owner is still there.
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
        let answer = turn.request(patch_owners(object, reference))?;
        Ok(match answer.refusal() {
            None => Ok(true),
            Some(status) if status.reason == Reason::NotFound => Ok(false),
            Some(status) => Err(status.message.clone()),
        })
    }
    fn release(&mut self, object: &Object, turn: &mut Turn) -> Result<Result<bool, String>, Halt> {
        let reference = map! { "$patch" => "delete", "uid" => self.owner.meta.uid.text() };
        let answer = turn.request(patch_owners(object, reference.into()))?;
        Ok(match answer.refusal() {
            // Gone, or no longer the same object or no longer owned: either way it is not ours any more.
            Some(status) if !matches!(status.reason, Reason::NotFound | Reason::Invalid) => Err(status.message.clone()),
            _ => Ok(false),
        })
    }
}

/// The uid in the patch makes it fail on another object of the same name.
fn patch_owners(object: &Object, reference: Value) -> Request {
    let mut metadata = Map::new();
    metadata.insert("ownerReferences", vec![reference]);
    metadata.insert("uid", object.meta.uid.text());
    Request::patch(object.kind(), &object.meta.namespace, &object.meta.name, PatchType::Strategic, map! { "metadata" => metadata })
}
