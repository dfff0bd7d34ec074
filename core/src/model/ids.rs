//! Identifiers: positive integers below 2⁵³, which JavaScript represents exactly.
//!
//! IDs are allocated from a sequence. Hosts allocate blocks of one sequence, so IDs are short
//! enough to read out over the phone, and `Changes` are complete before the commit. IDs can have
//! gaps but are never repeated.

use serde::{Deserialize, Serialize};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(u64);

        impl $name {
            /// Creates an identifier. Returns `None` for 0 and from 2⁵³ on.
            pub fn new(number: u64) -> Option<$name> {
                (1..1 << 53).contains(&number).then_some($name(number))
            }

            /// Parses an identifier from a path segment: only digits, without a leading zero.
            pub fn parse(text: &str) -> Option<$name> {
                let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
                if plain { $name::new(text.parse().ok()?) } else { None }
            }

            /// Returns the number.
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
    /// A store: a parent store or a branch.
    StoreId,
    /// An order.
    OrderId,
    /// A delivery within an order.
    DeliveryId,
    /// A courier.
    CourierId,
    /// A key or session that authenticates a store.
    KeyId,
    /// A notification to a store.
    NotificationId,
    /// An event. IDs follow the order of the whole deployment's events.
    EventId,
    /// A webhook subscription.
    WebhookId,
    /// An attempt to deliver a webhook message. Assigned by the commit.
    AttemptId,
    /// An entry of the ledger. Assigned by the commit.
    EntryId,
    /// A photo of an order.
    PhotoId,
    /// A user of a store.
    UserId,
    /// A stored version of the tariff.
    TariffId,
    /// A stored version of a pay plan.
    PayPlanId,
    /// An entry of a courier's pay. Assigned by the commit.
    PayEntryId,
}

/// A range of reserved identifiers.
///
/// Stores, orders, deliveries, couriers, keys and notifications share one sequence, so a number
/// identifies one object. Unused reserved numbers leave gaps and are never reused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdBlock {
    next: u64,
    end: u64,
}

impl IdBlock {
    /// Creates a block of `count` identifiers starting at `first`.
    pub fn new(first: u64, count: u64) -> IdBlock {
        IdBlock {
            next: first,
            end: first.saturating_add(count),
        }
    }

    /// Takes the next identifier and converts it with `make`. Returns `None` if the block is
    /// exhausted.
    pub fn take<T>(&mut self, make: fn(u64) -> Option<T>) -> Option<T> {
        if self.next >= self.end {
            return None;
        }
        self.next += 1;
        make(self.next - 1)
    }

    /// Splits off the first `count` identifiers. Returns `None` if fewer are left.
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
    fn malformed_id_is_rejected() {
        for bad in [
            "",
            "0",
            "01",
            "-1",
            "+1",
            "1.0",
            "1e3",
            " 1",
            "abc",
            "9007199254740992",
            "99999999999999999999",
        ] {
            assert!(OrderId::parse(bad).is_none(), "{bad}");
        }
        assert_eq!(
            OrderId::parse("9007199254740991").map(OrderId::get),
            Some(9_007_199_254_740_991)
        );
    }

    #[test]
    fn id_block_returns_each_number_once() {
        let mut block = IdBlock::new(7, 3);
        let mut first = block.split(1).expect("three are left");
        assert_eq!(first.take(OrderId::new).map(OrderId::get), Some(7));
        assert!(first.take(OrderId::new).is_none());
        assert!(block.split(3).is_none());
        assert_eq!(block.take(DeliveryId::new).map(DeliveryId::get), Some(8));
    }
}
