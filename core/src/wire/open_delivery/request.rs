//! Requests of Open Delivery.

use serde::{Deserialize, Serialize};

/// A request for the availability and the price of a delivery, or the common part of a new
/// delivery.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct AvailabilityRequest {
    /// The merchant.
    pub merchant: Option<MerchantRef>,
    /// Address of the pickup.
    #[cfg_attr(feature = "openapi", schema(required = true, nullable = false))]
    pub pickup_address: Option<LogisticsAddress>,
    /// Whether the courier returns to the pickup. Only if the recipient pays the courier.
    #[cfg_attr(feature = "openapi", schema(required = true, nullable = false))]
    pub return_to_merchant: Option<bool>,
    /// Whether the courier can carry other orders in the same trip.
    #[cfg_attr(feature = "openapi", schema(required = true, nullable = false))]
    pub can_combine: Option<bool>,
    /// Address of the recipient.
    #[cfg_attr(feature = "openapi", schema(required = true, nullable = false))]
    pub delivery_address: Option<LogisticsAddress>,
    /// The permitted vehicles and the container.
    #[cfg_attr(feature = "openapi", schema(required = true, nullable = false))]
    pub vehicle: Option<RequestedVehicle>,
    /// The latest times of the pickup and of the delivery.
    #[cfg_attr(feature = "openapi", schema(required = true, nullable = false))]
    pub limit_times: Option<LimitTimes>,
    /// Price of the order.
    #[cfg_attr(feature = "openapi", schema(required = true, nullable = false))]
    pub total_order_price: Option<Price>,
    /// Weight in grams. 0 if it is unknown.
    #[cfg_attr(
        feature = "openapi",
        schema(value_type = Option<u32>, required = true, nullable = false, example = 2_500)
    )]
    pub total_weight: Option<f64>,
    /// Volume in cubic metres. 0 if it is unknown.
    #[cfg_attr(feature = "openapi", schema(example = 0.02))]
    pub package_volume: Option<f64>,
    /// Number of packages. 0 if it is unknown.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u32>, example = 1))]
    pub package_quantity: Option<f64>,
    /// Whether the order is already paid. Defaults to true. Only in a request for the availability.
    pub online_payment: Option<bool>,
}

/// A new delivery.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct DeliveryRequest {
    /// ID of the order in the ordering application, a UUID.
    #[cfg_attr(
        feature = "openapi",
        schema(
            required = true,
            nullable = false,
            format = "uuid",
            example = "52122852-6626-11ed-9022-0242ac120002"
        )
    )]
    pub order_id: Option<String>,
    /// The order's code for the customer.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, example = "1042")
    )]
    pub order_display_id: Option<String>,
    /// The merchant.
    #[cfg_attr(feature = "openapi", schema(required = true, nullable = false))]
    pub merchant: Option<MerchantRef>,
    /// Address of the pickup.
    #[cfg_attr(feature = "openapi", schema(required = true, nullable = false))]
    pub pickup_address: Option<LogisticsAddress>,
    /// The code that the merchant gives to the courier, 4 to 12 letters or digits. Without it, a
    /// code is generated.
    #[cfg_attr(feature = "openapi", schema(format = "pickup-code", example = "7K2P"))]
    pub pickup_code: Option<String>,
    /// Whether the courier waits for `readyForPickup` before the pickup.
    pub notify_ready_for_pickup: Option<bool>,
    /// Whether the merchant confirms the pickup by `orderPicked`.
    pub notify_pickup: Option<bool>,
    /// Whether the merchant confirms the end of the delivery by `finishDelivery`.
    pub notify_conclusion: Option<bool>,
    /// Whether the courier returns to the pickup. Only if the recipient pays the courier.
    #[cfg_attr(feature = "openapi", schema(required = true, nullable = false))]
    pub return_to_merchant: Option<bool>,
    /// Whether the courier can carry other orders in the same trip.
    #[cfg_attr(feature = "openapi", schema(required = true, nullable = false))]
    pub can_combine: Option<bool>,
    /// Whether the merchant's system checks the code that the recipient gives to the courier.
    pub confirmation_code_required: Option<bool>,
    /// Address of the recipient.
    #[cfg_attr(feature = "openapi", schema(required = true, nullable = false))]
    pub delivery_address: Option<LogisticsAddress>,
    /// Name of the recipient.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, example = "Maria Silva")
    )]
    pub customer_name: Option<String>,
    /// Phone number of the recipient: with the area code, and a foreign one with a plus sign and
    /// the country code. The courier reads any other text with the instructions.
    #[cfg_attr(feature = "openapi", schema(example = "+5511999990000"))]
    pub customer_phone: Option<String>,
    /// The code by which the recipient is reached at a shared phone number. The courier reads both
    /// with the instructions.
    pub customer_phone_localizer: Option<String>,
    /// The permitted vehicles and the container.
    #[cfg_attr(feature = "openapi", schema(required = true, nullable = false))]
    pub vehicle: Option<RequestedVehicle>,
    /// The latest times of the pickup and of the delivery.
    #[cfg_attr(feature = "openapi", schema(required = true, nullable = false))]
    pub limit_times: Option<LimitTimes>,
    /// Time at which the preparation of the order starts, in RFC 3339 format, at most 30 days
    /// ahead. No courier is searched before.
    #[cfg_attr(feature = "openapi", schema(format = DateTime, example = "2026-11-21T18:00:00Z"))]
    pub preparation_start_date_time: Option<String>,
    /// Price of the order.
    #[cfg_attr(feature = "openapi", schema(required = true, nullable = false))]
    pub total_order_price: Option<Price>,
    /// Weight in grams. 0 if it is unknown.
    #[cfg_attr(
        feature = "openapi",
        schema(value_type = Option<u32>, required = true, nullable = false, example = 2_500)
    )]
    pub total_weight: Option<f64>,
    /// Volume in cubic metres. 0 if it is unknown.
    #[cfg_attr(feature = "openapi", schema(example = 0.02))]
    pub package_volume: Option<f64>,
    /// Number of packages. 0 if it is unknown.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u32>, example = 1))]
    pub package_quantity: Option<f64>,
    /// Instructions for the courier.
    pub special_instructions: Option<String>,
    /// How the order is paid. Defaults to a payment in the ordering application.
    pub payments: Option<DeliveryPayments>,
    /// IDs of orders that this order can be combined with. Dispatch decides on trips by itself, so
    /// they have no effect.
    pub combined_orders_ids: Option<Vec<String>>,
}

/// A merchant.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct MerchantRef {
    /// The merchant's ID: the one for which the connection was created.
    #[cfg_attr(
        feature = "openapi",
        schema(
            required = true,
            nullable = false,
            example = "11222333000181-de7e5f0c-7d2e-4b8a-9f4e-0a3d6b1c2f10"
        )
    )]
    pub id: Option<String>,
    /// The merchant's public name.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, example = "Pizzaria Boa")
    )]
    pub name: Option<String>,
}

/// An address.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct LogisticsAddress {
    /// Code of the country, which must be `BR`.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, pattern = "^BR$", example = "BR")
    )]
    pub country: Option<String>,
    /// Two-letter code of the state, also as `BR-SP`.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, example = "SP")
    )]
    pub state: Option<String>,
    /// Municipality.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, example = "São Paulo")
    )]
    pub city: Option<String>,
    /// Neighbourhood.
    #[cfg_attr(feature = "openapi", schema(example = "Bela Vista"))]
    pub district: Option<String>,
    /// Street name with its type.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, example = "Avenida Paulista")
    )]
    pub street: Option<String>,
    /// House number, or `S/N` if there is none.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, example = "1578")
    )]
    pub number: Option<String>,
    /// Postal code (CEP) of eight digits.
    #[cfg_attr(feature = "openapi", schema(example = "01310-200"))]
    pub postal_code: Option<String>,
    /// Flat, floor, block.
    pub complement: Option<String>,
    /// A landmark. The courier reads it with the instructions.
    pub reference: Option<String>,
    /// Latitude in degrees, WGS 84.
    #[cfg_attr(feature = "openapi", schema(example = -23.5614))]
    pub latitude: Option<f64>,
    /// Longitude in degrees, WGS 84.
    #[cfg_attr(feature = "openapi", schema(example = -46.6559))]
    pub longitude: Option<f64>,
    /// Where the goods are picked up.
    pub pickup_location: Option<String>,
    /// Instructions for the courier at this address.
    pub instructions: Option<String>,
}

/// The permitted vehicles and the container.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct RequestedVehicle {
    /// The permitted kinds of vehicles.
    #[serde(rename = "type")]
    #[cfg_attr(
        feature = "openapi",
        schema(value_type = Vec<crate::model::Vehicle>, required = true)
    )]
    pub kinds: Option<Vec<String>>,
    /// `NORMAL` or `THERMIC`.
    #[cfg_attr(
        feature = "openapi",
        schema(
            required = true,
            nullable = false,
            pattern = "^(NORMAL|THERMIC)$",
            example = "THERMIC"
        )
    )]
    pub container: Option<String>,
    /// How the goods are transported. The courier reads it with the instructions.
    #[cfg_attr(
        feature = "openapi",
        schema(example = "Bolo de andar: levar na horizontal")
    )]
    pub instruction: Option<String>,
}

/// The latest times of the pickup and of the delivery.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct LimitTimes {
    /// Minutes from the request to the pickup.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u32>, example = 30))]
    pub pickup_limit: Option<f64>,
    /// Minutes from the request to the delivery.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u32>, example = 60))]
    pub delivery_limit: Option<f64>,
}

/// An amount.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct Price {
    /// The amount, with at most four decimals. It is rounded to centavos.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, example = 57.9)
    )]
    pub value: Option<f64>,
    /// Code of the currency, which must be `BRL`.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, pattern = "^BRL$", example = "BRL")
    )]
    pub currency: Option<String>,
}

/// How the order is paid.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct DeliveryPayments {
    /// `ONLINE` if the order is already paid, `OFFLINE` if the recipient pays the courier.
    #[cfg_attr(
        feature = "openapi",
        schema(pattern = "^(ONLINE|OFFLINE)$", example = "OFFLINE")
    )]
    pub method: Option<String>,
    /// Whether the courier brings a card machine.
    pub wireless_pos: Option<bool>,
    /// The payments that the courier collects. Their sum is due, each by its method.
    pub offline_method: Option<Vec<OfflinePayment>>,
    /// The change that the courier brings, if a payment is in cash.
    pub change: Option<Price>,
}

/// A payment that the courier collects.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct OfflinePayment {
    /// The method.
    #[serde(rename = "type")]
    #[cfg_attr(
        feature = "openapi",
        schema(
            pattern = "^(CREDIT|DEBIT|MEAL_VOUCHER|FOOD_VOUCHER|PIX|CASH|CREDIT_DEBIT|OTHER)$",
            example = "CASH"
        )
    )]
    pub kind: Option<String>,
    /// The amount.
    pub amount: Option<Price>,
}

/// The end of a delivery, confirmed by the merchant.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct FinishDelivery {
    /// Time of the end, in RFC 3339 format.
    #[cfg_attr(
        feature = "openapi",
        schema(
            required = true,
            nullable = false,
            format = DateTime,
            example = "2026-11-21T15:00:00Z"
        )
    )]
    pub finish_date: Option<String>,
}

/// The merchant's decision on a problem.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct HandleProblem {
    /// The reason of the problem.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, example = "NOBODY_TO_RECEIVE")
    )]
    pub reason: Option<String>,
    /// `RETURN_TO_STORE`, `DELIVER_PRODUCT` or `CANCEL_DELIVERY`.
    #[cfg_attr(
        feature = "openapi",
        schema(
            required = true,
            nullable = false,
            pattern = "^(RETURN_TO_STORE|DELIVER_PRODUCT|CANCEL_DELIVERY)$",
            example = "RETURN_TO_STORE"
        )
    )]
    pub action: Option<String>,
    /// A note.
    pub message: Option<String>,
}

/// A cancellation.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct CancelDelivery {
    /// The reason.
    #[cfg_attr(
        feature = "openapi",
        schema(
            required = true,
            nullable = false,
            example = "CONSUMER_CANCELLATION_REQUESTED"
        )
    )]
    pub reason: Option<String>,
    /// `RETURN_TO_STORE` or `CANCEL_DELIVERY`: what the courier does if the goods are on the way.
    /// Defaults to the return.
    #[cfg_attr(
        feature = "openapi",
        schema(
            pattern = "^(RETURN_TO_STORE|CANCEL_DELIVERY)$",
            example = "RETURN_TO_STORE"
        )
    )]
    pub action: Option<String>,
    /// A note.
    pub message: Option<String>,
}
