//! Questions and orders to a database, as data.

use crate::Value;

/// A question: a read, or a single write that answers by `RETURNING`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// The text, the same for both dialects; being static it is the key of a driver's prepared statements.
    pub sql: &'static str,
    /// `$1`, `$2` and so on.
    pub params: Vec<Value>,
}

/// A write within a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The text, the same for both dialects.
    pub sql: &'static str,
    /// `$1`, `$2` and so on.
    pub params: Vec<Value>,
    /// How many rows it must touch.
    pub expect: Expect,
}

/// How many rows a statement must touch. A miss undoes the whole transaction and is [`despacho_core::host::HostError::Conflict`]: this
/// is how versions, unique values and floors are kept, never by the text of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// Any number.
    Any,
    /// Exactly one.
    One,
}

impl Expect {
    /// Whether so many touched rows are right.
    pub fn holds(self, touched: u64) -> bool {
        match self {
            Expect::Any => true,
            Expect::One => touched == 1,
        }
    }
}

impl Query {
    pub(crate) fn new(sql: &'static str, params: Vec<Value>) -> Query {
        Query { sql, params }
    }
}

impl Statement {
    /// A write that must touch one row.
    pub(crate) fn one(sql: &'static str, params: Vec<Value>) -> Statement {
        Statement { sql, params, expect: Expect::One }
    }

    /// A write that may touch any number of rows.
    pub(crate) fn any(sql: &'static str, params: Vec<Value>) -> Statement {
        Statement { sql, params, expect: Expect::Any }
    }
}

/// An insert of `id, version, columns…`, or an update to `version, columns…` where `id` and the expected version stand.
pub(crate) fn versioned<const N: usize>(
    insert: &'static str,
    update: &'static str,
    id: Value,
    expected: u32,
    columns: [Value; N],
) -> Statement {
    let version = Value::number(u64::from(expected) + 1);
    let mut params = Vec::with_capacity(N + 3);
    if expected == 0 {
        params.extend([id, version]);
        params.extend(columns);
        return Statement::one(insert, params);
    }
    params.push(version);
    params.extend(columns);
    params.extend([id, Value::number(expected)]);
    Statement::one(update, params)
}
