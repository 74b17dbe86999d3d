//! The notes that the page takes of a run while it happens, a file for each sort. Notes go back in time with the cluster, so that a view of the past finds
//! what was known then; all of them are cheap to copy.
//!
//! | file | what |
//! | --- | --- |
//! | `passes` | reconcile passes: what each observed, found, asked for and got as answers |
//! | `balance` | since when desired and actual agree or differ, and by how many pods |
//! | `traffic` | requests, watch events and queues, second by second |
//! | `census` | all nodes and their pods, with their health and numbers |
//! | `owner_index` | the objects that each object owns |
//! | `writes` | every change to the store, with its author and its cause |

pub mod balance;
pub mod census;
pub mod owner_index;
pub mod passes;
pub mod traffic;
pub mod writes;

use crate::sim::{self, Cluster, Record, Trail};
use crate::store::Change;
use balance::Balance;
use census::Census;
use owner_index::OwnerIndex;
use passes::Passes;
use traffic::Traffic;
use writes::Writes;

/// All notes of a run.
#[derive(Clone, Debug)]
pub struct Notes {
    /// The reconcile passes.
    pub passes: Passes,
    /// Desired against actual state, over time.
    pub balance: Balance,
    /// Requests, watch events and queue lengths, over time.
    pub traffic: Traffic,
    /// The changes to the store, and the writes that were refused.
    pub writes: Writes,
    /// All nodes and their pods.
    pub census: Census,
    /// The objects that each object owns.
    pub owner_index: OwnerIndex,
    /// The store's revision up to which changes have been noted.
    revision: u64,
}

/// One step of the run, with everything that notes are taken from.
pub struct Happening<'a> {
    /// The step with its result.
    pub record: &'a Record,
    /// The cluster right after the step.
    pub cluster: &'a Cluster,
    /// The records of the steps before it.
    pub trail: &'a Trail,
    /// The changes to the store that the step made.
    pub changes: &'a [Change],
}

impl Notes {
    /// Creates the notes of a run that begins with this cluster.
    pub fn new(cluster: &Cluster) -> Notes {
        Notes {
            passes: Passes::default(),
            balance: Balance::new(cluster.now),
            traffic: Traffic::new(cluster.now),
            writes: Writes::default(),
            census: Census::new(cluster),
            owner_index: OwnerIndex::new(&cluster.api),
            revision: cluster.api.store.revision(),
        }
    }
}

impl sim::Notes for Notes {
    fn note(&mut self, record: &Record, cluster: &Cluster, trail: &Trail) {
        let store = &cluster.api.store;
        let many: Vec<Change>;
        // `changes_since` fails only if the log was compacted beyond `self.revision`. A compaction is a step of its own, without changes, so nothing is missed.
        let changes: &[Change] = match store.revision() - self.revision {
            0 => &[],
            // Most steps that write make one change, for which no list has to be allocated.
            1 => store.last_change().map_or(&[][..], std::slice::from_ref),
            _ => {
                many = store.changes_since(self.revision).into_iter().flatten().cloned().collect();
                &many
            }
        };
        self.revision = store.revision();
        let happening = Happening { record, cluster, trail, changes };
        self.passes.note(record, cluster);
        self.balance.note(&happening);
        self.traffic.note(&happening);
        self.writes.note(&happening, &self.passes);
        self.census.note(&happening);
        self.owner_index.note(&happening);
    }
}
