//! The legs that are left, as lists: once most legs are ruled out, a tree grows along the few that are not.

use super::tree::{FORBIDDEN, Legs, Prices, Tree, short};
use crate::sort::sort_smallest;

/// For every stop the stops it has a leg to or from.
#[derive(Default)]
pub(super) struct Links {
    /// Where the list of each stop begins; one more than stops.
    starts: Vec<usize>,
    list: Vec<Link>,
}

/// A neighbour with the legs to it and from it; a missing one is forbidden.
#[derive(Clone, Copy)]
struct Link {
    other: usize,
    ahead: i32,
    behind: i32,
}

impl Links {
    /// Lists every leg that is not forbidden.
    pub(super) fn fill(&mut self, legs: &Legs) {
        self.fill_if(legs, |_, _| true);
    }

    /// Lists the legs between each stop and its nearest ones, and those of a tree, in both directions.
    pub(super) fn fill_nearest(&mut self, legs: &Legs, nearest: usize, trees: &[Tree]) {
        let (count, width) = (legs.count, legs.width);
        let mut chosen = vec![false; count * width];
        let mut row: Vec<(i32, usize)> = Vec::with_capacity(count);
        for from in 0..count {
            row.clear();
            row.extend((0..count).filter(|&to| to != from).map(|to| (legs.at(from, to).min(legs.at(to, from)), to)));
            sort_smallest(&mut row, nearest, |a, b| a < b);
            for &(_, to) in row.iter().take(nearest) {
                chosen[from * width + to] = true;
                chosen[to * width + from] = true;
            }
        }
        for tree in trees {
            for &stop in tree.joined.iter().skip(1) {
                let hub = tree.parent[stop].0;
                chosen[stop * width + hub] = true;
                chosen[hub * width + stop] = true;
            }
        }
        self.fill_if(legs, |from, to| chosen[from * width + to]);
    }

    fn fill_if(&mut self, legs: &Legs, wanted: impl Fn(usize, usize) -> bool) {
        self.starts.clear();
        self.list.clear();
        for from in 0..legs.count {
            self.starts.push(self.list.len());
            let row = from * legs.width..from * legs.width + legs.count;
            let ahead = &legs.ahead[row.clone()];
            let behind = if legs.symmetric { ahead } else { &legs.behind[row] };
            for (other, (&ahead, &behind)) in ahead.iter().zip(behind).enumerate() {
                if ahead.min(behind) < FORBIDDEN && wanted(from, other) {
                    self.list.push(Link { other, ahead, behind });
                }
            }
        }
        self.starts.push(self.list.len());
    }

    /// Work of one step of an ascent along the lists.
    pub(super) fn work(&self) -> u64 {
        2 * self.list.len() as u64 + 32 * self.starts.len() as u64
    }

    /// Joins the stops to the first one by one, as [`Legs::span_all`] does over all legs.
    fn span(&self, legs: &Legs, prices: &Prices, tree: &mut Tree) {
        let (leave, enter) = (&prices.leave[..], prices.enter(legs.symmetric));
        let (mut at, mut front) = (0, std::mem::take(&mut tree.front));
        front.clear();
        for _ in 1..legs.count {
            // A stop that has joined is nearer than any edge could bring it.
            tree.room.key[at] = i32::MIN;
            let (leave_at, enter_at) = (leave[at], enter[at]);
            for link in &self.list[self.starts[at]..self.starts[at + 1]] {
                let other = link.other;
                let edge = (link.ahead + leave_at + enter[other]).min(link.behind + enter_at + leave[other]);
                if edge < tree.room.key[other] {
                    if tree.room.key[other] == i32::MAX {
                        front.push(other);
                    }
                    tree.room.key[other] = edge;
                    tree.room.hub[other] = short(at);
                }
            }
            let (mut pick, mut min) = (0, i32::MAX);
            for (place, &stop) in front.iter().enumerate() {
                let key = tree.room.key[stop];
                pick = if key < min { place } else { pick };
                min = min.min(key);
            }
            if front.is_empty() {
                tree.broken = true;
                break;
            }
            at = front.swap_remove(pick);
            tree.hang(legs, prices, at);
        }
        tree.front = front;
    }
}

impl Legs {
    /// Grows the cheapest tree at these prices (Prim's algorithm), over the legs in the lists or over all.
    pub(super) fn grow(&self, links: Option<&Links>, prices: &Prices, tree: &mut Tree) {
        tree.clear(self, prices);
        match links {
            Some(links) => links.span(self, prices, tree),
            None => self.span_all(prices, tree),
        }
        self.complete(prices, tree);
    }
}
