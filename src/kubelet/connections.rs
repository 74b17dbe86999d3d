//! Connections to the pods of a node: address and port decide which container answers. Counterpart: the network of the sandboxes.

use super::Kubelet;
use crate::api::meta::{Key, Uid};
use crate::api::time::Time;
use std::sync::Arc;

/// The result of a connection to an address of a node's pods.
#[derive(Clone, Debug, PartialEq)]
pub enum Contact {
    /// No pod of the node has the address.
    Nobody,
    /// This pod has the address, but does not listen on the port.
    Closed(Key),
    /// A container of this pod listens and answers with this HTTP status and body.
    Open(Key, u16, String),
}

impl Kubelet {
    /// Connects to an address of this node's pods, and requests an HTTP path.
    pub fn connect(&mut self, ip: u32, port: u16, path: &str, now: Time) -> Contact {
        let at_home = self.pods.values().filter(|w| w.ip == ip && (w.sandbox || w.any_running()));
        let at_home: Vec<(Uid, Key)> = at_home.map(|w| (w.uid(), w.object.key())).collect();
        for (uid, key) in &at_home {
            let Some(worker) = self.pods.get_mut(uid) else { continue };
            let worker = Arc::make_mut(worker);
            for i in 0..worker.containers.len() {
                match self.core.request(worker, i, port, Some(path), now) {
                    Some(Some((status, body))) => return Contact::Open(key.clone(), status, body),
                    // The container listens but does not answer HTTP requests.
                    Some(None) => return Contact::Open(key.clone(), 502, String::new()),
                    None => {}
                }
            }
        }
        at_home.into_iter().next().map_or(Contact::Nobody, |(_, key)| Contact::Closed(key))
    }
}
