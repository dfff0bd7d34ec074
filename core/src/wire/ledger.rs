//! Statements and top-ups.

use serde::{Deserialize, Serialize};

use super::Reais;
#[cfg(feature = "openapi")]
use crate::model::store::EntryKind;
use crate::model::store::{StatementLine, Store};

/// Money to book in.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct CreateTopUp {
    /// BRL, 0.01 to 1,000,000 with two decimals.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, minimum = 0.01, maximum = 1_000_000, example = 250)
    )]
    pub amount: Option<f64>,
    /// What you call the payment, 1 to 64 characters. It books once: the same reference with the same amount changes nothing.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, max_length = 64, example = "PIX-2026-11-21-7")
    )]
    pub reference: Option<String>,
}

/// An entry of a store's ledger.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = StatementLine))]
#[serde(rename_all = "camelCase")]
pub struct StatementLineView {
    /// The entry's number.
    pub id: u64,
    /// When.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub created_at: String,
    /// Why.
    #[serde(rename = "type")]
    #[cfg_attr(feature = "openapi", schema(value_type = EntryKind))]
    pub kind: &'static str,
    /// The store that it belongs to: a branch where one of a prepaid parent store moved the shared balance.
    pub store_id: u64,
    /// The order that it belongs to; null for a top-up or a transfer.
    pub order_id: Option<u64>,
    /// The operator's reference; null except for a top-up.
    pub reference: Option<String>,
    /// How much, BRL: negative is a debit.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub amount: Reais,
    /// The balance after it, BRL.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub balance: Reais,
}

/// A page of a statement, oldest first.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct StatementPage {
    /// The balance that pays for the store, as it is now.
    pub balance: StoreBalance,
    /// The entries.
    pub lines: Vec<StatementLineView>,
    /// Send it as `cursor` for the next page; null on the last one.
    pub next_cursor: Option<String>,
}

/// A balance, and the store that it belongs to.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct StoreBalance {
    /// The store whose balance it is: the parent store for a branch of a prepaid one, else the store itself.
    pub store_id: u64,
    /// BRL.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub amount: Reais,
}

impl StoreBalance {
    /// The balance that pays for a store.
    pub fn of(store: &Store) -> StoreBalance {
        StoreBalance { store_id: store.account().get(), amount: Reais(store.balance) }
    }
}

impl StatementLineView {
    /// The entry as the API shows it.
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

/// The header of a statement as CSV.
const CSV_HEADER: &str = "id,createdAt,type,orderId,reference,amount,balance,storeId\r\n";

/// Lines as CSV (RFC 4180): commas, CRLF, quotes where a field needs them, amounts with a point and two decimals.
pub fn csv(lines: &[StatementLine]) -> String {
    use std::fmt::Write as _;
    let mut text = CSV_HEADER.to_owned();
    for line in lines {
        let order = line.order.map(|order| order.to_string()).unwrap_or_default();
        let reference = field(line.reference.as_deref().unwrap_or_default());
        let (id, at, kind, amount, balance) = (line.id, line.at, line.kind.name(), line.amount, line.balance);
        let store = line.store;
        let _ = write!(text, "{id},{at},{kind},{order},{reference},{amount},{balance},{store}\r\n");
    }
    text
}

/// A text as a field. One that a spreadsheet would take for a formula gets an apostrophe before it, as spreadsheets have it.
fn field(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let text = if formula { format!("'{text}") } else { text.to_owned() };
    if text.contains(['"', ',', '\r', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_need_it() {
        assert_eq!(field("PIX 7"), "PIX 7");
        assert_eq!(field("a \"b\", c\nd"), "\"a \"\"b\"\", c\nd\"");
        assert_eq!(field("=1+1"), "'=1+1");
    }
}
