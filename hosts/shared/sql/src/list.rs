//! Lists and searches of orders.

use despacho_core::{
    changes::Write,
    host::HostError,
    model::{
        Day, Money, OrderId, SearchWords, StoreId, Timestamp,
        order::{Order, OrderFilter, OrderStatus, ReportedOrder},
    },
};

use crate::{Query, Row, Statement, Value};

/// Maximum size of the bodies in a page without its last order: a hundred orders of the largest
/// size have 27 MB.
const PAGE_BYTES: usize = 262_144;

/// The number of newest orders whose texts a search compares with its words. The index finds older
/// ones.
const COMPARED: u32 = 10_000;

/// The parameters of a query. Each is added when its place in the text is written, so that neither
/// a number nor an order has to be repeated elsewhere.
#[derive(Default)]
struct Params(Vec<Value>);

impl Params {
    /// Adds a value and returns its name for the text, `$1` for the first one.
    fn add(&mut self, value: impl Into<Value>) -> String {
        self.0.push(value.into());
        format!("${}", self.0.len())
    }

    /// Returns the query. SQLite numbers parameters by their first occurrence, which must therefore
    /// have the order in which they were added.
    fn query(self, sql: String) -> Query {
        debug_assert!(
            (1..=self.0.len())
                .map(|number| sql.find(&format!("${number}")))
                .is_sorted_by(|earlier, later| earlier.is_some() && earlier < later),
            "parameters in another order: {sql}"
        );
        Query {
            sql: sql.into(),
            params: self.0,
        }
    }
}

/// Returns the text for a page of the orders of these rows of `id, size`, newest first. It sums only
/// their sizes and then reads the orders by their IDs. `octet_length` takes the size from the head of
/// a body; `length` would count characters, for which both databases read the whole body.
fn page(rows: &str) -> String {
    format!(
        "SELECT version, body FROM orders WHERE id IN (SELECT id FROM \
         (SELECT id, size, SUM(size) OVER (ORDER BY id DESC) AS total FROM ({rows}) AS found) AS sized \
         WHERE total - size < {PAGE_BYTES}) ORDER BY id DESC"
    )
}

/// Reads orders that match a filter without words.
pub(crate) fn orders(filter: &OrderFilter, limit: u32) -> Query {
    match filter.store {
        Some(store) if filter.late_at.is_none() => of_store(filter, store, limit),
        _ => matching(filter, Rows::All, limit),
    }
}

/// The index from which a list of a store's orders is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Index {
    /// That of the store's orders.
    Store,
    /// That of its orders with one status.
    Status,
    /// That of statuses, for open orders, which are few and all read.
    Open,
    /// That of codes.
    Code,
}

/// Reads a list of a store's orders. The index has each store's orders by ID, so that a page costs
/// only the stores and the page.
///
/// A page is read in the order of IDs, except from the index of open orders. SQLite has no
/// statistics of a new database, so a plus sign keeps it from choosing another index, which it would
/// have to read and sort completely. A period limits the IDs by the index of times: those of its
/// first and its last [`COMPARED`] orders. IDs ascend with the time of creation, except among orders
/// that are created at about the same moment.
fn of_store(filter: &OrderFilter, store: StoreId, limit: u32) -> Query {
    let index = match filter.statuses {
        _ if filter.code.is_some() => Index::Code,
        (min, max) if min == max => Index::Status,
        (_, max) if max <= OrderFilter::LAST_OPEN => Index::Open,
        _ => Index::Store,
    };
    let mut params = Params::default();
    let store = params.add(Value::number(store.get()));
    let stores = match filter.branches {
        true => format!("(stores.id = {store} OR stores.matrix = {store})"),
        false => format!("stores.id = {store}"),
    };
    let stores = format!("store IN (SELECT id FROM stores WHERE {stores} AND deleted_at IS NULL)");
    let before = params.add(before(filter));
    let before = match index {
        Index::Open => format!("+id < {before}"),
        _ => format!("id < {before}"),
    };
    let min = params.add(Value::number(filter.statuses.0));
    let status = match index {
        Index::Status => format!("situation = {min}"),
        _ => {
            let max = params.add(Value::number(filter.statuses.1));
            let unused = if index == Index::Open { "" } else { "+" };
            format!("{unused}situation >= {min} AND {unused}situation <= {max}")
        }
    };
    let (from, until) = (params.add(filter.from), params.add(filter.until));
    let everything = OrderFilter::all();
    let has_period = filter.from > everything.from || filter.until < everything.until;
    let period = match index {
        Index::Store | Index::Status if has_period => {
            let edge = |order: &str| {
                format!(
                    "(SELECT id FROM orders WHERE {stores} AND created_at >= {from} \
                     AND created_at < {until} ORDER BY created_at {order} LIMIT {COMPARED}) AS edge"
                )
            };
            let (first, last) = (edge("ASC"), edge("DESC"));
            // The index of the status has the IDs as well.
            let id = if index == Index::Status { "+id" } else { "id" };
            format!(
                " AND {id} >= (SELECT MIN(id) FROM {first}) AND {id} <= (SELECT MAX(id) FROM {last})"
            )
        }
        _ => String::new(),
    };
    let code = match &filter.code {
        Some(code) => format!(" AND code = {}", params.add(code.as_str())),
        None => String::new(),
    };
    let limit = params.add(Value::number(limit));
    params.query(page(&format!(
        "SELECT id, octet_length(body) AS size FROM orders WHERE {stores} AND {before} AND {status} \
         AND +created_at >= {from} AND +created_at < {until}{period}{code} \
         ORDER BY id DESC LIMIT {limit}"
    )))
}

/// The rows of `order_search` that a query reads. Their indexes have the order of lists.
enum Rows<'a> {
    /// All of the filter's scope.
    All,
    /// Those with these words among the `compared` newest ones.
    Newest { words: &'a [String], compared: u32 },
    /// Those with these words that the index finds among the others.
    Older { words: &'a [String], compared: u32 },
}

/// Reads orders that match a filter and are in these rows.
fn matching(filter: &OrderFilter, rows: Rows<'_>, limit: u32) -> Query {
    let mut params = Params::default();
    let (source, id) = match &rows {
        Rows::All | Rows::Newest { .. } => ("order_search".to_owned(), "order_search.order_id"),
        Rows::Older { words, .. } => {
            let expression = params.add(indexed(words));
            let source = format!("order_words({expression}) AS found CROSS JOIN order_search");
            (source, "found.rowid")
        }
    };
    let mut scope = format!("order_search.order_id < {}", params.add(before(filter)));
    // A store, a parent store with its branches, or the late orders of all stores, for which a
    // partial index has only open orders.
    if let Some(store) = filter.store {
        let store = params.add(Value::number(store.get()));
        scope += &match filter.branches {
            false => format!(
                " AND order_search.store = {store} AND EXISTS \
                 (SELECT 1 FROM stores WHERE stores.id = {store} AND deleted_at IS NULL)"
            ),
            true => format!(
                " AND order_search.matrix = {store} AND order_search.store IN (SELECT id FROM stores \
                 WHERE (stores.id = {store} OR stores.matrix = {store}) AND deleted_at IS NULL)"
            ),
        };
    } else if filter.late_at.is_some() {
        scope += " AND order_search.late_at IS NOT NULL";
    }
    let (min, max) = filter.statuses;
    let (min, max) = (
        params.add(Value::number(min)),
        params.add(Value::number(max)),
    );
    let (from, until) = (params.add(filter.from), params.add(filter.until));
    let mut conditions = format!(
        "{scope} AND orders.situation BETWEEN {min} AND {max} \
         AND orders.created_at >= {from} AND orders.created_at < {until}"
    );
    if let Some(code) = &filter.code {
        conditions += &format!(" AND orders.code = {}", params.add(code.as_str()));
    }
    if let Some(at) = filter.late_at {
        let at = params.add(at.millis().saturating_sub(1));
        conditions += &format!(" AND COALESCE(order_search.late_at, 9223372036854775807) <= {at}");
    }
    if let Rows::Newest { words, compared } | Rows::Older { words, compared } = &rows {
        // A spare pattern matches all texts, so that one text is prepared for all numbers of words.
        // The words contain no wildcards: `searchable` removes all punctuation.
        for index in 0..SearchWords::MAX {
            let pattern = words
                .get(index)
                .map_or_else(|| "%".to_owned(), |word| format!("%{word}%"));
            conditions += &format!(" AND order_search.terms LIKE {}", params.add(pattern));
        }
        // The newest order that is not compared, or null.
        let bound = format!(
            "(SELECT order_search.order_id FROM order_search WHERE {scope} \
             ORDER BY order_search.order_id DESC LIMIT 1 OFFSET {})",
            params.add(Value::number(*compared))
        );
        conditions += &match &rows {
            Rows::Older { .. } => {
                format!(" AND order_search.order_id = found.rowid AND found.rowid <= {bound}")
            }
            _ => format!(" AND order_search.order_id > COALESCE({bound}, 0)"),
        };
    }
    let limit = params.add(Value::number(limit));
    params.query(page(&format!(
        "SELECT orders.id AS id, octet_length(orders.body) AS size FROM {source} CROSS JOIN orders \
         WHERE orders.id = order_search.order_id AND {conditions} ORDER BY {id} DESC LIMIT {limit}"
    )))
}

/// Reads orders that contain all words of a search, among the newest orders of its scope.
pub(crate) fn newest(filter: &OrderFilter, search: &SearchWords, limit: u32) -> Query {
    let rows = Rows::Newest {
        words: search.words(),
        compared: COMPARED,
    };
    matching(filter, rows, limit)
}

/// Reads orders that contain all words of a search and are found by the index, among those that
/// [`newest`] does not read.
pub(crate) fn older(filter: &OrderFilter, search: &SearchWords, limit: u32) -> Query {
    let rows = Rows::Older {
        words: search.words(),
        compared: COMPARED,
    };
    matching(filter, rows, limit)
}

/// Reads the newest order with an ID up to this one.
pub(crate) fn up_to(filter: &OrderFilter, id: OrderId) -> Option<Query> {
    let filter = OrderFilter {
        before: Some(OrderId::new(id.get() + 1)?),
        ..filter.clone()
    };
    let rows = Rows::Newest {
        words: &[],
        compared: 1,
    };
    Some(matching(&filter, rows, 1))
}

/// Reads what reports count of the orders of some stores and a time of creation, by an index. See
/// [`to_reported`].
pub(crate) fn reported(filter: &OrderFilter, limit: u32) -> Query {
    let mut params = Params::default();
    let stores = match filter.store {
        None => String::new(),
        Some(store) => {
            let store = params.add(Value::number(store.get()));
            let branches = match filter.branches {
                true => format!(" OR stores.matrix = {store}"),
                false => String::new(),
            };
            format!(" WHERE (stores.id = {store}{branches}) AND deleted_at IS NULL")
        }
    };
    let (from, until) = (params.add(filter.from), params.add(filter.until));
    let limit = params.add(Value::number(limit));
    params.query(format!(
        "SELECT store, created_at, situation, day, fee, cancellation_fee, done_at, expected_at, \
         CASE WHEN fee IS NULL THEN body END FROM orders \
         WHERE store IN (SELECT id FROM stores{stores}) \
         AND created_at >= {from} AND created_at < {until} LIMIT {limit}"
    ))
}

/// Decodes a row of [`reported`]. Of an order that an older program wrote, it has the body.
pub(crate) fn to_reported(row: &mut Row) -> Result<ReportedOrder, HostError> {
    let invalid = |what: &str| HostError::Internal {
        detail: format!("an order has an invalid {what}"),
    };
    let store = u64::try_from(row.integer()?)
        .ok()
        .and_then(StoreId::new)
        .ok_or_else(|| invalid("store"))?;
    let created_at = Timestamp::from_millis(row.integer()?);
    let status = u16::try_from(row.integer()?)
        .ok()
        .and_then(OrderStatus::from_number);
    let status = status.ok_or_else(|| invalid("situation"))?;
    let (day, fee, cancellation_fee) = (
        row.optional_integer()?,
        row.optional_integer()?,
        row.optional_integer()?,
    );
    let (done_at, expected_at) = (row.optional_integer()?, row.optional_integer()?);
    if let Some(order) = row.optional_json::<Order>()? {
        return Ok(ReportedOrder::from(&order));
    }
    let money = |centavos: Option<i64>| {
        centavos
            .and_then(Money::from_centavos)
            .ok_or_else(|| invalid("fee"))
    };
    Ok(ReportedOrder {
        store,
        created_at,
        day: Day::from_number(day.ok_or_else(|| invalid("day"))?),
        status,
        fee: money(fee)?,
        cancellation_fee: money(cancellation_fee)?,
        done_at: Timestamp::from_millis(done_at.ok_or_else(|| invalid("time"))?),
        expected_at: expected_at.map(Timestamp::from_millis),
    })
}

/// Returns how many orders a page still has room for.
pub(crate) fn room(page: &[Row], limit: u32) -> u32 {
    let is_large = page.iter().map(Row::bytes_of_text).sum::<usize>() >= PAGE_BYTES;
    if is_large {
        0
    } else {
        limit.saturating_sub(u32::try_from(page.len()).unwrap_or(limit))
    }
}

/// Returns the expression by which the index finds orders with these words: beginnings of words,
/// and complete numbers. To find the beginning of a number, the index would have to merge the lists
/// of all numbers that begin with it.
fn indexed(words: &[String]) -> String {
    let (selective, short): (Vec<&String>, Vec<&String>) =
        words.iter().partition(|word| is_selective(word));
    let used = if selective.is_empty() {
        short
    } else {
        selective
    };
    used.into_iter()
        .map(|word| expression(word))
        .collect::<Vec<_>>()
        .join(" AND ")
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether few orders have the word. Next to such a word, the others are only compared.
fn is_selective(word: &str) -> bool {
    word.chars().count() >= if is_number(word) { 8 } else { 3 }
}

/// Returns the expression by which the index finds one word.
fn expression(word: &str) -> String {
    match (is_number(word), word.len()) {
        // Phone numbers without the area code, and without the country code.
        (true, 8 | 9) => {
            let phones: String = (11..100)
                .map(|area| format!(" OR \"55{area}{word}\""))
                .collect();
            format!("(\"{word}\"{phones})")
        }
        (true, 10 | 11) => format!("(\"{word}\" OR \"55{word}\")"),
        (false, _) if is_selective(word) => format!("\"{word}\"*"),
        _ => format!("\"{word}\""),
    }
}

fn before(filter: &OrderFilter) -> Value {
    filter
        .before
        .map_or(Value::Integer(i64::MAX), |id| Value::number(id.get()))
}

/// Writes only a row that changes, because most writes of an order change neither column.
const PUT_SEARCH: &str = "INSERT INTO order_search (order_id, store, matrix, late_at, terms) \
     VALUES ($1, $2, COALESCE((SELECT stores.matrix FROM stores WHERE stores.id = $2), $2), $3, $4) \
     ON CONFLICT (order_id) DO UPDATE SET late_at = excluded.late_at, terms = excluded.terms \
     WHERE order_search.terms <> excluded.terms OR COALESCE(order_search.late_at, -1) <> COALESCE(excluded.late_at, -1)";

/// Stores the search terms of a written order. An erasure writes the order, so it also erases the
/// terms.
pub(crate) fn search_row(write: &Write<Order>) -> Statement {
    let order = &write.value;
    let params = vec![
        Value::number(order.id.get()),
        Value::number(order.store.get()),
        order
            .late_from()
            .map_or(Value::Null, |at: Timestamp| at.into()),
        Value::Text(order.search_terms()),
    ];
    Statement::any(PUT_SEARCH, params)
}
