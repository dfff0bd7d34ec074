//! The input of previews, which is also a part of orders.

use serde::Serialize;

use crate::{
    model::{Address, StoreId, Vehicle, fingerprint},
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
    /// The smallest kind of vehicle that meets the requirements. Orders also contain the requirements, so it is no part of
    /// their content.
    #[serde(skip)]
    pub vehicle: Option<Vehicle>,
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
}

impl Inquiry {
    /// Returns the SHA-256, in hexadecimal, of all parts that determine the price, including the resolved pickup
    /// address.
    pub fn content(&self, pickup: &Address) -> String {
        let content = serde_json::to_vec(&(pickup, &self.stops, self.best_route)).unwrap_or_default();
        // Without requirements, the parts are those of earlier versions.
        let vehicle = self.vehicle.map(|kind| kind.name().as_bytes());
        match vehicle {
            Some(vehicle) => fingerprint(&[b"price", &content, vehicle]),
            None => fingerprint(&[b"price", &content]),
        }
    }
}
