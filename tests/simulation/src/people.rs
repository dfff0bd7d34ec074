//! What the clients know: their keys, quotes, subscriptions and how far they have read.

use despacho_core::model::{CourierId, StoreId};
use serde_json::Value;

/// A key that was told to a store.
#[derive(Clone, Debug)]
pub(crate) struct KnownKey {
    pub(crate) store: StoreId,
    pub(crate) id: String,
    pub(crate) text: String,
    /// Whether its revocation was acknowledged, or may have happened.
    pub(crate) revoked: bool,
    pub(crate) doubtful: bool,
}

/// A courier with a key.
#[derive(Clone, Debug)]
pub(crate) struct KnownCourier {
    pub(crate) id: CourierId,
    pub(crate) key: String,
    pub(crate) removed: bool,
}

/// A quote that a preview gave.
#[derive(Clone, Debug)]
pub(crate) struct KnownQuote {
    pub(crate) store: StoreId,
    pub(crate) id: String,
    pub(crate) expires_ms: i64,
    pub(crate) fee: i64,
    /// What the preview was asked for.
    pub(crate) body: Value,
}

/// A subscription.
#[derive(Clone, Debug)]
pub(crate) struct KnownHook {
    pub(crate) id: u64,
    pub(crate) store: StoreId,
    pub(crate) url: String,
    pub(crate) secrets: Vec<String>,
    /// Kinds of events that it wants; all where empty.
    pub(crate) events: Vec<&'static str>,
    /// It sends nothing that stood in the journal up to here, and everything that came after `until`.
    pub(crate) from: usize,
    pub(crate) until: usize,
    /// Whether it was removed, or may have been.
    pub(crate) removed: bool,
}

/// A reader of a journal, who goes on where the last page ended.
#[derive(Clone, Debug)]
pub(crate) struct Reader {
    pub(crate) key: usize,
    pub(crate) store: StoreId,
    pub(crate) cursor: Option<String>,
    pub(crate) place: usize,
    pub(crate) busy: bool,
}

/// Everything that clients know.
#[derive(Clone, Debug, Default)]
pub(crate) struct People {
    pub(crate) keys: Vec<KnownKey>,
    pub(crate) couriers: Vec<KnownCourier>,
    pub(crate) quotes: Vec<KnownQuote>,
    pub(crate) hooks: Vec<KnownHook>,
    pub(crate) readers: Vec<Reader>,
    /// How often couriers give a wrong code, of a thousand times: guessers in some runs.
    pub(crate) guesses: u32,
    /// A number for whatever must be unique.
    pub(crate) serial: u64,
}

impl People {
    /// A fresh number.
    pub(crate) fn next(&mut self) -> u64 {
        self.serial += 1;
        self.serial
    }
}

/// A CNPJ of this number, with its check digits by the rule of the register.
pub(crate) fn cnpj(number: u64) -> String {
    let mut digits: Vec<u64> =
        format!("{:012}", 11_000_000_000 + number).bytes().map(|byte| u64::from(byte - 48)).collect();
    for _ in 0..2 {
        let sum: u64 = digits.iter().rev().zip((2..=9).cycle()).map(|(digit, weight)| digit * weight).sum();
        digits.push(if sum % 11 < 2 { 0 } else { 11 - sum % 11 });
    }
    digits.iter().map(u64::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_their_check_digits() {
        for number in 0..50 {
            assert!(despacho_core::model::Cnpj::parse(&cnpj(number)).is_ok(), "{}", cnpj(number));
        }
    }
}
