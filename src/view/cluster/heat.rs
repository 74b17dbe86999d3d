//! The heat map of a large cluster: every node is a block, and every pod a cell in it if there is room. The picture holds an ink (a code for a colour) for each
//! point, which is a pixel of the canvas; the page maps inks to colours. Only the blocks of nodes that changed are painted again.
//!
//! If a node gets more pods than its block has cells, the whole picture is laid out again.

use super::card::{fullness, node_health};
use super::{Health, MapView};
use crate::api::order::Order;
use crate::view::notes::census::{Census, Mark, NodePods};

/// An ink: the content of one point of the picture, which the page maps to a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// The background between blocks.
    Ground,
    /// The background of a node's block.
    Block,
    /// A pod, or the edge of a node's block, in the colour of a health.
    Of(Health),
    /// The empty part of a block that is too small for cells and shows the colour of a single health.
    Pale(Health),
    /// A pod that the person's filter excludes.
    Dim,
    /// The frame around the block of the node that is picked.
    Frame,
}

impl Ink {
    /// The number of different inks.
    pub const COUNT: usize = 14;
    /// Returns all inks, in the order of their numbers.
    pub fn all() -> impl Iterator<Item = Ink> {
        let plain = [Ink::Ground, Ink::Block, Ink::Dim, Ink::Frame];
        plain.into_iter().chain(Health::ALL.map(Ink::Of)).chain(Health::ALL.map(Ink::Pale))
    }
    /// Returns the number that stands for this ink in the picture.
    pub fn number(self) -> u8 {
        match self {
            Ink::Ground => 0,
            Ink::Block => 1,
            Ink::Dim => 2,
            Ink::Frame => 3,
            Ink::Of(health) => 4 + health as u8,
            Ink::Pale(health) => 9 + health as u8,
        }
    }
}

/// A rectangle of the picture, measured in its points (pixels of the canvas).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Area {
    /// The distance of the rectangle's left edge from the left edge of the picture, in points.
    pub x: usize,
    /// The distance of the rectangle's top edge from the top edge of the picture, in points.
    pub y: usize,
    /// The width of the rectangle, in points.
    pub width: usize,
    /// The height of the rectangle, in points.
    pub height: usize,
}

/// The part of the picture that the last call of [`Heat::draw`] painted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Painted {
    /// The whole picture was painted.
    All,
    /// Only these parts of the picture were painted.
    Parts(Vec<Area>),
}

/// The picture of the heat map and its layout.
#[derive(Clone, Debug, Default)]
pub struct Heat {
    /// The size of the whole picture.
    pub area: Area,
    /// The number of the ink of each point, row by row from the top.
    pub inks: Vec<u8>,
    /// The number of the picture's points per CSS pixel, in each direction.
    density: usize,
    columns: usize,
    block: Area,
    gap: usize,
    /// The width and height of a pod's cell, in points; 0 if there is no room for cells.
    cell: usize,
    /// The number of cells in a row of a block; `cells` is the number in a whole block.
    across: usize,
    cells: usize,
    /// The slot (number in the census) of the node that each block shows, in the order of the blocks.
    order: Vec<u32>,
    /// The index of the block of each node, by the slot of the node; `u32::MAX` if it has none.
    block_of: Vec<u32>,
    mark: Mark,
    picked: Option<u32>,
    filter: Option<Health>,
}

/// The least width of a cell, in CSS pixels.
const LEAST_CELL: usize = 3;
/// The greatest width of a cell, in CSS pixels.
const MOST_CELL: usize = 18;

impl Heat {
    /// Updates the picture for a canvas of `width` × `height` points with `density` points per CSS pixel. Returns the part that was painted.
    pub fn draw(&mut self, view: &MapView, width: usize, height: usize, density: usize) -> Painted {
        let census = &view.census;
        let same_place = (width, height, density) == (self.area.width, self.area.height, self.density) && view.filter == self.filter;
        let changed: Option<Vec<u32>> = census.since(self.mark).filter(|_| same_place && !self.order.is_empty()).map(Iterator::collect);
        let fits = |slot: &u32| census.node_pods(*slot).is_none_or(|node_pods| self.cell == 0 || node_pods.pods.len() <= self.cells);
        let changed = changed.filter(|slots| slots.iter().all(fits));
        self.mark = census.mark();
        let before = std::mem::replace(&mut self.picked, view.picked);
        self.filter = view.filter;
        let Some(mut slots) = changed else {
            self.density = density.max(1);
            self.lay_out(census, width, height);
            return Painted::All;
        };
        if before != self.picked {
            slots.extend(before.into_iter().chain(self.picked));
        }
        slots.order();
        slots.dedup();
        let parts = slots.iter().filter_map(|slot| self.paint(*slot, census)).collect();
        Painted::Parts(parts)
    }
    /// Returns the slot of the node whose block is at a point of the picture.
    pub fn at(&self, x: usize, y: usize) -> Option<u32> {
        let (column, row) = (x.checked_div(self.block.width)?, y.checked_div(self.block.height)?);
        (column < self.columns).then(|| self.order.get(row * self.columns + column).copied())?
    }
    /// Returns the slot of the node whose block is `right` blocks to the right of and `down` blocks below the block of the node in `slot`. For `None`,
    /// returns the slot of the first node.
    pub fn beside(&self, slot: Option<u32>, right: isize, down: isize) -> Option<u32> {
        let last = self.order.len().checked_sub(1)?;
        let Some(at) = slot.and_then(|slot| self.block_of.get(slot as usize)).map(|at| *at as isize) else {
            return self.order.first().copied();
        };
        let to = at.saturating_add(right).saturating_add(down.saturating_mul(self.columns as isize));
        let to = if down.abs() == 1 && !(0..=last as isize).contains(&to) { at } else { to.clamp(0, last as isize) };
        self.order.get(to as usize).copied()
    }
    /// Returns the number of all blocks, and the position of a node's block among them, counted from 1; 0 if there is no such node.
    pub fn place(&self, slot: Option<u32>) -> (usize, usize) {
        let at = slot.and_then(|slot| self.block_of.get(slot as usize)).map_or(0, |at| *at as usize + 1);
        (self.order.len(), at)
    }
    /// Returns whether another picture has the same layout of blocks and cells.
    pub fn cells_are_as_in(&self, other: &Heat) -> bool {
        (self.block, self.cell, self.cells, self.across) == (other.block, other.cell, other.cells, other.across)
    }
    fn lay_out(&mut self, census: &Census, width: usize, height: usize) {
        self.area = Area { x: 0, y: 0, width, height };
        self.inks.clear();
        self.inks.resize(width * height, Ink::Ground.number());
        self.order = census.all_node_pods().map(|(slot, _)| slot).collect();
        self.block_of = vec![u32::MAX; self.order.last().map_or(0, |slot| *slot as usize + 1)];
        (0..).zip(&self.order).for_each(|(at, slot)| self.block_of[*slot as usize] = at);
        let most = census.all_node_pods().map(|(_, node_pods)| node_pods.pods.len()).max().unwrap_or(0);
        self.measure(most);
        for i in 0..self.order.len() {
            self.paint(self.order[i], census);
        }
    }
    /// Computes the sizes of blocks and cells; `most_pods` is the greatest number of pods on one node.
    fn measure(&mut self, most_pods: usize) {
        let (width, height, count) = (self.area.width, self.area.height, self.order.len().max(1));
        // A block should be a little wider than high. Of the numbers of columns near that, take the one with the largest blocks.
        let ideal = (count as f64 * width as f64 / (height.max(1) as f64 * 1.25)).sqrt().round() as usize;
        let size = |columns: usize| {
            let side = 260 * self.density;
            ((width / columns).min(side), (height / count.div_ceil(columns)).min(side))
        };
        let candidates = ideal.saturating_sub(3).max(1)..=(ideal + 3).min(count.max(1)).max(1);
        self.columns = candidates.max_by_key(|columns| (size(*columns).0.min(size(*columns).1), count % columns == 0)).unwrap_or(1);
        let (w, h) = size(self.columns);
        self.block = Area { x: 0, y: 0, width: w.max(1), height: h.max(1) };
        self.gap = match w.min(h) / self.density {
            0..4 => 0,
            4..14 => self.density,
            _ => 3 * self.density,
        };
        // There is room for more pods, so that not every new one moves all others.
        self.cells = (most_pods + most_pods / 4).max(8);
        let (inner_w, inner_h) = self.inner();
        let fits = |cell: usize| (inner_w / cell) * (inner_h / cell) >= self.cells;
        self.cell = (LEAST_CELL * self.density..=MOST_CELL * self.density).rev().find(|cell| fits(*cell)).unwrap_or(0);
        self.across = inner_w.checked_div(self.cell).unwrap_or(0);
    }
    /// Returns the width and height of a block without the gap around it and its edge, in points.
    fn inner(&self) -> (usize, usize) {
        let edge = self.gap + if self.gap > self.density { 2 * self.density } else { 0 };
        (self.block.width.saturating_sub(edge), self.block.height.saturating_sub(edge))
    }
    fn area_of(&self, slot: u32) -> Option<Area> {
        let at = *self.block_of.get(slot as usize)? as usize;
        (at < self.order.len()).then(|| Area {
            x: at % self.columns * self.block.width,
            y: at / self.columns * self.block.height,
            ..self.block
        })
    }
    fn paint(&mut self, slot: u32, census: &Census) -> Option<Area> {
        let (outer, node_pods) = (self.area_of(slot)?, census.node_pods(slot)?);
        let gap = self.gap;
        let inner = Area {
            x: outer.x + gap / 2,
            y: outer.y + gap / 2,
            width: outer.width.saturating_sub(gap).max(1),
            height: outer.height.saturating_sub(gap).max(1),
        };
        self.fill(outer, if self.picked == Some(slot) { Ink::Frame } else { Ink::Ground });
        self.fill(inner, Ink::Block);
        if self.cell > 0 {
            self.edge(inner, node_health(node_pods));
            self.pods(inner, node_pods);
        } else {
            self.gauge(inner, node_pods);
        }
        if self.picked == Some(slot) && gap < 2 * self.density {
            // Without a gap to fill, the frame is drawn on the edge of the block.
            self.frame(outer, self.density, Ink::Frame, |_| true);
        }
        Some(outer)
    }
    /// Draws a dashed line around the block of a node that is not healthy.
    fn edge(&mut self, area: Area, health: Health) {
        if health != Health::Good && self.gap > self.density {
            let dash = 4 * self.density;
            self.frame(area, self.density, Ink::Of(health), |along| along % dash < dash * 3 / 4);
        }
    }
    fn pods(&mut self, inner: Area, node_pods: &NodePods) {
        let margin = if self.gap > self.density { self.density } else { 0 };
        let space = if self.cell >= 5 * self.density { self.density } else { 0 };
        let size = self.cell - space;
        for (i, resident) in node_pods.pods.values().take(self.cells).enumerate() {
            let (x, y) = (inner.x + margin + i % self.across * self.cell, inner.y + margin + i / self.across * self.cell);
            let left_out = self.filter.is_some_and(|only| only != resident.health);
            let ink = if left_out { Ink::Dim } else { Ink::Of(resident.health) };
            for dy in 0..size {
                for dx in 0..size {
                    if left_out || is_inked(resident.health, dx, dy, size) {
                        self.point(x + dx, y + dy, ink);
                    }
                }
            }
        }
    }
    /// Draws a block without cells in the colour of its worst health, filled from the bottom as far as the node is full.
    fn gauge(&mut self, inner: Area, node_pods: &NodePods) {
        let worst = worst(node_pods, self.filter);
        let Some(worst) = worst else { return };
        let full = if node_pods.pods.is_empty() { 0 } else { (inner.height * fullness(node_pods) as usize / 100).max(1) };
        self.fill(inner, Ink::Pale(worst));
        self.fill(Area { y: inner.y + inner.height - full, height: full, ..inner }, Ink::Of(worst));
    }
    fn frame(&mut self, area: Area, thick: usize, ink: Ink, inked: impl Fn(usize) -> bool) {
        for dy in 0..area.height {
            for dx in 0..area.width {
                let rim = dx < thick || dy < thick || dx + thick >= area.width || dy + thick >= area.height;
                if rim && inked(dx + dy) {
                    self.point(area.x + dx, area.y + dy, ink);
                }
            }
        }
    }
    fn fill(&mut self, area: Area, ink: Ink) {
        for y in area.y..(area.y + area.height).min(self.area.height) {
            let (from, to) = (area.x.min(self.area.width), (area.x + area.width).min(self.area.width));
            self.inks[y * self.area.width + from..y * self.area.width + to].fill(ink.number());
        }
    }
    fn point(&mut self, x: usize, y: usize, ink: Ink) {
        if x < self.area.width && y < self.area.height {
            self.inks[y * self.area.width + x] = ink.number();
        }
    }
}

/// Returns the health that a block without cells shows: the worst of its node and its pods. With a filter it is the filter's health, if one of its pods has it.
fn worst(node_pods: &NodePods, filter: Option<Health>) -> Option<Health> {
    let has = |health: &Health| node_pods.counts.of(*health) > 0;
    if filter.is_some() {
        return filter.filter(has);
    }
    let node = node_health(node_pods);
    let order = [Health::Bad, Health::Warning, Health::Waiting, Health::Good, Health::Done];
    Some(order.into_iter().find(|health| has(health) || node == *health).unwrap_or(node))
}

/// Returns whether a point belongs to the shape of a health in a cell of `size` points. Shapes tell the values apart without colours: full, hollow, half, a
/// cross, a dot.
fn is_inked(health: Health, x: usize, y: usize, size: usize) -> bool {
    let (end, rim) = (size - 1, (size / 5).max(1));
    match health {
        Health::Good => true,
        Health::Waiting => x < rim || y < rim || x + rim > end || y + rim > end,
        Health::Warning => x + y >= end,
        Health::Bad => x.abs_diff(y) < rim || (x + y).abs_diff(end) < rim,
        Health::Done => x.abs_diff(end / 2) <= size / 5 && y.abs_diff(end / 2) <= size / 5,
    }
}
