//! Payments at the door: the settings of stores, Pix codes, and payments that were received.

use serde::{Deserialize, Serialize};

use super::Reais;
#[cfg(feature = "openapi")]
use super::schema::StopNumber;
#[cfg(feature = "openapi")]
use crate::model::{PixKeyKind, order::PaymentMethod, store::Settle};
use crate::{
    model::{
        PixRecipient,
        order::{PixCharge, ReceivedPayment},
        store::StorePayments,
    },
    rules::recipient::RecipientPix,
    wire::Id,
};

/// A store's settings for payments at the door.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct SetStorePayments {
    /// When couriers bring the cash to the store. Defaults to `PER_ORDER`.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Settle>))]
    pub settle: Option<String>,
    /// The recipient of payments by Pix. Without it, orders have no code for a payment by Pix.
    pub pix: Option<SetPix>,
    /// The password of the session's login, which confirms a new recipient of payments by Pix.
    /// Ignored with a key, and after `POST /delivery/sessions/confirmation`.
    #[cfg_attr(feature = "openapi", schema(format = "password"))]
    pub current_password: Option<String>,
}

/// The recipient of payments by Pix.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct SetPix {
    /// The Pix key: a CPF, a CNPJ, an email address, a phone number with `+55`, or a random key.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, example = "11.222.333/0001-81")
    )]
    pub key: Option<String>,
    /// The recipient's name. Codes contain its first 25 letters, digits and spaces, without
    /// accents. Defaults to the store's name.
    #[cfg_attr(feature = "openapi", schema(example = "Empório Central"))]
    pub name: Option<String>,
    /// The recipient's city. Codes contain its first 15 letters, digits and spaces, without
    /// accents. Defaults to that of the store's address.
    #[cfg_attr(feature = "openapi", schema(example = "São Paulo"))]
    pub city: Option<String>,
}

/// A payment that was received at the door.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct ReceivePayment {
    /// The method. Defaults to that of the delivery's `payment`, if it is only one.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<PaymentMethod>))]
    pub method: Option<String>,
    /// The amount received in BRL, with at most two decimals. The sum of all methods is at most
    /// `productValue`.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, example = 57.9)
    )]
    pub received: Option<f64>,
    /// The number by which the payment is found: the ID of a Pix in the account's statement, or the
    /// authorisation of a card.
    #[cfg_attr(
        feature = "openapi",
        schema(example = "E9040088820261121143000123456789")
    )]
    pub reference: Option<String>,
}

/// A payment that was received for a delivery.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct RecordPayment {
    /// The delivery's ID.
    #[cfg_attr(feature = "openapi", schema(value_type = StopNumber, required = true))]
    pub delivery_id: Option<Id>,
    /// The method. Defaults to that of the delivery's `payment`, if it is only one.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<PaymentMethod>))]
    pub method: Option<String>,
    /// The amount received in BRL, with at most two decimals. The sum of all methods is at most
    /// `productValue`.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, example = 57.9)
    )]
    pub received: Option<f64>,
    /// The number by which the payment is found: the ID of a Pix in the account's statement, or the
    /// authorisation of a card.
    #[cfg_attr(
        feature = "openapi",
        schema(example = "E9040088820261121143000123456789")
    )]
    pub reference: Option<String>,
}

/// A payment that was received at the door, as the courier or the counter recorded it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = ReceivedPayment))]
#[serde(rename_all = "camelCase")]
pub struct ReceivedPaymentView {
    /// The method.
    #[cfg_attr(feature = "openapi", schema(value_type = PaymentMethod))]
    pub method: &'static str,
    /// The amount in BRL.
    #[cfg_attr(feature = "openapi", schema(value_type = f64, minimum = 0))]
    pub amount: Reais,
    /// The number by which the payment is found.
    pub reference: Option<String>,
    /// Time of the record.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub at: String,
}

/// A static Pix code (BR Code). It confirms nothing: nobody is informed when it is paid, and only
/// the recipient's account shows whether it was.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Pix))]
#[serde(rename_all = "camelCase")]
pub struct PixView {
    /// The code: the content of the QR code, and the text for 'copia e cola'.
    pub br_code: String,
    /// The reference in the code: `D` and the delivery's ID, or `T`, the store's ID, `N` and the
    /// number of a top-up.
    pub txid: String,
    /// The amount in BRL.
    #[cfg_attr(feature = "openapi", schema(value_type = f64, minimum = 0))]
    pub amount: Reais,
    /// The recipient's name. The bank shows the one in its register.
    pub name: String,
}

/// The recipient of payments by Pix.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = PixRecipient))]
#[serde(rename_all = "camelCase")]
pub struct PixRecipientView {
    /// The Pix key, as banks register it.
    pub key: String,
    /// The kind of the key.
    #[cfg_attr(feature = "openapi", schema(value_type = PixKeyKind))]
    pub key_type: &'static str,
    /// The recipient's name.
    pub name: String,
    /// The recipient's city.
    pub city: String,
}

/// A store's settings for payments at the door.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = StorePayments))]
#[serde(rename_all = "camelCase")]
pub struct StorePaymentsView {
    /// When couriers bring the cash to the store.
    #[cfg_attr(feature = "openapi", schema(value_type = Settle))]
    pub settle: &'static str,
    /// The recipient of payments by Pix.
    pub pix: Option<PixRecipientView>,
}

impl StorePaymentsView {
    /// Builds the representation of the settings.
    pub fn of(payments: &StorePayments) -> StorePaymentsView {
        StorePaymentsView {
            settle: payments.settle.name(),
            pix: payments.pix.as_ref().map(PixRecipientView::of),
        }
    }
}

impl PixRecipientView {
    fn of(recipient: &PixRecipient) -> PixRecipientView {
        PixRecipientView {
            key: recipient.key.as_str().to_owned(),
            key_type: recipient.key.kind().name(),
            name: recipient.name.clone(),
            city: recipient.city.clone(),
        }
    }
}

impl PixView {
    /// Builds the representation of a code.
    pub fn of(charge: &PixCharge<'_>) -> PixView {
        PixView {
            br_code: charge.br_code.clone(),
            txid: charge.txid.clone(),
            amount: Reais(charge.amount),
            name: charge.recipient.name.clone(),
        }
    }
}

impl PixView {
    /// Builds the representation of a code on a recipient's page.
    pub fn of_recipient(pix: &RecipientPix) -> PixView {
        PixView {
            br_code: pix.br_code.clone(),
            txid: pix.txid.clone(),
            amount: Reais(pix.amount),
            name: pix.name.clone(),
        }
    }
}

impl ReceivedPaymentView {
    /// Builds the representations of the payments of a delivery.
    pub fn all(received: &[ReceivedPayment]) -> Vec<ReceivedPaymentView> {
        let view = |one: &ReceivedPayment| ReceivedPaymentView {
            method: one.method.name(),
            amount: Reais(one.amount),
            reference: one.reference.clone(),
            at: one.at.to_string(),
        };
        received.iter().map(view).collect()
    }
}
