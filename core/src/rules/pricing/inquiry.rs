//! What is asked before an order exists: from where to where, and how.

use serde::Serialize;

use crate::{
    model::{Address, StoreId, fingerprint},
    route::Pin,
};

/// A valid question for a route, a price and times. An order carries one, and a preview is one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Inquiry {
    /// The store that it is for, where the caller named one.
    pub store: Option<StoreId>,
    /// Where the courier collects; the store's own address where it is absent.
    pub pickup: Option<Address>,
    /// Where it goes, in the order sent.
    pub stops: Vec<InquiredStop>,
    /// Whether the stops may be visited in the best order.
    pub best_route: bool,
    /// Whether the expected times are wanted.
    #[serde(rename = "wants_times")]
    pub with_times: bool,
    /// Minutes of preparation.
    pub preparation_minutes: u32,
}

/// One stop that is asked about.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InquiredStop {
    /// Where it is.
    pub address: Address,
    /// Whether it is paid already.
    pub online_payment: bool,
    /// Where the merchant holds it in the best order.
    pub pin: Option<Pin>,
}

impl Inquiry {
    /// SHA-256 in hexadecimal of what the price rests on, given the address that the courier collects at.
    pub fn content(&self, pickup: &Address) -> String {
        let content = serde_json::to_vec(&(pickup, &self.stops, self.best_route)).unwrap_or_default();
        fingerprint(&[b"price", &content])
    }
}
