//! The statements of a dispatch pass use indexes on a database of the supported size.

use std::sync::Mutex;

use despacho_core::{
    changes::Changes,
    host::{CourierQuery, HostError, OrderQuery, Storage},
    model::{
        CourierId, Point,
        courier::{Cell, Position},
    },
    rules::lifecycle::Timing,
};
use despacho_sql::{Dialect, Driver, Query, Row, SqlHost, Statement, Value, migrations};
use despacho_sqlite::LocalPlatform;
use rusqlite::Connection;

use crate::{
    backend::{OnPostgres, OnSqlite},
    suite::{
        Backend,
        fixtures::{at, changes, order_id},
    },
};

/// Records the queries, and returns no rows.
struct Recorder(Mutex<Vec<Query>>);

impl Driver for Recorder {
    async fn read(&self, query: Query) -> Result<Vec<Row>, HostError> {
        self.0.lock().unwrap().push(query);
        Ok(Vec::new())
    }

    async fn write_returning(&self, _query: Query) -> Result<Vec<Row>, HostError> {
        Ok(Vec::new())
    }

    async fn transact(&self, _statements: Vec<Statement>) -> Result<(), HostError> {
        Ok(())
    }
}

/// Returns the queries of a pass, and the index that each must use.
async fn statements() -> Vec<(Query, &'static str)> {
    let host = SqlHost::new(
        Recorder(Mutex::default()),
        LocalPlatform::new().unwrap(),
        Timing::default(),
    );
    let cell = Cell::of(Point {
        lat_e7: -235_505_000,
        lon_e7: -466_333_000,
    });
    host.searching_orders(Some((at(1), order_id(7))), 5_000)
        .await
        .unwrap();
    host.candidates(cell..=cell, None, at(0), 5_000)
        .await
        .unwrap();
    host.find_orders(OrderQuery::Sandbox {
        after: Some(order_id(7)),
        limit: 500,
    })
    .await
    .unwrap();
    host.find_orders(OrderQuery::Due {
        now: at(1),
        skipped: 5,
        limit: 1_000,
    })
    .await
    .unwrap();
    host.find_couriers(CourierQuery::Unresponsive {
        seen_before: at(1),
        skipped: 5,
        limit: 500,
    })
    .await
    .unwrap();
    host.find_couriers(CourierQuery::PushDue {
        now: at(1),
        limit: 64,
    })
    .await
    .unwrap();
    host.find_orders(OrderQuery::Ids(&[order_id(1), order_id(2)]))
        .await
        .unwrap();
    host.find_couriers(CourierQuery::Ids(&[
        CourierId::new(1).unwrap(),
        CourierId::new(2).unwrap(),
    ]))
    .await
    .unwrap();
    let queries = host.driver().0.lock().unwrap().clone();
    let indexes = [
        "orders_searching_pickup",
        "positions_cell",
        "orders_sandbox",
        "orders_due",
        "couriers_carrying",
        "couriers_push",
        "",
        "",
    ];
    assert_eq!(queries.len(), indexes.len());
    queries.into_iter().zip(indexes).collect()
}

/// Returns the parameters as SQL literals; all of them are numbers.
fn literals(query: &Query) -> Vec<String> {
    let number = |value: &Value| match value {
        Value::Integer(number) => number.to_string(),
        other => panic!("{other:?} in {}", query.sql),
    };
    query.params.iter().map(number).collect()
}

#[tokio::test]
async fn pass_on_sqlite_reads_by_index() {
    let backend = OnSqlite::start().await;
    let connection = Connection::open(backend.path()).unwrap();
    for (query, index) in statements().await {
        let sql = query.sql;
        let mut statement = connection
            .prepare(&format!("EXPLAIN QUERY PLAN {sql}"))
            .unwrap();
        // The plan is made without the values, because a driver prepares each statement once.
        let steps: Vec<String> = statement
            .raw_query()
            .mapped(|row| row.get(3))
            .map(Result::unwrap)
            .collect();
        let plan = steps.join("; ");
        assert!(
            plan.contains(index) && !plan.contains("TEMP B-TREE"),
            "{sql}: {plan}"
        );
        // A scan of the small index of couriers with an order is permitted.
        let scans = steps
            .iter()
            .filter(|step| step.contains("SCAN") && !step.contains("couriers_carrying"));
        assert_eq!(scans.count(), 0, "{sql}: {plan}");
    }
}

#[tokio::test]
async fn pass_on_postgresql_reads_by_index() {
    let Some(backend) = OnPostgres::find().await else {
        return;
    };
    let cell = Cell::of(Point {
        lat_e7: -235_505_000,
        lon_e7: -466_333_000,
    })
    .number();
    // 20,000 free couriers in 500 cells, 1,000 with an order, and 5,000 searching orders among
    // 50,000.
    for sql in [
        "INSERT INTO couriers (id, version, body, free, carries, push_at) SELECT i, 1, repeat('x', 600), \
         CASE WHEN i % 20 = 0 THEN 0 ELSE 1 END, CASE WHEN i % 20 = 0 THEN i END, CASE WHEN i % 100 = 0 THEN i END FROM generate_series(1, 20000) AS i"
            .to_owned(),
        format!(
            "INSERT INTO positions (courier, latitude_e7, longitude_e7, at, cell) \
             SELECT i, 0, 0, {}, {cell} + i % 500 FROM generate_series(1, 20000) AS i",
            at(1).millis()
        ),
        format!(
            "INSERT INTO orders (id, version, store, code, holds_code, situation, created_at, due_at, body) \
             SELECT i, 1, 1, i, 1, CASE i % 10 WHEN 0 THEN 200 WHEN 1 THEN 210 ELSE 500 END, 0, \
             CASE i % 10 WHEN 0 THEN {} + i END, repeat('x', 600) FROM generate_series(1, 50000) AS i",
            at(0).millis()
        ),
        "VACUUM ANALYZE".to_owned(),
    ] {
        backend.query(&sql);
    }
    for (query, index) in statements().await {
        let (sql, params) = (&query.sql, literals(&query).join(", "));
        // A connection prepares each statement once, so PostgreSQL may plan it without the values.
        for mode in ["force_custom_plan", "force_generic_plan"] {
            let explain = format!(
                "SET plan_cache_mode = {mode}; PREPARE read AS {sql}; EXPLAIN EXECUTE read({params})"
            );
            let plan = backend.query(&explain);
            assert!(
                plan.contains("Index") && plan.contains(index),
                "{mode}: {sql}\n{plan}"
            );
            // Rows of positions are so small that PostgreSQL may scan them all for a thousand
            // couriers with an order.
            let scan = if index == "couriers_carrying" {
                "Seq Scan on orders"
            } else {
                "Seq Scan"
            };
            assert!(!plan.contains(scan), "{mode}: {sql}\n{plan}");
        }
    }
}

#[tokio::test]
async fn migration_computes_cells_as_the_core_does() {
    let backend = OnSqlite::start().await;
    let points = [
        (-235_505_201, -466_333_089),
        (-1, -1),
        (0, 0),
        (52_000_000, -599_999_999),
        (-337_500_000, -533_900_001),
    ];
    let positions = (1..)
        .zip(points)
        .map(|(number, (lat_e7, lon_e7))| Position {
            courier: CourierId::new(number).unwrap(),
            point: Point { lat_e7, lon_e7 },
            at: at(1),
        });
    backend
        .host()
        .commit(&Changes {
            positions: positions.collect(),
            ..changes()
        })
        .await
        .unwrap();
    let connection = Connection::open(backend.path()).unwrap();
    let steps: Vec<String> = migrations(Dialect::Sqlite)
        .into_iter()
        .flat_map(|migration| migration.steps)
        .collect();
    let step = steps
        .iter()
        .find(|step| step.starts_with("UPDATE positions SET cell"))
        .unwrap();
    for reset in [false, true] {
        if reset {
            connection
                .execute("UPDATE positions SET cell = -1", [])
                .unwrap();
            connection.execute(step, []).unwrap();
        }
        for (number, (lat_e7, lon_e7)) in (1..).zip(points) {
            let cell: i64 = connection
                .query_row(
                    "SELECT cell FROM positions WHERE courier = ?1",
                    [number],
                    |row| row.get(0),
                )
                .unwrap();
            assert_eq!(
                cell,
                Cell::of(Point { lat_e7, lon_e7 }).number(),
                "{number}"
            );
        }
    }
}
