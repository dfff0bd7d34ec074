//! XXH64 in a streaming form: a pack of half a gigabyte is checked in a fraction of a second.

const P1: u64 = 0x9e37_79b1_85eb_ca87;
const P2: u64 = 0xc2b2_ae3d_27d4_eb4f;
const P3: u64 = 0x1656_67b1_9e37_79f9;
const P4: u64 = 0x85eb_ca77_c2b2_ae63;
const P5: u64 = 0x27d4_eb2f_1656_67c5;

/// A running XXH64 checksum, seed 0: it finds damage, not forgery.
#[derive(Clone, Debug)]
pub struct Checksum {
    lanes: [u64; 4],
    pending: [u8; 32],
    held: usize,
    total: u64,
}

impl Default for Checksum {
    fn default() -> Checksum {
        Checksum { lanes: [P1.wrapping_add(P2), P2, 0, 0u64.wrapping_sub(P1)], pending: [0; 32], held: 0, total: 0 }
    }
}

fn round(lane: u64, input: u64) -> u64 {
    lane.wrapping_add(input.wrapping_mul(P2)).rotate_left(31).wrapping_mul(P1)
}

fn word(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    u64::from_le_bytes(word)
}

impl Checksum {
    /// Takes in more bytes.
    pub fn update(&mut self, mut bytes: &[u8]) {
        self.total = self.total.wrapping_add(bytes.len() as u64);
        if self.held > 0 {
            let taken = bytes.len().min(32 - self.held);
            let (now, later) = bytes.split_at(taken);
            self.pending[self.held..self.held + taken].copy_from_slice(now);
            self.held += taken;
            bytes = later;
            if self.held < 32 {
                return;
            }
            let block = self.pending;
            self.block(&block);
            self.held = 0;
        }
        let mut blocks = bytes.chunks_exact(32);
        blocks.by_ref().for_each(|block| self.block(block));
        let rest = blocks.remainder();
        self.pending[..rest.len()].copy_from_slice(rest);
        self.held = rest.len();
    }

    fn block(&mut self, block: &[u8]) {
        self.lanes.iter_mut().zip(block.chunks_exact(8)).for_each(|(lane, input)| *lane = round(*lane, word(input)));
    }

    /// The checksum of all bytes so far.
    pub fn finish(&self) -> u64 {
        let [a, b, c, d] = self.lanes;
        let mut hash = if self.total >= 32 {
            let start = a
                .rotate_left(1)
                .wrapping_add(b.rotate_left(7))
                .wrapping_add(c.rotate_left(12))
                .wrapping_add(d.rotate_left(18));
            let merge = |hash: u64, lane: u64| (hash ^ round(0, lane)).wrapping_mul(P1).wrapping_add(P4);
            self.lanes.iter().fold(start, |hash, lane| merge(hash, *lane))
        } else {
            P5
        };
        hash = hash.wrapping_add(self.total);
        let mut words = self.pending[..self.held].chunks_exact(8);
        for input in words.by_ref() {
            hash = (hash ^ round(0, word(input))).rotate_left(27).wrapping_mul(P1).wrapping_add(P4);
        }
        let mut rest = words.remainder();
        if let Some((four, after)) = rest.split_at_checked(4) {
            hash = (hash ^ word(four).wrapping_mul(P1)).rotate_left(23).wrapping_mul(P2).wrapping_add(P3);
            rest = after;
        }
        for byte in rest {
            hash = (hash ^ u64::from(*byte).wrapping_mul(P5)).rotate_left(11).wrapping_mul(P1);
        }
        hash = (hash ^ (hash >> 33)).wrapping_mul(P2);
        hash = (hash ^ (hash >> 29)).wrapping_mul(P3);
        hash ^ (hash >> 32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bytes: &[u8]) -> u64 {
        let mut sum = Checksum::default();
        sum.update(bytes);
        sum.finish()
    }

    #[test]
    fn published_values_come_out() {
        assert_eq!(of(b""), 0xef46_db37_51d8_e999);
        assert_eq!(of(b"a"), 0xd24e_c4f1_a98c_6e5b);
        assert_eq!(of(b"abc"), 0x44bc_2cf5_ad77_0999);
    }

    #[test]
    fn pieces_make_the_same_sum() {
        let bytes: Vec<u8> = (0..=255).cycle().take(1_000).collect();
        let whole = of(&bytes);
        for size in [1, 7, 31, 32, 33, 200] {
            let mut sum = Checksum::default();
            bytes.chunks(size).for_each(|piece| sum.update(piece));
            assert_eq!(sum.finish(), whole, "{size}");
        }
    }
}
