//! The tables and columns by name, for copying one database to another.

use crate::{Dialect, Query, Statement, Value};

/// A table with its columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Table {
    /// The name.
    pub name: &'static str,
    /// The columns of its primary key.
    pub key: &'static [&'static str],
    /// All other columns.
    pub rest: &'static [&'static str],
    /// The types of its key.
    kind: Kind,
}

/// The types of a table's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A number that Despacho allocates.
    Number,
    /// A number from a sequence of the database.
    Sequence,
    /// Text.
    Text,
    /// Text, in a table where migrations insert rows.
    Seeded,
    /// A number, then text.
    NumberAndText,
    /// Text, then a number.
    TextAndNumber,
}

const fn table(
    name: &'static str,
    kind: Kind,
    key: &'static [&'static str],
    rest: &'static [&'static str],
) -> Table {
    Table {
        name,
        key,
        rest,
        kind,
    }
}

/// Every table except `schema_version`, in the order of copying.
pub const TABLES: &[Table] = &[
    table(
        "stores",
        Kind::Number,
        &["id"],
        &[
            "version",
            "matrix",
            "cnpj",
            "email",
            "created_at",
            "deleted_at",
            "body",
            "account",
        ],
    ),
    table("balances", Kind::Number, &["store"], &["amount", "closed"]),
    table(
        "users",
        Kind::Number,
        &["id"],
        &["version", "store", "email", "removed_at", "body"],
    ),
    table(
        "keys",
        Kind::Number,
        &["id"],
        &["version", "store", "hash", "created_at", "body"],
    ),
    table(
        "orders",
        Kind::Number,
        &["id"],
        &[
            "version",
            "store",
            "code",
            "holds_code",
            "situation",
            "created_at",
            "due_at",
            "body",
            "pickup_lat_e7",
            "pickup_lon_e7",
            "erasure",
            "sandbox",
            "proofs",
            "day",
            "fee",
            "cancellation_fee",
            "done_at",
            "expected_at",
        ],
    ),
    table(
        "order_search",
        Kind::Number,
        &["order_id"],
        &["store", "matrix", "late_at", "terms"],
    ),
    table(
        "couriers",
        Kind::Number,
        &["id"],
        &[
            "version", "body", "key_hash", "free", "carries", "sandbox", "push_at",
        ],
    ),
    table(
        "positions",
        Kind::Number,
        &["courier"],
        &["latitude_e7", "longitude_e7", "at", "cell"],
    ),
    table("journals", Kind::Number, &["matrix"], &["last"]),
    table("archived", Kind::Number, &["store"], &["matrix", "place"]),
    table(
        "events",
        Kind::Sequence,
        &["id"],
        &[
            "order_id", "sequence", "store", "at", "body", "matrix", "place",
        ],
    ),
    table(
        "ledger",
        Kind::Sequence,
        &["id"],
        &[
            "store",
            "order_id",
            "kind",
            "amount",
            "at",
            "reference",
            "balance",
            "branch",
        ],
    ),
    table("notifications", Kind::Number, &["id"], &["store", "body"]),
    table(
        "claims",
        Kind::Text,
        &["scope", "idempotency_key"],
        &["holder", "expires_at", "body"],
    ),
    table(
        "tracking_links",
        Kind::Text,
        &["hash"],
        &["order_id", "delivery", "ends_at"],
    ),
    table(
        "claim_usage",
        Kind::TextAndNumber,
        &["owner", "hour"],
        &["records", "bytes"],
    ),
    table("counters", Kind::Seeded, &["name"], &["value"]),
    table("settings", Kind::Seeded, &["name"], &["value"]),
    table(
        "webhooks",
        Kind::Number,
        &["id"],
        &[
            "version",
            "store",
            "matrix",
            "active",
            "removed",
            "position",
            "due_at",
            "leased_until",
            "seen_at",
            "body",
            "receiver",
        ],
    ),
    table(
        "webhook_messages",
        Kind::NumberAndText,
        &["webhook", "name"],
        &["place", "body"],
    ),
    table(
        "webhook_attempts",
        Kind::Sequence,
        &["id"],
        &["webhook", "body"],
    ),
    table(
        "erasures",
        Kind::Sequence,
        &["id"],
        &[
            "name",
            "cause",
            "subject",
            "at",
            "orders",
            "deliveries",
            "entries",
            "archived",
        ],
    ),
    table(
        "audit",
        Kind::Sequence,
        &["id"],
        &["store", "matrix", "at", "body"],
    ),
    table(
        "tariffs",
        Kind::Number,
        &["id"],
        &["version", "effective_from", "created_at", "body"],
    ),
    table(
        "pay_plans",
        Kind::Number,
        &["id"],
        &["name", "version", "effective_from", "created_at", "body"],
    ),
    table(
        "pay_entries",
        Kind::Sequence,
        &["id"],
        &[
            "courier",
            "payer",
            "kind",
            "amount",
            "at",
            "order_id",
            "unique_key",
            "body",
        ],
    ),
    table(
        "blobs",
        Kind::Number,
        &["id"],
        &["order_id", "created_at", "bytes"],
    ),
    table(
        "cash_balances",
        Kind::Number,
        &["courier", "store"],
        &[
            "period",
            "entries",
            "floats",
            "collected",
            "handed_over",
            "direct",
            "changed_at",
            "last_difference",
            "closed_at",
        ],
    ),
    table(
        "cash_entries",
        Kind::Sequence,
        &["id"],
        &[
            "courier", "store", "period", "kind", "amount", "delivery", "about", "at", "body",
        ],
    ),
    table("buckets", Kind::Text, &["name"], &["arrival"]),
    table(
        "geocoded",
        Kind::Text,
        &["question"],
        &["precision", "lat_e7", "lon_e7", "radius_m", "until"],
    ),
];

/// The statements that copy a table.
pub(crate) struct CopyStatements {
    first: &'static str,
    next: &'static str,
    insert: &'static str,
    sequence: Option<&'static str>,
    keys: usize,
}

impl Table {
    /// Whether the migrations leave it empty.
    pub(crate) fn starts_empty(&self) -> bool {
        self.kind != Kind::Seeded
    }

    /// The number of rows that one query reads and one transaction writes. A photo is much larger
    /// than any other row.
    pub(crate) fn page(&self) -> i64 {
        if self.name == "blobs" { 8 } else { 250 }
    }

    /// Returns the statements that copy the table. Their texts are leaked, because statements have
    /// static texts; only one command uses them.
    pub(crate) fn copy_statements(&self, dialect: Dialect) -> CopyStatements {
        let columns = [self.key, self.rest].concat();
        let list = columns.join(", ");
        let order = self.ordered(dialect);
        let (values, bound) = (numbered(columns.len()), numbered(self.key.len()));
        let limit = self.key.len() + 1;
        let conflict = if self.kind == Kind::Seeded {
            " ON CONFLICT (name) DO UPDATE SET value = excluded.value"
        } else {
            ""
        };
        let name = self.name;
        let sequence = (self.kind == Kind::Sequence && dialect == Dialect::Postgres).then(|| {
            format!("SELECT setval(pg_get_serial_sequence('{name}', 'id'), MAX(id)) FROM {name} HAVING MAX(id) > 0")
        });
        CopyStatements {
            first: text(format!(
                "SELECT {list} FROM {name} ORDER BY {order} LIMIT $1"
            )),
            next: text(format!(
                "SELECT {list} FROM {name} WHERE ({order}) > ({bound}) ORDER BY {order} LIMIT ${limit}"
            )),
            insert: text(format!(
                "INSERT INTO {name} ({list}) VALUES ({values}){conflict}"
            )),
            sequence: sequence.map(text),
            keys: self.key.len(),
        }
    }

    /// Returns the key's columns for `ORDER BY`. Text is ordered by bytes, which both databases
    /// support, independently of PostgreSQL's locale.
    fn ordered(&self, dialect: Dialect) -> String {
        let is_text = |index: usize| match self.kind {
            Kind::Number | Kind::Sequence => false,
            Kind::Text | Kind::Seeded => true,
            Kind::NumberAndText => index > 0,
            Kind::TextAndNumber => index == 0,
        };
        let column = |(index, name): (usize, &&str)| match dialect {
            Dialect::Postgres if is_text(index) => format!("{name} COLLATE \"C\""),
            _ => (*name).to_owned(),
        };
        self.key
            .iter()
            .enumerate()
            .map(column)
            .collect::<Vec<_>>()
            .join(", ")
    }
}

impl CopyStatements {
    /// Reads rows after a key, in the key's order.
    pub(crate) fn page(&self, after: Option<&[Value]>, limit: i64) -> Query {
        let mut params = after.unwrap_or_default().to_vec();
        params.push(Value::Integer(limit));
        Query::new(
            if after.is_some() {
                self.next
            } else {
                self.first
            },
            params,
        )
    }

    /// Inserts a row.
    pub(crate) fn insert(&self, row: &[Value]) -> Statement {
        Statement::one(self.insert, row.to_vec())
    }

    /// Sets the table's sequence to its highest ID.
    pub(crate) fn sequence(&self) -> Option<Query> {
        self.sequence.map(|sql| Query::new(sql, Vec::new()))
    }

    /// Returns the key of a row.
    pub(crate) fn key<'a>(&self, row: &'a [Value]) -> &'a [Value] {
        row.get(..self.keys).unwrap_or_default()
    }
}

fn numbered(count: usize) -> String {
    (1..=count)
        .map(|number| format!("${number}"))
        .collect::<Vec<_>>()
        .join(", ")
}

fn text(text: String) -> &'static str {
    text.leak()
}
