//! Statuses of orders and deliveries. Both share one range of numbers. The hundreds are the phase;
//! statuses from 500 on are final.
//!
//! An order's code can be used again after cancellation, expiry or rejection (600 and above), and
//! if nothing was delivered (520).

use serde::{Deserialize, Serialize};

macro_rules! statuses {
    ($(#[$doc:meta])* $name:ident { $($(#[doc = $text:literal])* $variant:ident = $number:literal $label:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "u16", into = "u16")]
        #[repr(u16)]
        pub enum $name { $($(#[doc = $text])* $variant = $number,)* }

        impl $name {
            /// All statuses, sorted by number.
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];

            /// Returns the number that the API uses.
            pub fn number(self) -> u16 {
                self as u16
            }

            /// Returns the name in the documentation, such as `OUT_FOR_DELIVERY`.
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $label,)* }
            }

            /// Returns the description in the documentation.
            pub fn meaning(self) -> &'static str {
                match self { $($name::$variant => concat!($($text),*).trim_ascii_start(),)* }
            }

            /// Returns the status with a number.
            pub fn from_number(number: u16) -> Option<$name> {
                match number { $($number => Some($name::$variant),)* _ => None }
            }

            /// Returns whether the status is final.
            pub fn is_final(self) -> bool {
                self.number() >= 500
            }
        }

        impl TryFrom<u16> for $name {
            type Error = String;

            fn try_from(number: u16) -> Result<$name, String> {
                $name::from_number(number).ok_or_else(|| format!("{number} is not a valid {}", stringify!($name)))
            }
        }

        impl From<$name> for u16 {
            fn from(status: $name) -> u16 {
                status.number()
            }
        }
    };
}

statuses! {
    /// The status of an order.
    OrderStatus {
        /// For a later time; the preparation has not started.
        Scheduled = 100 "SCHEDULED",
        /// The goods are being prepared.
        Preparing = 110 "PREPARING",
        /// The goods are ready.
        Ready = 120 "READY",
        /// The dispatcher is searching for a courier.
        Searching = 200 "SEARCHING",
        /// A courier is on the way to the pickup.
        Allocated = 210 "ALLOCATED",
        /// The courier is at the pickup.
        CourierAtPickup = 220 "COURIER_AT_PICKUP",
        /// The goods are on the way.
        OutForDelivery = 300 "OUT_FOR_DELIVERY",
        /// Goods or a payment are on the way back.
        Returning = 400 "RETURNING",
        /// The courier is back at the pickup.
        CourierAtReturn = 410 "COURIER_AT_RETURN",
        /// All deliveries were delivered.
        Completed = 500 "COMPLETED",
        /// Some deliveries were delivered.
        Partial = 510 "PARTIAL",
        /// No delivery was delivered.
        NotDelivered = 520 "NOT_DELIVERED",
        /// Cancelled free of charge.
        Cancelled = 600 "CANCELLED",
        /// Cancelled with a fee.
        CancelledWithFee = 610 "CANCELLED_WITH_FEE",
        /// Cancelled by the platform.
        CancelledByPlatform = 620 "CANCELLED_BY_PLATFORM",
        /// No courier was found in time.
        Expired = 630 "EXPIRED",
        /// Rejected.
        Rejected = 640 "REJECTED",
    }
}

statuses! {
    /// The status of a delivery.
    DeliveryStatus {
        /// Still at the pickup.
        AwaitingPickup = 150 "AWAITING_PICKUP",
        /// With the courier, waiting for its turn.
        OnBoard = 310 "ON_BOARD",
        /// The courier is on the way to the recipient.
        EnRoute = 320 "EN_ROUTE",
        /// The courier is at the door.
        Arrived = 330 "ARRIVED",
        /// On the way back.
        Returning = 400 "RETURNING",
        /// Back at the pickup, not yet handed back.
        AtReturn = 410 "AT_RETURN",
        /// Handed over to the recipient.
        Delivered = 500 "DELIVERED",
        /// Handed back to the merchant.
        Returned = 540 "RETURNED",
        /// Not delivered; the merchant does not want the goods back.
        Discarded = 550 "DISCARDED",
        /// Lost or stolen.
        Lost = 560 "LOST",
        /// Cancelled before pickup.
        Cancelled = 600 "CANCELLED",
    }
}

impl OrderStatus {
    /// Returns whether a courier is assigned but has not picked up the goods. Only then can the
    /// courier be released.
    pub fn is_before_pickup(self) -> bool {
        matches!(self, OrderStatus::Allocated | OrderStatus::CourierAtPickup)
    }

    /// Returns whether orders with this status hold their code. The codes of cancelled, expired and
    /// undelivered orders can be reused.
    pub fn holds_code(self) -> bool {
        self.number() < 520
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_numbers_and_names_are_unique() {
        for status in OrderStatus::ALL {
            assert_eq!(OrderStatus::from_number(status.number()), Some(*status));
        }
        let names: std::collections::BTreeSet<_> =
            OrderStatus::ALL.iter().map(|s| s.name()).collect();
        assert_eq!(names.len(), OrderStatus::ALL.len());
        assert_eq!(OrderStatus::from_number(999), None);
        assert_eq!(serde_json::to_string(&DeliveryStatus::Lost).unwrap(), "560");
    }
}
