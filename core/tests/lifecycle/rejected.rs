//! Sends each step over the API from every state: it follows the table, or returns 409 and changes
//! nothing.

use despacho_core::{
    changes::{Changes, Write},
    host::{Host, Storage},
    memory::MemoryHost,
    model::{
        DeliveryId, OrderId,
        courier::{Courier, TripOrder},
        order::{Order, OrderDispatch, OrderStatus},
    },
    rules::lifecycle::{
        Progress, Timing, expire,
        table::{Move, Step},
    },
};
use despacho_simulator::demo::KEY;
use serde_json::{Value, json};

use crate::{
    model::{ModelHost, explore, scheduled},
    support::{COURIER, OPERATOR, block_on, courier, create_order, host, send},
};

/// Key, path and step of each request.
const REQUESTS: [(&str, &str, Step); 18] = [
    (KEY, "/delivery/orders/{}/ready", Step::MakeReady),
    (KEY, "/delivery/orders/{}/delay", Step::Delay),
    (KEY, "/delivery/orders/{}/discard", Step::Discard),
    (KEY, "/delivery/orders/{}/return", Step::TurnBack),
    (KEY, "/delivery/orders/{}/waive", Step::Waive),
    (KEY, "/delivery/orders/cancel", Step::Cancel),
    (KEY, "/delivery/orders/cancel", Step::CancelStop),
    (OPERATOR, "/admin/orders/{}/cancel", Step::CancelByPlatform),
    (OPERATOR, "/admin/orders/{}/lost", Step::Lose),
    (COURIER, "/courier/orders/{}/arrive", Step::ReachPickup),
    (COURIER, "/courier/orders/{}/pickup", Step::PickUp),
    (COURIER, "/courier/orders/{}/en-route", Step::SetOut),
    (COURIER, "/courier/orders/{}/resequence", Step::Resequence),
    (COURIER, "/courier/orders/{}/at-door", Step::ReachDoor),
    (COURIER, "/courier/orders/{}/deliver", Step::Deliver),
    (COURIER, "/courier/orders/{}/fail", Step::TurnBack),
    (COURIER, "/courier/orders/{}/at-return", Step::ReachReturn),
    (COURIER, "/courier/orders/{}/hand-back", Step::HandBack),
];

/// Stores a copy of a model order with a new ID, and assigns its courier.
fn put(host: &MemoryHost, order: &Order, id: u64) -> Order {
    let id = OrderId::new(id).unwrap();
    let order = Order {
        id,
        version: 1,
        code: format!("R-{id}"),
        ..order.clone()
    };
    let is_carried = order.courier.is_some() && !order.status.is_final();
    let courier = courier(host, 7);
    let picked_up = order.status >= OrderStatus::OutForDelivery;
    let trip = is_carried
        .then_some(TripOrder { id, picked_up })
        .into_iter()
        .collect();
    let bound = Courier {
        trip,
        version: courier.version + 1,
        ..courier.clone()
    };
    let couriers = vec![Write {
        expected: courier.version,
        value: bound,
    }];
    let orders = vec![Write::insert(order.clone())];
    block_on(host.commit(&Changes {
        at: host.now(),
        orders,
        couriers,
        ..Changes::default()
    }))
    .unwrap();
    order
}

fn body(order: &Order, step: Step, stop: Option<DeliveryId>) -> Value {
    let delivery = order
        .deliveries
        .iter()
        .find(|delivery| Some(delivery.id) == stop);
    let code = match step {
        Step::PickUp => Some(&order.pickup_code),
        Step::HandBack => order.return_code.as_ref(),
        _ => delivery.map(|delivery| &delivery.delivery_code),
    };
    // If the code does not exist yet, the step is invalid for the status, which must take
    // precedence over the wrong code.
    let code = code.map_or("none", String::as_str);
    let mut body =
        json!({ "reason": "test", "minutes": 1, "code": code, "orderId": order.id.get() });
    if let Some(stop) = stop {
        body["deliveryId"] = json!(stop.get());
    }
    body
}

#[test]
fn step_outside_the_table_returns_409_in_every_state() {
    let host = host();
    let model = ModelHost {
        courier: courier(&host, 7),
        host,
    };
    let (mut id, mut taken, mut rejected) = (1_000_000, 0, 0);
    let cases = [
        (&[true][..], 0),
        (&[false], 0),
        (&[true, false], 0),
        (&[true], 10),
    ];
    for (at, (paid, lead_minutes)) in cases.into_iter().enumerate() {
        let with_lead = |order: Order| Order {
            dispatch: OrderDispatch {
                lead_minutes,
                ..order.dispatch.clone()
            },
            ..order
        };
        let starts = [30, 0].map(|minutes| {
            with_lead(create_order(
                &model.host,
                &format!("R{at}-{minutes}"),
                minutes,
                paid,
            ))
        });
        let starts = [
            scheduled(starts[0].clone()),
            starts[0].clone(),
            starts[1].clone(),
        ];
        for (order, _) in explore(&model, starts.into()).into_values() {
            for (key, path, step) in REQUESTS {
                let is_order_step = !matches!(step.row().moves, Move::Delivery { .. });
                for stop in if is_order_step {
                    &order.deliveries[..1]
                } else {
                    &order.deliveries
                } {
                    if key == COURIER && order.courier.is_none() {
                        continue;
                    }
                    id += 1;
                    let stop = (!is_order_step).then_some(stop.id);
                    let order = put(&model.host, &order, id);
                    let was_taken = attempt(&model.host, key, path, &order, step, stop);
                    if was_taken { taken += 1 } else { rejected += 1 }
                }
            }
        }
    }
    assert!(
        taken > 200 && rejected > 1_000,
        "{taken} taken, {rejected} rejected"
    );
}

/// Requests a step and checks the response. Returns whether the step was taken.
fn attempt(
    host: &MemoryHost,
    key: &str,
    path: &str,
    order: &Order,
    step: Step,
    stop: Option<DeliveryId>,
) -> bool {
    let mut due = order.clone();
    if key != COURIER {
        expire(&mut due, &Timing::default(), host.now());
    }
    // With a lead time, the signals about the goods are other steps during the search.
    let is_early = due.dispatch.lead_minutes > 0 && due.status >= OrderStatus::Searching;
    let step = match step {
        Step::MakeReady if is_early && due.ready_at > host.now() => Step::FinishEarly,
        Step::Delay if is_early => Step::Postpone,
        _ => step,
    };
    let allowed = Progress::of(&due).take(step, stop).is_some();
    let line = format!("POST {}", path.replace("{}", &order.id.to_string()));
    let response = send(host, key, &line, &body(order, step, stop));
    let after = block_on(host.order(order.id)).unwrap().unwrap();
    let context = || {
        format!(
            "{step:?} from {:?}: {} {}",
            Progress::of(order),
            response.status,
            response.body
        )
    };
    if allowed {
        assert_eq!(response.status, 200, "{}", context());
        assert!(after.last_sequence > due.last_sequence, "{}", context());
        return true;
    }
    assert_eq!(Progress::of(&after), Progress::of(&due), "{}", context());
    match response.outcome() {
        // The step was already taken.
        (200, None) => {}
        (409, Some("invalid_transition")) => assert!(response.body["detail"].is_string()),
        (409, Some("return_required")) => {
            assert!(
                (OrderStatus::OutForDelivery..OrderStatus::Completed).contains(&order.status),
                "{}",
                context()
            )
        }
        _ => panic!("{}", context()),
    }
    false
}
