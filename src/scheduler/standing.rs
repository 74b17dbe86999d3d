//! Where every node stands with regard to one class of pods: verdicts, scores and tallies, kept in step with the snapshot node by node.
//!
//! This is what makes the next identical pod cheap: only nodes that changed are looked at again. A standing made from scratch and one that was
//! kept in step say the same; a test holds that.

use super::affinity::{self, Role};
use super::class::PodClass;
use super::filter::{self, Verdict};
use super::score::{self, ln};
use super::snapshot::{NodeInfo, Snapshot};
use super::spread::{self, SpreadRule};
use super::surroundings::Surroundings;
use super::topology::{HOSTNAME, Layout, NO_DOMAIN, Tally};
use crate::api::selector::Selector;
use crate::persistent::OrdMap;
use crate::text::Str;
use std::sync::Arc;

/// What is known of one node.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    known: bool,
    verdict: Verdict,
    /// Untolerated `PreferNoSchedule` taints.
    taints: u16,
    /// Weights of preferred node terms.
    affinity: i32,
    /// Fit, balance and images, weighted and summed.
    local: i32,
}

/// Which tallies a pod of another class adds to: index, amount, whether pods being deleted are left out.
type Relation = Arc<[(u16, i64, bool)]>;

/// Where every node stands with regard to one class.
#[derive(Debug)]
pub struct Standing {
    /// The class.
    pub class: Arc<PodClass>,
    /// Positions of the only nodes that come into question, where affinity names them.
    pub named: Option<Vec<u32>>,
    /// The selectors of default spreading that this was made with.
    pub defaults: Vec<Selector>,
    hard: Vec<SpreadRule>,
    soft: Vec<SpreadRule>,
    meets_itself: bool,
    cells: Vec<Cell>,
    roles: Vec<(Role, Str)>,
    tallies: Vec<Tally>,
    relations: OrdMap<u32, Relation>,
    /// Whether all nodes are kept in step (tallies need them all) or only those that are asked about.
    eager: bool,
    smallest: Vec<i64>,
    sums: Vec<i64>,
    /// The last failure, as long as no node has changed since.
    pub failure: Option<Arc<Failure>>,
}

/// How a search ended that found no node and no room to be made: the next pod of the class fares the same.
#[derive(Debug)]
pub struct Failure {
    /// In the scheduler's words.
    pub message: String,
    /// The plugins that refused nodes, as bits.
    pub plugins: u16,
    /// How many nodes were looked at.
    pub looked_at: usize,
    /// Whether a random number was drawn; the stream must not depend on what is remembered.
    pub drew: bool,
}

/// The world that a standing is about.
pub struct World<'a> {
    /// Nodes and pods.
    pub snapshot: &'a Snapshot,
    /// Order and domains.
    pub layout: &'a mut Layout,
    /// Selectors and namespaces.
    pub around: &'a Surroundings,
}

impl<'a> World<'a> {
    /// The node at a position.
    pub fn info(&self, position: usize) -> Option<&'a Arc<NodeInfo>> {
        self.snapshot.node(*self.layout.order.get(position)?)
    }
}

impl Standing {
    /// Nothing known yet.
    pub fn new(class: &Arc<PodClass>, world: &mut World) -> Standing {
        let defaults = if class.spec.spread.is_empty() { world.around.default_selectors(class) } else { Vec::new() };
        let (hard, soft) = spread::rules(class, &defaults);
        let position = |name: &Str| Some(world.layout.position(world.snapshot.slot(name)?)? as u32);
        let named = filter::named_nodes(&class.spec).map(|names| names.iter().filter_map(position).collect());
        let mut standing = Standing {
            class: class.clone(),
            named,
            defaults,
            meets_itself: affinity::meets_itself(class, world.around),
            cells: vec![Cell::default(); world.layout.order.len()],
            roles: Vec::new(),
            tallies: Vec::new(),
            relations: OrdMap::new(),
            eager: false,
            smallest: Vec::new(),
            sums: Vec::new(),
            failure: None,
            hard,
            soft,
        };
        for i in 0..standing.hard.len() {
            standing.tally(Role::HardSpread(i as u16), &standing.hard[i].key.clone(), world);
        }
        for i in 0..standing.soft.len() {
            standing.tally(Role::SoftSpread(i as u16), &standing.soft[i].key.clone(), world);
        }
        for term in class.spec.affinity.iter().flat_map(|a| &a.pod_required) {
            standing.tally(Role::Near, &term.topology_key, world);
        }
        standing
    }
    /// Takes note that a node changed.
    pub fn node_changed(&mut self, position: usize, world: &mut World) {
        self.failure = None;
        if self.eager {
            self.look(position, world);
        } else if let Some(cell) = self.cells.get_mut(position) {
            cell.known = false;
        }
    }
    /// Gets ready for questions: looks at all nodes where the tallies need it.
    pub fn prepare(&mut self, world: &mut World) {
        if !self.eager && self.needs_all(world) {
            for position in 0..self.cells.len() {
                self.know(position, world);
            }
            self.eager = true;
        }
        self.settle();
    }
    fn needs_all(&self, world: &World) -> bool {
        let zoned = |i: usize| self.soft[i].key != HOSTNAME && self.tallies[self.hard.len() + i].domains.count > 0;
        !self.hard.is_empty() || self.class.has_pod_terms || world.snapshot.pods_with_terms > 0 || (0..self.soft.len()).any(zoned)
    }
    /// Works out the smallest domain of each rule that must hold.
    fn settle(&mut self) {
        self.smallest.clear();
        for (rule, tally) in self.hard.iter().zip(&self.tallies) {
            let (smallest, domains) = tally.smallest();
            self.smallest.push(if domains < rule.min_domains { 0 } else { smallest });
        }
    }
    /// Looks at a node unless it is known.
    pub fn know(&mut self, position: usize, world: &mut World) {
        if !self.cells[position].known {
            self.look(position, world);
        }
    }
    fn look(&mut self, position: usize, world: &mut World) {
        if let Some(info) = world.info(position) {
            self.set(position, info, world);
        }
    }
    /// Sets what is known of a node to what follows from `info`, be it the node as it is or as it might be.
    pub fn set(&mut self, position: usize, info: &NodeInfo, world: &mut World) {
        let Some(facts) = info.facts.as_deref() else { return };
        let class = self.class.clone();
        let excluded = self.named.as_ref().is_some_and(|n| !n.contains(&(position as u32)));
        let scores = score::local_scores(&class, info, world.layout.order.len());
        self.cells[position] = Cell {
            known: true,
            verdict: if excluded { Verdict::NotNamed } else { filter::local_verdict(&class, info) },
            taints: filter::untolerated_preferences(&class.spec, facts),
            affinity: score::preferred_weight(&class, facts) as i32,
            local: scores.iter().sum::<i64>() as i32,
        };
        let mut sums = std::mem::take(&mut self.sums);
        sums.clear();
        for group in &info.groups {
            for (tally, amount, live_only) in self.relation(&group.class, world).iter() {
                let pods = if *live_only { group.count - group.deleting } else { group.count };
                sums.resize(self.tallies.len(), 0);
                sums[*tally as usize] += amount * i64::from(pods);
            }
        }
        sums.resize(self.tallies.len(), 0);
        let all_hard = self.hard.iter().all(|r| facts.labels.get(&r.key).is_some());
        let all_soft = class.spec.spread.is_empty() || self.soft.iter().all(|r| facts.labels.get(&r.key).is_some());
        for (i, sum) in sums.iter().enumerate() {
            let counts = match self.roles[i].0 {
                Role::HardSpread(n) => all_hard && self.hard[n as usize].includes(&class, facts),
                Role::SoftSpread(n) => all_soft && self.soft[n as usize].includes(&class, facts),
                _ => true,
            };
            self.tallies[i].put(position, *sum, counts);
        }
        self.sums = sums;
    }
    fn relation(&mut self, other: &Arc<PodClass>, world: &mut World) -> Relation {
        if let Some(known) = self.relations.get(&other.id) {
            return known.clone();
        }
        let mut all: Vec<(u16, i64, bool)> = Vec::new();
        if other.namespace == self.class.namespace {
            let rules = self.hard.iter().chain(&self.soft).enumerate();
            all.extend(rules.filter(|(_, r)| r.counts(&other.labels)).map(|(i, _)| (i as u16, 1, true)));
        }
        if self.class.has_pod_terms || other.has_pod_terms {
            for (role, key, amount) in affinity::pulls(&self.class, other, world.around) {
                all.push((self.tally(role, &key, world), amount, false));
            }
        }
        let relation: Relation = all.into();
        self.relations.insert(other.id, relation.clone());
        relation
    }
    fn tally(&mut self, role: Role, key: &Str, world: &mut World) -> u16 {
        if let Some(i) = self.roles.iter().position(|(r, k)| *r == role && k == key) {
            return i as u16;
        }
        self.roles.push((role, key.clone()));
        self.tallies.push(Tally::new(world.layout.domains(key, world.snapshot)));
        self.roles.len() as u16 - 1
    }
    fn of_role(&self, role: Role) -> impl Iterator<Item = &Tally> {
        self.roles.iter().zip(&self.tallies).filter(move |((r, _), _)| *r == role).map(|(_, t)| t)
    }

    /// The verdict on a node that is known.
    #[inline]
    pub fn verdict(&self, position: usize) -> Verdict {
        let local = self.cells[position].verdict;
        if !local.fits() || self.hard.is_empty() && self.tallies.len() == self.soft.len() {
            return local;
        }
        self.wider_verdict(position)
    }
    fn wider_verdict(&self, position: usize) -> Verdict {
        for ((rule, tally), smallest) in self.hard.iter().zip(&self.tallies).zip(&self.smallest) {
            match tally.around(position) {
                None => return Verdict::SpreadLabelMissing,
                Some(count) if count + rule.self_match - smallest > rule.max_skew => return Verdict::Skewed,
                _ => {}
            }
        }
        if self.tallies.len() == self.hard.len() + self.soft.len() {
            return Verdict::Fits;
        }
        self.affinity_verdict(position)
    }
    fn affinity_verdict(&self, position: usize) -> Verdict {
        let (mut labelled, mut met, mut anywhere) = (true, true, false);
        for tally in self.of_role(Role::Near) {
            labelled &= tally.domain(position) != NO_DOMAIN;
            met &= tally.around(position).is_some_and(|n| n > 0);
            anywhere |= tally.sum > 0;
        }
        if !labelled || !met && (anywhere || !self.meets_itself) {
            Verdict::AffinityUnmet
        } else if self.of_role(Role::Far).any(|t| t.around(position).is_some_and(|n| n > 0)) {
            Verdict::AntiAffinity
        } else if self.of_role(Role::Unwelcome).any(|t| t.around(position).is_some_and(|n| n > 0)) {
            Verdict::Unwelcome
        } else {
            Verdict::Fits
        }
    }
    /// The verdict on a node as it might be; the smallest domains are worked out anew.
    pub fn verdict_if(&mut self, position: usize, info: &NodeInfo, world: &mut World) -> Verdict {
        self.set(position, info, world);
        self.settle();
        self.verdict(position)
    }

    /// Rates the nodes at these positions, all known and fitting: taints, node affinity, spread, pod affinity, and the sum of the rest.
    pub fn rate(&self, feasible: &[u32], mut each: impl FnMut(u32, [i64; 4], i64)) {
        let (taints, preferred) = self.most(feasible);
        let spread = self.raw_spread(feasible);
        let (mut spread_min, mut spread_max) = (i64::MAX, 0);
        for raw in spread.iter().filter(|raw| **raw != NOT_RATED) {
            (spread_min, spread_max) = (spread_min.min(*raw), spread_max.max(*raw));
        }
        let leaning = self.raw_leaning(feasible);
        let (lean_min, lean_max) = (leaning.iter().copied().min().unwrap_or(0), leaning.iter().copied().max().unwrap_or(0));
        // Few different raw scores occur, so that each is divided once.
        let mut scores = vec![-1i8; if spread.is_empty() { 0 } else { ((spread_max - spread_min).max(0) as usize + 1).min(4096) }];
        let mut spread_score = |raw: i64| {
            if raw == NOT_RATED {
                return 0;
            }
            match scores.get_mut((raw - spread_min) as usize) {
                Some(known) => {
                    if *known < 0 {
                        *known = score::by_scarcity(raw, spread_min, spread_max) as i8;
                    }
                    i64::from(*known)
                }
                None => score::by_scarcity(raw, spread_min, spread_max),
            }
        };
        for (i, &p) in feasible.iter().enumerate() {
            let cell = &self.cells[p as usize];
            let parts = [
                score::by_maximum(cell.taints.into(), taints.into(), true),
                score::by_maximum(cell.affinity.into(), preferred.into(), false),
                spread.get(i).map_or(0, |raw| spread_score(*raw)),
                leaning.get(i).map_or(0, |raw| score::by_range(*raw, lean_min, lean_max)),
            ];
            each(p, parts, cell.local.into());
        }
    }
    /// The best node by what concerns each node alone, if nothing else makes a difference between these; the first if there are several.
    pub fn plainly_best(&self, feasible: &[u32]) -> Option<u32> {
        if !self.tallies.is_empty() || self.most(feasible) != (0, 0) {
            return None;
        }
        let (mut best, mut chosen) = (i32::MIN, None);
        for &p in feasible {
            let local = self.cells[p as usize].local;
            if local > best {
                (best, chosen) = (local, Some(p));
            }
        }
        chosen
    }
    /// The most untolerated taints, and the greatest weight of preferred terms.
    fn most(&self, feasible: &[u32]) -> (u16, i32) {
        let most = |(taints, preferred): (u16, i32), p: &u32| {
            let cell = &self.cells[*p as usize];
            (taints.max(cell.taints), preferred.max(cell.affinity))
        };
        feasible.iter().fold((0, 0), most)
    }
    fn raw_leaning(&self, feasible: &[u32]) -> Vec<i64> {
        if self.tallies.len() == self.hard.len() + self.soft.len() || self.of_role(Role::Leaning).next().is_none() {
            return Vec::new();
        }
        let sum = |p: &u32| self.of_role(Role::Leaning).filter_map(|t| t.around(*p as usize)).sum();
        feasible.iter().map(sum).collect()
    }
    /// Raw spreading scores; nodes without a label that a rule of the pod's own names have none.
    fn raw_spread(&self, feasible: &[u32]) -> Vec<i64> {
        if self.soft.is_empty() {
            return Vec::new();
        }
        let own = !self.class.spec.spread.is_empty();
        let tallies = &self.tallies[self.hard.len()..self.hard.len() + self.soft.len()];
        let ignored = |p: u32| own && tallies.iter().any(|t| t.domain(p as usize) == NO_DOMAIN);
        let rated = if own { feasible.iter().filter(|p| !ignored(**p)).count() } else { feasible.len() };
        let mut active: Vec<(&Tally, bool, f64, f64)> = Vec::new();
        for (rule, tally) in self.soft.iter().zip(tallies).filter(|(_, t)| t.domains.count > 0) {
            let single = rule.key == HOSTNAME;
            let size = if single { rated } else { distinct(tally, feasible.iter().copied().filter(|p| !ignored(*p))) };
            active.push((tally, single, ln(size as u64 + 2), (rule.max_skew - 1) as f64));
        }
        let mut sums = vec![0.0; feasible.len()];
        for (tally, single, weight, base) in active {
            let domains = &tally.domains.at;
            for (sum, &p) in sums.iter_mut().zip(feasible) {
                let domain = domains[p as usize];
                if domain != NO_DOMAIN {
                    let count = if single { tally.at[p as usize] } else { tally.total[domain as usize] };
                    *sum += f64::from(count) * weight + base;
                }
            }
        }
        let rounded = |(sum, p): (f64, &u32)| if ignored(*p) { NOT_RATED } else { score::round(sum) };
        sums.into_iter().zip(feasible).map(rounded).collect()
    }
}

/// The raw spreading score of a node that has none.
const NOT_RATED: i64 = i64::MIN;

/// How many domains the nodes are in; those without the label make one more.
fn distinct(tally: &Tally, positions: impl Iterator<Item = u32>) -> usize {
    let domains = &tally.domains;
    let possible = domains.count + usize::from(domains.gaps);
    let (mut seen, mut count) = (vec![false; domains.count + 1], 0);
    for p in positions {
        let domain = (domains.at[p as usize] as usize).min(domains.count);
        count += usize::from(!std::mem::replace(&mut seen[domain], true));
        if count == possible {
            break;
        }
    }
    count
}
