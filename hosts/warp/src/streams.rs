//! The open event streams, by merchant, within their limits.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use despacho_core::model::StoreId;
use tokio::sync::Semaphore;

use crate::{access::Access, config::StreamLimits, feed::Feeds};

/// Streams that look at once: a thousand that wake together would hold up every request behind them.
const AT_ONCE: usize = 4;
/// The streams that are open, by merchant.
#[derive(Debug)]
pub struct Streams {
    limits: StreamLimits,
    open: Mutex<BTreeMap<StoreId, usize>>,
    pub(crate) feeds: Feeds,
    pub(crate) turns: Semaphore,
    pub(crate) access: Access,
}

impl Streams {
    /// None so far.
    pub fn new(limits: StreamLimits) -> Streams {
        Streams {
            limits,
            open: Mutex::default(),
            feeds: Feeds::default(),
            turns: Semaphore::new(AT_ONCE),
            access: Access::default(),
        }
    }

    /// Takes a place for a merchant's stream; false where there is none left. A merchant may hold as many as are free at most, so that
    /// a few merchants together cannot take them all.
    pub(crate) fn enter(&self, merchant: StoreId) -> bool {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let free = self.limits.total.saturating_sub(open.values().sum());
        let own = open.get(&merchant).copied().unwrap_or(0);
        if own >= self.limits.per_merchant.min(free) {
            return false;
        }
        open.insert(merchant, own + 1);
        true
    }

    pub(crate) fn leave(&self, merchant: StoreId) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        match open.get_mut(&merchant) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(open.remove(&merchant)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merchant_and_server_limits_bound_open_streams() {
        let streams = Streams::new(StreamLimits { per_merchant: 2, total: 4 });
        let merchant = |number| StoreId::new(number).unwrap();
        assert!(streams.enter(merchant(1)) && streams.enter(merchant(1)) && !streams.enter(merchant(1)));
        assert!(streams.enter(merchant(2)) && !streams.enter(merchant(2)), "the last free one is for somebody else");
        assert!(streams.enter(merchant(3)) && !streams.enter(merchant(4)), "the server is full");
        streams.leave(merchant(1));
        assert!(streams.enter(merchant(4)));
        (1..=4).for_each(|number| streams.leave(merchant(number)));
        assert!(streams.open.lock().unwrap().is_empty());
    }

    #[test]
    fn few_merchants_cannot_take_all_streams() {
        let streams = Streams::new(StreamLimits { per_merchant: 50, total: 1_000 });
        let mut open = 0;
        for _ in 0..1_000 {
            open += (1..=25).filter(|number| streams.enter(StoreId::new(*number).unwrap())).count();
        }
        assert!((900..1_000).contains(&open), "{open}");
        assert!((100..120).all(|number| streams.enter(StoreId::new(number).unwrap())), "others find room");
    }
}
