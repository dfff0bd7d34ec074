//! Stored versions of the tariff, and the times from which they apply.

use std::sync::Arc;

use super::Tariff;
use crate::model::{TariffId, Timestamp};

/// A stored version of the tariff. It is never changed; before its time of effect it can be
/// removed.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredTariff {
    /// The ID.
    pub id: TariffId,
    /// Time from which prices use it.
    pub effective_from: Timestamp,
    /// Time of creation.
    pub created_at: Timestamp,
    /// The tariff. Its version is unique among all stored tariffs.
    pub tariff: Arc<Tariff>,
}

/// The stored tariffs around the current time. It has few rows, so it is read and cached as a
/// whole.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TariffSchedule {
    /// Number of changes to the stored tariffs so far.
    pub revision: u64,
    /// The last [`TariffSchedule::MAX_ROWS`] tariffs by time of effect and ID, latest first.
    pub tariffs: Vec<StoredTariff>,
}

impl StoredTariff {
    /// Returns the position in the order of tariffs. Of two with the same time of effect, the later
    /// one applies.
    pub fn order(&self) -> (Timestamp, TariffId) {
        (self.effective_from, self.id)
    }
}

impl TariffSchedule {
    /// Maximum number of tariffs with a time of effect in the future.
    pub const MAX_SCHEDULED: usize = 32;
    /// Number of tariffs in a schedule. It is larger than [`TariffSchedule::MAX_SCHEDULED`], so it
    /// always has the current one.
    pub const MAX_ROWS: u32 = 64;

    /// Returns the tariff in effect at a time. `None` means the configured one.
    pub fn at(&self, at: Timestamp) -> Option<&StoredTariff> {
        self.tariffs
            .iter()
            .find(|tariff| tariff.effective_from <= at)
    }

    /// Returns the tariffs that are scheduled at a time, latest first.
    pub fn scheduled(&self, at: Timestamp) -> impl Iterator<Item = &StoredTariff> {
        self.tariffs
            .iter()
            .filter(move |tariff| tariff.effective_from > at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latest_started_tariff_is_in_effect() {
        let row = |id, from| StoredTariff {
            id: TariffId::new(id).unwrap(),
            effective_from: Timestamp::from_millis(from),
            created_at: Timestamp::from_millis(0),
            tariff: Arc::default(),
        };
        let tariffs = vec![row(3, 20), row(4, 15), row(2, 10), row(1, 10)];
        let schedule = TariffSchedule {
            revision: 4,
            tariffs,
        };
        let at = |at| {
            schedule
                .at(Timestamp::from_millis(at))
                .map(|found| found.id.get())
        };
        assert_eq!(
            [at(9), at(10), at(14), at(15), at(20), at(99)],
            [None, Some(2), Some(2), Some(4), Some(3), Some(3)]
        );
        let scheduled: Vec<u64> = schedule
            .scheduled(Timestamp::from_millis(10))
            .map(|one| one.id.get())
            .collect();
        assert_eq!(scheduled, [3, 4]);
    }
}
