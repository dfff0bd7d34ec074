//! Situations of orders and deliveries: one space of numbers, whose hundreds are the phase; 500 and above is final.

use serde::{Deserialize, Serialize};

macro_rules! situations {
    ($(#[$doc:meta])* $name:ident { $($(#[doc = $text:literal])* $variant:ident = $number:literal $label:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "u16", into = "u16")]
        #[repr(u16)]
        pub enum $name { $($(#[doc = $text])* $variant = $number,)* }

        impl $name {
            /// Every situation, in the order of its number.
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];

            /// The number that the API writes.
            pub fn number(self) -> u16 {
                self as u16
            }

            /// The name in the documentation: `OUT_FOR_DELIVERY`.
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $label,)* }
            }

            /// What it means, in a sentence of the documentation.
            pub fn meaning(self) -> &'static str {
                match self { $($name::$variant => concat!($($text),*).trim_ascii_start(),)* }
            }

            /// The situation of a number.
            pub fn from_number(number: u16) -> Option<$name> {
                match number { $($number => Some($name::$variant),)* _ => None }
            }

            /// Whether nothing follows any more.
            pub fn is_final(self) -> bool {
                self.number() >= 500
            }
        }

        impl TryFrom<u16> for $name {
            type Error = String;

            fn try_from(number: u16) -> Result<$name, String> {
                $name::from_number(number).ok_or_else(|| format!("{number} is no {}", stringify!($name)))
            }
        }

        impl From<$name> for u16 {
            fn from(status: $name) -> u16 {
                status.number()
            }
        }
    };
}

situations! {
    /// Where an order stands.
    OrderStatus {
        /// To be prepared later.
        Scheduled = 100 "SCHEDULED",
        /// The goods are being prepared.
        Preparing = 110 "PREPARING",
        /// The goods are ready.
        Ready = 120 "READY",
        /// A courier is being looked for.
        Searching = 200 "SEARCHING",
        /// A courier is on the way to the pickup.
        Allocated = 210 "ALLOCATED",
        /// The courier is at the pickup.
        CourierAtPickup = 220 "COURIER_AT_PICKUP",
        /// The goods are on the way.
        OutForDelivery = 300 "OUT_FOR_DELIVERY",
        /// Goods or payment are on the way back.
        Returning = 400 "RETURNING",
        /// The courier is back at the pickup.
        CourierAtReturn = 410 "COURIER_AT_RETURN",
        /// Everything was delivered.
        Completed = 500 "COMPLETED",
        /// Some of it was delivered.
        Partial = 510 "PARTIAL",
        /// Nothing was delivered.
        NotDelivered = 520 "NOT_DELIVERED",
        /// Cancelled free of charge.
        Cancelled = 600 "CANCELLED",
        /// Cancelled with a fee.
        CancelledWithFee = 610 "CANCELLED_WITH_FEE",
        /// Cancelled by the platform.
        CancelledByPlatform = 620 "CANCELLED_BY_PLATFORM",
        /// No courier was found in time.
        Expired = 630 "EXPIRED",
        /// Refused.
        Rejected = 640 "REJECTED",
    }
}

situations! {
    /// Where a delivery stands.
    DeliveryStatus {
        /// Still at the pickup.
        AwaitingPickup = 150 "AWAITING_PICKUP",
        /// With the courier, not yet its turn.
        OnBoard = 310 "ON_BOARD",
        /// The courier is on the way to it.
        EnRoute = 320 "EN_ROUTE",
        /// The courier is at the door.
        Arrived = 330 "ARRIVED",
        /// On the way back.
        Returning = 400 "RETURNING",
        /// Back at the pickup, not yet handed over.
        AtReturn = 410 "AT_RETURN",
        /// Handed over to the recipient.
        Delivered = 500 "DELIVERED",
        /// Handed back to the merchant.
        Returned = 540 "RETURNED",
        /// Given up; the merchant does not want it back.
        Discarded = 550 "DISCARDED",
        /// Lost or stolen.
        Lost = 560 "LOST",
        /// Cancelled before pickup.
        Cancelled = 600 "CANCELLED",
    }
}

impl OrderStatus {
    /// Whether a courier has the order and not yet its goods: so far the courier can be let go.
    pub fn is_before_pickup(self) -> bool {
        matches!(self, OrderStatus::Allocated | OrderStatus::CourierAtPickup)
    }

    /// Whether an order that stands here still holds its code; a cancelled, expired or failed one lets it be used again.
    pub fn holds_code(self) -> bool {
        self.number() < 520
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_are_one_to_one() {
        for status in OrderStatus::ALL {
            assert_eq!(OrderStatus::from_number(status.number()), Some(*status));
        }
        let names: std::collections::BTreeSet<_> = OrderStatus::ALL.iter().map(|s| s.name()).collect();
        assert_eq!(names.len(), OrderStatus::ALL.len());
        assert_eq!(OrderStatus::from_number(999), None);
        assert_eq!(serde_json::to_string(&DeliveryStatus::Lost).unwrap(), "560");
    }
}
