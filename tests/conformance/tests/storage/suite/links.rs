//! Links of recipients.

use bytes::Bytes;
use despacho_core::{
    api,
    changes::{Changes, Write},
    host::{Host, Platform, Storage},
    model::{
        DeliveryId,
        order::{Order, OrderStatus, TrackingLink},
        privacy::Redaction,
        store::{Billing, KeyHash, Store, StoreHours, StoreTracking},
    },
    rules::settings::{Secret, Settings},
};
use http::Request;
use serde_json::{Value, json};

use super::{
    Backend,
    fixtures::{at, changes, key, order_id, store},
};

fn link(name: &str, ends_at: Option<i64>) -> TrackingLink {
    let delivery = DeliveryId::new(901).unwrap();
    TrackingLink {
        hash: KeyHash::of(name),
        order: order_id(9),
        delivery,
        ends_at: ends_at.map(at),
    }
}

fn put(links: Vec<TrackingLink>) -> Changes {
    Changes { links, ..changes() }
}

async fn find<H: Host>(host: &H, name: &str) -> Option<TrackingLink> {
    host.tracking_link(&KeyHash::of(name)).await.unwrap()
}

pub(crate) async fn link_is_read_in_every_state(backend: impl Backend) {
    let host = backend.host();
    assert_eq!(find(host, "a").await, None);
    host.commit(&put(vec![link("a", None), link("b", Some(5))]))
        .await
        .unwrap();
    assert_eq!(find(host, "a").await, Some(link("a", None)));
    assert_eq!(
        find(host, "b").await,
        Some(link("b", Some(5))),
        "a link that has ended"
    );
    host.commit(&put(vec![link("a", Some(3))])).await.unwrap();
    assert_eq!(find(host, "a").await, Some(link("a", Some(3))));
    assert_eq!(find(host, "A").await, None);
    let backend = backend.restart().await;
    assert_eq!(find(backend.host(), "a").await, Some(link("a", Some(3))));
}

pub(crate) async fn ended_links_are_purged(backend: impl Backend) {
    let host = backend.host();
    let links = vec![
        link("open", None),
        link("old", Some(1)),
        link("at the limit", Some(2)),
        link("new", Some(3)),
    ];
    host.commit(&put(links)).await.unwrap();
    let redactions = vec![Redaction::PurgeLinks(at(2))];
    host.commit(&Changes {
        redactions,
        ..changes()
    })
    .await
    .unwrap();
    let mut left = Vec::new();
    for name in ["open", "old", "at the limit", "new"] {
        left.push(find(host, name).await.is_some());
    }
    assert_eq!(left, [true, false, true, true]);
}

async fn send(host: &impl Host, line: &str, body: &Value) -> Value {
    let settings = Settings {
        public_url: Some("https://entregas.example".to_owned()),
        secret: Secret([7; 32]),
        ..Settings::default()
    };
    let (method, path) = line.split_once(' ').unwrap();
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header("x-api-token", "link-key");
    let request = request
        .header("content-type", "application/json")
        .header("accept", "application/json");
    let body = if body.is_null() {
        Bytes::new()
    } else {
        Bytes::from(body.to_string())
    };
    let response = api::handle(host, &settings, request.body(body).unwrap()).await;
    serde_json::from_slice(response.body()).unwrap()
}

/// An order, its cancellation, and what the token gives access to before and after.
pub(crate) async fn link_ends_with_its_delivery(backend: impl Backend) {
    let host = backend.host();
    let now = host.exec_context().now;
    let tracking = StoreTracking {
        enabled: true,
        ..StoreTracking::default()
    };
    // The fixture's hours and area do not permit this order.
    let (hours, area) = (StoreHours::default(), None);
    let stores = vec![Write::insert(Store {
        tracking,
        billing: Billing::Invoiced,
        hours,
        area,
        ..store(1)
    })];
    let expires_at = now.after(despacho_core::model::Duration::minutes(60));
    let issued = despacho_core::model::store::Key {
        hash: KeyHash::of("link-key"),
        expires_at,
        connection: None,
        ..key(1, 1)
    };
    host.commit(&Changes {
        stores,
        keys: vec![Write::insert(issued)],
        ..changes()
    })
    .await
    .unwrap();
    let address = json!({
        "street": "Rua Augusta", "number": "900", "city": "São Paulo", "state": "SP", "latitude": -23.553, "longitude": -46.656,
    });
    let new = json!({ "code": "L-1", "preparationTime": 30, "deliveries": [{ "name": "Ana", "address": address }] });
    let created = send(host, "POST /delivery/orders", &new).await;
    let url = created["deliveries"][0]["trackingUrl"]
        .as_str()
        .unwrap_or_else(|| panic!("{created}"));
    let path = url.strip_prefix("https://entregas.example").unwrap();
    assert_eq!(
        send(host, &format!("GET {path}"), &Value::Null).await["state"],
        "PREPARING"
    );
    assert!(
        !backend
            .dump()
            .await
            .contains(path.trim_start_matches("/t/")),
        "the token is not stored"
    );
    let cancelled = send(
        host,
        "POST /delivery/orders/cancel",
        &json!({ "orderId": created["id"] }),
    )
    .await;
    assert_eq!(
        cancelled["situation"],
        OrderStatus::Cancelled.number(),
        "{cancelled}"
    );
    let page = send(host, &format!("GET {path}"), &Value::Null).await;
    assert_eq!(page["state"], "CANCELLED");
    let id = despacho_core::model::OrderId::new(created["id"].as_u64().unwrap()).unwrap();
    let stored: Order = host.order(id).await.unwrap().unwrap();
    let hash = &stored.deliveries[0]
        .tracking
        .as_ref()
        .unwrap()
        .link
        .as_ref()
        .unwrap()
        .hash;
    let row = host.tracking_link(hash).await.unwrap().unwrap();
    assert_eq!(
        page["endsAt"].as_str(),
        row.ends_at.map(|at| at.to_string()).as_deref()
    );
}
