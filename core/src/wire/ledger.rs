//! Account statements and top-ups.

use serde::{Deserialize, Serialize};

use super::Reais;
#[cfg(feature = "openapi")]
use crate::model::store::EntryKind;
use crate::model::store::{StatementLine, Store};

/// A top-up of a store's balance.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct CreateTopUp {
    /// Amount in BRL, 0.01 to 1,000,000, with at most two decimals.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, minimum = 0.01, maximum = 1_000_000, example = 250)
    )]
    pub amount: Option<f64>,
    /// Your reference of the payment, 1 to 64 characters. It makes the request idempotent: a repetition with the same
    /// amount changes nothing.
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
    /// The entry's ID.
    pub id: u64,
    /// Time of the entry.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub created_at: String,
    /// Type of the entry.
    #[serde(rename = "type")]
    #[cfg_attr(feature = "openapi", schema(value_type = EntryKind))]
    pub kind: &'static str,
    /// ID of the store that caused the entry. In the statement of a prepaid parent store, this can be one of its
    /// branches.
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
    /// ID of the store that owns the balance: the parent store for branches of a prepaid parent store, otherwise the
    /// store itself.
    pub store_id: u64,
    /// Balance in BRL.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub amount: Reais,
}

impl StoreBalance {
    /// Returns the balance that pays for a store.
    pub fn of(store: &Store) -> StoreBalance {
        StoreBalance { store_id: store.account().get(), amount: Reais(store.balance) }
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

const CSV_HEADER: &str = "id,createdAt,type,orderId,reference,amount,balance,storeId\r\n";

/// Formats statement lines as CSV (RFC 4180) with commas and CRLF. Fields are quoted if necessary; amounts have a
/// decimal point and two decimals.
pub fn csv(lines: &[StatementLine]) -> String {
    use std::fmt::Write as _;
    let mut csv = CSV_HEADER.to_owned();
    for line in lines {
        let order = line.order.map(|order| order.to_string()).unwrap_or_default();
        let reference = field(line.reference.as_deref().unwrap_or_default());
        let (id, at, kind, amount, balance) = (line.id, line.at, line.kind.name(), line.amount, line.balance);
        let store = line.store;
        let _ = write!(csv, "{id},{at},{kind},{order},{reference},{amount},{balance},{store}\r\n");
    }
    csv
}

/// Escapes a CSV field. A value that a spreadsheet would evaluate as a formula is prefixed with an apostrophe.
fn field(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let text = if formula { format!("'{text}") } else { text.to_owned() };
    if text.contains(['"', ',', '\r', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_fields_are_quoted_if_necessary() {
        assert_eq!(field("PIX 7"), "PIX 7");
        assert_eq!(field("a \"b\", c\nd"), "\"a \"\"b\"\", c\nd\"");
        assert_eq!(field("=1+1"), "'=1+1");
    }
}
