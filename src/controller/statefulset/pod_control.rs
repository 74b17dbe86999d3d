//! Creates, deletes and mends single pods of a StatefulSet and their claims, and records the events about it. Counterpart:
//! `pkg/controller/statefulset/stateful_pod_control.go`.

use super::claims;
use super::control::Control;
use super::pods;
use crate::api::kind::Kind;
use crate::api::kind::pod::PodSpec;
use crate::api::kind::statefulset::StatefulSet;
use crate::api::object::Object;
use crate::api::request::{Request, Response};
use crate::api::status::{Reason, Status};
use crate::client::EventDraft;
use crate::controller::halt::Halt;
use crate::controller::{Action, Mode};
use std::sync::Arc;

impl Control<'_, '_, '_> {
    fn pod_event(&mut self, verb: &str, reasons: [&'static str; 2], pod: &str, failure: Option<&Status>) {
        let set = &self.object.meta.name;
        let about = format!("{verb} Pod {pod} in StatefulSet {set}");
        self.turn.event(match failure {
            None => EventDraft::normal(self.object, reasons[0], format!("{about} successful")),
            Some(status) => EventDraft::warning(self.object, reasons[1], format!("{about} failed error: {}", status.message)),
        });
    }
    fn created(&mut self, pod: &str, answer: &Response) -> Result<(), Halt> {
        let refusal = answer.refusal();
        if refusal.is_none_or(|status| status.reason != Reason::AlreadyExists) {
            self.pod_event("Create", ["SuccessfulCreate", "FailedCreate"], pod, refusal);
        }
        refusal.map_or(Ok(()), |status| Err(status.into()))
    }
    fn deleted(&mut self, pod: &str, answer: &Response) -> Result<(), Halt> {
        let refusal = answer.refusal().filter(|status| status.reason != Reason::NotFound);
        self.pod_event("Delete", ["SuccessfulDelete", "FailedDelete"], pod, refusal);
        refusal.map_or(Ok(()), |status| Err(status.into()))
    }
    pub(super) fn create_pod(&mut self, pod: &Object) -> Result<(), Halt> {
        let answer = self.turn.request(Request::create(pod.clone()))?;
        self.update_claim_owners(pod, self.set)?;
        self.created(&pod.meta.name, answer)
    }
    pub(super) fn create_pods(&mut self, pods: &[&Object]) -> Result<(), Halt> {
        let actions = pods.iter().map(|pod| Action::new(Request::create((*pod).clone()))).collect();
        let answers = self.turn.all(actions, Mode::SlowStart)?;
        let mut done = Ok(());
        for (pod, answer) in pods.iter().zip(answers) {
            done = answer.as_ref().map_or(Ok(()), |answer| self.created(&pod.meta.name, answer)).and(done);
        }
        done
    }
    pub(super) fn delete_pod(&mut self, pod: &Object) -> Result<(), Halt> {
        let answer = self.turn.request(Request::delete(Kind::POD, &pod.meta.namespace, &pod.meta.name))?;
        self.deleted(&pod.meta.name, answer)
    }
    pub(super) fn delete_pods(&mut self, pods: &[&Object]) -> Result<(), Halt> {
        let delete = |pod: &&Object| Action::new(Request::delete(Kind::POD, &pod.meta.namespace, &pod.meta.name));
        let answers = self.turn.all(pods.iter().map(delete).collect(), Mode::SlowStart)?;
        let mut done = Ok(());
        for (pod, answer) in pods.iter().zip(answers) {
            done = answer.as_ref().map_or(Ok(()), |answer| self.deleted(&pod.meta.name, answer)).and(done);
        }
        done
    }
    /// Restores the name, the label and the volumes that a pod should have, and the owners that its claims should have. Counterpart: `UpdateStatefulPod`.
    pub(super) fn keep_invariants(&mut self, pod: &Object) -> Result<(), Halt> {
        let (same_identity, same_storage) = (pods::identity_matches(self.object, pod), pods::storage_matches(self.object, self.set, pod));
        if same_identity && same_storage && self.claims_up_to_date(pod) {
            return Ok(());
        }
        let Some(ordinal) = pods::ordinal(pod) else { return Ok(()) };
        let mut changed = pod.clone();
        if !same_identity {
            pods::set_identity(self.object, &mut changed.meta, ordinal);
        }
        if !same_storage {
            if let Some(body) = changed.pod_mut() {
                let mut spec = body.spec.raw.clone();
                pods::add_volumes(self.object, self.set, &mut spec, ordinal);
                body.spec = Arc::new(PodSpec::from(spec));
            }
            self.create_claims(pod, "update")?;
        }
        self.update_claim_owners(pod, self.set)?;
        let answer = self.turn.request(Request::update(changed))?;
        self.pod_event("Update", ["SuccessfulUpdate", "FailedUpdate"], &pod.meta.name, answer.refusal());
        answer.refusal().map_or(Ok(()), |status| Err(status.into()))
    }
}

/// The part of a pass that handles the claims of pods.
impl<'s> Control<'s, '_, '_> {
    fn claim_kind(&self) -> Option<Kind> {
        self.seen.kinds.all().find(|kind| claims::is_claim(*kind))
    }
    fn cached_claim(&self, name: &str) -> Option<&'s Arc<Object>> {
        self.seen.related.iter().find(|o| claims::is_claim(o.kind()) && o.meta.name == name)
    }
    /// Returns the cached claims of a pod.
    fn claims_of(&self, pod: &Object) -> Vec<&'s Arc<Object>> {
        let Some(ordinal) = pods::ordinal(pod) else { return Vec::new() };
        let names = self.set.spec.volume_claim_templates.iter().map(|t| claims::claim_name(self.object, t, ordinal));
        names.filter_map(|name| self.cached_claim(&name)).collect()
    }
    pub(super) fn has_stale_claim(&self, pod: &Object) -> bool {
        claims::deletes_when_scaled(self.set) && self.claims_of(pod).iter().any(|claim| claims::has_stale_owner(claim, pod))
    }
    fn claims_up_to_date(&self, pod: &Object) -> bool {
        self.claims_of(pod).iter().all(|claim| claims::is_up_to_date(claim, self.object, self.set, pod))
    }
    pub(super) fn fix_claims(&mut self, pod: &Object) -> Result<(), Halt> {
        if self.claims_up_to_date(pod) { Ok(()) } else { self.update_claim_owners(pod, self.set) }
    }
    pub(super) fn create_missing_claims(&mut self, pod: &Object) -> Result<(), Halt> {
        self.create_claims(pod, "")?;
        self.update_claim_owners(pod, self.set)
    }
    /// Creates those claims of a pod that the cache does not have. `verb` says what is done to the pod (`create`), for the event about a failure. Counterpart:
    /// `createPersistentVolumeClaims`.
    pub(super) fn create_claims(&mut self, pod: &Object, verb: &str) -> Result<(), Halt> {
        let (Some(kind), Some(ordinal)) = (self.claim_kind(), pods::ordinal(pod)) else { return Ok(()) };
        let mut failures = Vec::new();
        for template in &self.set.spec.volume_claim_templates {
            let name = claims::claim_name(self.object, template, ordinal);
            match self.cached_claim(&name) {
                Some(claim) if claim.meta.is_deleting() => failures.push(format!("pvc {name} is being deleted")),
                Some(_) => {}
                None => {
                    let request = claims::create(kind, self.object, self.set, template, ordinal);
                    let refusal = self.turn.request(request)?.refusal();
                    failures.extend(refusal.map(|status| format!("failed to create PVC {name}: {}", status.message)));
                    self.claim_event(&name, &pod.meta.name, refusal);
                }
            }
        }
        if failures.is_empty() {
            return Ok(());
        }
        let text = if failures.len() == 1 { failures.remove(0) } else { format!("[{}]", failures.join(", ")) };
        let status = Status::new(Reason::InternalError, text);
        match verb {
            "create" => self.pod_event("Create", ["", "FailedCreate"], &pod.meta.name, Some(&status)),
            "update" => self.pod_event("Update", ["", "FailedUpdate"], &pod.meta.name, Some(&status)),
            _ => {}
        }
        Err(Halt::Failed(status))
    }
    fn claim_event(&mut self, claim: &str, pod: &str, refusal: Option<&Status>) {
        let set = &self.object.meta.name;
        let draft = match refusal {
            None => {
                EventDraft::normal(self.object, "SuccessfulCreate", format!("Create Claim {claim} Pod {pod} in StatefulSet {set} success"))
            }
            Some(status) if status.reason == Reason::AlreadyExists => return,
            Some(status) => {
                let text = format!("Create Claim {claim} for Pod {pod} in StatefulSet {set} failed error: {}", status.message);
                EventDraft::warning(self.object, "FailedCreate", text)
            }
        };
        self.turn.event(draft);
    }
    /// Gives a pod's claims the owners that the retention policy asks for. Counterpart: `UpdatePodClaimForRetentionPolicy`.
    fn update_claim_owners(&mut self, pod: &Object, set: &StatefulSet) -> Result<(), Halt> {
        for claim in self.claims_of(pod) {
            if claims::has_unexpected_controller(claim, self.object, set, pod) {
                let text = format!(
                    "PersistentVolumeClaim {} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim",
                    claim.meta.name
                );
                self.turn.event(EventDraft::warning(self.object, "ConflictingController", text));
            }
            if !claims::is_up_to_date(claim, self.object, set, pod) {
                let changed = claims::with_owners(claim, self.object, set, pod);
                if let Some(status) = self.turn.request(Request::update(changed))?.refusal() {
                    let text = format!("could not update claim {} for delete policy ownerRefs: {}", claim.meta.name, status.message);
                    let status = Status::new(status.reason, text);
                    self.pod_event("Update", ["", "FailedUpdate"], &pod.meta.name, Some(&status));
                    return Err(Halt::Failed(status));
                }
            }
        }
        Ok(())
    }
}
