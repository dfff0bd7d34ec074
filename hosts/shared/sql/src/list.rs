//! Lists and searches of orders.

use std::sync::LazyLock;

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
macro_rules! page_bytes {
    () => {
        262_144
    };
}

/// The number of newest orders whose texts a search compares with its words. The index finds older
/// ones.
const COMPARED: u32 = 10_000;

/// A query for a page of the orders of these rows of `id, size`, newest first. It sums only their
/// sizes and then reads the orders by their IDs. `octet_length` takes the size from the head of a
/// body; `length` would count characters, for which both databases read the whole body.
macro_rules! bounded {
    ($rows:expr) => {
        concat!(
            "SELECT version, body FROM orders WHERE id IN (SELECT id FROM \
             (SELECT id, size, SUM(size) OVER (ORDER BY id DESC) AS total FROM (",
            $rows,
            ") AS found) AS sized WHERE total - size < ",
            page_bytes!(),
            ") ORDER BY id DESC"
        )
    };
}

/// The scopes of searches: a store, a parent store with its branches, all stores, and their late
/// orders, for which a partial index has only open orders.
const SCOPES: [&str; 4] = [
    "order_search.store = :store AND EXISTS (SELECT 1 FROM stores WHERE stores.id = :store AND deleted_at IS NULL)",
    "order_search.matrix = :store AND order_search.store IN \
     (SELECT id FROM stores WHERE (stores.id = :store OR stores.matrix = :store) AND deleted_at IS NULL)",
    "CAST(:store AS BIGINT) = 0",
    "CAST(:store AS BIGINT) = 0 AND order_search.late_at IS NOT NULL",
];

/// The parameters of searches. SQLite numbers them by their first occurrence, which must therefore
/// have this order.
const PARAMETERS: [&str; 17] = [
    "expression",
    "before",
    "store",
    "min",
    "max",
    "from",
    "until",
    "code",
    "late",
    "word1",
    "word2",
    "word3",
    "word4",
    "word5",
    "word6",
    "compared",
    "limit",
];

/// The queries of a scope by rows of `order_search`, whose indexes have the order of lists.
struct Searches {
    /// Without words.
    all: String,
    /// With words, among the newest orders.
    newest: String,
    /// With words, among the others.
    older: String,
}

static SEARCHES: LazyLock<[Searches; 4]> = LazyLock::new(|| SCOPES.map(Searches::of));

impl Searches {
    fn of(scope: &str) -> Searches {
        let query = |rows: &str, id: &str, words: &str| {
            let rows = format!(
                "SELECT orders.id AS id, octet_length(orders.body) AS size FROM {rows} CROSS JOIN orders \
                 WHERE orders.id = order_search.order_id AND order_search.order_id < :before AND {scope} \
                 AND orders.situation BETWEEN :min AND :max AND orders.created_at >= :from AND orders.created_at < :until \
                 AND (:code = '' OR orders.code = :code) AND COALESCE(order_search.late_at, 9223372036854775807) <= :late{words} \
                 ORDER BY {id} DESC LIMIT :limit"
            );
            let sql = bounded!(":rows").replace(":rows", &rows);
            let used: Vec<String> = PARAMETERS
                .iter()
                .map(|name| format!(":{name}"))
                .filter(|name| sql.contains(name))
                .collect();
            (1..).zip(used).fold(sql, |sql, (number, name): (u8, _)| {
                sql.replace(&name, &format!("${number}"))
            })
        };
        // Spare patterns match all texts.
        let words: String = (1..=SearchWords::MAX)
            .map(|word| format!(" AND order_search.terms LIKE :word{word}"))
            .collect();
        // The newest order that is not compared, or null.
        let bound = format!(
            "(SELECT order_search.order_id FROM order_search WHERE order_search.order_id < :before AND {scope} \
             ORDER BY order_search.order_id DESC LIMIT 1 OFFSET :compared)"
        );
        let newest = format!("{words} AND order_search.order_id > COALESCE({bound}, 0)");
        let older =
            format!("{words} AND order_search.order_id = found.rowid AND found.rowid <= {bound}");
        Searches {
            all: query("order_search", "order_search.order_id", ""),
            newest: query("order_search", "order_search.order_id", &newest),
            older: query(
                "order_words(:expression) AS found CROSS JOIN order_search",
                "found.rowid",
                &older,
            ),
        }
    }

    fn scope(filter: &OrderFilter) -> &'static Searches {
        let [of_store, with_branches, all, late] = &*SEARCHES;
        match (filter.store, filter.branches) {
            (Some(_), false) => of_store,
            (Some(_), true) => with_branches,
            (None, _) if filter.late_at.is_none() => all,
            (None, _) => late,
        }
    }
}

/// Reads orders that match a filter without words. The index has each store's orders by ID, so that
/// a page costs only the stores and the page; see [`OWN_LISTS`] for the indexes of filters.
pub(crate) fn orders(filter: &OrderFilter, limit: u32) -> Query {
    let store = match filter.store {
        Some(store) if filter.late_at.is_none() => store,
        _ => {
            let mut params = scope_params(filter);
            params.push(Value::number(limit));
            return Query::new(&Searches::scope(filter).all, params);
        }
    };
    let list = OwnList {
        branches: filter.branches,
        statuses: match filter.statuses {
            (min, max) if min == max => Statuses::One,
            (_, max) if max <= OrderFilter::LAST_OPEN => Statuses::Few,
            _ => Statuses::Most,
        },
        period: filter.from > OrderFilter::all().from || filter.until < OrderFilter::all().until,
        code: filter.code.is_some(),
    };
    let mut params = vec![Value::number(store.get()), before(filter)];
    params.extend(conditions(filter));
    params.extend(filter.code.as_deref().map(Value::from));
    params.push(Value::number(limit));
    Query::new(
        OWN_LISTS.get(list.index()).map_or("", String::as_str),
        params,
    )
}

/// The form of a list of a store's orders.
struct OwnList {
    /// Whether the store's branches belong to it.
    branches: bool,
    /// The statuses of its orders.
    statuses: Statuses,
    /// Whether the time of creation is limited.
    period: bool,
    /// Whether it has orders of one code only.
    code: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Statuses {
    /// Those of most orders.
    Most,
    /// One.
    One,
    /// Those of open orders, which are few.
    Few,
}

/// The queries of all lists of a store's orders, by [`OwnList::index`].
///
/// A page is read in the order of IDs, from the index of the store's orders, of its orders with the
/// status, or of those with the code; open orders are all read from the index of statuses. SQLite
/// has no statistics of a new database, so a plus sign keeps it from choosing another index, which
/// it would have to read and sort completely. A period limits the IDs by the index of times: those
/// of its first and its last [`COMPARED`] orders. IDs ascend with the time of creation, except
/// among orders that are created at about the same moment.
static OWN_LISTS: LazyLock<Vec<String>> = LazyLock::new(|| {
    (0..OwnList::FORMS)
        .map(|index| OwnList::of(index).sql())
        .collect()
});

impl OwnList {
    const FORMS: usize = 24;

    fn of(index: usize) -> OwnList {
        let is_set = |bit: u8| index >> bit & 1 == 1;
        let statuses = match index / 8 {
            0 => Statuses::Most,
            1 => Statuses::One,
            _ => Statuses::Few,
        };
        OwnList {
            branches: is_set(0),
            period: is_set(1),
            code: is_set(2),
            statuses,
        }
    }

    fn index(&self) -> usize {
        let statuses = match self.statuses {
            Statuses::Most => 0,
            Statuses::One => 8,
            Statuses::Few => 16,
        };
        statuses
            + usize::from(self.branches)
            + 2 * usize::from(self.period)
            + 4 * usize::from(self.code)
    }

    fn sql(&self) -> String {
        let scope = if self.branches {
            "stores.id = $1 OR stores.matrix = $1"
        } else {
            "stores.id = $1"
        };
        let stores =
            format!("store IN (SELECT id FROM stores WHERE ({scope}) AND deleted_at IS NULL)");
        let status = match self.statuses {
            // Both bounds are the same.
            Statuses::One if !self.code => "situation = $3 AND +situation <= $4",
            Statuses::Few if !self.code => "situation >= $3 AND situation <= $4",
            _ => "+situation >= $3 AND +situation <= $4",
        };
        let id = if self.statuses == Statuses::Few && !self.code {
            "+id"
        } else {
            "id"
        };
        let created = "+created_at >= $5 AND +created_at < $6";
        let edge = |order: &str| {
            format!(
                "(SELECT id FROM orders WHERE {stores} AND created_at >= $5 AND created_at < $6 \
                 ORDER BY created_at {order} LIMIT {COMPARED}) AS edge"
            )
        };
        let period = if self.period && !self.code && self.statuses != Statuses::Few {
            let (first, last) = (edge("ASC"), edge("DESC"));
            // The index of the status has the IDs as well.
            let id = if self.statuses == Statuses::One {
                "+id"
            } else {
                "id"
            };
            format!(
                " AND {id} >= (SELECT MIN(id) FROM {first}) AND {id} <= (SELECT MAX(id) FROM {last})"
            )
        } else {
            String::new()
        };
        let (code, limit) = if self.code {
            (" AND code = $7", "$8")
        } else {
            ("", "$7")
        };
        bounded!(":rows").replace(
            ":rows",
            &format!(
                "SELECT id, octet_length(body) AS size FROM orders WHERE {stores} AND {id} < $2 AND {status} AND {created}\
                 {period}{code} ORDER BY id DESC LIMIT {limit}"
            ),
        )
    }
}

/// Reads orders that contain all words of a search, among the newest orders of its scope.
pub(crate) fn newest(filter: &OrderFilter, search: &SearchWords, limit: u32) -> Query {
    Query::new(
        &Searches::scope(filter).newest,
        search_params(filter, search.words(), COMPARED, limit),
    )
}

/// Reads orders that contain all words of a search and are found by the index, among those that
/// [`newest`] does not read.
pub(crate) fn older(filter: &OrderFilter, search: &SearchWords, limit: u32) -> Query {
    let mut params = vec![Value::Text(indexed(search.words()))];
    params.extend(search_params(filter, search.words(), COMPARED, limit));
    Query::new(&Searches::scope(filter).older, params)
}

/// Reads the newest order with an ID up to this one.
pub(crate) fn up_to(filter: &OrderFilter, id: OrderId) -> Option<Query> {
    let filter = OrderFilter {
        before: Some(OrderId::new(id.get() + 1)?),
        ..filter.clone()
    };
    Some(Query::new(
        &Searches::scope(&filter).newest,
        search_params(&filter, &[], 1, 1),
    ))
}

/// Reads what reports count of the orders of some stores and a time of creation, by an index.
macro_rules! reported {
    ($stores:literal, $conditions:literal) => {
        concat!(
            "SELECT store, created_at, situation, day, fee, cancellation_fee, done_at, expected_at, CASE WHEN fee IS NULL THEN body END \
             FROM orders WHERE store IN (SELECT id FROM stores",
            $stores,
            ") AND ",
            $conditions
        )
    };
}

/// Reads what reports count of orders. See [`to_reported`].
pub(crate) fn reported(filter: &OrderFilter, limit: u32) -> Query {
    let sql = match (filter.store, filter.branches) {
        (None, _) => reported!("", "created_at >= $1 AND created_at < $2 LIMIT $3"),
        (Some(_), false) => {
            reported!(
                " WHERE stores.id = $1 AND deleted_at IS NULL",
                "created_at >= $2 AND created_at < $3 LIMIT $4"
            )
        }
        (Some(_), true) => reported!(
            " WHERE (stores.id = $1 OR stores.matrix = $1) AND deleted_at IS NULL",
            "created_at >= $2 AND created_at < $3 LIMIT $4"
        ),
    };
    let mut params: Vec<Value> = filter
        .store
        .map(|store| Value::number(store.get()))
        .into_iter()
        .collect();
    params.extend([
        filter.from.into(),
        filter.until.into(),
        Value::number(limit),
    ]);
    Query::new(sql, params)
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
    let is_large = page.iter().map(Row::bytes_of_text).sum::<usize>() >= page_bytes!();
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

/// Returns the parameters of a search by words.
fn search_params(filter: &OrderFilter, words: &[String], compared: u32, limit: u32) -> Vec<Value> {
    let mut params = scope_params(filter);
    // The words contain no wildcards: `searchable` removes all punctuation.
    let pattern = |index: usize| {
        words
            .get(index)
            .map_or_else(|| "%".to_owned(), |word| format!("%{word}%"))
    };
    params.extend((0..SearchWords::MAX).map(|index| Value::Text(pattern(index))));
    params.extend([Value::number(compared), Value::number(limit)]);
    params
}

fn scope_params(filter: &OrderFilter) -> Vec<Value> {
    let mut params = vec![
        before(filter),
        Value::number(filter.store.map_or(0, StoreId::get)),
    ];
    params.extend(conditions(filter));
    params.push(filter.code.as_deref().unwrap_or_default().into());
    params.push(Value::Integer(
        filter
            .late_at
            .map_or(i64::MAX, |at| at.millis().saturating_sub(1)),
    ));
    params
}

fn before(filter: &OrderFilter) -> Value {
    filter
        .before
        .map_or(Value::Integer(i64::MAX), |id| Value::number(id.get()))
}

fn conditions(filter: &OrderFilter) -> [Value; 4] {
    let (min, max) = filter.statuses;
    [
        Value::number(min),
        Value::number(max),
        filter.from.into(),
        filter.until.into(),
    ]
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
