//! The fuzz driver for the stable toolchain. It mutates the corpus with a seed, and stores every
//! input with a new kind of outcome.

use std::{
    collections::BTreeSet,
    panic::{AssertUnwindSafe, catch_unwind},
    time::{Duration, Instant},
};

use super::Target;

/// The maximum length of an input in bytes.
const MAX_LENGTH: usize = 4_096;
/// The maximum number of stored inputs.
const MAX_STORED: usize = 4_000;
/// Text that often causes errors in parsers.
const PIECES: [&str; 34] = [
    "null",
    "true",
    "-1",
    "0",
    "1e309",
    "9007199254740992",
    "1.5",
    "\"\"",
    "[]",
    "{}",
    "\"\\u0000\"",
    "\"\\ud800\"",
    "é",
    "\u{202e}",
    "\u{0}",
    "🛵",
    "\n\n",
    "x-api-token: STORE",
    "x-api-token: OPERATOR",
    "x-api-token: COURIER",
    "idempotency-key: k",
    "accept: text/csv",
    "content-type: text/plain",
    "last-event-id: 1-1",
    "?limit=0",
    "&cursor=x",
    "/1001",
    "\"latitude\":-23.55",
    "\"deliveries\":[{}]",
    "\"store\":{\"userPlatformId\":1}",
    "9999-12-31T23:59:60Z",
    "2026-02-29T00:00:00+24:00",
    "%00",
    "18446744073709551616",
];

/// The figures of a run of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figures {
    /// The number of executed inputs.
    pub runs: u64,
    /// The number of different kinds of outcomes.
    pub kinds: usize,
}

/// An input that causes a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The input.
    pub input: Vec<u8>,
    /// The description of the failure.
    pub message: String,
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{}\ninput ({} bytes): {:?}",
            self.message,
            self.input.len(),
            String::from_utf8_lossy(&self.input)
        )
    }
}

impl std::error::Error for Finding {}

/// Runs every input of the corpus, and then mutated inputs for a duration.
///
/// # Errors
/// If an input causes a failure.
pub fn drive(
    target: Target,
    corpus: &[Vec<u8>],
    seed: u64,
    span: Duration,
) -> Result<Figures, Finding> {
    let start = Instant::now();
    let (mut inputs, mut kinds, mut runs) = (corpus.to_vec(), BTreeSet::new(), 0);
    for input in corpus {
        kinds.insert(run(target, input)?);
        runs += 1;
    }
    let mut rng = Rng(seed);
    while start.elapsed() < span {
        for _ in 0..64 {
            let input = rng.mutated(&inputs);
            let new = kinds.insert(run(target, &input)?);
            runs += 1;
            if new && inputs.len() < MAX_STORED {
                inputs.push(input);
            }
        }
    }
    Ok(Figures {
        runs,
        kinds: kinds.len(),
    })
}

/// Runs one input. A panic is a failure.
fn run(target: Target, input: &[u8]) -> Result<u64, Finding> {
    let finding = |message| Finding {
        input: input.to_vec(),
        message,
    };
    match catch_unwind(AssertUnwindSafe(|| (target.run)(input))) {
        Ok(outcome) => outcome.map_err(finding),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            Err(finding(format!("panicked: {}", text.unwrap_or_default())))
        }
    }
}

/// A seeded random generator (SplitMix64).
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % (bound.max(1) as u64)).unwrap_or_default()
    }

    fn byte(&mut self) -> u8 {
        self.next().to_le_bytes()[0]
    }

    /// Returns one of the inputs with one to six changes.
    fn mutated(&mut self, inputs: &[Vec<u8>]) -> Vec<u8> {
        let at = self.below(inputs.len());
        let mut input = inputs.get(at).cloned().unwrap_or_default();
        for _ in 0..=self.below(6) {
            self.change(&mut input, inputs);
        }
        input.truncate(MAX_LENGTH);
        input
    }

    fn change(&mut self, input: &mut Vec<u8>, inputs: &[Vec<u8>]) {
        let at = self.below(input.len() + 1);
        let end = (at + 1 + self.below(24)).min(input.len());
        match self.below(8) {
            0 => {
                let bit = 1 << self.below(8);
                if let Some(byte) = input.get_mut(at) {
                    *byte ^= bit;
                }
            }
            1 => {
                let byte = self.byte();
                input.insert(at, byte);
            }
            2 if at < end => {
                input.drain(at..end);
            }
            3 if at < end => {
                let again: Vec<u8> = input.get(at..end).unwrap_or_default().to_vec();
                input.splice(at..at, again);
            }
            4 => {
                let index = self.below(PIECES.len());
                let piece = PIECES.get(index).copied().unwrap_or_default();
                input.splice(at..at, piece.bytes());
            }
            5 => self.replace_value(input),
            6 => {
                let from = self.below(inputs.len());
                let other = inputs.get(from).map_or(&[][..], Vec::as_slice);
                let cut = self.below(other.len() + 1);
                let until = (cut + self.below(80)).min(other.len());
                input.splice(
                    at..end.max(at),
                    other.get(cut..until).unwrap_or_default().to_vec(),
                );
            }
            _ => {
                let byte = self.byte();
                if let Some(target) = input.get_mut(at) {
                    *target = byte;
                }
            }
        }
    }

    /// Replaces the value after a random colon with a piece.
    fn replace_value(&mut self, input: &mut Vec<u8>) {
        let colons: Vec<usize> = input
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte == b':')
            .map(|(at, _)| at + 1)
            .collect();
        let index = self.below(colons.len());
        let Some(from) = colons.get(index).copied() else {
            return;
        };
        let rest = input.get(from..).unwrap_or_default();
        let length = rest
            .iter()
            .position(|byte| b",}\n".contains(byte))
            .unwrap_or(rest.len());
        let piece = PIECES
            .get(self.below(PIECES.len()))
            .copied()
            .unwrap_or_default();
        input.splice(from..from + length, piece.bytes());
    }
}
