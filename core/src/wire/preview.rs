//! Previews in requests and responses.

use serde::{Deserialize, Serialize};

#[cfg(feature = "openapi")]
use super::schema::{LocateAddress, StopPin};
use super::{
    AddressBody, Kilometres, NoticeView, PriceLineView, Reais, SetPayment, SetRequirements,
    SetWindow, StoreRef, objects,
};
use crate::model::Precision;

/// An order to preview. It can have all fields of a new order.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct PreviewOrder {
    /// Whether to calculate the expected times. If not true, they are null, unless the order has
    /// `deliverAt` or a window.
    #[cfg_attr(feature = "openapi", schema(default = false))]
    pub preview_delivery_time: Option<bool>,
    /// Whether to sort the deliveries into the shortest route. If not true, they are visited in the
    /// order sent.
    #[cfg_attr(feature = "openapi", schema(default = false))]
    pub sort_by_best_route: Option<bool>,
    /// Preparation time in minutes; fractions are rounded up to whole minutes.
    #[cfg_attr(feature = "openapi", schema(default = 0, example = 15))]
    pub preparation_time: Option<f64>,
    /// Time at which the courier arrives at the last delivery, in RFC 3339 format with the offset
    /// from UTC, at most 30 days ahead. The price is that of the expected pickup's local time.
    #[cfg_attr(
        feature = "openapi",
        schema(format = DateTime, example = "2026-11-21T20:00:00-03:00")
    )]
    pub deliver_at: Option<String>,
    /// The store for which the preview is calculated: the calling store or one of its branches.
    pub store: Option<StoreRef>,
    /// Address of the pickup. Defaults to the store's address.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<LocateAddress>))]
    pub pickup_address: Option<AddressBody>,
    /// What the order requires of its courier's vehicle. The tariff can have surcharges for larger
    /// vehicles.
    pub requirements: Option<SetRequirements>,
    /// The highest acceptable fee in BRL. If the fee is higher, the preview is rejected as the
    /// order would be.
    #[cfg_attr(feature = "openapi", schema(example = 20))]
    pub max_delivery_fee: Option<f64>,
    /// The deliveries.
    #[serde(deserialize_with = "objects")]
    #[cfg_attr(feature = "openapi", schema(required = true, nullable = false))]
    pub deliveries: Option<Vec<PreviewStop>>,
}

/// A stop of a preview.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct PreviewStop {
    /// Ignored. The response contains the position in the route.
    pub order_route: Option<f64>,
    /// Address of the recipient.
    #[cfg_attr(feature = "openapi", schema(value_type = LocateAddress, required = true))]
    pub address: Option<AddressBody>,
    /// Whether the delivery is already paid. Defaults to true. If false, the courier returns the
    /// payment to the pickup, unless `payment.returns` is false.
    #[cfg_attr(feature = "openapi", schema(default = true))]
    pub online_payment: Option<bool>,
    /// How the recipient pays the courier. Only if `onlinePayment` is false. A preview uses the
    /// methods and `returns`; the creation compares the amounts with `productValue`.
    pub payment: Option<SetPayment>,
    /// The period in which the courier must arrive.
    pub window: Option<SetWindow>,
    /// `first` or `last` fixes the position of the delivery if `sortByBestRoute` is true. At most
    /// one delivery can be first and one last.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<StopPin>))]
    pub pin: Option<String>,
}

/// A calculated route with its price. Nothing is stored.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Preview))]
#[serde(rename_all = "camelCase")]
pub struct PreviewView {
    /// The stops, in route order.
    pub deliveries: Vec<PreviewStopView>,
    /// Length of the whole route in kilometres, including the way back.
    #[cfg_attr(feature = "openapi", schema(value_type = f64, minimum = 0))]
    pub total_distance: Kilometres,
    /// Whether all deliveries are already paid.
    pub online_payment: bool,
    /// Delivery fee in BRL.
    #[cfg_attr(feature = "openapi", schema(value_type = f64, minimum = 0))]
    pub delivery_fee: Reais,
    /// The lower end of the range in which the fee probably is with exact locations, in BRL. It is
    /// not a limit. Null if every address was located by coordinates or street number, and no
    /// distance is estimated.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<f64>, minimum = 0))]
    pub delivery_fee_min: Option<Reais>,
    /// The higher end of that range in BRL, or null.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<f64>, minimum = 0))]
    pub delivery_fee_max: Option<Reais>,
    /// The price lines, whose sum is the fee.
    pub price_breakdown: Vec<PriceLineView>,
    /// Expected time of the last delivery. Null unless `previewDeliveryTime` was true, or the order
    /// has `deliverAt` or a window.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub expected_delivery: Option<String>,
    /// Expected time of the pickup. Null unless `previewDeliveryTime` was true, or the order has
    /// `deliverAt` or a window.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub expected_pickup: Option<String>,
    /// Whether a distance is an estimate: an address was located only by its municipality, or the
    /// embedded distance model replaced the unavailable road network.
    pub estimated: bool,
    /// What the merchant should know about the price. Usually empty.
    pub notices: Vec<NoticeView>,
    /// A signed quote that locks in the price.
    pub quote: Option<QuoteView>,
}

/// A stop of a calculated route.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = PreviewDelivery))]
#[serde(rename_all = "camelCase")]
pub struct PreviewStopView {
    /// Position in the route, starting at 1.
    pub order_route: usize,
    /// Address of the recipient.
    pub address: AddressBody,
    /// Whether the delivery is already paid.
    pub online_payment: bool,
    /// Whether the courier brings something back to the pickup after the delivery.
    pub returns: bool,
    /// Length of the leg to this delivery in kilometres.
    #[cfg_attr(feature = "openapi", schema(value_type = f64, minimum = 0))]
    pub distance: Kilometres,
    /// Precision of the coordinates.
    #[cfg_attr(feature = "openapi", schema(value_type = Precision))]
    pub precision: Precision,
    /// Typical distance in metres between the coordinates and the address; 0 for coordinates that
    /// were sent.
    pub radius_m: u32,
}

/// A price that is guaranteed for a limited time. To lock it in, send `id` as `quoteId` when you
/// create the order.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Quote))]
#[serde(rename_all = "camelCase")]
pub struct QuoteView {
    /// The signed quote.
    pub id: String,
    /// Time at which the quote expires.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub expires_at: String,
    /// Version of the tariff that was applied.
    pub tariff_version: String,
}
