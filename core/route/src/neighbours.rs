//! Adjacency lists of the remaining legs. When most legs are eliminated, a tree grows faster over
//! the lists.

use super::tree::{FORBIDDEN, Legs, Prices, Tree, to_i32};

/// The neighbours of every stop.
#[derive(Default)]
pub(super) struct Neighbours {
    /// The start of each stop's list, and the total length at the end.
    starts: Vec<usize>,
    list: Vec<Neighbour>,
}

/// A neighbour with the legs to it and from it. A missing leg is [`FORBIDDEN`].
#[derive(Clone, Copy)]
struct Neighbour {
    other: usize,
    forward: i32,
    backward: i32,
}

impl Neighbours {
    /// Lists every leg that is not forbidden.
    pub(super) fn fill(&mut self, legs: &Legs) {
        self.fill_if(legs, |_, _| true);
    }

    /// Lists the legs between each stop and its nearest ones and the legs of the trees, in both
    /// directions.
    pub(super) fn fill_nearest(&mut self, legs: &Legs, nearest: usize, trees: &[Tree]) {
        let (count, width) = (legs.count, legs.width);
        let mut chosen = vec![false; count * width];
        let mut row: Vec<(i32, usize)> = Vec::with_capacity(count);
        for from in 0..count {
            row.clear();
            row.extend(
                (0..count)
                    .filter(|&to| to != from)
                    .map(|to| (legs.at(from, to).min(legs.at(to, from)), to)),
            );
            if nearest < row.len() {
                row.select_nth_unstable(nearest);
                row.truncate(nearest);
            }
            for &(_, to) in &row {
                chosen[from * width + to] = true;
                chosen[to * width + from] = true;
            }
        }
        for tree in trees {
            for &stop in tree.joined.iter().skip(1) {
                let parent = tree.parent[stop].0;
                chosen[stop * width + parent] = true;
                chosen[parent * width + stop] = true;
            }
        }
        self.fill_if(legs, |from, to| chosen[from * width + to]);
    }

    fn fill_if(&mut self, legs: &Legs, is_included: impl Fn(usize, usize) -> bool) {
        self.starts.clear();
        self.list.clear();
        for from in 0..legs.count {
            self.starts.push(self.list.len());
            let row = from * legs.width..from * legs.width + legs.count;
            let forward = &legs.forward[row.clone()];
            let backward = if legs.symmetric {
                forward
            } else {
                &legs.backward[row]
            };
            for (other, (&forward, &backward)) in forward.iter().zip(backward).enumerate() {
                if forward.min(backward) < FORBIDDEN && is_included(from, other) {
                    self.list.push(Neighbour {
                        other,
                        forward,
                        backward,
                    });
                }
            }
        }
        self.starts.push(self.list.len());
    }

    /// Returns the work of one ascent step over the lists.
    pub(super) fn work(&self) -> u64 {
        2 * self.list.len() as u64 + 32 * self.starts.len() as u64
    }

    /// Grows the tree from the first stop, as [`Legs::span_all`] does over all legs.
    fn span(&self, legs: &Legs, prices: &Prices, tree: &mut Tree) {
        let (leave, enter) = (&prices.leave[..], prices.enter(legs.symmetric));
        let (mut at, mut frontier) = (0, std::mem::take(&mut tree.frontier));
        frontier.clear();
        for _ in 1..legs.count {
            // No edge is cheaper than the key of a joined stop.
            tree.prim.key[at] = i32::MIN;
            let (leave_at, enter_at) = (leave[at], enter[at]);
            for neighbour in &self.list[self.starts[at]..self.starts[at + 1]] {
                let other = neighbour.other;
                let edge = (neighbour.forward + leave_at + enter[other])
                    .min(neighbour.backward + enter_at + leave[other]);
                if edge < tree.prim.key[other] {
                    if tree.prim.key[other] == i32::MAX {
                        frontier.push(other);
                    }
                    tree.prim.key[other] = edge;
                    tree.prim.parent[other] = to_i32(at);
                }
            }
            let (mut pick, mut min) = (0, i32::MAX);
            for (index, &stop) in frontier.iter().enumerate() {
                let key = tree.prim.key[stop];
                pick = if key < min { index } else { pick };
                min = min.min(key);
            }
            if frontier.is_empty() {
                tree.disconnected = true;
                break;
            }
            at = frontier.swap_remove(pick);
            tree.add_stop(legs, prices, at);
        }
        tree.frontier = frontier;
    }
}

impl Legs {
    /// Grows the minimum spanning tree at these prices (Prim's algorithm), over the listed legs or
    /// over all.
    pub(super) fn grow(&self, neighbours: Option<&Neighbours>, prices: &Prices, tree: &mut Tree) {
        tree.clear(self, prices);
        match neighbours {
            Some(neighbours) => neighbours.span(self, prices, tree),
            None => self.span_all(prices, tree),
        }
        self.complete(prices, tree);
    }
}
