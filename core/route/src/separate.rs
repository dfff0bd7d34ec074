//! Separates cuts: inequalities that every route satisfies and a fractional solution violates.
//!
//! Subtour elimination (Dantzig, Fulkerson and Johnson 1954): the legs within a set of nodes sum to
//! at most its size minus one. Violated sets are connected components or cuts below two, found by
//! Stoer and Wagner (1997) after paths of integral legs are contracted (Padberg and Rinaldi 1990).
//! Blossoms (Edmonds 1965) are combs whose teeth are single legs, found from the components of the
//! fractional legs (Padberg and Hong 1980).

use crate::simplex::Entries;

/// The number of words of a set. There are fewer than 256 nodes.
const WORDS: usize = 4;
/// The minimum violation of a cut.
const MIN_VIOLATION: f64 = 0.02;
/// Legs with a lower value are not in the support, and legs this close to one are integral.
pub(super) const MIN_WEIGHT: f64 = 1e-6;
/// The maximum number of subtour cuts per separation.
const MAX_CUTS: usize = 10;

/// A set of nodes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Set([u64; WORDS]);

/// An inequality that every route satisfies.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Cut {
    /// The legs within each set, summed over the sets, are at most the given number.
    Sets(Vec<Set>, usize),
    /// A lifted cycle inequality, and whether every leg is reversed.
    Cycle(Vec<usize>, bool),
}

/// The undirected support graph of an LP solution.
pub(super) struct Support {
    nodes: usize,
    edges: Vec<(usize, usize, f64)>,
}

impl Set {
    pub(super) fn insert(&mut self, node: usize) {
        self.0[node / 64] |= 1 << (node % 64);
    }

    pub(super) fn contains(&self, node: usize) -> bool {
        self.0[node / 64] & (1 << (node % 64)) != 0
    }

    pub(super) fn from_nodes(nodes: impl IntoIterator<Item = usize>) -> Set {
        let mut set = Set::default();
        nodes.into_iter().for_each(|node| set.insert(node));
        set
    }

    fn union_with(&mut self, other: &Set) {
        self.0
            .iter_mut()
            .zip(other.0)
            .for_each(|(word, other)| *word |= other);
    }

    /// Returns the coefficient of a leg in the inequality of this set.
    fn coefficient(&self, from: usize, to: usize, symmetric: bool) -> f64 {
        let (one, other) = (self.contains(from), self.contains(to));
        match (one, other, symmetric) {
            (false, false, _) | (false, true, false) => 0.0,
            (true, true, _) => f64::from(u8::from(!self.is_large())),
            (true, false, false) => -f64::from(u8::from(self.is_large())),
            (_, _, true) => -0.5 * f64::from(u8::from(self.is_large())),
        }
    }

    /// Returns whether fewer legs leave the set than lie within it.
    pub(super) fn is_large(&self) -> bool {
        self.len() > 3
    }

    pub(super) fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }
}

impl Cut {
    /// Returns the subtour cut of the smaller of a set and its complement. The two are equivalent.
    pub(super) fn subtour(set: &Set, nodes: usize) -> Cut {
        let outside = || Set::from_nodes((0..nodes).filter(|&node| !set.contains(node)));
        let set = if 2 * set.len() > nodes {
            outside()
        } else {
            *set
        };
        Cut::Sets(vec![set], set.len() - 1)
    }

    /// Returns the function from a leg's start and end to its coefficient.
    ///
    /// A large set counts the legs that leave it, with a negative sign, because there are fewer:
    /// the legs within are its size minus those.
    pub(super) fn coefficient_fn(&self, symmetric: bool) -> impl Fn(usize, usize) -> f64 {
        let mut ranks = [usize::MAX; 64 * WORDS];
        let (sets, last, backward) = match self {
            Cut::Sets(sets, _) => (&sets[..], 0, false),
            Cut::Cycle(nodes, backward) => {
                nodes
                    .iter()
                    .enumerate()
                    .for_each(|(rank, &node)| ranks[node] = rank);
                (&[][..], nodes.len() - 1, *backward)
            }
        };
        move |from, to| match (last, backward) {
            (0, _) => sets
                .iter()
                .map(|set| set.coefficient(from, to, symmetric))
                .sum(),
            (_, false) => lifted(last, ranks[from], ranks[to]),
            (_, true) => lifted(last, ranks[to], ranks[from]),
        }
    }

    /// Returns the non-zero coefficients of some legs, each given as index, start and end.
    pub(super) fn entries(
        &self,
        legs: impl Iterator<Item = (usize, usize, usize)>,
        symmetric: bool,
    ) -> Entries {
        let coefficient = self.coefficient_fn(symmetric);
        legs.map(|(index, from, to)| (index, coefficient(from, to)))
            .filter(|&(_, value)| value != 0.0)
            .collect()
    }

    /// Returns the right-hand side.
    pub(super) fn rhs(&self) -> f64 {
        match self {
            Cut::Sets(sets, limit) => {
                let large: usize = sets.iter().filter(|set| set.is_large()).map(Set::len).sum();
                float(*limit) - float(large)
            }
            Cut::Cycle(nodes, _) => float(nodes.len() - 1),
        }
    }

    /// Returns the work of computing one coefficient.
    pub(super) fn work(&self) -> u64 {
        match self {
            Cut::Sets(sets, _) => sets.len() as u64,
            Cut::Cycle(..) => 2,
        }
    }
}

impl Support {
    /// Creates the support graph from the legs in use.
    pub(super) fn new(nodes: usize, legs: &[(usize, usize, f64)]) -> Support {
        let mut weights = vec![0.0; nodes * nodes];
        let mut used = Vec::new();
        for &(from, to, value) in legs {
            let (one, other) = (from.min(to), from.max(to));
            if weights[one * nodes + other] == 0.0 {
                used.push((one, other));
            }
            weights[one * nodes + other] += value;
        }
        let edges: Vec<(usize, usize, f64)> = used
            .into_iter()
            .map(|(one, other)| (one, other, weights[one * nodes + other]))
            .collect();
        Support { nodes, edges }
    }

    /// Returns violated cuts.
    pub(super) fn violated_cuts(&self) -> Vec<Cut> {
        let parts = self.components(|weight| weight > MIN_WEIGHT);
        if parts.len() > 1 {
            let all = parts.iter().map(|part| Cut::subtour(part, self.nodes));
            return all.take(MAX_CUTS).collect();
        }
        let mut cuts = self.subtours();
        cuts.truncate(MAX_CUTS);
        for margin in [MIN_WEIGHT, 0.1, 0.2, 0.3] {
            for handle in self.components(|weight| weight > margin && weight < 1.0 - margin) {
                cuts.extend(self.blossom(handle, 1.0 - margin));
            }
        }
        cuts.sort_unstable();
        cuts.dedup();
        cuts
    }

    /// Returns the work of a separation.
    pub(super) fn work(&self) -> u64 {
        (2 * self.nodes * self.nodes * (4 + self.nodes / 8)) as u64
    }

    /// Returns the components connected by legs whose weight satisfies a predicate.
    fn components(&self, matches: impl Fn(f64) -> bool) -> Vec<Set> {
        let label = self.labels(matches);
        let mut parts = vec![Set::default(); self.nodes];
        for node in 0..self.nodes {
            parts[label[node]].insert(node);
        }
        parts.retain(|part| part.len() > 0);
        parts
    }

    fn labels(&self, matches: impl Fn(f64) -> bool) -> Vec<usize> {
        let mut label: Vec<usize> = (0..self.nodes).collect();
        for &(one, other, weight) in &self.edges {
            if matches(weight) {
                let (one, other) = (root(&label, one), root(&label, other));
                label[one.max(other)] = one.min(other);
            }
        }
        (0..self.nodes).map(|node| root(&label, node)).collect()
    }

    /// Returns violated subtour cuts, the smallest cut value first.
    fn subtours(&self) -> Vec<Cut> {
        let label = self.labels(|weight| weight > 1.0 - MIN_WEIGHT);
        let heads: Vec<usize> = (0..self.nodes)
            .filter(|&node| label[node] == node)
            .collect();
        let count = heads.len();
        let mut index = vec![0; self.nodes];
        heads
            .iter()
            .enumerate()
            .for_each(|(at, &head)| index[head] = at);
        let mut weights = vec![0.0; count * count];
        for &(one, other, weight) in &self.edges {
            let (one, other) = (index[label[one]], index[label[other]]);
            if one != other {
                weights[one * count + other] += weight;
                weights[other * count + one] += weight;
            }
        }
        let mut sets = vec![Set::default(); count];
        for node in 0..self.nodes {
            sets[index[label[node]]].insert(node);
        }
        let mut remaining: Vec<usize> = (0..count).collect();
        let mut found: Vec<(f64, Cut)> = Vec::new();
        while remaining.len() > 2 {
            let (last, before, value) = min_cut_phase(&remaining, &weights, count);
            if value < 2.0 - MIN_VIOLATION {
                found.push((value, Cut::subtour(&sets[last], self.nodes)));
            }
            let removed = sets[last];
            sets[before].union_with(&removed);
            remaining.retain(|&group| group != last);
            for &group in &remaining {
                let joined = weights[before * count + group] + weights[last * count + group];
                weights[before * count + group] = joined;
                weights[group * count + before] = joined;
            }
        }
        found.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
        found.into_iter().map(|(_, cut)| cut).collect()
    }

    /// Returns the blossom of a handle with its integral legs as teeth, if it is violated.
    fn blossom(&self, mut handle: Set, min_whole: f64) -> Option<Cut> {
        // A node outside the handle where two teeth meet is added to the handle.
        let mut teeth: Vec<(usize, usize, f64)> = Vec::new();
        let crosses =
            |handle: &Set, one: usize, other: usize| handle.contains(one) != handle.contains(other);
        for _ in 0..2 {
            teeth.clear();
            teeth.extend(
                self.edges
                    .iter()
                    .filter(|edge| edge.2 >= min_whole && crosses(&handle, edge.0, edge.1)),
            );
            let mut seen = Set::default();
            for &(one, other, _) in &teeth {
                let outside = if handle.contains(one) { other } else { one };
                if seen.contains(outside) {
                    handle.insert(outside);
                }
                seen.insert(outside);
            }
        }
        teeth.retain(|&(one, other, _)| crosses(&handle, one, other));
        let mut taken = Set::default();
        teeth.retain(|&(one, other, _)| {
            let free = !taken.contains(one) && !taken.contains(other);
            taken.insert(one);
            taken.insert(other);
            free
        });
        if teeth.len().is_multiple_of(2) {
            // The number of teeth must be odd: remove the one with the lowest value.
            let loosest = (0..teeth.len()).min_by(|&a, &b| teeth[a].2.total_cmp(&teeth[b].2))?;
            teeth.swap_remove(loosest);
        }
        if teeth.len() < 3 {
            return None;
        }
        let inside = self
            .edges
            .iter()
            .filter(|edge| handle.contains(edge.0) && handle.contains(edge.1));
        let held: f64 = inside.chain(&teeth).map(|edge| edge.2).sum();
        let limit = handle.len() + (teeth.len() - 1) / 2;
        let above = held - float(limit);
        let mut sets = vec![handle];
        sets.extend(
            teeth
                .iter()
                .map(|&(one, other, _)| Set::from_nodes([one, other])),
        );
        (above > MIN_VIOLATION).then_some(Cut::Sets(sets, limit))
    }
}

/// Returns a leg's coefficient in the lifted cycle that leads from the first node to the last and
/// back through the others. `from` and `to` are ranks in the cycle; `usize::MAX` is outside it.
fn lifted(last: usize, from: usize, to: usize) -> f64 {
    if from > last || to > last {
        return 0.0;
    }
    match (from, to) {
        (0, to) if to == last => 1.0,
        (0, to) if to > 0 => 2.0,
        (from, to) if from == to + 1 => 1.0,
        (from, to) if from > 0 && from < to && to < last => 1.0,
        _ => 0.0,
    }
}

/// Converts a count of nodes to a float.
fn float(count: usize) -> f64 {
    f64::from(u16::try_from(count).unwrap_or(u16::MAX))
}

/// Returns the representative of a node's component.
fn root(label: &[usize], mut node: usize) -> usize {
    while label[node] != node {
        node = label[node];
    }
    node
}

/// Performs one phase of Stoer and Wagner: orders the groups by maximum adjacency. Returns the last
/// group, the one before it, and the weight between the last group and all others.
fn min_cut_phase(remaining: &[usize], weights: &[f64], count: usize) -> (usize, usize, f64) {
    let mut keys: Vec<(f64, usize)> = remaining.iter().map(|&group| (0.0, group)).collect();
    let (mut last, mut before, mut value) = (remaining[0], remaining[0], 0.0);
    while !keys.is_empty() {
        let mut pick = 0;
        for at in 1..keys.len() {
            if keys[at].0 > keys[pick].0 {
                pick = at;
            }
        }
        let (key, group) = keys.swap_remove(pick);
        (before, last, value) = (last, group, key);
        let row = &weights[group * count..(group + 1) * count];
        for (key, other) in &mut keys {
            *key += row[*other];
        }
    }
    (last, before, value)
}
