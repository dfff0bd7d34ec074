//! A seeded random generator with the same numbers on every machine.

/// A pseudo-random generator (SplitMix64, Steele and others 2014). It is small and fast, and every
/// seed is good.
#[derive(Clone, Debug)]
pub(crate) struct Rng(u64);

impl Rng {
    /// Creates a generator from a seed and a purpose, so that different parts of a run are
    /// independent.
    pub(crate) fn new(seed: u64, purpose: u64) -> Rng {
        let mut rng = Rng(seed ^ purpose.wrapping_mul(0xD6E8_FEB8_6659_FD93));
        rng.next();
        rng
    }

    /// Returns the next 64 bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    /// Returns a number below `bound`, or 0 if `bound` is 0.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    /// Returns an index into a list of this length.
    pub(crate) fn index(&mut self, length: usize) -> usize {
        usize::try_from(self.below(length as u64)).unwrap_or_default()
    }

    /// Returns a number from `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: i64, high: i64) -> i64 {
        let span = high.abs_diff(low).saturating_add(1);
        low.saturating_add_unsigned(self.below(span))
    }

    /// Returns true with a probability of `per_mille` / 1000.
    pub(crate) fn often(&mut self, per_mille: u32) -> bool {
        self.below(1_000) < u64::from(per_mille)
    }

    /// Returns a random element, or `None` if the list is empty.
    pub(crate) fn pick<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        let at = self.index(list.len());
        list.get(at)
    }

    /// Returns a random index, with probabilities proportional to the weights.
    pub(crate) fn weighted(&mut self, weights: &[u32]) -> usize {
        let mut left = self.below(weights.iter().map(|weight| u64::from(*weight)).sum());
        for (at, weight) in weights.iter().enumerate() {
            match left.checked_sub(u64::from(*weight)) {
                Some(rest) => left = rest,
                None => return at,
            }
        }
        0
    }
}
