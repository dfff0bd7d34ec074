//! Account statements and top-ups.

use serde::{Deserialize, Serialize};

use super::{
    CsvForm, PixView, Reais,
    csv_form::{csv_number, csv_text},
};
use crate::{
    model::{
        Language, PixRecipient, StoreId, Timestamp, Zone,
        order::PixCharge,
        store::{EntryKind, StatementLine, Store, TopUpRequest, TopUpState},
    },
    rules::top_ups::PixConfig,
};

/// A top-up of a store's balance.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct CreateTopUp {
    /// Amount in BRL, with at most two decimals.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, example = 250)
    )]
    pub amount: Option<f64>,
    /// Your reference of the payment. It makes the request idempotent: a repetition with the same
    /// amount changes nothing.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, example = "PIX-2026-11-21-7")
    )]
    pub reference: Option<String>,
    /// The `txid` of the store's request that the payment fulfils, if it is not `reference`.
    #[cfg_attr(feature = "openapi", schema(example = "T1004N7"))]
    pub txid: Option<String>,
}

/// A store's request for a top-up by Pix.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct RequestTopUp {
    /// Amount in BRL, 0.01 to `pix.max-top-up` of the deployment, with at most two decimals.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, example = 250)
    )]
    pub amount: Option<f64>,
}

/// A store's request for a top-up by Pix.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = TopUpRequest))]
#[serde(rename_all = "camelCase")]
pub struct TopUpRequestView {
    /// The reference, with which the operator finds the payment: `T`, the store's ID, `N` and a
    /// number.
    pub txid: String,
    /// Amount in BRL.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub amount: Reais,
    /// The state.
    #[cfg_attr(feature = "openapi", schema(value_type = TopUpState))]
    pub state: &'static str,
    /// Time of the request.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub requested_at: String,
    /// Time at which the operator booked the payment.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub confirmed_at: Option<String>,
    /// The code to pay. Null unless the request is pending, and if the operator has no Pix key.
    pub pix: Option<PixView>,
}

/// A store's requests for top-ups, newest first.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TopUpList {
    /// The maximum amount in BRL. Null if the operator has no Pix key.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<f64>))]
    pub max_amount: Option<Reais>,
    /// The pending requests and the last ones that ended.
    pub top_ups: Vec<TopUpRequestView>,
}

/// An entry of a store's ledger.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = StatementLine))]
#[serde(rename_all = "camelCase")]
pub struct StatementLineView {
    /// The entry's ID.
    pub id: u64,
    /// Time of the entry.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub created_at: String,
    /// Type of the entry.
    #[serde(rename = "type")]
    #[cfg_attr(feature = "openapi", schema(value_type = EntryKind))]
    pub kind: &'static str,
    /// ID of the store that caused the entry. In the statement of a prepaid parent store, this can
    /// be one of its branches.
    pub store_id: u64,
    /// ID of the order. Null for top-ups and transfers.
    pub order_id: Option<u64>,
    /// The operator's reference. Null unless the entry is a top-up.
    pub reference: Option<String>,
    /// Amount in BRL. Debits are negative.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub amount: Reais,
    /// Balance after the entry in BRL.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub balance: Reais,
}

/// A page of a statement, oldest first.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct StatementPage {
    /// Current balance of the account that pays for the store.
    pub balance: StoreBalance,
    /// The entries, oldest first.
    pub lines: Vec<StatementLineView>,
    /// Cursor of the next page: send it as `cursor`. Null on the last page.
    pub next_cursor: Option<String>,
}

/// A balance and the store that owns it.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct StoreBalance {
    /// ID of the store that owns the balance: the parent store for branches of a prepaid parent
    /// store, otherwise the store itself.
    pub store_id: u64,
    /// Balance in BRL.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub amount: Reais,
}

impl TopUpRequestView {
    /// Builds the representation of a store's request. `recipient` is the operator.
    pub fn of(
        request: &TopUpRequest,
        store: StoreId,
        recipient: Option<&PixRecipient>,
        now: Timestamp,
    ) -> TopUpRequestView {
        let (txid, state) = (request.txid(store), request.state(now));
        let payable = recipient.filter(|_| state == TopUpState::Pending);
        let pix = payable.and_then(|recipient| {
            Some(PixView::of(&PixCharge {
                br_code: recipient.br_code(request.amount, &txid)?,
                txid: txid.clone(),
                amount: request.amount,
                recipient,
            }))
        });
        TopUpRequestView {
            txid,
            amount: Reais(request.amount),
            state: state.name(),
            requested_at: request.requested_at.to_string(),
            confirmed_at: request.confirmed_at.map(|at| at.to_string()),
            pix,
        }
    }
}

impl TopUpList {
    /// Builds the list of a store's requests.
    pub fn of(store: &Store, config: &PixConfig, now: Timestamp) -> TopUpList {
        let recipient = config.recipient();
        let view = |request| TopUpRequestView::of(request, store.id, recipient.as_ref(), now);
        TopUpList {
            max_amount: recipient.as_ref().map(|_| Reais(config.maximum())),
            top_ups: store.top_ups.requests.iter().rev().map(view).collect(),
        }
    }
}

impl StoreBalance {
    /// Returns the balance that pays for a store.
    pub fn of(store: &Store) -> StoreBalance {
        StoreBalance {
            store_id: store.account().get(),
            amount: Reais(store.balance),
        }
    }
}

impl StatementLineView {
    /// Builds the API representation of an entry.
    pub fn of(line: &StatementLine) -> StatementLineView {
        StatementLineView {
            id: line.id.get(),
            created_at: line.at.to_string(),
            kind: line.kind.name(),
            store_id: line.store.get(),
            order_id: line.order.map(crate::model::OrderId::get),
            reference: line.reference.clone(),
            amount: Reais(line.amount),
            balance: Reais(line.balance),
        }
    }
}

/// Writes statement lines of a store in this state as CSV.
///
/// # Errors
/// None, because all rows have the same number of fields.
pub fn statement_csv(
    lines: &[StatementLine],
    form: CsvForm,
    zone: Zone,
) -> Result<Vec<u8>, csv::Error> {
    let header = match form {
        CsvForm::Program => [
            "id",
            "createdAt",
            "type",
            "orderId",
            "reference",
            "amount",
            "balance",
            "storeId",
        ],
        CsvForm::Brazilian => [
            "Lançamento",
            "Data e hora",
            "Tipo",
            "Pedido",
            "Referência",
            "Valor (R$)",
            "Saldo (R$)",
            "Loja",
        ],
    };
    let kind = |kind: EntryKind| match form {
        CsvForm::Program => kind.name().to_owned(),
        CsvForm::Brazilian => kind.text().get(Language::Portuguese).to_owned(),
    };
    let row = |line: &StatementLine| {
        [
            line.id.to_string(),
            form.time(line.at, zone),
            kind(line.kind),
            csv_number(line.order),
            csv_text(line.reference.as_deref().unwrap_or_default()),
            form.amount(line.amount),
            form.amount(line.balance),
            line.store.to_string(),
        ]
    };
    form.write(
        [header.map(str::to_owned)]
            .into_iter()
            .chain(lines.iter().map(row)),
    )
}
