//! What is noted of a run while it happens, a room for each sort. Notes go back in time with the cluster, so that a look at the past finds
//! what was known then; everything here is cheap to copy.
//!
//! | file | what |
//! | --- | --- |
//! | `passes` | reconciles: what was observed, found, asked for and answered |
//! | `balance` | since when desired and actual agree or do not, and by how much |
//! | `traffic` | requests, watch events and queues, second by second |
//! | `census` | who is where: nodes and their pods, counted |
//! | `owner_index` | who owns whom |
//! | `writes` | every change to the store, by whom, and what brought it about |

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
    /// Reconciles.
    pub passes: Passes,
    /// Desired against actual.
    pub balance: Balance,
    /// Requests and queues.
    pub traffic: Traffic,
    /// Changes to the store.
    pub writes: Writes,
    /// Who is where.
    pub census: Census,
    /// Who owns whom.
    pub owner_index: OwnerIndex,
    /// The store's revision up to which changes have been noted.
    revision: u64,
}

/// One step, as a note-taker sees it.
pub struct Happening<'a> {
    /// The step.
    pub record: &'a Record,
    /// The cluster right after it.
    pub cluster: &'a Cluster,
    /// The steps before it.
    pub trail: &'a Trail,
    /// The changes to the store that it made.
    pub changes: &'a [Change],
}

impl Notes {
    /// Nothing noted yet.
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
        // Only a compaction right behind the newest revision can have taken changes away, and that is a step of its own.
        let changes: &[Change] = match store.revision() - self.revision {
            0 => &[],
            // Most steps that write make one change, which needs no list of its own.
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
