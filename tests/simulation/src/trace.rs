//! The trace of a run: a hash of all events and the text of the last ones.

use std::collections::VecDeque;

/// The number of stored lines.
const TAIL: usize = 160;

/// The trace of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trace {
    hash: u64,
    tail: VecDeque<String>,
}

impl Trace {
    /// Adds a line.
    pub(crate) fn line(&mut self, line: String) {
        self.bytes(line.as_bytes());
        if self.tail.len() == TAIL {
            self.tail.pop_front();
        }
        self.tail.push_back(line);
    }

    /// Adds bytes only to the hash, such as a response body.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        // FNV-1a is sufficient to compare two runs.
        for byte in bytes {
            self.hash = (self.hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3);
        }
        self.hash = self
            .hash
            .wrapping_add(0x9E37_79B9_7F4A_7C15)
            .rotate_left(17);
    }

    /// Adds a number only to the hash.
    pub(crate) fn number(&mut self, number: u64) {
        self.hash = (self.hash ^ number)
            .wrapping_mul(0xFF51_AFD7_ED55_8CCD)
            .rotate_left(23);
    }

    /// Returns the hash of the trace so far.
    pub(crate) fn hash(&self) -> u64 {
        self.hash
    }

    /// Returns the last lines, oldest first.
    pub(crate) fn tail(&self) -> Vec<String> {
        self.tail.iter().cloned().collect()
    }
}
