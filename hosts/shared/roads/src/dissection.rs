//! Nested dissection: separators of the network, by which [`crate::contraction`] orders the edges.
//!
//! A set of junctions is divided where few road segments connect its halves: at rivers, railways
//! and borders of cities. These segments separate the edges of both halves, so they are contracted
//! after them. Each half is divided again. A division is a minimum cut between the quarters of the
//! junctions that lie farthest in two opposite directions. (Schild, Sommer: On balanced separators
//! in road networks, 2015.)

use std::cmp::Reverse;

use crate::coord::Coord;

/// A set with at most as many junctions is not divided.
const LEAF: usize = 16;
/// The maximum number of junctions of a block: its arcs fit into the processor's cache. With 1,000,
/// the core is larger; with 16,000, the contraction takes a tenth longer and needs half as much
/// memory again.
pub(crate) const MAX_BLOCK: usize = 4_096;
/// The directions in which a set is divided: the factors of latitude and longitude.
const DIRECTIONS: [(i64, i64); 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];
/// The share of junctions on each side that are not separated: one quarter.
const SHARE: usize = 4;

/// A road segment between two junctions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) ends: [u32; 2],
    /// The rate of travel in the faster direction, in millimetres per second.
    pub(crate) rate: u32,
}

/// The order in which the members of a network are contracted: links, or edges.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Order {
    /// Parts that only members of the core connect.
    pub(crate) blocks: Vec<Block>,
    /// The members between blocks, which are contracted last.
    pub(crate) core: Vec<u32>,
}

/// A part of a network.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) members: Vec<u32>,
    /// The number of members at the beginning whose order is not determined.
    pub(crate) free: usize,
}

impl Order {
    /// Returns the order of other members, which replace each of these.
    pub(crate) fn replaced<'a>(&self, others: impl Fn(u32) -> &'a [u32]) -> Order {
        let replaced = |members: &[u32]| {
            members
                .iter()
                .flat_map(|member| others(*member))
                .copied()
                .collect()
        };
        let count = |members: &[u32]| members.iter().map(|member| others(*member).len()).sum();
        let block = |block: &Block| Block {
            members: replaced(&block.members),
            free: count(&block.members[..block.free]),
        };
        Order {
            blocks: self.blocks.iter().map(block).collect(),
            core: replaced(&self.core),
        }
    }
}

/// Divides the network into blocks of at most `max_block` junctions, and these further.
pub(crate) fn order(junctions: &[Coord], links: &[Link], max_block: usize) -> Order {
    let mut dissection = Dissection::new(junctions, links);
    let mut all: Vec<u32> = (0u32..).take(junctions.len()).collect();
    let (mut sets, mut core) = (Vec::new(), Vec::new());
    dissection.divide_all(&mut all, max_block.max(LEAF), &mut core, |_, set| {
        sets.push(set)
    });
    let mut blocks = Vec::with_capacity(sets.len());
    for set in sets {
        let (mut block, mut separators) = (Block::default(), Vec::new());
        dissection.divide_all(set, LEAF, &mut separators, |dissection, set| {
            dissection.links_within(set, &mut block.members);
        });
        block.free = block.members.len();
        block.members.append(&mut separators);
        blocks.push(block);
    }
    Order { blocks, core }
}

struct Dissection<'a> {
    junctions: &'a [Coord],
    links: &'a [Link],
    /// The start of each junction's links in `around`.
    starts: Vec<u32>,
    around: Vec<u32>,
    is_cut: Vec<bool>,
    /// The flow along each link, from its first junction to the second.
    flow: Vec<i8>,
    /// The number of steps from the sources.
    distance: Vec<u32>,
    /// The position of each junction in its links up to which a phase has tried them.
    tried: Vec<u32>,
    is_sink: Vec<bool>,
    /// The side of each junction in the best division so far.
    side: Vec<bool>,
}

const UNREACHED: u32 = u32::MAX;

impl<'a> Dissection<'a> {
    fn new(junctions: &'a [Coord], links: &'a [Link]) -> Dissection<'a> {
        let mut starts = vec![0u32; junctions.len() + 1];
        // A link from a junction to itself is stored once.
        let ends = |link: Link| {
            link.ends
                .into_iter()
                .take(if link.ends[0] == link.ends[1] { 1 } else { 2 })
        };
        for junction in links.iter().flat_map(|link| ends(*link)) {
            starts[junction as usize + 1] += 1;
        }
        for junction in 0..junctions.len() {
            starts[junction + 1] += starts[junction];
        }
        let mut free = starts.clone();
        let mut around = vec![0; links.len() * 2];
        for (link, of) in (0u32..).zip(links) {
            for junction in ends(*of) {
                let place = &mut free[junction as usize];
                around[*place as usize] = link;
                *place += 1;
            }
        }
        Dissection {
            junctions,
            links,
            starts,
            around,
            is_cut: vec![false; links.len()],
            flow: vec![0; links.len()],
            distance: vec![UNREACHED; junctions.len()],
            tried: vec![0; junctions.len()],
            is_sink: vec![false; junctions.len()],
            side: vec![false; junctions.len()],
        }
    }

    /// Divides a set until its parts have at most `max` junctions. Adds the links that it cuts,
    /// those of the first division last.
    fn divide_all<'s>(
        &mut self,
        set: &'s mut [u32],
        max: usize,
        cut: &mut Vec<u32>,
        mut each: impl FnMut(&mut Self, &'s mut [u32]),
    ) {
        let (first, mut waiting) = (cut.len(), vec![set]);
        while let Some(set) = waiting.pop() {
            if set.len() <= max {
                each(self, set);
            } else {
                let middle = self.divide(set, cut);
                waiting.extend(<[_; 2]>::from(set.split_at_mut(middle)));
            }
        }
        cut[first..].reverse();
    }

    /// Divides a set in the direction with the fewest links between the halves. Returns the number
    /// of junctions of the first half.
    ///
    /// Of the cut links, the fast ones are contracted last: most trips between slow ones use a fast
    /// one, which saves shortcuts.
    fn divide(&mut self, set: &mut [u32], cut: &mut Vec<u32>) -> usize {
        let share = (set.len() / SHARE).max(1);
        let mut fewest = usize::MAX;
        for (of_lat, of_lon) in DIRECTIONS {
            let position = |junction: &u32| {
                let at = self.junctions[*junction as usize];
                (
                    i64::from(at.lat) * of_lat + i64::from(at.lon) * of_lon,
                    *junction,
                )
            };
            let last = set.len() - share;
            set.select_nth_unstable_by_key(last, position);
            set[..last].select_nth_unstable_by_key(share, position);
            if let Some(flow) = self.cut(set, share, fewest) {
                fewest = flow;
                for junction in set.iter() {
                    self.side[*junction as usize] = self.distance[*junction as usize] == UNREACHED;
                }
            }
        }
        let first = cut.len();
        for junction in set.iter() {
            for place in self.starts[*junction as usize]..self.starts[*junction as usize + 1] {
                let link = self.around[place as usize] as usize;
                let [from, to] = self.links[link].ends;
                if !self.is_cut[link] && self.side[from as usize] != self.side[to as usize] {
                    self.is_cut[link] = true;
                    cut.push(u32::try_from(link).unwrap_or(UNREACHED));
                }
            }
        }
        cut[first..].sort_by_key(|link| Reverse(self.links[*link as usize].rate));
        set.sort_unstable_by_key(|junction| (self.side[*junction as usize], *junction));
        set.partition_point(|junction| !self.side[*junction as usize])
    }

    /// Adds the links within a set, which were not cut.
    fn links_within(&self, set: &[u32], within: &mut Vec<u32>) {
        for junction in set {
            for place in self.starts[*junction as usize]..self.starts[*junction as usize + 1] {
                let link = self.around[place as usize];
                if !self.is_cut[link as usize] && self.links[link as usize].ends[0] == *junction {
                    within.push(link);
                }
            }
        }
    }

    /// Finds a minimum cut between the first and the last junctions of a set: afterwards its first
    /// side has a distance. Returns the number of its links if it is below `fewest`.
    fn cut(&mut self, set: &[u32], share: usize, fewest: usize) -> Option<usize> {
        for junction in set {
            for place in self.starts[*junction as usize]..self.starts[*junction as usize + 1] {
                self.flow[self.around[place as usize] as usize] = 0;
            }
        }
        let (sources, sinks) = (&set[..share], &set[set.len() - share..]);
        sinks
            .iter()
            .for_each(|junction| self.is_sink[*junction as usize] = true);
        let mut flow = 0;
        let mut queue = Vec::with_capacity(set.len());
        let found = loop {
            if flow >= fewest {
                break None;
            }
            if !self.measure(set, sources, &mut queue) {
                break Some(flow);
            }
            for source in sources {
                while self.augment(*source) {
                    flow += 1;
                }
            }
        };
        sinks
            .iter()
            .for_each(|junction| self.is_sink[*junction as usize] = false);
        found
    }

    /// Computes the distances from the sources. Returns whether a sink is reached.
    fn measure(&mut self, set: &[u32], sources: &[u32], queue: &mut Vec<u32>) -> bool {
        for junction in set {
            self.distance[*junction as usize] = UNREACHED;
            self.tried[*junction as usize] = self.starts[*junction as usize];
        }
        queue.clear();
        for source in sources {
            self.distance[*source as usize] = 0;
            queue.push(*source);
        }
        let (mut next, mut end) = (0, UNREACHED);
        while let Some(junction) = queue.get(next).copied() {
            next += 1;
            let distance = self.distance[junction as usize] + 1;
            if distance > end {
                break;
            }
            for place in self.starts[junction as usize]..self.starts[junction as usize + 1] {
                let Some(to) = self.residual(junction, place) else {
                    continue;
                };
                if self.distance[to as usize] == UNREACHED {
                    self.distance[to as usize] = distance;
                    queue.push(to);
                    if self.is_sink[to as usize] {
                        end = distance;
                    }
                }
            }
        }
        end != UNREACHED
    }

    /// Returns where a link leads if more can flow along it, and it was not cut before.
    fn residual(&self, junction: u32, place: u32) -> Option<u32> {
        let link = self.around[place as usize] as usize;
        let [from, to] = self.links[link].ends;
        let (other, flow) = if from == junction {
            (to, self.flow[link])
        } else {
            (from, -self.flow[link])
        };
        (flow < 1 && !self.is_cut[link]).then_some(other)
    }

    /// Finds a path from a source to a sink, and sends one unit along it.
    fn augment(&mut self, source: u32) -> bool {
        let mut path: Vec<(u32, u32)> = Vec::new();
        let mut at = source;
        while !self.is_sink[at as usize] {
            let place = self.tried[at as usize];
            if place == self.starts[at as usize + 1] {
                let Some((before, _)) = path.pop() else {
                    return false;
                };
                self.tried[before as usize] += 1;
                at = before;
                continue;
            }
            match self.residual(at, place) {
                Some(to) if self.distance[to as usize] == self.distance[at as usize] + 1 => {
                    path.push((at, place));
                    at = to;
                }
                _ => self.tried[at as usize] += 1,
            }
        }
        for (junction, place) in path {
            let link = self.around[place as usize] as usize;
            self.flow[link] += if self.links[link].ends[0] == junction {
                1
            } else {
                -1
            };
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(ends: [u32; 2]) -> Link {
        Link { ends, rate: 1 }
    }

    /// Returns a grid of junctions with some links missing. The junctions of a row and of a column
    /// are connected.
    fn grid(side: u32) -> (Vec<Coord>, Vec<Link>) {
        let place = |at: u32| (at * 1_000 + at * at % 17).cast_signed();
        let junctions = (0..side * side)
            .map(|at| Coord {
                lat: place(at / side),
                lon: place(at % side),
            })
            .collect();
        let mut links = Vec::new();
        for at in 0..side * side {
            if at % side + 1 < side && at % 7 != 3 {
                links.push(link([at, at + 1]));
            }
            if at / side + 1 < side {
                links.push(link([at + side, at]));
            }
        }
        // A road that ends where it begins, and a second road between two junctions.
        links.extend([[5, 5], [0, 1]].map(link));
        (junctions, links)
    }

    fn find(root: &mut [usize], mut at: usize) -> usize {
        while root[at] != at {
            root[at] = root[root[at]];
            at = root[at];
        }
        at
    }

    /// Returns a junction that represents each junction's component.
    fn components<'a>(junctions: usize, links: impl Iterator<Item = &'a Link>) -> Vec<usize> {
        let mut root: Vec<usize> = (0..junctions).collect();
        for Link {
            ends: [from, to], ..
        } in links
        {
            let (from, to) = (
                find(&mut root, *from as usize),
                find(&mut root, *to as usize),
            );
            root[from] = to;
        }
        (0..junctions).map(|at| find(&mut root, at)).collect()
    }

    fn sizes(components: &[usize]) -> Vec<usize> {
        let mut sizes = vec![0; components.len()];
        components
            .iter()
            .for_each(|component| sizes[*component] += 1);
        sizes
    }

    #[test]
    fn separators_separate_blocks_and_leaves() {
        const MAX: usize = 100;
        let (junctions, links) = grid(40);
        let order = order(&junctions, &links, MAX);
        let mut all: Vec<u32> = order
            .blocks
            .iter()
            .flat_map(|block| &block.members)
            .chain(&order.core)
            .copied()
            .collect();
        all.sort_unstable();
        assert!(
            all.iter()
                .copied()
                .eq(0..u32::try_from(links.len()).expect("few links")),
            "each link has one place"
        );
        let of = |members: &[u32]| {
            members
                .iter()
                .map(|link| &links[*link as usize])
                .collect::<Vec<_>>()
        };
        let within = order.blocks.iter().flat_map(|block| of(&block.members));
        let blocks = components(junctions.len(), within);
        assert!(
            sizes(&blocks)
                .into_iter()
                .max()
                .is_some_and(|size| size <= MAX && size > MAX / 8)
        );
        let free = order
            .blocks
            .iter()
            .flat_map(|block| of(&block.members[..block.free]));
        assert!(
            sizes(&components(junctions.len(), free))
                .into_iter()
                .max()
                .is_some_and(|size| size <= LEAF && size > 2)
        );
        let block_of = |link: &Link| blocks[link.ends[0] as usize];
        for block in &order.blocks {
            let parts: std::collections::BTreeSet<usize> =
                of(&block.members).into_iter().map(block_of).collect();
            let others = order
                .blocks
                .iter()
                .filter(|other| *other != block)
                .flat_map(|other| of(&other.members));
            assert!(
                others
                    .into_iter()
                    .all(|link| !parts.contains(&block_of(link))),
                "no link leads to another block"
            );
        }
        assert!(
            order.core.len() < links.len() / 4,
            "{} of {} links",
            order.core.len(),
            links.len()
        );
    }

    #[test]
    fn network_is_divided_at_its_bridges() {
        let (mut junctions, mut links) = grid(10);
        let north = junctions.len();
        junctions.extend(junctions.clone().into_iter().map(|at| Coord {
            lat: at.lat + 12_000,
            ..at
        }));
        let second: Vec<Link> = links
            .iter()
            .map(|one| link(one.ends.map(|end| end + 100)))
            .collect();
        // In the order of their rates, not of their junctions.
        let bridges = [([98, 108], 2), ([91, 101], 5), ([95, 105], 7)]
            .map(|(ends, rate)| Link { ends, rate });
        links.extend(second.into_iter().chain(bridges));
        let order = order(&junctions, &links, north);
        let core: Vec<Link> = order
            .core
            .iter()
            .map(|link| links[*link as usize])
            .collect();
        assert_eq!((core, order.blocks.len()), (bridges.to_vec(), 2));
    }

    #[test]
    fn replaced_order_keeps_blocks() {
        let block = |members: &[u32], free| Block {
            members: members.to_vec(),
            free,
        };
        let order = Order {
            blocks: vec![block(&[2, 0], 1)],
            core: vec![1],
        };
        let edges: [&[u32]; 3] = [&[0], &[], &[1, 2]];
        let expected = Order {
            blocks: vec![block(&[1, 2, 0], 2)],
            core: Vec::new(),
        };
        assert_eq!(order.replaced(|link| edges[link as usize]), expected);
    }
}
