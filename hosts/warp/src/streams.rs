//! The open event streams, by merchant or delivery, within their limits.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use despacho_core::model::{DeliveryId, StoreId};
use tokio::sync::Semaphore;

use crate::{access::Access, config::StreamLimits, feed::Feeds};

/// Maximum number of concurrent reads for streams: a thousand streams that wake together would
/// otherwise delay all requests.
const MAX_CONCURRENT_READS: usize = 4;
/// Maximum number of streams of one delivery's recipient.
const MAX_PER_RECIPIENT: usize = 4;

/// The owner of a stream, for the limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StreamOwner {
    /// A merchant, by the parent store.
    Merchant(StoreId),
    /// The recipient of a delivery.
    Recipient(DeliveryId),
}

/// The open streams.
#[derive(Debug)]
pub struct Streams {
    limits: StreamLimits,
    open: Mutex<BTreeMap<StreamOwner, usize>>,
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

    /// Registers a stream; false if a limit is reached. A merchant may hold at most as many streams
    /// as remain free: a few merchants must not occupy all of them. Streams of merchants and of
    /// recipients do not limit each other.
    pub(crate) fn acquire(&self, owner: StreamOwner) -> bool {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let (max, same_kind): (usize, fn(&StreamOwner) -> bool) = match owner {
            StreamOwner::Merchant(_) => (self.limits.per_merchant, |owner| {
                matches!(owner, StreamOwner::Merchant(_))
            }),
            StreamOwner::Recipient(_) => (MAX_PER_RECIPIENT, |owner| {
                matches!(owner, StreamOwner::Recipient(_))
            }),
        };
        let used = open
            .iter()
            .filter(|(owner, _)| same_kind(owner))
            .map(|(_, count)| count)
            .sum();
        let free = self.limits.total.saturating_sub(used);
        let own = open.get(&owner).copied().unwrap_or(0);
        if own >= max.min(free) {
            return false;
        }
        open.insert(owner, own + 1);
        true
    }

    pub(crate) fn release(&self, owner: StreamOwner) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        match open.get_mut(&owner) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(open.remove(&owner)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merchant_and_server_limits_bound_open_streams() {
        let streams = Streams::new(StreamLimits {
            per_merchant: 2,
            total: 4,
        });
        let merchant = |number| StreamOwner::Merchant(StoreId::new(number).unwrap());
        assert!(
            streams.acquire(merchant(1))
                && streams.acquire(merchant(1))
                && !streams.acquire(merchant(1))
        );
        assert!(
            streams.acquire(merchant(2)) && !streams.acquire(merchant(2)),
            "the last free stream is for another merchant"
        );
        assert!(
            streams.acquire(merchant(3)) && !streams.acquire(merchant(4)),
            "the server is full"
        );
        streams.release(merchant(1));
        assert!(streams.acquire(merchant(4)));
        (1..=4).for_each(|number| streams.release(merchant(number)));
        assert!(streams.open.lock().unwrap().is_empty());
    }

    #[test]
    fn few_merchants_cannot_occupy_all_streams() {
        let streams = Streams::new(StreamLimits {
            per_merchant: 50,
            total: 1_000,
        });
        let mut open = 0;
        for _ in 0..1_000 {
            open += (1..=25)
                .filter(|number| {
                    streams.acquire(StreamOwner::Merchant(StoreId::new(*number).unwrap()))
                })
                .count();
        }
        assert!((900..1_000).contains(&open), "{open}");
        assert!(
            (100..120).all(|number| streams.acquire(StreamOwner::Merchant(StoreId::new(number).unwrap()))),
            "other merchants can open streams"
        );
    }

    #[test]
    fn recipients_have_limits_of_their_own() {
        let streams = Streams::new(StreamLimits {
            per_merchant: 2,
            total: 7,
        });
        let recipient = |number| StreamOwner::Recipient(DeliveryId::new(number).unwrap());
        assert!(
            (0..MAX_PER_RECIPIENT).all(|_| streams.acquire(recipient(1)))
                && !streams.acquire(recipient(1))
        );
        assert!(
            (0..2).all(|_| streams.acquire(recipient(2))) && !streams.acquire(recipient(2)),
            "the last one is for another delivery"
        );
        assert!(streams.acquire(StreamOwner::Merchant(StoreId::new(1).unwrap())));
        streams.release(recipient(1));
        assert!(streams.acquire(recipient(3)));
    }
}
