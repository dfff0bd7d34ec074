//! Copies orders directly in the database.

use std::path::Path;

use despacho_bench::BoxError;
use rusqlite::{Connection, params};

/// The number of orders that serve as templates.
pub(crate) const TEMPLATES: usize = 1_000;

/// Adds `count` orders to the database in a folder: copies of the newest orders with their events
/// and fees, stored as the API would store them. No server may be running on the database.
pub(crate) fn add(data: &Path, count: usize) -> Result<(), BoxError> {
    let mut database = Connection::open(data.join("despacho.db"))?;
    // Durability is not needed: a power failure would end the benchmark too.
    database.execute_batch("PRAGMA synchronous = OFF; PRAGMA cache_size = -65536")?;
    database.execute_batch(&format!(
        "CREATE TEMP TABLE templates AS SELECT row_number() OVER (ORDER BY id) AS at, id, \
         (SELECT ledger.id FROM ledger WHERE ledger.order_id = newest.id AND kind = 'fee') AS fee FROM \
         (SELECT id FROM orders WHERE code LIKE 'G-%' ORDER BY id DESC LIMIT {TEMPLATES}) AS newest"
    ))?;
    let templates: i64 =
        database.query_row("SELECT count(*) FROM templates", [], |row| row.get(0))?;
    let (templates, mut left) = (usize::try_from(templates)?, count);
    if templates == 0 {
        return Err("no orders to copy".into());
    }
    while left > 0 {
        let chunk = left.min(templates);
        add_chunk(&mut database, i64::try_from(chunk)?)?;
        left -= chunk;
    }
    // Otherwise every reader would have to search the large write-ahead log.
    database.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    drop(database);
    // Otherwise the disk would still be writing the copies during the measurement.
    std::fs::File::open(data.join("despacho.db"))?.sync_all()?;
    Ok(())
}

/// The statements that copy a chunk. The first parameter is the number before the first copy, the
/// second the number of copies.
const COPIES: [&str; 6] = [
    "INSERT INTO orders (id, version, store, code, holds_code, situation, created_at, due_at, pickup_lat_e7, pickup_lon_e7, body) \
     SELECT ?1 + at, version, store, 'C-' || (?1 + at), holds_code, situation, created_at, due_at, pickup_lat_e7, pickup_lon_e7, \
     json_set(body, '$.id', ?1 + at, '$.code', 'C-' || (?1 + at)) \
     FROM templates JOIN orders ON orders.id = templates.id WHERE at <= ?2 ORDER BY at",
    "INSERT INTO order_search (order_id, store, matrix, late_at, terms) \
     SELECT ?1 + at, store, matrix, late_at, 'c' || (?1 + at) || substr(terms, instr(terms || ' ', ' ')) \
     FROM templates JOIN order_search ON order_search.order_id = templates.id WHERE at <= ?2 ORDER BY at",
    "INSERT INTO events (order_id, sequence, store, at, body, matrix, place) \
     SELECT ?1 + templates.at, sequence, store, events.at, json_set(body, '$.order', ?1 + templates.at), matrix, \
     (SELECT last FROM journals WHERE journals.matrix = events.matrix) + templates.at \
     FROM templates JOIN events ON events.order_id = templates.id WHERE templates.at <= ?2 AND sequence = 1 ORDER BY templates.at",
    "UPDATE journals SET last = (SELECT max(place) FROM events WHERE events.matrix = journals.matrix)",
    "INSERT INTO ledger (store, order_id, kind, amount, at, reference, balance) \
     SELECT store, ?1 + templates.at, kind, amount, ledger.at, NULL, \
     (SELECT amount FROM balances WHERE balances.store = ledger.store) \
     + sum(amount) OVER (PARTITION BY store ORDER BY templates.at) \
     FROM templates JOIN ledger ON ledger.id = templates.fee WHERE templates.at <= ?2 ORDER BY templates.at",
    "UPDATE balances SET amount = (SELECT balance FROM ledger WHERE ledger.store = balances.store ORDER BY id DESC LIMIT 1) \
     WHERE EXISTS (SELECT 1 FROM ledger WHERE ledger.store = balances.store)",
];

fn add_chunk(database: &mut Connection, count: i64) -> Result<(), BoxError> {
    let transaction = database.transaction()?;
    let before: i64 = transaction.query_row(
        "SELECT value - 1 FROM counters WHERE name = 'ids'",
        [],
        |row| row.get(0),
    )?;
    for copy in COPIES {
        let mut statement = transaction.prepare_cached(copy)?;
        match statement.parameter_count() {
            0 => statement.execute([])?,
            _ => statement.execute(params![before, count])?,
        };
    }
    transaction.execute(
        "UPDATE counters SET value = value + ?1 WHERE name = 'ids'",
        [count],
    )?;
    transaction.commit()?;
    Ok(())
}
