//! Queries and statements as data.

use std::borrow::Cow;

use crate::Value;

/// A read, or a single write with `RETURNING`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// The text, which is the same for both dialects. It is the key of a driver's prepared
    /// statements, so there are few distinct texts.
    pub sql: Cow<'static, str>,
    /// Values of `$1`, `$2` and so on.
    pub params: Vec<Value>,
}

/// A write within a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The text, which is the same for both dialects.
    pub sql: &'static str,
    /// Values of `$1`, `$2` and so on.
    pub params: Vec<Value>,
    /// The required number of touched rows.
    pub expect: Expect,
}

/// The required number of touched rows. Another number rolls the whole transaction back and is
/// [`despacho_core::host::HostError::Conflict`]. This enforces versions, unique values and floors
/// without reading the text of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// Any number.
    Any,
    /// Exactly one.
    One,
}

impl Expect {
    /// Whether this number of touched rows meets the requirement.
    pub fn holds(self, touched: u64) -> bool {
        match self {
            Expect::Any => true,
            Expect::One => touched == 1,
        }
    }
}

impl Query {
    pub(crate) fn new(sql: &'static str, params: Vec<Value>) -> Query {
        Query {
            sql: sql.into(),
            params,
        }
    }
}

impl Statement {
    /// Creates a write that must touch one row.
    pub(crate) fn one(sql: &'static str, params: Vec<Value>) -> Statement {
        Statement {
            sql,
            params,
            expect: Expect::One,
        }
    }

    /// Creates a write that can touch any number of rows.
    pub(crate) fn any(sql: &'static str, params: Vec<Value>) -> Statement {
        Statement {
            sql,
            params,
            expect: Expect::Any,
        }
    }
}

/// Returns an insert of `id, version, columns…`, or an update to `version, columns…` of the row
/// with `id` and the expected version.
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
