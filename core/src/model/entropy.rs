//! The two things that a rule cannot compute: what time it is, and what nobody can guess.

use sha2::{Digest, Sha256};

use super::Timestamp;

/// Now, and fresh randomness, drawn once for a request.
#[derive(Clone, Debug)]
pub struct ExecContext {
    /// The instant that the whole request happens at.
    pub now: Timestamp,
    /// What codes, keys and request ids are drawn from.
    pub entropy: Entropy,
}

/// A stream of unguessable bytes, stretched from a 256-bit seed that the host drew from a cryptographic source.
///
/// Block `n` is SHA-256 of the seed and `n`: without the seed a block says nothing of another one.
#[derive(Clone)]
pub struct Entropy {
    seed: [u8; 32],
    blocks: u64,
    rest: Vec<u8>,
}

impl Entropy {
    /// The stream of this seed.
    pub fn new(seed: [u8; 32]) -> Entropy {
        Entropy { seed, blocks: 0, rest: Vec::new() }
    }

    /// The next `N` bytes.
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

    /// A code of four digits, each of the 10,000 equally likely.
    pub fn code(&mut self) -> String {
        loop {
            let number = u16::from_be_bytes(self.bytes());
            // 60,000 is the largest multiple of 10,000 that fits: above it the low codes would be likelier.
            if number < 60_000 {
                return format!("{:04}", number % 10_000);
            }
        }
    }

    /// Sixteen bytes in lower-case hexadecimal.
    pub fn hex(&mut self) -> String {
        super::hex(&self.bytes::<16>())
    }
}

impl std::fmt::Debug for Entropy {
    /// Never shows the seed.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Entropy").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_one_stream_and_never_repeats_a_block() {
        let (mut one, mut two) = (Entropy::new([7; 32]), Entropy::new([7; 32]));
        let first: [u8; 40] = one.bytes();
        assert_eq!(first, two.bytes::<40>());
        assert_ne!(first, one.bytes::<40>());
        assert_ne!(Entropy::new([8; 32]).bytes::<40>(), first);
    }

    #[test]
    fn codes_have_four_digits_and_spread() {
        let mut entropy = Entropy::new([1; 32]);
        let codes: Vec<String> = (0..20_000).map(|_| entropy.code()).collect();
        assert!(codes.iter().all(|code| code.len() == 4 && code.bytes().all(|byte| byte.is_ascii_digit())));
        let low = codes.iter().filter(|code| code.as_str() < "5000").count();
        assert!((9_500..=10_500).contains(&low), "{low} of 20,000 are below 5000");
    }

    #[test]
    fn debug_output_keeps_the_seed_to_itself() {
        assert_eq!(format!("{:?}", Entropy::new([42; 32])), "Entropy { .. }");
    }
}
