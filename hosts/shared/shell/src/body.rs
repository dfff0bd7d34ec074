//! The size limit of a request's body.

use bytes::Buf;

/// Bytes beyond the limit that are read and discarded, so that a client that is still sending
/// receives the response.
const GRACE_BYTES: usize = 1 << 20;

/// Limits a body while it arrives. One byte beyond the limit is kept, by which the core recognizes
/// a body that is too large.
#[derive(Clone, Copy, Debug)]
pub struct BodyLimit {
    room: usize,
    discarded: usize,
}

impl BodyLimit {
    /// Creates a limit for a new body.
    #[must_use]
    pub fn new(limit: usize) -> BodyLimit {
        BodyLimit {
            room: limit.saturating_add(1),
            discarded: 0,
        }
    }

    /// Returns how many bytes of a piece are kept.
    #[must_use]
    pub fn fitting(&self, piece: &impl Buf) -> usize {
        piece.remaining().min(self.room)
    }

    /// Counts a piece of which `kept` bytes are kept.
    pub fn add(&mut self, piece: &impl Buf, kept: usize) {
        self.room = self.room.saturating_sub(kept);
        self.discarded = self
            .discarded
            .saturating_add(piece.remaining().saturating_sub(kept));
    }

    /// Whether more than the grace was discarded, so that the rest is not read.
    #[must_use]
    pub fn is_exhausted(&self) -> bool {
        self.discarded > GRACE_BYTES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oversized_body_keeps_single_extra_byte() {
        let mut body = BodyLimit::new(4);
        for (piece, kept) in [("ab", 2), ("cdef", 3), ("g", 0)] {
            assert_eq!(body.fitting(&piece.as_bytes()), kept, "{piece}");
            body.add(&piece.as_bytes(), kept);
        }
        assert!(!body.is_exhausted());
        body.add(&vec![0; GRACE_BYTES].as_slice(), 0);
        assert!(body.is_exhausted());
    }
}
