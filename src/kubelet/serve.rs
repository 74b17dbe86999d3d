//! Connections to the pods of a node: the address and the port decide which container answers. Counterpart: the network of the sandboxes.

use super::Kubelet;
use crate::api::meta::{Key, Uid};
use crate::api::time::Time;
use std::sync::Arc;

/// The outcome of a connection to an address of a node.
#[derive(Clone, Debug, PartialEq)]
pub enum Contact {
    /// No pod has the address.
    Nobody,
    /// The pod does not listen on the port.
    Closed(Key),
    /// A container listens: the pod, the HTTP status and the body.
    Open(Key, u16, String),
}

impl Kubelet {
    /// Connects to an address of this node.
    pub fn connect(&mut self, ip: u32, port: u16, path: &str, now: Time) -> Contact {
        let at_home = self.pods.values().filter(|w| w.ip == ip && (w.sandbox || w.any_running()));
        let at_home: Vec<(Uid, Key)> = at_home.map(|w| (w.uid(), w.object.key())).collect();
        for (uid, key) in &at_home {
            let Some(worker) = self.pods.get_mut(uid) else { continue };
            let worker = Arc::make_mut(worker);
            for i in 0..worker.containers.len() {
                match self.core.request(worker, i, port, Some(path), now) {
                    Some(Some((status, body))) => return Contact::Open(key.clone(), status, body),
                    // It listens but speaks no HTTP.
                    Some(None) => return Contact::Open(key.clone(), 502, String::new()),
                    None => {}
                }
            }
        }
        at_home.into_iter().next().map_or(Contact::Nobody, |(_, key)| Contact::Closed(key))
    }
}
