//! Kinds and controllers that a person adds to a cluster while it runs. Counterparts: CustomResourceDefinitions, and operators.
//!
//! Simplified: a controller that is added runs inside the controller managers, not in a pod of its own.

use super::cluster::Cluster;
use super::manager::ControllerState;
use super::step::Process;
use crate::api::kind::{Kind, KindDefinition, Kinds};
use crate::api::object::Object;
use crate::client::Change;
use crate::controller::Controller;
use std::sync::Arc;

/// A kind or a controller that is added to a cluster while it runs.
#[derive(Clone, Debug)]
pub enum Extension {
    /// A kind, which the API server serves from the moment it is added.
    Kind(Arc<KindDefinition>),
    /// A controller, which every controller manager runs from the moment it is added.
    Controller(Arc<dyn Controller>),
}

impl Extension {
    /// Returns a title such as `add kind Backup`, for the timeline.
    pub fn title(&self) -> String {
        match self {
            Extension::Kind(definition) => format!("add kind {}", definition.name),
            Extension::Controller(controller) => format!("add {}", controller.name()),
        }
    }
}

impl Cluster {
    pub(super) fn extend(&mut self, extension: &Extension) {
        match extension {
            Extension::Kind(definition) => self.add_kind(definition),
            Extension::Controller(controller) => self.add_controller(controller.clone()),
        }
    }
    /// Adds a kind to the API server. Controllers that handle objects of every kind begin to watch it.
    fn add_kind(&mut self, definition: &KindDefinition) {
        let known = self.api.kinds.clone();
        self.api.kinds.add(definition);
        self.learn_kinds(&known);
    }
    /// Tells the controller managers which kinds the API server serves, and starts watches for those that are not in `known`.
    pub(super) fn learn_kinds(&mut self, known: &Kinds) {
        for n in 0..self.managers.len() {
            self.managers[n].caches.learn(self.api.kinds.clone());
        }
        let new: Vec<Kind> = self.api.kinds.all().filter(|kind| !known.all().any(|k| k == *kind)).collect();
        self.watch_also(&new);
    }
    /// Runs a new controller in every controller manager, and tells it of all objects that are in the caches already.
    fn add_controller(&mut self, controller: Arc<dyn Controller>) {
        let heard = controller.heard_kinds(&self.api.kinds);
        let unheard_of: Vec<Kind> = heard.iter().copied().filter(|kind| !self.watched_by_controllers().contains(kind)).collect();
        let index = self.controllers.add(controller.clone());
        for manager in &mut self.managers {
            manager.parts.push(ControllerState::new(&*controller, &self.config));
        }
        self.watch_also(&unheard_of);
        for n in 0..self.managers.len() as u32 {
            let manager = &self.managers[n as usize];
            let known: Vec<Arc<Object>> = heard.iter().flat_map(|kind| manager.caches.of(*kind).all()).cloned().collect();
            for object in known {
                self.tell_controller(n, index, &Change { old: None, new: Some(object) });
            }
            self.start_workers(n, index as u32);
        }
    }
    /// Starts reflectors in every manager that leads, for the kinds in `kinds` that a controller watches.
    fn watch_also(&mut self, kinds: &[Kind]) {
        let watched = self.watched_by_controllers();
        for n in 0..self.managers.len() as u32 {
            for kind in kinds.iter().filter(|kind| watched.contains(kind)) {
                if self.managers[n as usize].leads {
                    self.start_reflector(Process::Manager(n), *kind);
                }
            }
        }
    }
}
