//! A small seeded generator, so that each run repeats the same deviations.

/// SplitMix64.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// Creates a generator from a name and several numbers. Equal ones give equal sequences.
    pub(crate) fn of(name: &str, numbers: &[u64]) -> Random {
        let mut random = Random(0x5EED);
        for byte in name.bytes() {
            random.0 = random.next() ^ u64::from(byte);
        }
        for number in numbers {
            random.0 = random.next() ^ number;
        }
        random
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns an integer from `-reach` to `reach`, uniformly.
    pub(crate) fn symmetric(&mut self, reach: i32) -> i64 {
        let width = u64::from(reach.unsigned_abs()) * 2 + 1;
        i64::try_from(self.next() % width).unwrap_or(0) - i64::from(reach.unsigned_abs())
    }

    /// Returns a normally distributed integer: the sum of twelve uniform numbers has a variance of
    /// one.
    pub(crate) fn normal(&mut self, deviation: i64) -> i64 {
        let sum: i64 = (0..12).map(|_| self.symmetric(500)).sum();
        deviation * sum / 1_000
    }
}
