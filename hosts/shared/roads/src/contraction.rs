//! Contraction of the edge-based graph in the order of a nested dissection.
//!
//! Blocks of a few thousand junctions are contracted one after the other, so that only their arcs
//! are in use. Only the arcs between the core edges around a block remain of it. The core is
//! contracted last. The order alone determines the shortcuts, so no search for alternatives is
//! necessary: most routes of a grid of streets have alternatives that are nearly as fast, which
//! makes such searches long.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::cost::NONE;
use crate::dissection::{Block, Order};
use crate::elimination::{Elimination, Remaining};
use crate::hierarchy::{Arc, Arcs, Hierarchy};

/// Contracts a graph of edges. `arcs` adds the arcs that begin at an edge.
pub(crate) fn contract(
    order: &Order,
    edges: usize,
    arcs: impl Fn(u32, &mut Vec<Arc>),
) -> Hierarchy {
    let mut contraction = Contraction::new(order, edges, arcs);
    for (number, block) in (0u32..).zip(&order.blocks) {
        contraction.contract_block(number, block);
    }
    contraction.contract_core()
}

struct Contraction<F> {
    arcs: F,
    found: Hierarchy,
    /// The block of each edge, or [`NONE`] in the core.
    block_of: Vec<u32>,
    /// Blocks and the core edges that lead into them, sorted.
    entries: Vec<(u32, u32)>,
    /// The core edges, in their order.
    core: Elimination,
    /// The rank of the first core edge.
    base: u32,
    /// The number of each edge in the current block, or [`NONE`].
    numbers: Vec<u32>,
    /// The edges of the current block, and the core edges around it.
    members: Vec<u32>,
}

impl<F: Fn(u32, &mut Vec<Arc>)> Contraction<F> {
    fn new(order: &Order, edges: usize, arcs: F) -> Contraction<F> {
        let start = || Arcs {
            starts: vec![0],
            ..Arcs::default()
        };
        let mut block_of = vec![NONE; edges];
        for (number, block) in (0u32..).zip(&order.blocks) {
            block
                .members
                .iter()
                .for_each(|edge| block_of[*edge as usize] = number);
        }
        let mut ranks = vec![NONE; edges];
        let base = number(edges - order.core.len());
        (base..)
            .zip(&order.core)
            .for_each(|(rank, edge)| ranks[*edge as usize] = rank);
        let (mut core, mut entries, mut list) =
            (Elimination::new(order.core.len()), Vec::new(), Vec::new());
        for (from, edge) in (0u32..).zip(&order.core) {
            arcs(*edge, &mut list);
            for arc in list.drain(..) {
                match block_of[arc.to as usize] {
                    NONE => core.add_all(
                        from,
                        &[Arc {
                            to: ranks[arc.to as usize] - base,
                            ..arc
                        }],
                    ),
                    block => entries.push((block, *edge)),
                }
            }
        }
        entries.sort_unstable();
        entries.dedup();
        let found = Hierarchy {
            ranks,
            forward: start(),
            backward: start(),
        };
        let numbers = vec![NONE; edges];
        Contraction {
            arcs,
            found,
            block_of,
            entries,
            core,
            base,
            numbers,
            members: Vec::new(),
        }
    }

    fn contract_block(&mut self, block: u32, Block { members, free }: &Block) {
        let arcs = self.arcs_around(block, members);
        let mut part = Elimination::new(self.members.len());
        arcs.into_iter()
            .for_each(|(from, arc)| part.add_all(from, &[arc]));
        eliminate(&mut part, members.len(), *free);
        let first = number(self.found.forward.starts.len() - 1);
        for (rank, member) in (first..).zip(&part.order) {
            self.found.ranks[self.members[*member as usize] as usize] = rank;
        }
        let ranks: Vec<u32> = self
            .members
            .iter()
            .map(|edge| self.found.ranks[*edge as usize])
            .collect();
        for around in number(members.len())..number(ranks.len()) {
            let of_core = |arc: &Arc| Arc {
                to: ranks[arc.to as usize] - self.base,
                ..*arc
            };
            let arcs: Vec<Arc> = part.arcs_of(around).iter().map(of_core).collect();
            self.core.add_all(ranks[around as usize] - self.base, &arcs);
        }
        self.append(part.finish(), |member| ranks[member as usize]);
        self.members
            .drain(..)
            .for_each(|edge| self.numbers[edge as usize] = NONE);
    }

    /// Numbers the edges of a block and around it. Returns the arcs that begin or end in the block,
    /// with the edge where they begin.
    fn arcs_around(&mut self, block: u32, edges: &[u32]) -> Vec<(u32, Arc)> {
        for edge in edges {
            self.member(*edge);
        }
        let (mut all, mut list) = (Vec::new(), Vec::new());
        for edge in edges {
            (self.arcs)(*edge, &mut list);
            let from = self.member(*edge);
            all.extend(list.drain(..).map(|arc| {
                (
                    from,
                    Arc {
                        to: self.member(arc.to),
                        ..arc
                    },
                )
            }));
        }
        let first = self.entries.partition_point(|entry| entry.0 < block);
        for at in first..self.entries.partition_point(|entry| entry.0 <= block) {
            let edge = self.entries[at].1;
            (self.arcs)(edge, &mut list);
            let from = self.member(edge);
            let inside = list
                .drain(..)
                .filter(|arc| self.block_of[arc.to as usize] == block);
            all.extend(inside.map(|arc| {
                (
                    from,
                    Arc {
                        to: self.numbers[arc.to as usize],
                        ..arc
                    },
                )
            }));
        }
        all
    }

    /// Returns the number of an edge in the current block.
    fn member(&mut self, edge: u32) -> u32 {
        let found = &mut self.numbers[edge as usize];
        if *found == NONE {
            *found = number(self.members.len());
            self.members.push(edge);
        }
        *found
    }

    fn contract_core(mut self) -> Hierarchy {
        let core = self.core.len();
        // Only the contraction of blocks needs these.
        (self.block_of, self.entries, self.numbers) = (Vec::new(), Vec::new(), Vec::new());
        eliminate(&mut self.core, core, 0);
        let (remaining, base) = (self.core.finish(), self.base);
        self.append(remaining, |edge| base + edge);
        for arcs in [&mut self.found.forward, &mut self.found.backward] {
            arcs.arcs.shrink_to_fit();
            arcs.large.shrink_to_fit();
        }
        self.found
    }

    /// Appends the arcs of the next ranks.
    fn append(&mut self, remaining: Vec<Remaining>, rank: impl Fn(u32) -> u32) {
        let ranked = |arc: Arc| Arc {
            to: rank(arc.to),
            ..arc
        };
        for Remaining { out, into } in remaining {
            self.found.forward.push(out.into_iter().map(ranked));
            self.found.backward.push(into.into_iter().map(ranked));
        }
    }
}

/// Eliminates the first edges of a part: those whose order is free by the number of arcs that they
/// add, the others in their order.
fn eliminate(part: &mut Elimination, edges: usize, free: usize) {
    let (edges, free) = (number(edges), number(free));
    let mut queue: BinaryHeap<Reverse<(i64, u32)>> = (0..free)
        .map(|edge| Reverse((part.fill(edge), edge)))
        .collect();
    let mut is_done = vec![false; free as usize];
    while let Some(Reverse((fill, edge))) = queue.pop() {
        // Entries whose number changed later remain in the queue.
        if is_done[edge as usize] || part.fill(edge) != fill {
            continue;
        }
        is_done[edge as usize] = true;
        part.eliminate(edge);
        let neighbours = part.neighbours(edge).filter(|other| *other < free);
        queue.extend(neighbours.map(|other| Reverse((part.fill(other), other))));
    }
    (free..edges).for_each(|edge| part.eliminate(edge));
}

fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(NONE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::Cost;

    type Lists = [Vec<Arc>];

    /// Returns the costs from an edge to all others by Bellman-Ford.
    fn bellman_ford(arcs: &Lists, from: usize) -> Vec<Option<Cost>> {
        let mut best = vec![None; arcs.len()];
        best[from] = Some(Cost::default());
        for _ in 0..arcs.len() {
            for edge in 0..arcs.len() {
                let Some(cost): Option<Cost> = best[edge] else {
                    continue;
                };
                for arc in &arcs[edge] {
                    let (new_cost, best) = (cost.plus(arc.cost), &mut best[arc.to as usize]);
                    if best.is_none_or(|best| new_cost.is_below(best)) {
                        *best = Some(new_cost);
                    }
                }
            }
        }
        best
    }

    fn random(state: &mut u64, below: usize) -> u32 {
        *state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        u32::try_from((*state >> 33) % below as u64).unwrap_or(0)
    }

    fn random_graph(edges: usize, state: &mut u64) -> Vec<Vec<Arc>> {
        let mut arcs = vec![Vec::new(); edges];
        for list in &mut arcs {
            for _ in 0..=random(state, 3) {
                // Small numbers, so many trips have equal weights.
                let cost = Cost {
                    weight: 1 + random(state, 4),
                    ms: 1,
                    cm: random(state, 4),
                };
                list.push(Arc {
                    to: random(state, edges),
                    cost,
                });
            }
        }
        arcs
    }

    /// Divides the edges at random. Those with an arc to or from another block form the core.
    fn random_order(arcs: &Lists, blocks: usize, state: &mut u64) -> Order {
        let of: Vec<u32> = arcs.iter().map(|_| random(state, blocks)).collect();
        let mut order = Order {
            blocks: Vec::new(),
            core: Vec::new(),
        };
        order.blocks.resize_with(blocks, Block::default);
        let leaves = |from: usize| arcs[from].iter().any(|arc| of[arc.to as usize] != of[from]);
        let enters = |to: u32| {
            (0..arcs.len()).any(|from| {
                of[from] != of[to as usize] && arcs[from].iter().any(|arc| arc.to == to)
            })
        };
        for edge in (0..number(arcs.len())).rev() {
            let is_core = leaves(edge as usize) || enters(edge);
            let list = if is_core {
                &mut order.core
            } else {
                &mut order.blocks[of[edge as usize] as usize].members
            };
            list.push(edge);
        }
        order
            .blocks
            .iter_mut()
            .for_each(|block| block.free = random(state, block.members.len() + 1) as usize);
        order
    }

    fn contracted(arcs: &Lists, order: &Order) -> Hierarchy {
        contract(order, arcs.len(), |edge, list| {
            list.extend(&arcs[edge as usize])
        })
    }

    /// Asserts that the upward searches from all starts meet those from all ends at the costs of
    /// the fastest trips.
    fn assert_equals_bellman_ford(arcs: &Lists, order: &Order) {
        let (count, hierarchy) = (arcs.len(), contracted(arcs, order));
        let lists = |arcs: &Arcs| {
            (0u32..)
                .take(count)
                .map(|rank| arcs.of(rank).collect())
                .collect::<Vec<Vec<_>>>()
        };
        let [forward, backward] = [&hierarchy.forward, &hierarchy.backward].map(lists);
        let rank = |edge: usize| hierarchy.ranks[edge] as usize;
        let backward: Vec<_> = (0..count)
            .map(|to| bellman_ford(&backward, rank(to)))
            .collect();
        for from in 0..count {
            let (forward, expected) =
                (bellman_ford(&forward, rank(from)), bellman_ford(arcs, from));
            for to in 0..count {
                let over =
                    (0..count).filter_map(|top| Some(forward[top]?.plus(backward[to][top]?)));
                let best = over.min_by_key(|cost| (cost.weight, cost.cm));
                let key = |cost: Option<Cost>| cost.map(|cost| (cost.weight, cost.cm));
                assert_eq!(key(best), key(expected[to]), "{order:?}, {from} to {to}");
            }
        }
    }

    #[test]
    fn upward_searches_equal_bellman_ford() {
        let mut state = 1;
        for edges in [2, 5, 12, 30, 60] {
            for blocks in [1, 2, 3] {
                let arcs = random_graph(edges, &mut state);
                assert_equals_bellman_ford(&arcs, &random_order(&arcs, blocks, &mut state));
            }
        }
    }

    #[test]
    fn upward_searches_across_blocks_equal_bellman_ford() {
        let mut state = 1;
        // Two random graphs of 30 edges that are connected by four others.
        let mut arcs = random_graph(30, &mut state);
        for mut list in random_graph(30, &mut state) {
            list.iter_mut().for_each(|arc| arc.to += 30);
            arcs.push(list);
        }
        let cost = Cost {
            weight: 1,
            ms: 1,
            cm: 1,
        };
        for bridge in 0..4u32 {
            let ends = if bridge.is_multiple_of(2) {
                [bridge, 30 + bridge]
            } else {
                [30 + bridge, bridge]
            };
            arcs[ends[0] as usize].push(Arc {
                to: 60 + bridge,
                cost,
            });
            arcs.push(vec![
                Arc { to: ends[1], cost },
                Arc {
                    to: 60 + (bridge + 1) % 4,
                    cost,
                },
            ]);
        }
        let block = |members: std::ops::Range<u32>| Block {
            members: members.collect(),
            free: 20,
        };
        let order = Order {
            blocks: vec![block(0..30), block(30..60)],
            core: vec![61, 60, 63, 62],
        };
        assert_equals_bellman_ford(&arcs, &order);
        let ranks = contracted(&arcs, &order).ranks;
        assert_eq!([61, 60, 63, 62].map(|edge| ranks[edge]), [60, 61, 62, 63]);
        assert!(ranks[..30].iter().all(|rank| *rank < 30));
    }

    #[test]
    fn arcs_that_are_not_faster_are_dropped() {
        let arc = |to, weight| Arc {
            to,
            cost: Cost {
                weight,
                ms: weight,
                cm: 0,
            },
        };
        let order = Order {
            blocks: Vec::new(),
            core: vec![0, 1, 2],
        };
        let forward = |direct: u32| {
            let hierarchy = contracted(
                &[
                    vec![arc(1, 2), arc(2, direct)],
                    vec![arc(2, 3)],
                    vec![arc(0, 1)],
                ],
                &order,
            );
            hierarchy
                .forward
                .of(0)
                .map(|arc| arc.to)
                .collect::<Vec<_>>()
        };
        assert_eq!([4, 5, 6].map(forward), [vec![1, 2], vec![1], vec![1]]);
    }
}
