//! Entries of couriers' pay, which are never changed.

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use crate::model::{
    CourierId, DeliveryId, Money, OrderId, PayEntryId, StoreId, Text, Timestamp, audit::Actor,
};

/// The kind of an entry or a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PayKind {
    /// The order of a trip that was picked up first.
    Trip,
    /// A further order of a trip.
    ExtraOrder,
    /// The deliveries of an order.
    Delivery,
    /// The length of the route.
    Distance,
    /// A share of the order's fee.
    FeeShare,
    /// The way back to the pickup.
    Return,
    /// An order that ended before the pickup.
    Cancellation,
    /// A surcharge depending on local time.
    Window,
    /// The difference to the minimum of an order.
    Minimum,
    /// Waiting.
    Waiting,
    /// A bonus that the operator switched on.
    Bonus,
    /// A tip of a recipient.
    Tip,
    /// The daily amount of a shift.
    Daily,
    /// The difference to the guarantee of a shift.
    Guarantee,
    /// The operator's share, which is negative.
    Commission,
    /// An amount that was paid before the settlement, which is negative.
    Advance,
    /// A correction by the operator.
    Correction,
}

impl PayKind {
    /// All kinds.
    pub const ALL: &'static [PayKind] = &[
        PayKind::Trip,
        PayKind::ExtraOrder,
        PayKind::Delivery,
        PayKind::Distance,
        PayKind::FeeShare,
        PayKind::Return,
        PayKind::Cancellation,
        PayKind::Window,
        PayKind::Minimum,
        PayKind::Waiting,
        PayKind::Bonus,
        PayKind::Tip,
        PayKind::Daily,
        PayKind::Guarantee,
        PayKind::Commission,
        PayKind::Advance,
        PayKind::Correction,
    ];

    /// Returns the kind with a name.
    pub fn from_name(name: &str) -> Option<PayKind> {
        PayKind::ALL
            .iter()
            .copied()
            .find(|kind| kind.name() == name)
    }

    /// Returns the name in databases and in the API.
    pub fn name(self) -> &'static str {
        match self {
            PayKind::Trip => "trip",
            PayKind::ExtraOrder => "extra_order",
            PayKind::Delivery => "delivery",
            PayKind::Distance => "distance",
            PayKind::FeeShare => "fee_share",
            PayKind::Return => "return",
            PayKind::Cancellation => "cancellation",
            PayKind::Window => "window",
            PayKind::Minimum => "minimum",
            PayKind::Waiting => "waiting",
            PayKind::Bonus => "bonus",
            PayKind::Tip => "tip",
            PayKind::Daily => "daily",
            PayKind::Guarantee => "guarantee",
            PayKind::Commission => "commission",
            PayKind::Advance => "advance",
            PayKind::Correction => "correction",
        }
    }

    /// Returns the name for people.
    pub fn text(self) -> Text {
        match self {
            PayKind::Trip => Text::new("Trip", "Saída"),
            PayKind::ExtraOrder => Text::new("Further order", "Pedido adicional"),
            PayKind::Delivery => Text::new("Deliveries", "Entregas"),
            PayKind::Distance => Text::new("Distance", "Distância"),
            PayKind::FeeShare => Text::new("Share of the fee", "Parte da taxa"),
            PayKind::Return => Text::new("Way back", "Retorno"),
            PayKind::Cancellation => Text::new("Cancelled order", "Pedido cancelado"),
            PayKind::Window => Text::new("Time surcharge", "Adicional de horário"),
            PayKind::Minimum => Text::new("Minimum", "Complemento do mínimo"),
            PayKind::Waiting => Text::new("Waiting", "Espera"),
            PayKind::Bonus => Text::new("Bonus", "Bônus"),
            PayKind::Tip => Text::new("Tip", "Gorjeta"),
            PayKind::Daily => Text::new("Daily amount", "Diária"),
            PayKind::Guarantee => Text::new("Guarantee", "Complemento da garantia"),
            PayKind::Commission => Text::new("Commission", "Comissão"),
            PayKind::Advance => Text::new("Advance", "Adiantamento"),
            PayKind::Correction => Text::new("Correction", "Correção"),
        }
    }
}

/// A line of a calculation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PayLine {
    /// The kind.
    pub kind: PayKind,
    /// Quantity in the unit of the kind: deliveries, kilometres, minutes, per cent, or 1.
    pub quantity: Decimal,
    /// Amount, rounded to centavos once.
    pub amount: Money,
    /// Name of the window or bonus, or the reason of an amount of zero.
    pub note: Option<String>,
}

/// What an entry was written for. A commit conflicts if it writes another entry for the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PaySource {
    /// A line of an order, by the number of the assignment and the number of the line, from 0.
    Order {
        /// [`crate::model::order::Order::attempt`] of the assignment.
        attempt: u32,
        /// The line.
        line: u32,
    },
    /// A request of the operator.
    Operator,
}

/// An entry to append.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PayEntry {
    /// Time of the entry.
    pub at: Timestamp,
    /// The courier.
    pub courier: CourierId,
    /// Who pays: a store, or the operator if `None`.
    pub payer: Option<StoreId>,
    /// The kind.
    pub kind: PayKind,
    /// Quantity in the unit of the kind, of calculated lines.
    pub quantity: Option<Decimal>,
    /// Amount. Deductions are negative.
    pub amount: Money,
    /// The order.
    pub order: Option<OrderId>,
    /// The merchant's code of the order.
    pub order_code: Option<String>,
    /// The delivery.
    pub delivery: Option<DeliveryId>,
    /// Version of the plan.
    pub plan_version: Option<String>,
    /// The entry that this one corrects.
    pub corrects: Option<PayEntryId>,
    /// The operator's reason, the name of a window or bonus, or the reason of an amount of zero.
    pub reason: Option<String>,
    /// Who wrote it. `None` for calculated lines.
    pub actor: Option<Actor>,
    /// What it was written for.
    pub source: PaySource,
}

impl PayEntry {
    /// Returns the text that is unique among entries. `None` for entries of the operator, which can
    /// be equal.
    pub fn unique_key(&self) -> Option<String> {
        match (self.source, self.order) {
            (PaySource::Order { attempt, line }, Some(order)) => {
                Some(format!("{order}-{attempt}-{line}"))
            }
            _ => None,
        }
    }
}

/// A stored entry.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedPayEntry {
    /// The ID.
    pub id: PayEntryId,
    /// The entry.
    pub entry: PayEntry,
}

impl RecordedPayEntry {
    /// Returns the position in a statement.
    pub fn order(&self) -> (Timestamp, PayEntryId) {
        (self.entry.at, self.id)
    }
}

/// A range of entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PayPeriod {
    /// At this time or later.
    pub from: Timestamp,
    /// Before this time.
    pub until: Timestamp,
    /// After this entry in the order of [`RecordedPayEntry::order`], or from the first if `None`.
    pub after: Option<(Timestamp, PayEntryId)>,
}
