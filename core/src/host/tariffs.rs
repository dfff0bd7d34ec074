//! Queries for stored tariffs and for the prices of orders.

use crate::model::{
    StoreId, TariffId, Timestamp,
    order::PricedOrder,
    tariff::{StoredTariff, TariffSchedule},
};

/// A query for stored tariffs.
#[derive(Clone, Copy, Debug)]
pub enum TariffQuery<'a> {
    /// The tariff with this ID.
    Id(TariffId),
    /// The tariff with this version.
    Version(&'a str),
    /// Tariffs before this position of [`StoredTariff::order`], latest first, at most `limit`.
    Before {
        /// The last position of the previous page.
        before: Option<(Timestamp, TariffId)>,
        /// The maximum number of results.
        limit: u32,
    },
}

/// A query for the prices of orders, newest first, by the ledger's entries of their fees.
#[derive(Clone, Copy, Debug, Default)]
pub struct PriceQuery {
    /// Only orders of this store.
    pub store: Option<StoreId>,
    /// The ID of the entry before which to continue: [`PricePage::next`].
    pub before: Option<u64>,
}

/// Prices of orders.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PricePage {
    /// The orders, newest first. The page can be empty although older orders exist.
    pub orders: Vec<PricedOrder>,
    /// The last entry that was read, with its time. `None` at the end of the ledger. The ledger's
    /// entries are almost sorted by time: concurrent commits can swap them.
    pub next: Option<(u64, Timestamp)>,
}

impl PricePage {
    /// Maximum number of entries that a page reads.
    pub const MAX_ENTRIES: u32 = 500;
}

impl TariffQuery<'_> {
    /// Returns the tariffs that match the query, latest first.
    pub fn scan<'r>(&self, tariffs: impl Iterator<Item = &'r StoredTariff>) -> Vec<StoredTariff> {
        let is_match = |tariff: &&StoredTariff| match *self {
            TariffQuery::Id(id) => tariff.id == id,
            TariffQuery::Version(version) => tariff.tariff.version == version,
            TariffQuery::Before { before, .. } => {
                before.is_none_or(|before| tariff.order() < before)
            }
        };
        let limit = match *self {
            TariffQuery::Before { limit, .. } => limit,
            _ => 1,
        };
        let mut found: Vec<StoredTariff> = tariffs.filter(is_match).cloned().collect();
        found.sort_by_key(|tariff| std::cmp::Reverse(tariff.order()));
        found.truncate(limit as usize);
        found
    }
}

impl TariffSchedule {
    /// Returns the schedule of these tariffs.
    pub fn scan<'r>(
        revision: u64,
        tariffs: impl Iterator<Item = &'r StoredTariff>,
    ) -> TariffSchedule {
        let last = TariffQuery::Before {
            before: None,
            limit: TariffSchedule::MAX_ROWS,
        };
        TariffSchedule {
            revision,
            tariffs: last.scan(tariffs),
        }
    }
}
