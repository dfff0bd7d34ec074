//! Searches beyond the newest orders, which use the index of words.

use despacho_core::{
    changes::Changes,
    geo::Gazetteer,
    host::{Host, OrderQuery},
    model::{
        SearchWords,
        order::{Order, OrderFilter, OrderStatus},
    },
    rules::{
        erasure::{self, ErasureBasis},
        settings::Secret,
    },
};
use rusqlite::Connection;

use crate::{
    backend::{OnPostgres, OnSqlite},
    suite::{
        Backend,
        fixtures::{at, changes, order_id, store, update},
        search::{found, order_to, put_orders},
    },
};

/// Stores the search terms of more orders than a search compares, newer than those of
/// [`put_orders`]: of one merchant and of another one.
const NEWER: &str = "INSERT INTO order_search (order_id, store, matrix, terms) \
     WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 20100) \
     SELECT 1000 + n, 1 + 7 * (n % 2), 1 + 7 * (n % 2), 'newer ' || n FROM numbers";

/// Checks searches of the orders of [`put_orders`] behind those of [`NEWER`].
async fn check(host: &impl Host) {
    let (merchant, all) = (OrderFilter::of(&store(1)), OrderFilter::all());
    let expected: [(&str, &[u64]); 20] = [
        ("joao", &[20]),
        ("JOÃO dag", &[20]),
        ("joao maria", &[]),
        ("concei", &[21]),
        ("conceicao da", &[21]),
        ("21", &[21]),
        ("021", &[21]),
        ("p-21", &[21]),
        ("ç20", &[20]),
        ("991000000", &[20]),
        ("99100-0000 joão", &[20]),
        ("92991000000", &[20]),
        ("5592991000000", &[20]),
        ("+55 (92) 99100-0000", &[20]),
        ("+55 (11) 99100-0000", &[]),
        ("12025550123", &[23]),
        ("5550123", &[]),
        ("agua", &[]),
        ("souza", &[]),
        ("{}\" OR * newest", &[]),
    ];
    for (text, orders) in expected {
        assert_eq!(found(host, &merchant, text).await, orders, "{text}");
    }
    assert_eq!(found(host, &all, "joao").await, [22, 20]);
    assert_eq!(
        found(host, &OrderFilter::of(&store(2)), "maria").await,
        [21]
    );
    assert_eq!(
        found(
            host,
            &OrderFilter {
                before: Some(order_id(22)),
                ..all.clone()
            },
            "joao"
        )
        .await,
        [20]
    );
    assert_eq!(
        found(
            host,
            &OrderFilter {
                before: Some(order_id(20)),
                ..all.clone()
            },
            "20"
        )
        .await,
        [0_u64; 0]
    );
    let limited = |limit| {
        let filter = OrderFilter {
            search: SearchWords::parse("joao"),
            ..all.clone()
        };
        async move {
            host.find_orders(OrderQuery::Matching(&filter, limit))
                .await
                .unwrap()
                .len()
        }
    };
    assert_eq!((limited(1).await, limited(2).await), (1, 2));
    let status = OrderStatus::Completed.number();
    assert_eq!(
        found(
            host,
            &OrderFilter {
                statuses: (status, status),
                ..all.clone()
            },
            "p23"
        )
        .await,
        [23]
    );
    assert_eq!(
        found(
            host,
            &OrderFilter {
                statuses: (status, status),
                ..all.clone()
            },
            "joao"
        )
        .await,
        [0_u64; 0]
    );
    assert_eq!(
        found(
            host,
            &OrderFilter {
                late_at: Some(at(41)),
                ..all.clone()
            },
            "joao"
        )
        .await,
        [22, 20]
    );
}

/// Checks that the index follows an order's texts.
async fn check_changes(host: &impl Host) {
    let all = OrderFilter::all();
    let renamed = order_to(22, 8, "Zoé", "+5511987650000");
    let mut erased = host.order(order_id(23)).await.unwrap().unwrap();
    let basis = ErasureBasis {
        secret: &Secret([7; 32]),
        gazetteer: Gazetteer::embedded(),
        now: at(50),
    };
    erasure::erase_recipients(&mut erased, basis, |_| true);
    // The texts stay the same.
    let delayed = Order {
        expected_delivery: Some(at(60)),
        ..host.order(order_id(20)).await.unwrap().unwrap()
    };
    let orders = [renamed, erased, delayed]
        .map(|order| update(1, order))
        .to_vec();
    host.commit(&Changes {
        orders,
        ..changes()
    })
    .await
    .unwrap();
    for (text, orders) in [
        ("zoe", &[22][..]),
        ("souza", &[]),
        ("12025550123", &[]),
        ("p-23", &[23]),
        ("joao", &[20]),
    ] {
        assert_eq!(found(host, &all, text).await, orders, "{text}");
    }
}

#[tokio::test]
async fn sqlite_finds_older_orders_by_the_index() {
    let backend = OnSqlite::start().await;
    put_orders(backend.host()).await;
    Connection::open(backend.path())
        .unwrap()
        .execute_batch(NEWER)
        .unwrap();
    check(backend.host()).await;
    let phone = "2025550123";
    assert!(backend.dump().await.contains(phone));
    check_changes(backend.host()).await;
    assert!(!backend.dump().await.contains(phone));
    // Compares the index with the table.
    let check = "INSERT INTO order_words (order_words, rank) VALUES ('integrity-check', 1)";
    let connection = Connection::open(backend.path()).unwrap();
    connection
        .execute_batch(&format!(
            "DELETE FROM order_search WHERE order_id > 1000; {check}"
        ))
        .unwrap();
    connection
        .execute_batch(&format!(
            "DROP TRIGGER order_search_deleted; DELETE FROM order_search; {check}"
        ))
        .unwrap_err();
}

#[tokio::test]
async fn postgres_finds_older_orders_by_the_index() {
    let Some(backend) = OnPostgres::find().await else {
        return;
    };
    put_orders(backend.host()).await;
    backend.query(NEWER);
    check(backend.host()).await;
    check_changes(backend.host()).await;
    backend.query("ANALYZE order_search");
    let body = backend.query("SELECT prosrc FROM pg_proc WHERE proname = 'order_words'");
    let body = body.replace(
        "replace(expression,",
        "replace('\"joao\"* AND (\"5592991000000\" OR \"991000000\")',",
    );
    let plan = backend.query(&format!("EXPLAIN {body}"));
    assert!(
        plan.contains("Bitmap Index Scan on order_search_words"),
        "{plan}"
    );
    let search = "SELECT order_search.terms FROM order_words('\"joao\"*') AS found CROSS JOIN order_search \
        WHERE order_search.order_id = found.rowid ORDER BY found.rowid DESC LIMIT 20";
    let plan = backend.query(&format!("EXPLAIN {search}"));
    assert!(
        plan.contains("Function Scan on order_words") && plan.contains("Nested Loop"),
        "{plan}"
    );
}
