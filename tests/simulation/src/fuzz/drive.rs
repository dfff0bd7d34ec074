//! The driver for stable: mutates the corpus by a seed, and keeps every input whose outcome is of a new kind.

use std::{
    collections::BTreeSet,
    panic::{AssertUnwindSafe, catch_unwind},
    time::{Duration, Instant},
};

use super::Target;

/// Bytes of an input at most.
const LONGEST: usize = 4_096;
/// Inputs that are kept at most.
const MAX_STORED: usize = 4_000;
/// Pieces that parsers stumble over.
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

/// What a drive came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figures {
    /// Inputs that were run.
    pub runs: u64,
    /// Kinds of outcomes that were seen.
    pub kinds: usize,
}

/// An input that something is wrong with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The input.
    pub input: Vec<u8>,
    /// What is wrong.
    pub what: String,
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}\ninput ({} bytes): {:?}", self.what, self.input.len(), String::from_utf8_lossy(&self.input))
    }
}

impl std::error::Error for Finding {}

/// Runs every input of the corpus, then mutations of them for so long.
///
/// # Errors
/// The first input that something is wrong with.
pub fn drive(target: Target, corpus: &[Vec<u8>], seed: u64, span: Duration) -> Result<Figures, Finding> {
    let start = Instant::now();
    let (mut kept, mut kinds, mut runs) = (corpus.to_vec(), BTreeSet::new(), 0);
    for input in corpus {
        kinds.insert(run(target, input)?);
        runs += 1;
    }
    let mut rng = Rng(seed);
    while start.elapsed() < span {
        for _ in 0..64 {
            let input = rng.mutated(&kept);
            let new = kinds.insert(run(target, &input)?);
            runs += 1;
            if new && kept.len() < MAX_STORED {
                kept.push(input);
            }
        }
    }
    Ok(Figures { runs, kinds: kinds.len() })
}

/// Runs one input; a panic is a finding.
fn run(target: Target, input: &[u8]) -> Result<u64, Finding> {
    let wrong = |what| Finding { input: input.to_vec(), what };
    match catch_unwind(AssertUnwindSafe(|| (target.run)(input))) {
        Ok(outcome) => outcome.map_err(wrong),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            Err(wrong(format!("panicked: {}", text.unwrap_or_default())))
        }
    }
}

/// Chance by a seed (SplitMix64).
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

    /// One of the inputs with one to six changes.
    fn mutated(&mut self, kept: &[Vec<u8>]) -> Vec<u8> {
        let at = self.below(kept.len());
        let mut input = kept.get(at).cloned().unwrap_or_default();
        for _ in 0..=self.below(6) {
            self.change(&mut input, kept);
        }
        input.truncate(LONGEST);
        input
    }

    fn change(&mut self, input: &mut Vec<u8>, kept: &[Vec<u8>]) {
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
                let place = self.below(PIECES.len());
                let piece = PIECES.get(place).copied().unwrap_or_default();
                input.splice(at..at, piece.bytes());
            }
            5 => self.in_place_of_value(input),
            6 => {
                let from = self.below(kept.len());
                let other = kept.get(from).map_or(&[][..], Vec::as_slice);
                let cut = self.below(other.len() + 1);
                let until = (cut + self.below(80)).min(other.len());
                input.splice(at..end.max(at), other.get(cut..until).unwrap_or_default().to_vec());
            }
            _ => {
                let byte = self.byte();
                if let Some(place) = input.get_mut(at) {
                    *place = byte;
                }
            }
        }
    }

    /// What stands behind a colon gives way to a piece.
    fn in_place_of_value(&mut self, input: &mut Vec<u8>) {
        let colons: Vec<usize> =
            input.iter().enumerate().filter(|(_, byte)| **byte == b':').map(|(at, _)| at + 1).collect();
        let place = self.below(colons.len());
        let Some(from) = colons.get(place).copied() else { return };
        let rest = input.get(from..).unwrap_or_default();
        let length = rest.iter().position(|byte| b",}\n".contains(byte)).unwrap_or(rest.len());
        let piece = PIECES.get(self.below(PIECES.len())).copied().unwrap_or_default();
        input.splice(from..from + length, piece.bytes());
    }
}
