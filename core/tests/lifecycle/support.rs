//! Creates hosts with demo data, orders and couriers.

use std::{
    future::Future,
    pin::pin,
    task::{Context, Poll, Waker},
};

use bytes::Bytes;
use despacho_core::{
    api,
    changes::{Changes, Write},
    host::{Host, Platform, Storage},
    memory::MemoryHost,
    model::{
        CourierId, Duration, Phone, Timestamp,
        courier::{Courier, CourierKey},
        order::{Assignment, AssignmentCost, Order},
        store::KeyHash,
    },
    rules::{
        lifecycle::allocate,
        limits::Limits,
        settings::{Secret, Settings},
    },
};
use despacho_simulator::demo::{self, KEY};
use http::{HeaderMap, Request};
use serde_json::{Value, json};

/// The operator's token.
pub(crate) const OPERATOR: &str = "operator-token-of-these-tests";
/// The courier's key.
pub(crate) const COURIER: &str = "courier-key-of-these-tests";
/// The key of a courier without an order.
pub(crate) const OTHER: &str = "courier-key-of-another-one";

/// Completes a future of the in-memory host, which never waits, with a single poll.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("future of the in-memory host is pending"),
    }
}

/// Returns settings with an operator, and quotas high enough that tests do not reach them
/// unintentionally.
pub(crate) fn settings() -> Settings {
    let limits = Limits {
        previews_per_minute: 1_000_000,
        writes_per_minute: 1_000_000,
        reads_per_minute: 1_000_000,
        ..Limits::default()
    };
    Settings {
        limits,
        operator: Some(KeyHash::of(OPERATOR)),
        secret: Secret([42; 32]),
        ..Settings::default()
    }
}

/// Creates a host with demo data and two couriers.
pub(crate) fn host() -> MemoryHost {
    let host = MemoryHost::seeded(1);
    assert_eq!(block_on(demo::seed(&host, &settings())), Ok(true));
    for (number, key) in [(7, COURIER), (8, OTHER)] {
        let expires_at = host.now().after(Duration::minutes(1_000_000));
        let courier = Courier {
            id: CourierId::new(number).unwrap(),
            version: 1,
            profile_id: number,
            name: format!("Courier {number}"),
            phone: Phone::parse("+5511988887777").unwrap(),
            email: None,
            document: None,
            position: None,
            position_at: None,
            available: true,
            trip: Vec::new(),
            shift: None,
            key: Some(CourierKey {
                hash: KeyHash::of(key),
                expires_at,
            }),
            device: None,
            push: Vec::new(),
            sign_in: None,
            sessions: Vec::new(),
            sandbox: true,
            vehicle: despacho_core::model::Vehicle::default(),
            max_weight_g: None,
            max_volume_ml: None,
            equipment: despacho_core::model::Equipment::ALL,
            handovers: Vec::new(),
            pay: Vec::new(),
            cash_limit: None,
            suspended_at: None,
            removed_at: None,
        };
        let changes = Changes {
            at: host.now(),
            couriers: vec![Write::insert(courier)],
            ..Changes::default()
        };
        block_on(host.commit(&changes)).unwrap();
    }
    host
}

/// A response with a decoded body.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Response {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Value,
}

impl Response {
    /// Returns the status and, for errors, the problem code.
    pub(crate) fn outcome(&self) -> (u16, Option<&str>) {
        (
            self.status,
            self.body["code"].as_str().filter(|_| self.status >= 400),
        )
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }
}

/// Sends a request with a key.
pub(crate) fn send(host: &impl Host, key: &str, line: &str, body: &Value) -> Response {
    let (method, path) = line.split_once(' ').unwrap();
    // The steps share one body with the fields of all of them.
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header("x-api-token", key)
        .header("prefer", "handling=lenient");
    let body = if body.is_null() {
        Bytes::new()
    } else {
        Bytes::from(body.to_string())
    };
    let request = request
        .header("content-type", "application/json")
        .body(body)
        .unwrap();
    let (parts, body) = block_on(api::handle(host, &settings(), request)).into_parts();
    let body = if body.is_empty() {
        Value::Null
    } else {
        serde_json::from_slice(&body).unwrap()
    };
    Response {
        status: parts.status.as_u16(),
        headers: parts.headers,
        body,
    }
}

/// Creates an order with one delivery for each entry of `paid`. The courier brings the payment of
/// unpaid deliveries back. The first delivery requires its code.
pub(crate) fn create_order(host: &MemoryHost, code: &str, minutes: u32, paid: &[bool]) -> Order {
    let delivery = |(at, paid): (usize, &bool)| {
        json!({
            "name": "Maria", "phone": "+5511999990000", "onlinePayment": paid, "observation": "portão azul",
            "confirmation": { "platform": at == 0 },
            "address": {
                "street": "Rua Augusta", "number": "900", "city": "São Paulo", "state": "SP",
                "latitude": -23.5530 - f64::from(u32::try_from(at).unwrap()) / 500.0, "longitude": -46.6560,
            },
        })
    };
    let deliveries: Vec<Value> = paid.iter().enumerate().map(delivery).collect();
    let body = json!({ "code": code, "preparationTime": minutes, "previewDeliveryTime": true, "deliveries": deliveries });
    let response = send(host, KEY, "POST /delivery/orders", &body);
    assert_eq!(response.status, 201, "{}", response.body);
    order(host, response.body["id"].as_u64().unwrap())
}

/// Returns an order by its ID.
pub(crate) fn order(host: &MemoryHost, id: u64) -> Order {
    host.orders()
        .into_iter()
        .find(|order| order.id.get() == id)
        .unwrap()
}

/// Returns the courier with ID 7 or 8.
pub(crate) fn courier(host: &MemoryHost, id: u64) -> Courier {
    block_on(host.courier(CourierId::new(id).unwrap()))
        .unwrap()
        .unwrap()
}

/// Returns the reasons of an assignment without costs.
pub(crate) fn reasons(courier: CourierId, at: Timestamp) -> Assignment {
    Assignment {
        at,
        courier,
        cost: AssignmentCost::default(),
        orders: 1,
        considered: Vec::new(),
    }
}

/// Creates an order and allocates it to courier 7.
pub(crate) fn create_allocated_order(host: &MemoryHost, code: &str, paid: &[bool]) -> Order {
    let order = create_order(host, code, 0, paid);
    let searching = send(
        host,
        KEY,
        &format!("GET /delivery/orders/{}", order.id),
        &Value::Null,
    );
    assert_eq!(searching.body["situation"], 200);
    let searching = Order {
        sandbox: true,
        ..self::order(host, order.id.get())
    };
    let courier = courier(host, 7);
    let context = host.exec_context();
    let reasons = reasons(courier.id, context.now);
    let (order, changes) = allocate(&searching, &courier, &[], 3, reasons, &[], &context).unwrap();
    block_on(host.commit(&changes)).unwrap();
    order
}
