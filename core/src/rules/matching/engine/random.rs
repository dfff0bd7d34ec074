//! Deterministic pseudo-random numbers.

/// An xorshift generator (Marsaglia, 2003). Its sequence is equal on every platform.
pub(super) struct Rng(u64);

impl Rng {
    pub(super) fn new(seed: u64) -> Rng {
        Rng((seed ^ 0x9E37_79B9_7F4A_7C15).max(1))
    }

    /// Returns a number below `end`, or 0 if `end` is 0.
    pub(super) fn below(&mut self, end: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let scaled = (self.0 >> 32) * u64::from(end);
        u32::try_from(scaled >> 32).unwrap_or(0)
    }

    /// Returns an index of a list of `len` elements.
    pub(super) fn index(&mut self, len: usize) -> usize {
        let end = u32::try_from(len).unwrap_or(u32::MAX);
        usize::try_from(self.below(end)).unwrap_or(0)
    }
}
