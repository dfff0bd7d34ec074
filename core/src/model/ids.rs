//! Identifiers: positive whole numbers below 2⁵³, so that JavaScript reads them exactly.

use serde::{Deserialize, Serialize};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(u64);

        impl $name {
            /// The identifier of this number, or `None` for 0 and from 2⁵³ on.
            pub fn new(number: u64) -> Option<$name> {
                (1..1 << 53).contains(&number).then_some($name(number))
            }

            /// The identifier in a path segment: digits alone, without a leading zero.
            pub fn parse(text: &str) -> Option<$name> {
                let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
                if plain { $name::new(text.parse().ok()?) } else { None }
            }

            /// The number.
            pub fn get(self) -> u64 {
                self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

ids! {
    /// A store: a matrix or one of its branches.
    StoreId,
    /// An order.
    OrderId,
    /// A delivery within an order.
    DeliveryId,
    /// A courier.
    CourierId,
    /// A key, or a session, that authenticates a store.
    KeyId,
    /// A notification to a store.
    NotificationId,
    /// An event: its place in the journal of the whole service.
    EventId,
    /// A subscription to events.
    WebhookId,
    /// An attempt to deliver a message to a subscription; the commit gives it.
    AttemptId,
    /// An entry of the ledger; the commit gives it.
    EntryId,
}

/// A run of reserved identifiers, handed out one by one.
///
/// Stores, orders, deliveries, couriers, keys and notifications draw from one sequence, so that a number names one thing.
/// A number that was reserved and not used is a gap, never a repeat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdBlock {
    next: u64,
    end: u64,
}

impl IdBlock {
    /// The block of `count` identifiers from `first` on.
    pub fn new(first: u64, count: u64) -> IdBlock {
        IdBlock { next: first, end: first.saturating_add(count) }
    }

    /// Takes the next identifier as the kind that `make` builds; `None` once the block is used up.
    pub fn take<T>(&mut self, make: fn(u64) -> Option<T>) -> Option<T> {
        if self.next >= self.end {
            return None;
        }
        self.next += 1;
        make(self.next - 1)
    }

    /// Splits the first `count` off as a block of their own; `None` where fewer are left.
    pub fn split(&mut self, count: u64) -> Option<IdBlock> {
        if self.end.saturating_sub(self.next) < count {
            return None;
        }
        let first = self.next;
        self.next += count;
        Some(IdBlock::new(first, count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_malformed_id_is_none() {
        for bad in ["", "0", "01", "-1", "+1", "1.0", "1e3", " 1", "abc", "9007199254740992", "99999999999999999999"] {
            assert!(OrderId::parse(bad).is_none(), "{bad}");
        }
        assert_eq!(OrderId::parse("9007199254740991").map(OrderId::get), Some(9_007_199_254_740_991));
    }

    #[test]
    fn a_block_gives_each_number_once() {
        let mut block = IdBlock::new(7, 3);
        let mut first = block.split(1).expect("three are left");
        assert_eq!(first.take(OrderId::new).map(OrderId::get), Some(7));
        assert!(first.take(OrderId::new).is_none());
        assert!(block.split(3).is_none());
        assert_eq!(block.take(DeliveryId::new).map(DeliveryId::get), Some(8));
    }
}
