//! Times for which an order was scheduled, and payments at the door.

use serde::{Deserialize, Serialize};

use crate::model::{Money, PixRecipient, Timestamp};

/// The terms of an order with a time or with windows for its deliveries. They are fixed when the
/// order is created.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderSchedule {
    /// Requested time of arrival at the last stop. `None` if the order has only windows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deliver_at: Option<Timestamp>,
    /// Expected time of the pickup at the creation. The windows of the tariff apply at this time.
    pub priced_at: Timestamp,
}

/// The period in which a courier must arrive at a stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliveryWindow {
    /// The start.
    pub from: Timestamp,
    /// The end, after the start.
    pub until: Timestamp,
}

impl DeliveryWindow {
    /// Returns whether an arrival is within the window. Both ends are part of it.
    pub fn contains(&self, arrival: Timestamp) -> bool {
        (self.from..=self.until).contains(&arrival)
    }
}

/// How a recipient pays the courier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Payment {
    /// The method. If there are several parts, that of the first.
    pub method: PaymentMethod,
    /// The amount in cash for which the courier brings change. `None` if there are several parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change_for: Option<Money>,
    /// The parts, if the recipient pays with several methods. Their sum is the amount due.
    /// [`Payment::parts`] also returns the only part of other payments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub split: Vec<PaymentPart>,
    /// Whether the courier brings something back to the pickup, if it was sent. In an order it is
    /// false if nothing comes back, and absent otherwise: payments of earlier versions, whatever
    /// their method, were brought back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returns: Option<bool>,
    /// The recipient of the parts by Pix, as the store set it when the order was created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pix: Option<Box<PixRecipient>>,
}

/// A payment that was received at the door. A delivery has at most one for each method.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReceivedPayment {
    /// The method.
    pub method: PaymentMethod,
    /// The amount.
    pub amount: Money,
    /// The number by which the payment is found, such as the ID of a Pix or the authorisation of a
    /// card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Time of the record.
    pub at: Timestamp,
}

/// A part of a payment at the door.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaymentPart {
    /// The method.
    pub method: PaymentMethod,
    /// The amount due.
    pub amount: Money,
    /// The amount in cash that the recipient hands over, if the courier brings change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change_for: Option<Money>,
}

impl PaymentPart {
    /// Returns the change that the courier brings.
    pub fn change(&self) -> Option<Money> {
        self.change_for.map(|sum| sum.plus(self.amount.negated()))
    }
}

impl Payment {
    /// Returns the payment that consists of these parts, or `None` if there are none.
    pub fn of(parts: Vec<PaymentPart>) -> Option<Payment> {
        let first = *parts.first()?;
        if parts.len() == 1 {
            return Some(Payment {
                method: first.method,
                change_for: first.change_for,
                split: Vec::new(),
                returns: None,
                pix: None,
            });
        }
        Some(Payment {
            method: first.method,
            change_for: None,
            split: parts,
            returns: None,
            pix: None,
        })
    }

    /// Returns the parts of the payment of the amount `due`.
    pub fn parts(&self, due: Money) -> Vec<PaymentPart> {
        if self.split.is_empty() {
            return vec![PaymentPart {
                method: self.method,
                amount: due,
                change_for: self.change_for,
            }];
        }
        self.split.clone()
    }

    /// Returns the sum of the parts of a payment of the amount `due` that are paid by a method.
    pub fn amount_by(&self, method: PaymentMethod, due: Money) -> Money {
        self.parts(due)
            .iter()
            .filter(|part| part.method == method)
            .fold(Money::ZERO, |sum, part| sum.plus(part.amount))
    }

    /// Returns the method of each part.
    pub fn methods(&self) -> impl Iterator<Item = PaymentMethod> {
        let whole = self.split.is_empty().then_some(self.method);
        whole
            .into_iter()
            .chain(self.split.iter().map(|part| part.method))
    }

    /// Returns whether a part is paid by a method.
    pub fn includes(&self, method: PaymentMethod) -> bool {
        self.methods().any(|one| one == method)
    }
}

/// A method of payment at the door.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum PaymentMethod {
    /// By card. The courier brings the card machine.
    CardMachine,
    /// In cash.
    Cash,
    /// By Pix.
    Pix,
}

impl PaymentMethod {
    /// All methods.
    pub const ALL: [PaymentMethod; 3] = [
        PaymentMethod::CardMachine,
        PaymentMethod::Cash,
        PaymentMethod::Pix,
    ];

    /// Returns the name in the API.
    pub fn name(self) -> &'static str {
        match self {
            PaymentMethod::CardMachine => "CARD_MACHINE",
            PaymentMethod::Cash => "CASH",
            PaymentMethod::Pix => "PIX",
        }
    }
}
