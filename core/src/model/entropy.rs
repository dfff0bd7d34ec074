//! Time and entropy, which rules receive from the host.

use sha2::{Digest, Sha256};

use super::Timestamp;

/// The current time and fresh entropy. The host creates one for each request.
#[derive(Clone, Debug)]
pub struct ExecContext {
    /// The time of the whole request.
    pub now: Timestamp,
    /// The source of codes, keys and request IDs.
    pub entropy: Entropy,
}

/// A stream of unpredictable bytes, derived from a 256-bit seed from the host's cryptographic
/// random generator.
///
/// Block `n` is the SHA-256 of the seed and `n`. Without the seed, a block reveals nothing about
/// other blocks.
#[derive(Clone)]
pub struct Entropy {
    seed: [u8; 32],
    blocks: u64,
    rest: Vec<u8>,
}

impl Entropy {
    /// Creates the stream of a seed.
    pub fn new(seed: [u8; 32]) -> Entropy {
        Entropy {
            seed,
            blocks: 0,
            rest: Vec::new(),
        }
    }

    /// Returns the next `N` bytes.
    pub fn bytes<const N: usize>(&mut self) -> [u8; N] {
        while self.rest.len() < N {
            let mut hasher = Sha256::new();
            hasher.update(self.seed);
            hasher.update(self.blocks.to_be_bytes());
            self.rest.extend_from_slice(&hasher.finalize());
            self.blocks += 1;
        }
        let tail = self.rest.split_off(N);
        let head = std::mem::replace(&mut self.rest, tail);
        head.try_into().unwrap_or([0; N])
    }

    /// Returns a code of four digits. All 10,000 codes are equally likely.
    pub fn code(&mut self) -> String {
        loop {
            let number = u16::from_be_bytes(self.bytes());
            // 60,000 is the largest multiple of 10,000 that fits. Larger numbers would make low
            // codes more likely.
            if number < 60_000 {
                return format!("{:04}", number % 10_000);
            }
        }
    }

    /// Returns sixteen bytes in lower-case hexadecimal.
    pub fn hex(&mut self) -> String {
        super::hex(&self.bytes::<16>())
    }
}

impl std::fmt::Debug for Entropy {
    /// Omits the seed.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Entropy").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_seeds_give_equal_streams_without_repetition() {
        let (mut one, mut two) = (Entropy::new([7; 32]), Entropy::new([7; 32]));
        let first: [u8; 40] = one.bytes();
        assert_eq!(first, two.bytes::<40>());
        assert_ne!(first, one.bytes::<40>());
        assert_ne!(Entropy::new([8; 32]).bytes::<40>(), first);
    }

    #[test]
    fn codes_have_four_digits_and_are_evenly_distributed() {
        let mut entropy = Entropy::new([1; 32]);
        let codes: Vec<String> = (0..20_000).map(|_| entropy.code()).collect();
        assert!(
            codes
                .iter()
                .all(|code| code.len() == 4 && code.bytes().all(|byte| byte.is_ascii_digit()))
        );
        let low = codes.iter().filter(|code| code.as_str() < "5000").count();
        assert!(
            (9_500..=10_500).contains(&low),
            "{low} of 20,000 are below 5000"
        );
    }

    #[test]
    fn debug_output_omits_the_seed() {
        assert_eq!(format!("{:?}", Entropy::new([42; 32])), "Entropy { .. }");
    }
}
