//! Migrations of stored data: shared balances of prepaid stores, sandbox stores that were stored as
//! demo stores, and couriers with one order instead of a trip; and search terms of stored orders.

use despacho_core::{
    changes::{Changes, Write},
    host::{CourierQuery, Host, HostError, OrderQuery, StatementQuery, StoreQuery},
    model::{
        courier::{Courier, TripOrder},
        order::{Order, OrderStatus},
        store::{Billing, EntryKind, Period, Store},
    },
};
use despacho_sql::{Dialect, migrations};
use rusqlite::Connection;

use crate::{
    backend::{OnPostgres, OnSqlite},
    suite::{
        Backend,
        dispatch::{free_courier, put_store_and, searching_order},
        fixtures::{at, changes, courier, entry, money, on_trip, order_id, store, store_id},
        search,
        trips::candidates,
    },
};

/// Returns statements that restore the previous schema, and the steps of the migration except the
/// update of the version.
fn steps(dialect: Dialect) -> Vec<String> {
    let shares = |steps: &[String]| {
        steps
            .iter()
            .any(|step| step.contains("stores ADD COLUMN account"))
    };
    let migration = migrations(dialect)
        .into_iter()
        .find(|migration| shares(&migration.steps))
        .unwrap();
    let before = [
        "DROP INDEX ledger_branch",
        "ALTER TABLE ledger DROP COLUMN branch",
        "ALTER TABLE stores DROP COLUMN account",
        // A branch that was removed in debt.
        "UPDATE stores SET deleted_at = 5 WHERE id = 6",
        "UPDATE balances SET closed = 1 WHERE store = 6",
    ];
    let steps = migration
        .steps
        .into_iter()
        .filter(|step| !step.contains("schema_version"));
    before.into_iter().map(str::to_owned).chain(steps).collect()
}

/// Stores a prepaid parent store whose branches have their own balances, and another merchant.
async fn populate(host: &impl Host) {
    let other = Store {
        parent: None,
        ..store(8)
    };
    let others_branch = Store {
        parent: Some(other.id),
        ..store(10)
    };
    let stores = [store(1), store(2), store(4), store(6), other, others_branch]
        .map(Write::insert)
        .to_vec();
    let entries = [(1, 1_000), (2, -300), (4, 20), (6, -700), (10, -5)];
    let ledger = entries
        .map(|(number, amount)| entry(number, amount, None))
        .to_vec();
    host.commit(&Changes {
        stores,
        ledger,
        ..changes()
    })
    .await
    .unwrap();
}

async fn check(host: &impl Host) {
    for number in [1, 2, 4, 6] {
        let found = host
            .find_stores(StoreQuery::IdOrRemoved(store_id(number)))
            .await
            .unwrap()
            .pop()
            .unwrap();
        assert_eq!(
            (found.account(), found.balance),
            (store_id(1), money(20)),
            "store {number}"
        );
        assert_eq!(
            found.billing,
            Billing::Prepaid { floor: money(-50) },
            "store {number}"
        );
    }
    let separate = host
        .find_stores(StoreQuery::IdOrRemoved(store_id(10)))
        .await
        .unwrap()
        .pop()
        .unwrap();
    assert_eq!(
        (separate.account(), separate.balance, separate.billing),
        (store_id(10), money(-5), Billing::Invoiced)
    );
    let (fee, transfer) = (EntryKind::Fee, EntryKind::Transfer);
    let wanted = [
        (fee, 1, 1_000, 1_000),
        (transfer, 2, -300, 700),
        (transfer, 4, 20, 720),
        (transfer, 6, -700, 20),
    ];
    assert_eq!(lines(host, 1).await, wanted);
    assert_eq!(
        lines(host, 2).await,
        [
            (fee, 2, -300, -300),
            (transfer, 2, 300, 0),
            (transfer, 2, -300, 700)
        ]
    );
    assert_eq!(lines(host, 10).await, [(fee, 10, -5, -5)]);
    let debit = |number, amount| Changes {
        ledger: vec![entry(number, amount, Some(-50))],
        ..changes()
    };
    assert_eq!(
        host.commit(&debit(2, -71)).await,
        Err(HostError::Conflict),
        "below the shared floor"
    );
    assert_eq!(host.commit(&debit(2, -70)).await, Ok(()));
    assert_eq!(host.commit(&debit(4, -1)).await, Err(HostError::Conflict));
    assert_eq!(
        host.commit(&debit(6, 1)).await,
        Err(HostError::Conflict),
        "a removed store"
    );
    let branch = host.store(store_id(2)).await.unwrap().unwrap();
    host.commit(&despacho_core::rules::stores::remove(
        &branch,
        store_id(1),
        at(9),
    ))
    .await
    .unwrap();
    assert_eq!(
        host.store(store_id(1)).await.unwrap().unwrap().balance,
        money(-50)
    );
}

async fn lines(host: &impl Host, number: u64) -> Vec<(EntryKind, u64, i64, i64)> {
    let ever = Period {
        from: Default::default(),
        until: at(1_000_000_000),
        after: None,
    };
    let lines = host
        .statement(store_id(number), StatementQuery::Period(ever, 100))
        .await
        .unwrap();
    let columns = lines
        .into_iter()
        .map(|line| (line.kind, line.store.get(), line.amount, line.balance));
    columns
        .map(|(kind, store, amount, balance)| (kind, store, amount.centavos(), balance.centavos()))
        .collect()
}

#[tokio::test]
async fn sqlite_moves_balances_of_prepaid_branches_to_their_parent() {
    let backend = OnSqlite::start().await;
    populate(backend.host()).await;
    backend.host().driver().close().await.unwrap();
    let connection = Connection::open(backend.path()).unwrap();
    connection
        .execute_batch(&steps(Dialect::Sqlite).join(";"))
        .unwrap();
    let backend = backend.restart().await;
    check(backend.host()).await;
}

#[tokio::test]
async fn postgres_moves_balances_of_prepaid_branches_to_their_parent() {
    let Some(backend) = OnPostgres::find().await else {
        return;
    };
    populate(backend.host()).await;
    steps(Dialect::Postgres)
        .iter()
        .for_each(|step| drop(backend.query(step)));
    check(&backend.sibling().await).await;
}

/// Returns statements that restore the schema of version 12, and the steps of the migration except
/// the update of the version.
fn sandbox_steps(dialect: Dialect) -> Vec<String> {
    let renames = |steps: &[String]| {
        steps
            .iter()
            .any(|step| step.contains("RENAME COLUMN demo TO sandbox"))
    };
    let migration = migrations(dialect)
        .into_iter()
        .find(|migration| renames(&migration.steps))
        .unwrap();
    let before = [
        "DROP INDEX orders_sandbox",
        "DROP INDEX orders_searching_pickup",
        "CREATE INDEX orders_searching_pickup ON orders (due_at, id, pickup_lat_e7, pickup_lon_e7, situation) WHERE situation = 200",
        "ALTER TABLE orders DROP COLUMN sandbox",
        "ALTER TABLE couriers RENAME COLUMN sandbox TO demo",
        "UPDATE stores SET body = REPLACE(body, '\"sandbox\":', '\"demo\":')",
        "UPDATE orders SET body = REPLACE(body, '\"sandbox\":', '\"demo\":')",
        "UPDATE couriers SET body = REPLACE(body, '\"sandbox\":', '\"demo\":')",
    ];
    let written =
        |step: &String| !step.contains("schema_version") && !step.contains("schema_floor");
    before
        .into_iter()
        .map(str::to_owned)
        .chain(migration.steps.into_iter().filter(written))
        .collect()
}

async fn populate_demo(host: &impl Host) {
    let stores = vec![
        Store {
            sandbox: true,
            ..store(1)
        },
        Store {
            parent: None,
            sandbox: false,
            ..store(3)
        },
    ];
    let real = Order {
        store: store_id(3),
        ..searching_order(51, 1)
    };
    let orders = vec![
        Order {
            sandbox: true,
            ..searching_order(50, 1)
        },
        real,
    ];
    put_store_and(
        host,
        stores,
        orders,
        vec![
            Courier {
                sandbox: true,
                ..free_courier(20)
            },
            free_courier(21),
        ],
        4,
    )
    .await;
}

async fn check_demo(host: &impl Host) {
    let stores = [
        host.store(store_id(1)).await.unwrap(),
        host.store(store_id(3)).await.unwrap(),
    ];
    assert_eq!(stores.map(|store| store.unwrap().sandbox), [true, false]);
    let found: Vec<(u64, bool)> = host
        .find_orders(OrderQuery::Sandbox {
            after: None,
            limit: 9,
        })
        .await
        .unwrap()
        .iter()
        .map(|order| (order.id.get(), order.sandbox))
        .collect();
    assert_eq!(found, [(50, true)]);
    assert!(!host.order(order_id(51)).await.unwrap().unwrap().sandbox);
    let indexed: Vec<bool> = host
        .searching_orders(None, 9)
        .await
        .unwrap()
        .iter()
        .map(|order| order.sandbox)
        .collect();
    assert_eq!(indexed, [true, false]);
    let couriers: Vec<bool> = host
        .find_couriers(CourierQuery::All {
            after: None,
            limit: 9,
        })
        .await
        .unwrap()
        .iter()
        .map(|courier| courier.sandbox)
        .collect();
    assert_eq!(couriers, [true, false]);
}

#[tokio::test]
async fn sqlite_reads_demo_stores_as_sandbox_stores() {
    let backend = OnSqlite::start().await;
    populate_demo(backend.host()).await;
    backend.host().driver().close().await.unwrap();
    let connection = Connection::open(backend.path()).unwrap();
    connection
        .execute_batch(&sandbox_steps(Dialect::Sqlite).join(";"))
        .unwrap();
    let backend = backend.restart().await;
    check_demo(backend.host()).await;
}

#[tokio::test]
async fn postgres_reads_demo_stores_as_sandbox_stores() {
    let Some(backend) = OnPostgres::find().await else {
        return;
    };
    populate_demo(backend.host()).await;
    sandbox_steps(Dialect::Postgres)
        .iter()
        .for_each(|step| drop(backend.query(step)));
    check_demo(&backend.sibling().await).await;
}

/// Returns statements that restore the schema and the couriers' bodies of version 13, and the steps
/// of the migration except the update of the version.
fn trip_steps(dialect: Dialect) -> Vec<String> {
    let indexes = |steps: &[String]| steps.iter().any(|step| step.contains("WHERE free > 0"));
    let migration = migrations(dialect)
        .into_iter()
        .find(|migration| indexes(&migration.steps))
        .unwrap();
    let before = [
        "DROP INDEX couriers_free",
        "CREATE INDEX couriers_free ON couriers (id) WHERE free = 1",
        "UPDATE couriers SET free = 0 WHERE free = 2",
        "UPDATE couriers SET body = REPLACE(body, '\"trip\":[]', '\"order\":null')",
        "UPDATE couriers SET body = REPLACE(body, '\"trip\":[{\"id\":50,\"picked_up\":false}]', '\"order\":50')",
        "UPDATE couriers SET body = REPLACE(body, '\"trip\":[{\"id\":51,\"picked_up\":false}]', '\"order\":51')",
    ];
    let written =
        |step: &String| !step.contains("schema_version") && !step.contains("schema_floor");
    before
        .into_iter()
        .map(str::to_owned)
        .chain(migration.steps.into_iter().filter(written))
        .collect()
}

async fn populate_trips(host: &impl Host) {
    let allocated = |number| Order {
        status: OrderStatus::Allocated,
        ..searching_order(number, 1)
    };
    let orders = vec![allocated(50), allocated(51)];
    // A name is no sign of availability.
    let name = "\"available\":true".to_owned();
    let away = Courier {
        available: false,
        name,
        ..on_trip(courier(22), &[51])
    };
    let couriers = vec![
        free_courier(20),
        on_trip(courier(21), &[50]),
        away,
        Courier {
            available: false,
            ..courier(23)
        },
    ];
    put_store_and(host, vec![store(1)], orders, couriers, 1).await;
}

async fn check_trips(host: &impl Host) {
    let couriers = host
        .find_couriers(CourierQuery::All {
            after: None,
            limit: 9,
        })
        .await
        .unwrap();
    let carried = |number| {
        vec![TripOrder {
            id: order_id(number),
            picked_up: true,
        }]
    };
    let trips: Vec<Vec<TripOrder>> = couriers
        .iter()
        .map(|courier| courier.trip.clone())
        .collect();
    assert_eq!(trips, [vec![], carried(50), carried(51), vec![]]);
    assert_eq!(candidates(host).await, [(20, true), (21, false)]);
    let silent = CourierQuery::Unresponsive {
        seen_before: at(9),
        skipped: 0,
        limit: 9,
    };
    assert_eq!(host.find_couriers(silent).await.unwrap().len(), 2);
}

/// Counts the couriers whose body is that of version 13.
const EARLIER_BODIES: &str =
    "SELECT COUNT(*) FROM couriers WHERE body LIKE '%\"order\":%' AND body NOT LIKE '%\"trip\":%'";

#[tokio::test]
async fn sqlite_reads_an_order_of_a_courier_as_a_trip() {
    let backend = OnSqlite::start().await;
    populate_trips(backend.host()).await;
    backend.host().driver().close().await.unwrap();
    let connection = Connection::open(backend.path()).unwrap();
    connection
        .execute_batch(&trip_steps(Dialect::Sqlite).join(";"))
        .unwrap();
    assert_eq!(
        connection.query_row(EARLIER_BODIES, [], |row| row.get(0)),
        Ok(4)
    );
    let backend = backend.restart().await;
    check_trips(backend.host()).await;
}

#[tokio::test]
async fn postgres_reads_an_order_of_a_courier_as_a_trip() {
    let Some(backend) = OnPostgres::find().await else {
        return;
    };
    populate_trips(backend.host()).await;
    trip_steps(Dialect::Postgres)
        .iter()
        .for_each(|step| drop(backend.query(step)));
    assert_eq!(backend.query(EARLIER_BODIES).trim(), "4");
    check_trips(&backend.sibling().await).await;
}

/// Returns the statements that restore the schema of version 15, and the steps of the migration
/// except the update of the version.
fn search_steps(dialect: Dialect) -> Vec<String> {
    let searches = |steps: &[String]| {
        steps
            .iter()
            .any(|step| step.contains("CREATE TABLE order_search"))
    };
    let migration = migrations(dialect)
        .into_iter()
        .find(|migration| searches(&migration.steps))
        .unwrap();
    let written =
        |step: &String| !step.contains("schema_version") && !step.contains("schema_floor");
    std::iter::once("DROP TABLE order_search".to_owned())
        .chain(migration.steps.into_iter().filter(written))
        .collect()
}

/// The rows of the table, for a comparison.
const SEARCH_ROWS: &str = "SELECT order_id || '|' || store || '|' || matrix || '|' || COALESCE(late_at, 0) || '|' || terms \
     FROM order_search ORDER BY order_id";

#[tokio::test]
async fn sqlite_migration_stores_search_terms() {
    let backend = OnSqlite::start().await;
    search::put_orders(backend.host()).await;
    backend.host().driver().close().await.unwrap();
    let connection = Connection::open(backend.path()).unwrap();
    let rows = || -> Vec<String> {
        let mut statement = connection.prepare(SEARCH_ROWS).unwrap();
        statement
            .query_map([], |row| row.get(0))
            .unwrap()
            .map(Result::unwrap)
            .collect()
    };
    let before = rows();
    connection
        .execute_batch(&search_steps(Dialect::Sqlite).join(";"))
        .unwrap();
    assert_eq!((before.len(), rows()), (4, before));
    let backend = backend.restart().await;
    search::check_searches(backend.host()).await;
}

#[tokio::test]
async fn postgres_migration_stores_search_terms() {
    let Some(backend) = OnPostgres::find().await else {
        return;
    };
    search::put_orders(backend.host()).await;
    let before = backend.query(SEARCH_ROWS);
    search_steps(Dialect::Postgres)
        .iter()
        .for_each(|step| drop(backend.query(step)));
    assert_eq!(
        (before.lines().count(), backend.query(SEARCH_ROWS)),
        (4, before)
    );
    search::check_searches(&backend.sibling().await).await;
}
