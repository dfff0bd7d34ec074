//! Previews as they are asked for and as they are answered.

use serde::{Deserialize, Serialize};

#[cfg(feature = "openapi")]
use super::schema::LocateAddress;
use super::{AddressBody, Kilometres, PriceLineView, Reais, StoreRef, objects};
use crate::model::Precision;

/// What a preview calculates. Fields that are not listed are ignored.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct PreviewOrder {
    /// Whether the expected times are wanted; without it they are null.
    pub preview_delivery_time: Option<bool>,
    /// Whether the deliveries are visited in the best order instead of the order sent.
    pub sort_by_best_route: Option<bool>,
    /// Whole minutes of preparation, 0 to 1440.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u32>, minimum = 0, maximum = 1440, example = 15))]
    pub preparation_time: Option<f64>,
    /// The store on whose behalf it is calculated: the caller, or one of its branches.
    pub store: Option<StoreRef>,
    /// Where the courier collects; the store's own address where it is absent.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<LocateAddress>))]
    pub pickup_address: Option<AddressBody>,
    /// The deliveries, 1 to 50.
    #[serde(deserialize_with = "objects")]
    #[cfg_attr(feature = "openapi", schema(required = true, nullable = false, min_items = 1, max_items = 50))]
    pub deliveries: Option<Vec<PreviewStop>>,
}

/// A stop of a preview.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct PreviewStop {
    /// Any number; the response says the place in the route.
    pub order_route: Option<f64>,
    /// Where it goes.
    #[cfg_attr(feature = "openapi", schema(value_type = LocateAddress, required = true))]
    pub address: Option<AddressBody>,
    /// Whether it is paid already (the default); where not, the courier brings the payment back.
    pub online_payment: Option<bool>,
    /// `first` or `last` holds it there when the best order is asked for; one delivery at each end.
    #[cfg_attr(feature = "openapi", schema(pattern = "^(first|last)$", example = "last"))]
    pub pin: Option<String>,
}

/// A calculation; nothing was created.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Preview))]
#[serde(rename_all = "camelCase")]
pub struct PreviewView {
    /// The stops, in route order.
    pub deliveries: Vec<PreviewStopView>,
    /// Kilometres of the whole route, the way back included.
    #[cfg_attr(feature = "openapi", schema(value_type = f64, minimum = 0))]
    pub total_distance: Kilometres,
    /// Whether every delivery is paid already.
    pub online_payment: bool,
    /// The fee in BRL.
    #[cfg_attr(feature = "openapi", schema(value_type = f64, minimum = 0))]
    pub delivery_fee: Reais,
    /// The lines that add up to the fee.
    pub price_breakdown: Vec<PriceLineView>,
    /// When the last delivery should be handed over; null unless `previewDeliveryTime` was true.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub expected_delivery: Option<String>,
    /// When the courier should collect; null unless `previewDeliveryTime` was true.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub expected_pickup: Option<String>,
    /// Whether a leg rests on no more than municipalities, or on the embedded model because the road network could not tell.
    pub estimated: bool,
    /// The price as a promise.
    pub quote: Option<QuoteView>,
}

/// A stop of a calculated route.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = PreviewDelivery))]
#[serde(rename_all = "camelCase")]
pub struct PreviewStopView {
    /// Its place in the route, from 1.
    pub order_route: usize,
    /// Where it goes.
    pub address: AddressBody,
    /// Whether it is paid already.
    pub online_payment: bool,
    /// Kilometres of the leg that ends here.
    #[cfg_attr(feature = "openapi", schema(value_type = f64, minimum = 0))]
    pub distance: Kilometres,
    /// How well its place is known.
    #[cfg_attr(feature = "openapi", schema(value_type = Precision))]
    pub precision: Precision,
}

/// A price that holds for a while: send `id` back as `quoteId` when the order is created.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Quote))]
#[serde(rename_all = "camelCase")]
pub struct QuoteView {
    /// The signed quote.
    pub id: String,
    /// Until when it holds.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub expires_at: String,
    /// The tariff that it was calculated by.
    pub tariff_version: String,
}
