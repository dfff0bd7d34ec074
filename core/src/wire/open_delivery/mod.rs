//! Open Delivery, the Brazilian standard of restaurants' systems, version 1.7.1: bodies of the
//! logistics API and of its webhooks. Field names and values are those of the standard.

mod event;
mod request;
mod response;

pub use event::{
    ChosenVehicle, DeliveryEventView, DeliveryPerson, EventType, LogisticEvent, MerchantView,
    PositionView, PriceView, PricedView, ProblemView, RejectionView, TimesView, event_types,
    follow_up,
};
pub use request::{
    AvailabilityRequest, CancelDelivery, DeliveryPayments, DeliveryRequest, FinishDelivery,
    HandleProblem, LimitTimes, LogisticsAddress, MerchantRef, OfflinePayment, Price,
    RequestedVehicle,
};
pub use response::{
    AccessToken, AvailabilityView, CancelResponse, CompletionView, ConfirmationCode,
    DeliveryAccepted, DetailTimes, LogisticsDetails, ResolvedProblem,
};

use crate::model::OrderId;

/// Returns the standard's `deliveryId` of an order: a UUID of version 8 whose last 15 digits are
/// the order's ID in hexadecimal.
pub fn delivery_id(order: OrderId) -> String {
    let digits = format!("{:015x}", order.get());
    let (high, low) = digits.split_at(3);
    format!("00000000-0000-8000-8{high}-{low}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delivery_id_is_a_uuid_with_the_order_id() {
        let id = OrderId::new(1_001).unwrap();
        assert_eq!(delivery_id(id), "00000000-0000-8000-8000-0000000003e9");
        let largest = OrderId::new((1 << 53) - 1).unwrap();
        assert_eq!(delivery_id(largest), "00000000-0000-8000-801f-ffffffffffff");
    }
}
