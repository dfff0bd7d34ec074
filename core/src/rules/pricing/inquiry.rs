//! The input of previews, which is also a part of orders.

use serde::Serialize;

use crate::{
    model::{Address, Money, StoreId, Timestamp, Vehicle, order::DeliveryWindow},
    route::Pin,
};

/// A valid request for a route, a price and times. Both orders and previews contain one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Inquiry {
    /// The store, if the client specified one.
    pub store: Option<StoreId>,
    /// Address of the pickup. Defaults to the store's address.
    pub pickup: Option<Address>,
    /// The stops, in the order sent.
    pub stops: Vec<InquiryStop>,
    /// Whether to sort the stops into the shortest route.
    pub best_route: bool,
    /// Whether to return the expected times.
    #[serde(rename = "wants_times")]
    pub with_times: bool,
    /// Preparation time in minutes.
    pub preparation_minutes: u32,
    /// Requested time of arrival at the last stop. It is part of the content only if it is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deliver_at: Option<Timestamp>,
    /// The smallest kind of vehicle that meets the requirements. Orders also contain the
    /// requirements, so it is no part of their content.
    #[serde(skip)]
    pub vehicle: Option<Vehicle>,
    /// The highest acceptable fee of a preview. It does not determine the price, so it is no part
    /// of the content.
    #[serde(skip)]
    pub max_fee: Option<Money>,
}

/// A stop of an inquiry.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InquiryStop {
    /// Address of the stop.
    pub address: Address,
    /// Whether the delivery is already paid.
    pub online_payment: bool,
    /// Position that the merchant fixed for the shortest route.
    pub pin: Option<Pin>,
    /// The period in which the courier must arrive. It is part of the content only if it is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<DeliveryWindow>,
}

impl Inquiry {
    /// Returns whether the order has a time or a window for a delivery. Its expected times are
    /// always part of the response.
    pub fn is_scheduled(&self) -> bool {
        self.deliver_at.is_some() || self.stops.iter().any(|stop| stop.window.is_some())
    }
}
