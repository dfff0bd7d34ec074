//! The cash that couriers carry for stores.

use serde::{Deserialize, Serialize};

#[cfg(feature = "openapi")]
use super::schema::CourierNumber;
#[cfg(feature = "openapi")]
use crate::model::{cash::CashKind, order::PaymentMethod};
use crate::{
    model::{
        Money,
        cash::{CashBalance, CashEntry, RecordedCash},
    },
    wire::{ActorView, Id, Reais},
};

/// An amount of cash that a store gives to a courier, or receives.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct MoveCash {
    /// The amount in BRL, with at most two decimals.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, example = 50)
    )]
    pub amount: Option<f64>,
    /// How the amount is paid: `CASH`, or `PIX` for a handover to the store's account. Defaults to
    /// `CASH`.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<PaymentMethod>))]
    pub method: Option<String>,
    /// What shows that it took place, such as the number of a receipt or of a Pix. It must not name
    /// a recipient.
    #[cfg_attr(feature = "openapi", schema(example = "Recibo 12"))]
    pub reference: Option<String>,
}

/// What was counted at the closing of a courier's cash.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct CloseCash {
    /// The courier's ID.
    #[cfg_attr(feature = "openapi", schema(value_type = CourierNumber, required = true, nullable = false))]
    pub courier_id: Option<Id>,
    /// The amount that was counted in BRL, with at most two decimals. The courier hands it over.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, example = 105)
    )]
    pub counted: Option<f64>,
    /// The slips of the card machine that the courier brought.
    pub slips: Option<Vec<SendSlip>>,
    /// The reason for a difference, if it is known. Send it later otherwise.
    #[cfg_attr(feature = "openapi", schema(example = "Troco errado"))]
    pub reason: Option<String>,
    /// The `period` of `GET /delivery/cash` that is closed. If another one is current, somebody
    /// else closed it, and nothing changes. By default the current one.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u32>))]
    pub period: Option<f64>,
}

/// A slip of a card machine.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct SendSlip {
    /// The amount in BRL, with at most two decimals.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, example = 32.5)
    )]
    pub amount: Option<f64>,
    /// The card's brand.
    #[cfg_attr(feature = "openapi", schema(example = "Elo"))]
    pub brand: Option<String>,
    /// The authorisation.
    #[cfg_attr(feature = "openapi", schema(example = "038471"))]
    pub authorisation: Option<String>,
}

/// The reason for the difference of a closing.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct ExplainDifference {
    /// The courier's ID.
    #[cfg_attr(feature = "openapi", schema(value_type = CourierNumber, required = true, nullable = false))]
    pub courier_id: Option<Id>,
    /// The period that was closed.
    #[cfg_attr(feature = "openapi", schema(value_type = u32, required = true, nullable = false))]
    pub period: Option<f64>,
    /// The reason.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, example = "Troco errado na entrega")
    )]
    pub reason: Option<String>,
}

/// The cash of the couriers of a store.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CashList {
    /// One row for each courier who has carried cash for the store, sorted by ID. The first page
    /// also has couriers who carry an order of the store now.
    pub couriers: Vec<CashRow>,
    /// Cursor of the next page: send it as `cursor`. Null on the last page.
    pub next_cursor: Option<String>,
}

/// What a courier carries for a store since the last closing.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CashRow {
    /// The courier's ID.
    pub courier_id: u64,
    /// The courier's name.
    pub courier_name: String,
    /// The current period: 1 and the number of closings.
    pub period: u32,
    /// Number of entries in the period.
    pub entries: u32,
    /// Change that the store gave the courier, in BRL.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub float: Reais,
    /// What the courier collected, with corrections, in BRL. Null for a clerk, who counts blindly.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<f64>))]
    pub collected: Option<Reais>,
    /// What the courier handed over, in BRL.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub handed_over: Reais,
    /// What recipients gave to the store directly, in BRL. It is not in hand.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub to_store_directly: Reais,
    /// What the courier has in hand, in BRL: float and collected minus handed over. Null for a
    /// clerk.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<f64>))]
    pub in_hand: Option<Reais>,
    /// Number of the store's deliveries that the courier has on the current trip and that are not
    /// handed over.
    pub open_deliveries: u32,
    /// What these deliveries pay in cash, in BRL.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub due: Reais,
    /// The difference of the last closing, in BRL. Null before the first.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<f64>))]
    pub difference: Option<Reais>,
    /// Time of the last closing.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub closed_at: Option<String>,
    /// Time of the last entry. Null without entries.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub changed_at: Option<String>,
}

/// A page of entries of the cash ledger, newest first.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CashEntryList {
    /// The entries.
    pub entries: Vec<CashEntryView>,
    /// Cursor of the next page: send it as `cursor`. Null on the last page.
    pub next_cursor: Option<String>,
}

/// An entry of the cash ledger. Entries are never changed.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = CashEntry))]
#[serde(rename_all = "camelCase")]
pub struct CashEntryView {
    /// The entry's ID.
    pub id: u64,
    /// The courier's ID.
    pub courier_id: u64,
    /// The store's ID.
    pub store_id: u64,
    /// The period of the courier and the store.
    pub period: u32,
    /// Type of the entry.
    #[serde(rename = "type")]
    #[cfg_attr(feature = "openapi", schema(value_type = CashKind))]
    pub kind: &'static str,
    /// The amount in BRL.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub amount: Reais,
    /// How the amount was paid.
    #[cfg_attr(feature = "openapi", schema(value_type = PaymentMethod))]
    pub method: &'static str,
    /// Time of the entry.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub created_at: String,
    /// Who caused it.
    pub actor: ActorView,
    /// ID of the order. Null unless a delivery was paid.
    pub order_id: Option<u64>,
    /// ID of the delivery. Null unless a delivery was paid.
    pub delivery_id: Option<u64>,
    /// What shows that a float or a handover took place.
    pub reference: Option<String>,
    /// The reason, for differences and notes. A difference has the newest reason that was sent.
    pub reason: Option<String>,
    /// ID of the difference that a note explains.
    pub about_id: Option<u64>,
    /// What was counted. Null unless the entry is a difference.
    pub closing: Option<CashClosingView>,
}

/// A period that was closed.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ClosedCash {
    /// The courier's ID.
    pub courier_id: u64,
    /// The store's ID.
    pub store_id: u64,
    /// The period that was closed.
    pub period: u32,
    /// Time of the closing.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub closed_at: String,
    /// The reason for the difference, if it was sent.
    pub reason: Option<String>,
    /// Number of the store's deliveries that the courier still has. What they pay counts in the
    /// next period.
    pub open_deliveries: u32,
    /// What was expected and counted.
    pub closing: CashClosingView,
}

/// The sums of a period and what was counted at its end.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = CashClosing))]
#[serde(rename_all = "camelCase")]
pub struct CashClosingView {
    /// The courier's name. Null if the courier is unknown.
    pub courier_name: Option<String>,
    /// The store's name.
    pub store_name: Option<String>,
    /// Change that the store gave the courier, in BRL.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub float: Reais,
    /// What the courier collected, with corrections, in BRL.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub collected: Reais,
    /// What the courier handed over before the closing, in BRL.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub handed_over: Reais,
    /// What recipients gave to the store directly, in BRL.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub to_store_directly: Reais,
    /// The amount that was expected, in BRL: float and collected minus handed over.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub expected: Reais,
    /// The amount that was counted, in BRL.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub counted: Reais,
    /// Counted minus expected, in BRL: negative if cash is missing. It changes no pay.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub difference: Reais,
    /// The slips of the card machine.
    pub slips: Vec<SlipView>,
}

/// A slip of a card machine.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = CardSlip))]
#[serde(rename_all = "camelCase")]
pub struct SlipView {
    /// The amount in BRL.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub amount: Reais,
    /// The card's brand.
    pub brand: Option<String>,
    /// The authorisation.
    pub authorisation: Option<String>,
}

/// The cash that a courier carries, by store.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CourierCash {
    /// The operator's limit for cash in hand, in BRL. Null without a limit.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<f64>))]
    pub cash_limit: Option<Reais>,
    /// The stores for which the courier has had cash since the last closing, sorted by ID.
    pub stores: Vec<StoreCash>,
    /// Cursor of the next page: send it as `cursor`. Null on the last page.
    pub next_cursor: Option<String>,
}

/// The cash that a courier carries for a store since the last closing.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct StoreCash {
    /// The store's ID.
    pub store_id: u64,
    /// The store's name.
    pub store_name: Option<String>,
    /// The current period: 1 and the number of closings.
    pub period: u32,
    /// Change that the store gave the courier, in BRL.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub float: Reais,
    /// What the courier collected, with corrections, in BRL.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub collected: Reais,
    /// What the courier handed over, in BRL.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub handed_over: Reais,
    /// What the courier has in hand, in BRL.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub in_hand: Reais,
    /// Time of the last entry.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub changed_at: String,
}

/// What a courier's row has besides the balance.
#[derive(Clone, Debug)]
pub struct CashRowParts {
    /// The courier's name.
    pub name: String,
    /// Number of deliveries that are not handed over.
    pub open_deliveries: u32,
    /// What these pay in cash.
    pub due: Money,
    /// Whether the caller may see the expected amount before the closing.
    pub sees_expected: bool,
}

impl CashRow {
    /// Builds the row of a balance.
    pub fn of(balance: &CashBalance, parts: CashRowParts) -> CashRow {
        let hidden = |amount: Money| parts.sees_expected.then_some(Reais(amount));
        CashRow {
            courier_id: balance.courier.get(),
            courier_name: parts.name,
            period: balance.period,
            entries: balance.entries,
            float: Reais(balance.float),
            collected: hidden(balance.collected),
            handed_over: Reais(balance.handed_over),
            to_store_directly: Reais(balance.to_store_directly),
            in_hand: hidden(balance.in_hand()),
            open_deliveries: parts.open_deliveries,
            due: Reais(parts.due),
            difference: balance.last_difference.map(Reais),
            closed_at: balance.closed_at.map(|at| at.to_string()),
            changed_at: (balance.entries > 0 || balance.closed_at.is_some())
                .then(|| balance.changed_at.to_string()),
        }
    }
}

impl StoreCash {
    /// Builds the representation of a balance for its courier.
    pub fn of(balance: &CashBalance, store_name: Option<String>) -> StoreCash {
        StoreCash {
            store_id: balance.store.get(),
            store_name,
            period: balance.period,
            float: Reais(balance.float),
            collected: Reais(balance.collected),
            handed_over: Reais(balance.handed_over),
            in_hand: Reais(balance.in_hand()),
            changed_at: balance.changed_at.to_string(),
        }
    }
}

impl CashEntryView {
    /// Builds the representation of an entry. `notes` are the notes about the differences of the
    /// page, newest first.
    pub fn of(recorded: &RecordedCash, notes: &[RecordedCash]) -> CashEntryView {
        let RecordedCash { id, period, entry } = recorded;
        let note = notes.iter().find(|note| note.entry.about == Some(*id));
        let reason = note.map_or(&entry.reason, |note| &note.entry.reason);
        CashEntryView {
            id: id.get(),
            courier_id: entry.courier.get(),
            store_id: entry.store.get(),
            period: *period,
            kind: entry.kind.name(),
            amount: Reais(entry.amount),
            method: entry.method.name(),
            created_at: entry.at.to_string(),
            actor: ActorView::of(&entry.by),
            order_id: entry.order.map(|order| order.get()),
            delivery_id: entry.delivery.map(|delivery| delivery.get()),
            reference: entry.evidence.clone(),
            reason: reason.clone(),
            about_id: entry.about.map(|about| about.get()),
            closing: CashClosingView::of(entry),
        }
    }

    /// Adds the names of the courier and the store to a closing.
    #[must_use]
    pub fn named(mut self, courier: Option<String>, store: Option<String>) -> CashEntryView {
        if let Some(closing) = &mut self.closing {
            (closing.courier_name, closing.store_name) = (courier, store);
        }
        self
    }
}

impl CashClosingView {
    /// Builds the representation of what was counted. `None` if the entry is no difference.
    pub fn of(entry: &CashEntry) -> Option<CashClosingView> {
        let closing = entry.closing.as_deref()?;
        let slips = closing.slips.iter().map(|slip| SlipView {
            amount: Reais(slip.amount),
            brand: slip.brand.clone(),
            authorisation: slip.authorisation.clone(),
        });
        Some(CashClosingView {
            courier_name: None,
            store_name: None,
            float: Reais(closing.float),
            collected: Reais(closing.collected),
            handed_over: Reais(closing.handed_over),
            to_store_directly: Reais(closing.to_store_directly),
            expected: Reais(closing.expected()),
            counted: Reais(closing.counted),
            difference: Reais(closing.difference()),
            slips: slips.collect(),
        })
    }
}
