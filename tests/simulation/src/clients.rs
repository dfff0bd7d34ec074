//! The state of the clients: keys, quotes, subscriptions and cursors.

use std::collections::BTreeMap;

use despacho_core::model::{CourierId, StoreId};
use serde_json::Value;

/// A store's API key.
#[derive(Clone, Debug)]
pub(crate) struct KnownKey {
    pub(crate) store: StoreId,
    pub(crate) id: String,
    pub(crate) value: String,
    /// Whether its revocation was acknowledged.
    pub(crate) revoked: bool,
    /// Whether its revocation was requested, with or without a response.
    pub(crate) may_be_revoked: bool,
}

/// A courier with an API key.
#[derive(Clone, Debug)]
pub(crate) struct KnownCourier {
    pub(crate) id: CourierId,
    pub(crate) key: String,
    pub(crate) removed: bool,
    /// The elapsed time until which the courier sends nothing.
    pub(crate) silent_until_ms: i64,
    /// The elapsed time until which the courier stands still: sends positions and takes no step.
    pub(crate) stands_until_ms: i64,
}

/// A quote of a preview.
#[derive(Clone, Debug)]
pub(crate) struct KnownQuote {
    pub(crate) store: StoreId,
    pub(crate) id: String,
    pub(crate) expires_ms: i64,
    pub(crate) fee: i64,
    /// The body of the preview request.
    pub(crate) body: Value,
}

/// A webhook subscription.
#[derive(Clone, Debug)]
pub(crate) struct KnownHook {
    pub(crate) id: u64,
    pub(crate) store: StoreId,
    pub(crate) url: String,
    pub(crate) secrets: Vec<String>,
    /// The kinds of events, or empty for all kinds.
    pub(crate) events: Vec<&'static str>,
    /// It sends no event up to position `from` of the journal, and all events after position
    /// `until`.
    pub(crate) from: usize,
    pub(crate) until: usize,
    /// Whether its removal was requested.
    pub(crate) removed: bool,
}

/// A reader of a journal, which continues from its cursor.
#[derive(Clone, Debug)]
pub(crate) struct Reader {
    pub(crate) key: usize,
    pub(crate) store: StoreId,
    pub(crate) cursor: Option<String>,
    pub(crate) position: usize,
    pub(crate) busy: bool,
}

/// The state of all clients.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clients {
    pub(crate) keys: Vec<KnownKey>,
    pub(crate) couriers: Vec<KnownCourier>,
    pub(crate) quotes: Vec<KnownQuote>,
    pub(crate) hooks: Vec<KnownHook>,
    pub(crate) readers: Vec<Reader>,
    /// In some runs, the store of most orders, so that its orders share trips.
    pub(crate) busy_store: Option<StoreId>,
    /// The elapsed time until which the clerk of a store says no code.
    pub(crate) absent_clerks: BTreeMap<StoreId, i64>,
    /// The rate of wrong codes per thousand. Some runs have a high rate.
    pub(crate) wrong_codes: u32,
    /// The last serial number.
    pub(crate) serial: u64,
}

impl Clients {
    /// Returns a unique number.
    pub(crate) fn next_serial(&mut self) -> u64 {
        self.serial += 1;
        self.serial
    }
}

/// Returns a valid CNPJ with this number.
pub(crate) fn cnpj(number: u64) -> String {
    let mut digits: Vec<u64> = format!("{:012}", 11_000_000_000 + number)
        .bytes()
        .map(|byte| u64::from(byte - 48))
        .collect();
    for _ in 0..2 {
        let sum: u64 = digits
            .iter()
            .rev()
            .zip((2..=9).cycle())
            .map(|(digit, weight)| digit * weight)
            .sum();
        digits.push(if sum % 11 < 2 { 0 } else { 11 - sum % 11 });
    }
    digits.iter().map(u64::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cnpj_has_valid_check_digits() {
        for number in 0..50 {
            assert!(
                despacho_core::model::Cnpj::parse(&cnpj(number)).is_ok(),
                "{}",
                cnpj(number)
            );
        }
    }
}
