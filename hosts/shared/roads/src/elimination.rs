//! Elimination of edges from a part of the graph, without searches.
//!
//! Eliminating an edge connects every edge before it with every edge behind it, so the order alone
//! determines the shortcuts. Their costs over higher edges are then computed from the highest edge
//! down, and arcs that are not needed are dropped. (Dibbelt, Strasser, Wagner: Customizable
//! contraction hierarchies, 2014; Buchhold, Wagner, Zeitz, Zündorf: Customizable contraction
//! hierarchies with turn costs, 2020.)

use crate::cost::{Cost, NONE};
use crate::hierarchy::Arc;

/// A part of the graph. Its edges are numbered from 0.
pub(crate) struct Elimination {
    /// The arcs to edges that are eliminated later, by the edge where they begin.
    out: Vec<Vec<Arc>>,
    /// The arcs from edges that are eliminated later, by the edge where they end. Before the
    /// elimination, their costs are unknown.
    into: Vec<Vec<Arc>>,
    /// The position of each edge in the list of arcs examined last. It is valid if that arc leads
    /// to the edge.
    position: Vec<u32>,
    /// The eliminated edges in their order.
    pub(crate) order: Vec<u32>,
}

/// The arcs that remain of an eliminated edge.
pub(crate) struct Remaining {
    pub(crate) out: Vec<Arc>,
    pub(crate) into: Vec<Arc>,
}

impl Elimination {
    pub(crate) fn new(edges: usize) -> Elimination {
        let lists = || (0..edges).map(|_| Vec::new()).collect();
        Elimination {
            out: lists(),
            into: lists(),
            position: vec![0; edges],
            order: Vec::new(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.out.len()
    }

    /// Adds arcs from one edge, or lowers the costs of existing ones. Loops are ignored.
    pub(crate) fn add_all(&mut self, from: u32, arcs: &[Arc]) {
        let out = &mut self.out[from as usize];
        let position = &mut self.position;
        (0u32..)
            .zip(out.iter())
            .for_each(|(at, arc)| position[arc.to as usize] = at);
        for arc in arcs.iter().filter(|arc| arc.to != from) {
            merge(out, position, &mut self.into, from, *arc);
        }
    }

    /// Returns the number of shortcuts that eliminating an edge can add, less the removed arcs.
    pub(crate) fn fill(&self, edge: u32) -> i64 {
        let (out, into) = (
            self.out[edge as usize].len(),
            self.into[edge as usize].len(),
        );
        let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
        count(out * into) - count(out + into)
    }

    /// Returns the edges connected with one, except those eliminated before it.
    pub(crate) fn neighbours(&self, edge: u32) -> impl Iterator<Item = u32> + '_ {
        self.out[edge as usize]
            .iter()
            .chain(&self.into[edge as usize])
            .map(|arc| arc.to)
    }

    /// Replaces the trips over an edge by shortcuts.
    pub(crate) fn eliminate(&mut self, edge: u32) {
        let out = std::mem::take(&mut self.out[edge as usize]);
        let mut into = std::mem::take(&mut self.into[edge as usize]);
        for first in &mut into {
            let list = &mut self.out[first.to as usize];
            let position = &mut self.position;
            (0u32..)
                .zip(list.iter())
                .for_each(|(at, arc)| position[arc.to as usize] = at);
            let at = position[edge as usize];
            first.cost = list.swap_remove(at as usize).cost;
            if let Some(moved) = list.get(at as usize) {
                position[moved.to as usize] = at;
            }
            for second in out.iter().filter(|second| second.to != first.to) {
                let over = Arc {
                    to: second.to,
                    cost: first.cost.plus(second.cost),
                };
                merge(list, position, &mut self.into, first.to, over);
            }
        }
        for second in &out {
            let list = &mut self.into[second.to as usize];
            if let Some(at) = list.iter().position(|arc| arc.to == edge) {
                list.swap_remove(at);
            }
        }
        (self.out[edge as usize], self.into[edge as usize]) = (out, into);
        self.order.push(edge);
    }

    /// Returns the arcs between edges that were not eliminated, by the edge where they begin.
    pub(crate) fn arcs_of(&self, edge: u32) -> &[Arc] {
        &self.out[edge as usize]
    }

    /// Computes the arcs that are needed of the eliminated edges, in the order of elimination.
    pub(crate) fn finish(&mut self) -> Vec<Remaining> {
        let mut rank = vec![NONE; self.len()];
        (0u32..)
            .zip(&self.order)
            .for_each(|(number, edge)| rank[*edge as usize] = number);
        self.distribute_rest(&rank);
        let mut remaining = Vec::with_capacity(self.order.len());
        let mut dropped = Vec::new();
        for edge in self.order.iter().rev().map(|edge| *edge as usize) {
            let mut list = std::mem::take(&mut self.out[edge]);
            lower(
                &mut list,
                &self.out,
                &self.into,
                &mut self.position,
                &mut dropped,
            );
            let out = kept(&list, &dropped);
            self.out[edge] = list;
            let mut list = std::mem::take(&mut self.into[edge]);
            lower(
                &mut list,
                &self.into,
                &self.out,
                &mut self.position,
                &mut dropped,
            );
            let into = kept(&list, &dropped);
            self.into[edge] = list;
            remaining.push(Remaining { out, into });
        }
        remaining.reverse();
        remaining
    }

    /// Stores the arcs between edges that were not eliminated once, as if the edges were eliminated
    /// in the order of their numbers.
    fn distribute_rest(&mut self, rank: &[u32]) {
        let rest = |edge: usize| rank[edge] == NONE;
        (0..self.len())
            .filter(|edge| rest(*edge))
            .for_each(|edge| self.into[edge].clear());
        for edge in (0..self.len()).filter(|edge| rest(*edge)) {
            let number = u32::try_from(edge).unwrap_or(NONE);
            let (up, down): (Vec<Arc>, Vec<Arc>) = std::mem::take(&mut self.out[edge])
                .into_iter()
                .partition(|arc| arc.to > number);
            self.out[edge] = up;
            for arc in down {
                self.into[arc.to as usize].push(Arc {
                    to: number,
                    cost: arc.cost,
                });
            }
        }
    }
}

/// Adds an arc to a list whose positions are known, or lowers the cost of the existing one.
fn merge(list: &mut Vec<Arc>, position: &mut [u32], into: &mut [Vec<Arc>], from: u32, arc: Arc) {
    let at = &mut position[arc.to as usize];
    match list.get_mut(*at as usize) {
        Some(known) if known.to == arc.to => {
            if arc.cost.is_below(known.cost) {
                known.cost = arc.cost;
            }
        }
        _ => {
            *at = u32::try_from(list.len()).unwrap_or(NONE);
            list.push(arc);
            into[arc.to as usize].push(Arc {
                to: from,
                cost: Cost::default(),
            });
        }
    }
}

/// Lowers the costs of upward arcs that are not faster than a trip over another upward arc, and
/// marks them. `up` and `down` have the final arcs of all higher edges.
fn lower(
    list: &mut [Arc],
    up: &[Vec<Arc>],
    down: &[Vec<Arc>],
    position: &mut [u32],
    dropped: &mut Vec<bool>,
) {
    dropped.clear();
    dropped.resize(list.len(), false);
    (0u32..)
        .zip(list.iter())
        .for_each(|(at, arc)| position[arc.to as usize] = at);
    for at in 0..list.len() {
        let via = list[at];
        for next in &up[via.to as usize] {
            let other = position[next.to as usize] as usize;
            if let Some(arc) = list.get_mut(other).filter(|arc| arc.to == next.to) {
                let cost = via.cost.plus(next.cost);
                if !arc.cost.is_below(cost) {
                    arc.cost = cost;
                    dropped[other] = true;
                }
            }
        }
        for next in &down[via.to as usize] {
            let other = position[next.to as usize] as usize;
            if let Some(higher) = list.get(other).filter(|arc| arc.to == next.to) {
                let cost = higher.cost.plus(next.cost);
                if !list[at].cost.is_below(cost) {
                    list[at].cost = cost;
                    dropped[at] = true;
                }
            }
        }
    }
}

fn kept(list: &[Arc], dropped: &[bool]) -> Vec<Arc> {
    list.iter()
        .zip(dropped)
        .filter(|(_, dropped)| !**dropped)
        .map(|(arc, _)| *arc)
        .collect()
}
