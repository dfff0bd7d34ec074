//! What happened, as a hash over all of it and the last lines in words.

use std::collections::VecDeque;

/// Lines that are kept for people.
const TAIL: usize = 160;

/// The trace of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trace {
    hash: u64,
    tail: VecDeque<String>,
}

impl Trace {
    /// Takes a line up.
    pub(crate) fn note(&mut self, line: String) {
        self.bytes(line.as_bytes());
        if self.tail.len() == TAIL {
            self.tail.pop_front();
        }
        self.tail.push_back(line);
    }

    /// Takes bytes up that no line shows, such as a whole answer.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        // FNV-1a: whether two runs are the same, no more.
        for byte in bytes {
            self.hash = (self.hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3);
        }
        self.hash = self.hash.wrapping_add(0x9E37_79B9_7F4A_7C15).rotate_left(17);
    }

    /// Takes numbers up that no line shows.
    pub(crate) fn number(&mut self, number: u64) {
        self.hash = (self.hash ^ number).wrapping_mul(0xFF51_AFD7_ED55_8CCD).rotate_left(23);
    }

    /// The hash over everything so far.
    pub(crate) fn hash(&self) -> u64 {
        self.hash
    }

    /// The last lines, oldest first.
    pub(crate) fn tail(&self) -> Vec<String> {
        self.tail.iter().cloned().collect()
    }
}
