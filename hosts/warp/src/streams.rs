//! The open event streams, by merchant, within their limits.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use despacho_core::model::StoreId;
use tokio::sync::Semaphore;

use crate::{access::Access, config::StreamLimits, feed::Feeds};

/// Maximum number of concurrent reads for streams: a thousand streams that wake together would otherwise delay all requests.
const MAX_CONCURRENT_READS: usize = 4;
/// The open streams, by merchant.
#[derive(Debug)]
pub struct Streams {
    limits: StreamLimits,
    open: Mutex<BTreeMap<StoreId, usize>>,
    pub(crate) feeds: Feeds,
    pub(crate) read_permits: Semaphore,
    pub(crate) access: Access,
}

impl Streams {
    /// Creates the registry without any stream.
    pub fn new(limits: StreamLimits) -> Streams {
        Streams {
            limits,
            open: Mutex::default(),
            feeds: Feeds::default(),
            read_permits: Semaphore::new(MAX_CONCURRENT_READS),
            access: Access::default(),
        }
    }

    /// Registers a merchant's stream; false if a limit is reached. A merchant may hold at most as many streams as remain free: a few
    /// merchants must not occupy all of them.
    pub(crate) fn acquire(&self, merchant: StoreId) -> bool {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let free = self.limits.total.saturating_sub(open.values().sum());
        let own = open.get(&merchant).copied().unwrap_or(0);
        if own >= self.limits.per_merchant.min(free) {
            return false;
        }
        open.insert(merchant, own + 1);
        true
    }

    pub(crate) fn release(&self, merchant: StoreId) {
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
        assert!(streams.acquire(merchant(1)) && streams.acquire(merchant(1)) && !streams.acquire(merchant(1)));
        assert!(
            streams.acquire(merchant(2)) && !streams.acquire(merchant(2)),
            "the last free stream is for another merchant"
        );
        assert!(streams.acquire(merchant(3)) && !streams.acquire(merchant(4)), "the server is full");
        streams.release(merchant(1));
        assert!(streams.acquire(merchant(4)));
        (1..=4).for_each(|number| streams.release(merchant(number)));
        assert!(streams.open.lock().unwrap().is_empty());
    }

    #[test]
    fn few_merchants_cannot_occupy_all_streams() {
        let streams = Streams::new(StreamLimits { per_merchant: 50, total: 1_000 });
        let mut open = 0;
        for _ in 0..1_000 {
            open += (1..=25).filter(|number| streams.acquire(StoreId::new(*number).unwrap())).count();
        }
        assert!((900..1_000).contains(&open), "{open}");
        assert!(
            (100..120).all(|number| streams.acquire(StoreId::new(number).unwrap())),
            "other merchants can open streams"
        );
    }
}
