//! Finds limits that every route keeps and a fractional solution does not.
//!
//! Subtours (Dantzig, Fulkerson and Johnson 1954): over the legs in use no set of places may hold more than its size less
//! one. Violated ones are connected components or cuts below two, found by Stoer and Wagner (1997) after chains of whole
//! legs are contracted (Padberg and Rinaldi 1990). Blossoms (Edmonds 1965), combs whose teeth are single legs: found from
//! the components of what is fractional (Padberg and Hong 1980).

use crate::{simplex::Entries, sort::sort};

/// Words of a set: places are fewer than 256.
const WORDS: usize = 4;
/// What falls short of a limit by less than this does not count.
const VIOLATED: f64 = 0.02;
/// Legs below this are not in use, legs this close to one are whole.
pub(super) const MIN_WEIGHT: f64 = 1e-6;
/// The most limits found at once.
const MAX_CUTS: usize = 10;

/// Some places.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Set([u64; WORDS]);

/// A limit that every route keeps.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Cut {
    /// The legs inside of each set, added up over the sets, are at most so many.
    Sets(Vec<Set>, usize),
    /// A lifted cycle, and whether every leg is reversed.
    Cycle(Vec<usize>, bool),
}

/// The legs that a solution uses, without their directions.
pub(super) struct Support {
    places: usize,
    edges: Vec<(usize, usize, f64)>,
}

impl Set {
    pub(super) fn put(&mut self, place: usize) {
        self.0[place / 64] |= 1 << (place % 64);
    }

    pub(super) fn holds(&self, place: usize) -> bool {
        self.0[place / 64] & (1 << (place % 64)) != 0
    }

    pub(super) fn of(places: impl IntoIterator<Item = usize>) -> Set {
        let mut set = Set::default();
        places.into_iter().for_each(|place| set.put(place));
        set
    }

    fn join(&mut self, other: &Set) {
        self.0.iter_mut().zip(other.0).for_each(|(word, other)| *word |= other);
    }

    /// How often a leg counts for this set.
    fn coefficient(&self, from: usize, to: usize, symmetric: bool) -> f64 {
        let (one, other) = (self.holds(from), self.holds(to));
        match (one, other, symmetric) {
            (false, false, _) | (false, true, false) => 0.0,
            (true, true, _) => f64::from(u8::from(!self.is_large())),
            (true, false, false) => -f64::from(u8::from(self.is_large())),
            (_, _, true) => -0.5 * f64::from(u8::from(self.is_large())),
        }
    }

    /// Whether fewer legs leave the set than lie inside.
    pub(super) fn is_large(&self) -> bool {
        self.len() > 3
    }

    pub(super) fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }
}

impl Cut {
    /// The cut of a set or, if that is smaller, of its complement: each implies the other.
    pub(super) fn subtour(set: &Set, places: usize) -> Cut {
        let outside = || Set::of((0..places).filter(|&place| !set.holds(place)));
        let set = if 2 * set.len() > places { outside() } else { *set };
        Cut::Sets(vec![set], set.len() - 1)
    }

    /// How often a leg counts, by where it leads from and to.
    ///
    /// Of a large set the legs that leave it are counted down, since there are fewer: what is inside is its size less those.
    pub(super) fn counter(&self, symmetric: bool) -> impl Fn(usize, usize) -> f64 {
        let mut ranks = [usize::MAX; 64 * WORDS];
        let (sets, last, backward) = match self {
            Cut::Sets(sets, _) => (&sets[..], 0, false),
            Cut::Cycle(places, backward) => {
                places.iter().enumerate().for_each(|(rank, &place)| ranks[place] = rank);
                (&[][..], places.len() - 1, *backward)
            }
        };
        move |from, to| match (last, backward) {
            (0, _) => sets.iter().map(|set| set.coefficient(from, to, symmetric)).sum(),
            (_, false) => lifted(last, ranks[from], ranks[to]),
            (_, true) => lifted(last, ranks[to], ranks[from]),
        }
    }

    /// The entries of this limit among some legs, each with its index, start and end.
    pub(super) fn entries(&self, legs: impl Iterator<Item = (usize, usize, usize)>, symmetric: bool) -> Entries {
        let count = self.counter(symmetric);
        legs.map(|(index, from, to)| (index, count(from, to))).filter(|&(_, counted)| counted != 0.0).collect()
    }

    /// What the legs count for together at most.
    pub(super) fn limit(&self) -> f64 {
        match self {
            Cut::Sets(sets, limit) => {
                let large: usize = sets.iter().filter(|set| set.is_large()).map(Set::len).sum();
                float(*limit) - float(large)
            }
            Cut::Cycle(places, _) => float(places.len() - 1),
        }
    }

    /// Work of one coefficient.
    pub(super) fn work(&self) -> u64 {
        match self {
            Cut::Sets(sets, _) => sets.len() as u64,
            Cut::Cycle(..) => 2,
        }
    }
}

impl Support {
    /// The legs in use among so many places.
    pub(super) fn of(places: usize, legs: &[(usize, usize, f64)]) -> Support {
        let mut weights = vec![0.0; places * places];
        let mut used = Vec::new();
        for &(from, to, value) in legs {
            let (one, other) = (from.min(to), from.max(to));
            if weights[one * places + other] == 0.0 {
                used.push((one, other));
            }
            weights[one * places + other] += value;
        }
        let edges: Vec<(usize, usize, f64)> =
            used.into_iter().map(|(one, other)| (one, other, weights[one * places + other])).collect();
        Support { places, edges }
    }

    /// Limits that the legs break.
    pub(super) fn broken(&self) -> Vec<Cut> {
        let parts = self.components(|weight| weight > MIN_WEIGHT);
        if parts.len() > 1 {
            let all = parts.iter().map(|part| Cut::subtour(part, self.places));
            return all.take(MAX_CUTS).collect();
        }
        let mut cuts = self.subtours();
        cuts.truncate(MAX_CUTS);
        for margin in [MIN_WEIGHT, 0.1, 0.2, 0.3] {
            for handle in self.components(|weight| weight > margin && weight < 1.0 - margin) {
                cuts.extend(self.blossom(handle, 1.0 - margin));
            }
        }
        sort(&mut cuts, |a, b| a < b);
        cuts.dedup();
        cuts
    }

    /// Work of looking for limits.
    pub(super) fn work(&self) -> u64 {
        (2 * self.places * self.places * (4 + self.places / 8)) as u64
    }

    /// The parts that hang together by legs of a kind.
    fn components(&self, wanted: impl Fn(f64) -> bool) -> Vec<Set> {
        let label = self.labels(wanted);
        let mut parts = vec![Set::default(); self.places];
        for place in 0..self.places {
            parts[label[place]].put(place);
        }
        parts.retain(|part| part.len() > 0);
        parts
    }

    fn labels(&self, wanted: impl Fn(f64) -> bool) -> Vec<usize> {
        let mut label: Vec<usize> = (0..self.places).collect();
        for &(one, other, weight) in &self.edges {
            if wanted(weight) {
                let (one, other) = (root(&label, one), root(&label, other));
                label[one.max(other)] = one.min(other);
            }
        }
        (0..self.places).map(|place| root(&label, place)).collect()
    }

    /// Sets that too little enters, the least first.
    fn subtours(&self) -> Vec<Cut> {
        let label = self.labels(|weight| weight > 1.0 - MIN_WEIGHT);
        let heads: Vec<usize> = (0..self.places).filter(|&place| label[place] == place).collect();
        let count = heads.len();
        let mut index = vec![0; self.places];
        heads.iter().enumerate().for_each(|(at, &head)| index[head] = at);
        let mut weights = vec![0.0; count * count];
        for &(one, other, weight) in &self.edges {
            let (one, other) = (index[label[one]], index[label[other]]);
            if one != other {
                weights[one * count + other] += weight;
                weights[other * count + one] += weight;
            }
        }
        let mut sets = vec![Set::default(); count];
        for place in 0..self.places {
            sets[index[label[place]]].put(place);
        }
        let mut alive: Vec<usize> = (0..count).collect();
        let mut found: Vec<(f64, Cut)> = Vec::new();
        while alive.len() > 2 {
            let (last, before, value) = farthest(&alive, &weights, count);
            if value < 2.0 - VIOLATED {
                found.push((value, Cut::subtour(&sets[last], self.places)));
            }
            let gone = sets[last];
            sets[before].join(&gone);
            alive.retain(|&group| group != last);
            for &group in &alive {
                let joined = weights[before * count + group] + weights[last * count + group];
                weights[before * count + group] = joined;
                weights[group * count + before] = joined;
            }
        }
        sort(&mut found, |a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)).is_lt());
        found.into_iter().map(|(_, cut)| cut).collect()
    }

    /// The blossom of a handle with its integral legs as teeth, if it is violated.
    fn blossom(&self, mut handle: Set, whole: f64) -> Option<Cut> {
        // Two teeth that meet outside of the handle are part of it.
        let mut teeth: Vec<(usize, usize, f64)> = Vec::new();
        let crosses = |handle: &Set, one: usize, other: usize| handle.holds(one) != handle.holds(other);
        for _ in 0..2 {
            teeth.clear();
            teeth.extend(self.edges.iter().filter(|edge| edge.2 >= whole && crosses(&handle, edge.0, edge.1)));
            let mut seen = Set::default();
            for &(one, other, _) in &teeth {
                let outside = if handle.holds(one) { other } else { one };
                if seen.holds(outside) {
                    handle.put(outside);
                }
                seen.put(outside);
            }
        }
        teeth.retain(|&(one, other, _)| crosses(&handle, one, other));
        let mut taken = Set::default();
        teeth.retain(|&(one, other, _)| {
            let free = !taken.holds(one) && !taken.holds(other);
            taken.put(one);
            taken.put(other);
            free
        });
        if teeth.len().is_multiple_of(2) {
            // An odd number is needed: the loosest tooth goes.
            let loosest = (0..teeth.len()).min_by(|&a, &b| teeth[a].2.total_cmp(&teeth[b].2))?;
            teeth.swap_remove(loosest);
        }
        if teeth.len() < 3 {
            return None;
        }
        let inside = self.edges.iter().filter(|edge| handle.holds(edge.0) && handle.holds(edge.1));
        let held: f64 = inside.chain(&teeth).map(|edge| edge.2).sum();
        let limit = handle.len() + (teeth.len() - 1) / 2;
        let above = held - float(limit);
        let mut sets = vec![handle];
        sets.extend(teeth.iter().map(|&(one, other, _)| Set::of([one, other])));
        (above > VIOLATED).then_some(Cut::Sets(sets, limit))
    }
}

/// How often a leg counts in the cycle that leads from the first place to the last and back along the others, by the ranks
/// of its ends; the largest number is none.
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

/// A count of places as a float.
fn float(count: usize) -> f64 {
    f64::from(u16::try_from(count).unwrap_or(u16::MAX))
}

/// The head of a place's part.
fn root(label: &[usize], mut place: usize) -> usize {
    while label[place] != place {
        place = label[place];
    }
    place
}

/// The last group in an order in which each next one is the closest to those before it, the one before it, and how close
/// the last is to all others.
fn farthest(alive: &[usize], weights: &[f64], count: usize) -> (usize, usize, f64) {
    let mut keys: Vec<(f64, usize)> = alive.iter().map(|&group| (0.0, group)).collect();
    let (mut last, mut before, mut value) = (alive[0], alive[0], 0.0);
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
