//! Windows of deliveries and payments at the door.

use serde::{Deserialize, Serialize};

use super::{PixView, Reais};
#[cfg(feature = "openapi")]
use crate::model::order::PaymentMethod;
use crate::model::{
    Money,
    order::{Delivery, DeliveryWindow, PaymentPart},
};

/// The period in which the courier must arrive at the recipient. It ends after it starts, and lasts
/// at most 24 hours.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct SetWindow {
    /// The start, in RFC 3339 format with the offset from UTC. At most 30 days ahead.
    #[cfg_attr(
        feature = "openapi",
        schema(
            required = true,
            nullable = false,
            format = DateTime,
            example = "2026-11-21T20:00:00-03:00"
        )
    )]
    pub from: Option<String>,
    /// The end, in RFC 3339 format with the offset from UTC. It is in the future.
    #[cfg_attr(
        feature = "openapi",
        schema(
            required = true,
            nullable = false,
            format = DateTime,
            example = "2026-11-21T21:00:00-03:00"
        )
    )]
    pub until: Option<String>,
}

/// How the recipient pays the courier: `method`, or several `parts`. The amount due is
/// `productValue`, which is then required.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct SetPayment {
    /// The method. Required unless `parts` is sent.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<PaymentMethod>))]
    pub method: Option<String>,
    /// The amount in BRL that the recipient hands over, if the courier must bring change. At least
    /// `productValue`, and only with the method `CASH`.
    #[cfg_attr(feature = "openapi", schema(example = 100))]
    pub change_for: Option<f64>,
    /// The parts, if the recipient pays with several methods. Their sum is `productValue`. Not with
    /// `method` or `changeFor`.
    pub parts: Option<Vec<SetPaymentPart>>,
    /// Whether the courier brings something back to the pickup after the delivery, which the fee
    /// contains. Defaults to false if every part is paid by Pix, or in cash to a store that settles
    /// at the end of the shift; otherwise to true. With a quote whose preview had no `payment`, it
    /// defaults to true.
    #[cfg_attr(feature = "openapi", schema(example = false))]
    pub returns: Option<bool>,
}

/// A part of a payment at the door.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct SetPaymentPart {
    /// The method.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<PaymentMethod>, required = true, nullable = false))]
    pub method: Option<String>,
    /// The amount due in BRL, with at most two decimals.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, example = 30)
    )]
    pub amount: Option<f64>,
    /// The amount in BRL that the recipient hands over, if the courier must bring change. At least
    /// `amount`, and only with the method `CASH`.
    #[cfg_attr(feature = "openapi", schema(example = 50))]
    pub change_for: Option<f64>,
}

/// The period in which the courier must arrive at the recipient.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = DeliveryWindow))]
pub struct WindowView {
    /// The start.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub from: String,
    /// The end.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub until: String,
}

/// How the recipient pays the courier.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Payment))]
#[serde(rename_all = "camelCase")]
pub struct PaymentView {
    /// The method. If there are several parts, that of the first.
    #[cfg_attr(feature = "openapi", schema(value_type = PaymentMethod))]
    pub method: &'static str,
    /// The amount due in BRL: the value of the goods.
    #[cfg_attr(feature = "openapi", schema(value_type = f64, minimum = 0))]
    pub amount: Reais,
    /// The amount in BRL that the recipient hands over. Null if the courier needs no change, or if
    /// there are several parts.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<f64>))]
    pub change_for: Option<Reais>,
    /// The change in BRL that the courier brings.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<f64>))]
    pub change: Option<Reais>,
    /// The parts, whose sum is `amount`: one, or several if the recipient pays with several
    /// methods.
    pub parts: Vec<PaymentPartView>,
    /// Whether the courier brings something back to the pickup after the delivery.
    pub returns: bool,
    /// The code for the part by Pix. Null if nothing is due by Pix, or the store had no Pix key
    /// when the order was created.
    pub pix: Option<PixView>,
}

/// A part of a payment at the door.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = PaymentPart))]
#[serde(rename_all = "camelCase")]
pub struct PaymentPartView {
    /// The method.
    #[cfg_attr(feature = "openapi", schema(value_type = PaymentMethod))]
    pub method: &'static str,
    /// The amount due in BRL.
    #[cfg_attr(feature = "openapi", schema(value_type = f64, minimum = 0))]
    pub amount: Reais,
    /// The amount in BRL that the recipient hands over. Null if the courier needs no change.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<f64>))]
    pub change_for: Option<Reais>,
    /// The change in BRL that the courier brings: `changeFor` less `amount`.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<f64>))]
    pub change: Option<Reais>,
}

impl WindowView {
    /// Builds the representation of a window.
    pub(super) fn of(window: &DeliveryWindow) -> WindowView {
        WindowView {
            from: window.from.to_string(),
            until: window.until.to_string(),
        }
    }
}

impl PaymentPartView {
    fn of(part: &PaymentPart) -> PaymentPartView {
        PaymentPartView {
            method: part.method.name(),
            amount: Reais(part.amount),
            change_for: part.change_for.map(Reais),
            change: part.change().map(Reais),
        }
    }
}

impl PaymentView {
    /// Builds the representation of a delivery's payment, if it has one.
    pub(super) fn of(delivery: &Delivery) -> Option<PaymentView> {
        let payment = delivery.payment.as_ref()?;
        let amount = delivery.product_value.unwrap_or_default();
        let parts = payment.parts(amount);
        Some(PaymentView {
            method: payment.method.name(),
            amount: Reais(amount),
            change_for: payment.change_for.map(Reais),
            change: parts
                .iter()
                .filter_map(PaymentPart::change)
                .reduce(Money::plus)
                .map(Reais),
            parts: parts.iter().map(PaymentPartView::of).collect(),
            returns: delivery.returns(),
            pix: delivery.pix().map(|charge| PixView::of(&charge)),
        })
    }
}
