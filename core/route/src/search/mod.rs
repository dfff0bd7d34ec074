//! Iterated local search with neighbour lists and don't-look bits.
//!
//! Symmetric and asymmetric matrices have their own moves. Between descents the order of some
//! segments is changed, on symmetric matrices by a local double bridge, and this is undone if it
//! did not help (Martin, Otto and Felten 1991).

mod directed;
mod symmetric;

use super::arcs::{Arcs, FIXED};

/// The number of neighbours tried per node.
const NEIGHBOURS: usize = 10;
/// The same in each direction on asymmetric matrices.
const ASYMMETRIC_NEIGHBOURS: usize = 12;
/// The work of evaluating one move.
const MOVE_WORK: u64 = 7;
/// The maximum length of each segment of a kick.
const MAX_KICK_SEGMENT: usize = 50;

/// A closed tour over the arcs, with the start always first and the end always last, and the state
/// of the search.
pub(super) struct Search {
    pub(super) arcs: Arcs,
    out_neighbours: NeighbourLists,
    /// Empty on symmetric matrices.
    in_neighbours: NeighbourLists,
    tour: Vec<usize>,
    positions: Vec<usize>,
    /// The tour's length over the arcs.
    pub(super) cost: i64,
    /// For every position, the extra length of the tour up to it when reversed; empty on symmetric
    /// matrices.
    reversal_costs: Vec<i64>,
    queue: Vec<usize>,
    queued: Vec<bool>,
    rng: u64,
    /// The work done so far.
    pub(super) work: u64,
}

impl Search {
    /// Starts from the nearest-neighbour tour.
    pub(super) fn new(arcs: Arcs) -> Search {
        let size = arcs.size;
        let order = nearest_neighbour_order(&arcs);
        let reversal_costs = if arcs.symmetric {
            Vec::new()
        } else {
            vec![0; size]
        };
        let mut search = Search {
            arcs,
            out_neighbours: NeighbourLists::default(),
            in_neighbours: NeighbourLists::default(),
            tour: Vec::with_capacity(size),
            positions: vec![0; size],
            cost: 0,
            reversal_costs,
            queue: Vec::with_capacity(size),
            queued: vec![false; size],
            rng: 0x9E37_79B9_7F4A_7C15,
            work: 0,
        };
        search.list_neighbours();
        search.set_order(&order);
        search
    }

    /// Continues over other arcs, such as reduced costs.
    pub(super) fn set_arcs(&mut self, arcs: Arcs) {
        self.arcs = arcs;
        self.list_neighbours();
        self.set_order(&self.order());
    }

    /// Searches from another order, and returns to the present one if the result is longer.
    pub(super) fn try_order(&mut self, order: &[usize], rounds: u64, work: u64) {
        let (before, cost) = (self.order(), self.cost);
        self.set_order(order);
        self.run(rounds, work);
        if self.cost > cost {
            self.set_order(&before);
        }
    }

    fn list_neighbours(&mut self) {
        let arcs = &self.arcs;
        let (width, lists) = if arcs.symmetric {
            (NEIGHBOURS, 1)
        } else {
            (ASYMMETRIC_NEIGHBOURS, 2)
        };
        self.out_neighbours = NeighbourLists::new(arcs, width, false);
        if !arcs.symmetric {
            self.in_neighbours = NeighbourLists::new(arcs, width, true);
        }
        self.work += (arcs.size * arcs.size * 7 * lists) as u64;
    }

    fn set_order(&mut self, order: &[usize]) {
        self.tour.clear();
        self.tour.push(self.arcs.start());
        self.tour.extend(order);
        self.tour.push(self.arcs.end());
        self.cost = self.arcs.length(&self.tour);
        self.update_positions(0, self.tour.len());
        self.enqueue_all();
    }

    /// Descends, then kicks and descends again for `rounds` rounds or until `work` is reached.
    pub(super) fn run(&mut self, rounds: u64, work: u64) {
        self.descend();
        let (mut tour, mut positions, mut cost) =
            (self.tour.clone(), self.positions.clone(), self.cost);
        let mut reversal_costs = self.reversal_costs.clone();
        for _ in 0..rounds {
            if self.work >= work {
                break;
            }
            self.kick();
            self.descend();
            self.work += 100 + self.tour.len() as u64;
            if self.cost <= cost {
                tour.copy_from_slice(&self.tour);
                positions.copy_from_slice(&self.positions);
                reversal_costs.copy_from_slice(&self.reversal_costs);
                cost = self.cost;
            } else {
                self.tour.copy_from_slice(&tour);
                self.positions.copy_from_slice(&positions);
                self.reversal_costs.copy_from_slice(&reversal_costs);
                self.cost = cost;
            }
        }
    }

    /// Returns the best order of the free stops found so far.
    pub(super) fn order(&self) -> Vec<usize> {
        self.tour[1..self.tour.len() - 1].to_vec()
    }

    /// Improves the tour until no queued node has an improving move.
    fn descend(&mut self) {
        while let Some(node) = self.queue.pop() {
            self.queued[node] = false;
            while self.improve(node) {}
        }
    }

    fn improve(&mut self, node: usize) -> bool {
        if self.arcs.symmetric {
            [true, false]
                .into_iter()
                .any(|forward| self.three_opt(node, forward))
        } else {
            self.two_opt(node) || self.or_3opt(node)
        }
    }

    /// Returns the neighbour of this rank and the gain of a leg to it that replaces one of length
    /// `removed`, if positive.
    #[inline]
    fn shorter_leg(&mut self, node: usize, rank: usize, removed: i32) -> Option<(usize, i32)> {
        let (other, leg) = self.out_neighbours.get(node, rank);
        self.work += MOVE_WORK;
        (leg < removed).then(|| (other, removed - leg))
    }

    fn next(&self, node: usize) -> usize {
        let position = self.positions[node] + 1;
        self.tour[if position == self.tour.len() {
            0
        } else {
            position
        }]
    }

    fn previous(&self, node: usize) -> usize {
        let position = self.positions[node];
        self.tour[if position == 0 {
            self.tour.len() - 1
        } else {
            position - 1
        }]
    }

    /// Returns the number of positions from `from` to `node`, cyclically.
    fn offset(&self, from: usize, node: usize) -> usize {
        let (base, position) = (self.positions[from], self.positions[node]);
        if position >= base {
            position - base
        } else {
            position + self.tour.len() - base
        }
    }

    /// Reverses the positions `low..high`.
    fn reverse(&mut self, low: usize, high: usize) {
        self.tour[low..high].reverse();
        self.update_positions(low, high);
    }

    fn update_positions(&mut self, low: usize, high: usize) {
        for position in low..high {
            self.positions[self.tour[position]] = position;
        }
        self.work += 3 * (high - low) as u64;
        if !self.arcs.symmetric {
            self.update_reversal_costs(low.max(1), high);
        }
    }

    /// Arranges adjacent segments in the opposite order: three, a local double bridge, on symmetric
    /// matrices, and two on asymmetric ones.
    fn kick(&mut self) {
        let segments = if self.arcs.symmetric { 3 } else { 2 };
        let longest = MAX_KICK_SEGMENT.min((self.tour.len() - 2) / segments);
        let mut cuts = [0; 4];
        let cuts = &mut cuts[..=segments];
        for i in 0..segments {
            cuts[i + 1] = cuts[i] + 1 + self.random_below(longest);
        }
        let low = 1 + self.random_below(self.tour.len() - 1 - cuts[segments]);
        for cut in cuts.iter_mut() {
            *cut += low;
        }
        let high = cuts[segments];
        let mut last = self.tour[low - 1];
        for i in (0..segments).rev() {
            self.cost += i64::from(self.arcs.at(last, self.tour[cuts[i]]));
            last = self.tour[cuts[i + 1] - 1];
        }
        self.cost += i64::from(self.arcs.at(last, self.tour[high]));
        for &cut in cuts.iter() {
            let ends = [self.tour[cut - 1], self.tour[cut]];
            self.cost -= i64::from(self.arcs.at(ends[0], ends[1]));
            self.enqueue(&ends);
        }
        let mut arranged = low;
        for i in (1..segments).rev() {
            let length = cuts[i + 1] - cuts[i];
            self.tour[arranged..high].rotate_right(length);
            arranged += length;
        }
        self.update_positions(low, high);
    }

    fn enqueue_all(&mut self) {
        self.queue.clear();
        self.queue.extend((0..self.tour.len()).rev());
        self.queued.fill(true);
    }

    fn enqueue(&mut self, nodes: &[usize]) {
        for &node in nodes {
            if !self.queued[node] {
                self.queued[node] = true;
                self.queue.push(node);
            }
        }
    }

    /// Returns a number below `limit` from a deterministic sequence (splitmix64).
    fn random_below(&mut self, limit: usize) -> usize {
        self.rng = self.rng.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.rng;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let high = (mixed ^ (mixed >> 31)) >> 32;
        usize::try_from((high * limit as u64) >> 32).unwrap_or(0)
    }
}

/// Neighbour lists: the nearest nodes of every node and the legs to them, nearest first, in rows of
/// `width`.
#[derive(Default)]
struct NeighbourLists {
    width: usize,
    rows: Vec<(u32, i32)>,
}

impl NeighbourLists {
    /// Lists the nearest neighbours by the legs that leave each node or enter it.
    fn new(arcs: &Arcs, width: usize, entering: bool) -> NeighbourLists {
        let (size, width) = (arcs.size, width.min(arcs.size - 2));
        let leg = |node: usize, other: usize| {
            if entering {
                arcs.at(other, node)
            } else {
                arcs.at(node, other)
            }
        };
        let mut rows = Vec::with_capacity(size * width);
        let mut row: Vec<(i32, u32)> = Vec::with_capacity(size);
        for node in 0..size {
            row.clear();
            let legs = (0u32..)
                .zip(0..size)
                .map(|(other, i)| (leg(node, i), other));
            row.extend(legs.filter(|&(leg, other)| other as usize != node && leg != FIXED));
            if width < row.len() {
                row.select_nth_unstable(width);
            }
            row[..width].sort_unstable();
            rows.extend(row[..width].iter().map(|&(leg, other)| (other, leg)));
        }
        NeighbourLists { width, rows }
    }

    #[inline]
    fn get(&self, node: usize, rank: usize) -> (usize, i32) {
        let (other, leg) = self.rows[node * self.width + rank];
        (other as usize, leg)
    }
}

/// Returns the order in which the nearest stop is always the next.
fn nearest_neighbour_order(arcs: &Arcs) -> Vec<usize> {
    let mut left: Vec<usize> = (0..arcs.start()).collect();
    let mut at = arcs.start();
    let mut order = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let mut pick = 0;
        for i in 1..left.len() {
            if arcs.at(at, left[i]) < arcs.at(at, left[pick]) {
                pick = i;
            }
        }
        at = left.swap_remove(pick);
        order.push(at);
    }
    order
}
