//! Couriers by command, dispatch by the scheduler, and robots that carry orders over HTTP.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::{OPERATOR, PATIENCE, Server, despacho, matrix, run, stdout};

fn ask(server: &Server, line: &str, key: &str, body: &Value) -> Value {
    let head = format!("{line}\nx-api-token: {key}\ncontent-type: application/json");
    let text = if body.is_null() { String::new() } else { body.to_string() };
    let answer = server.ask(&head, text.as_bytes());
    assert!((200..300).contains(&answer.status), "{line}: {}", answer.text());
    answer.json()
}

fn order(code: &str) -> Value {
    json!({
        "code": code, "preparationTime": 0,
        "deliveries": [{
            "name": "Rui", "phone": "+5511999990000", "onlinePayment": false, "confirmation": { "platform": true },
            "address": {
                "street": "Rua Augusta", "number": "1508", "city": "São Paulo", "state": "SP",
                "latitude": -23.5578, "longitude": -46.6600,
            },
        }],
    })
}

#[test]
fn a_courier_added_by_command_is_given_the_next_order() {
    let folder = tempfile::tempdir().unwrap();
    let store = matrix(&folder);
    let text = stdout(&run(&folder, &["courier", "add", "--name", "Ana Souza", "--phone", "+5511990000001"]));
    let courier = text.lines().find_map(|line| line.strip_prefix("x-api-token: ")).unwrap();
    let listed: Value = serde_json::from_str(&stdout(&run(&folder, &["courier", "list"]))).unwrap();
    assert_eq!(listed["couriers"][0]["name"], "Ana Souza");
    let server = Server::start_in(folder, &["--dispatch-interval-seconds", "1"]);
    ask(&server, "POST /courier/position", courier, &json!({ "latitude": -23.5614, "longitude": -46.6559 }));
    ask(&server, "POST /courier/availability", courier, &json!({ "available": true }));
    let created = ask(&server, "POST /delivery/orders", &store, &order("C-1"));
    let deadline = Instant::now() + PATIENCE;
    while ask(&server, "GET /courier/me", courier, &Value::Null)["orderId"].is_null() {
        assert!(Instant::now() < deadline, "nobody gave the order to the courier");
        std::thread::sleep(Duration::from_millis(100));
    }
    let seen = ask(&server, &format!("GET /delivery/orders/{}", created["id"]), &store, &Value::Null);
    assert_eq!((&seen["situation"], &seen["deliveryMan"]["latitude"]), (&json!(210), &json!(-23.5614)), "{seen}");
    assert!(server.metrics().text().contains("despacho_dispatch_orders_allocated_total 1\n"));
}

#[test]
fn robots_carry_orders_through_their_whole_life_with_mishaps() {
    let server = Server::start(&["--demo", "--dispatch-interval-seconds", "1"]);
    let url = format!("http://{}", server.address());
    let mut command = despacho(&server.folder);
    command.env("DESPACHO_ADMIN_TOKEN", OPERATOR).args(["simulate", "--url", &url, "--couriers", "3", "--orders", "3"]);
    command.args(["--speed", "600", "--seed", "7", "--late", "30", "--wrong-code", "60", "--lost-connection", "40"]);
    let text = stdout(&command.output().unwrap());
    for happened in
        ["order.allocated", "order.picked_up", "delivery.delivered", "code_incorrect", "the connection is lost"]
    {
        assert!(text.contains(happened), "{happened} in\n{text}");
    }
    assert_eq!(text.matches(" order.created: ").count(), 3, "{text}");
}

#[test]
fn the_demonstration_carries_its_orders_by_itself_and_stops_in_good_order() {
    let server = Server::start(&["--demo", "--robots-count", "3", "--robots-speed", "600"]);
    let key = server.key.clone().unwrap();
    let created = ask(&server, "POST /delivery/orders", &key, &order("DEMO-LIFE"));
    let deadline = Instant::now() + 3 * PATIENCE;
    loop {
        let seen = ask(&server, &format!("GET /delivery/orders/{}", created["id"]), &key, &Value::Null);
        match seen["situation"].as_u64() {
            Some(500) => break,
            Some(situation) if situation > 500 => panic!("it ended otherwise: {seen}"),
            _ => assert!(Instant::now() < deadline, "{seen}\n{}", server.log()),
        }
        std::thread::sleep(Duration::from_millis(300));
    }
    server.signal("TERM");
    let (status, log) = server.ended(PATIENCE);
    assert!(status.success(), "{log}");
}
