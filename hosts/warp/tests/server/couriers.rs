//! Couriers added by command, dispatch by the scheduler, and simulated couriers of sandbox stores.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::TcpStream,
    process::Stdio,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::harness::{
    OPERATOR, Response, Server, TIMEOUT, create_store, create_store_with, despacho, request, run,
    stdout,
};

pub(crate) fn send(server: &Server, line: &str, key: &str, body: &Value) -> Value {
    let head = format!("{line}\nx-api-token: {key}\ncontent-type: application/json");
    let text = if body.is_null() {
        String::new()
    } else {
        body.to_string()
    };
    let response = server.send(&head, text.as_bytes());
    assert!(
        (200..300).contains(&response.status),
        "{line}: {}",
        response.text()
    );
    if response.status == 204 {
        Value::Null
    } else {
        response.json()
    }
}

pub(crate) fn order(code: &str) -> Value {
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
fn courier_added_by_command_receives_the_next_order() {
    let folder = tempfile::tempdir().unwrap();
    let store = create_store(&folder);
    let text = stdout(&run(
        &folder,
        &[
            "courier",
            "add",
            "--name",
            "Ana Souza",
            "--phone",
            "+5511990000001",
        ],
    ));
    let courier = text
        .lines()
        .find_map(|line| line.strip_prefix("x-api-token: "))
        .unwrap();
    let listed: Value = serde_json::from_str(&stdout(&run(&folder, &["courier", "list"]))).unwrap();
    assert_eq!(listed["couriers"][0]["name"], "Ana Souza");
    let server = Server::start_in(folder, &["--dispatch-interval-seconds", "1"]);
    send(
        &server,
        "POST /courier/position",
        courier,
        &json!({ "latitude": -23.5614, "longitude": -46.6559 }),
    );
    send(
        &server,
        "POST /courier/availability",
        courier,
        &json!({ "available": true }),
    );
    let created = send(&server, "POST /delivery/orders", &store, &order("C-1"));
    let deadline = Instant::now() + TIMEOUT;
    while send(&server, "GET /courier/me", courier, &Value::Null)["orderId"].is_null() {
        assert!(Instant::now() < deadline, "the order was not allocated");
        std::thread::sleep(Duration::from_millis(100));
    }
    let seen = send(
        &server,
        &format!("GET /delivery/orders/{}", created["id"]),
        &store,
        &Value::Null,
    );
    assert_eq!(
        (&seen["situation"], &seen["deliveryMan"]["latitude"]),
        (&json!(210), &json!(-23.5614)),
        "{seen}"
    );
    assert!(
        server
            .metrics()
            .text()
            .contains("despacho_dispatch_orders_allocated_total 1\n")
    );
}

/// Returns the head and the body of a sign-in with a link.
fn sign_in(link: &str) -> (String, String) {
    let code = link.split_once("/courier#").unwrap().1;
    (
        "POST /courier/session\ncontent-type: application/json".to_owned(),
        json!({ "code": code }).to_string(),
    )
}

#[test]
fn link_issued_by_command_signs_in_once() {
    let folder = tempfile::tempdir().unwrap();
    create_store(&folder);
    let added = stdout(&run(
        &folder,
        &[
            "courier",
            "add",
            "--name",
            "Ana Souza",
            "--phone",
            "+5511990000001",
        ],
    ));
    let id = added
        .lines()
        .find_map(|line| line.strip_prefix("courier: "))
        .unwrap();
    let code = stdout(&run(&folder, &["courier", "link", id]));
    assert!(
        code.starts_with(&format!("code: in_{id}_dsp_")) && code.contains("\nexpires: "),
        "{code}"
    );
    let url = ["--public-url", "https://entregas.example"];
    let server = Server::start_in(folder, &url);
    let printed = stdout(&run(
        &server.folder,
        &["courier", "link", id, url[0], url[1]],
    ));
    let link = printed
        .lines()
        .find_map(|line| line.strip_prefix("link: "))
        .unwrap();
    assert!(
        link.starts_with(&format!("https://entregas.example/courier#in_{id}_dsp_")),
        "{link}"
    );
    let (head, body) = sign_in(link);
    let signed_in = server.send(&head, body.as_bytes());
    assert_eq!(
        (signed_in.status, signed_in.json()["name"].as_str()),
        (201, Some("Ana Souza")),
        "{}",
        signed_in.text()
    );
    let cookie = signed_in.header("set-cookie").unwrap();
    assert!(cookie.ends_with("; Secure"), "{cookie}");
    let session = cookie.split(';').next().unwrap();
    assert_eq!(
        server
            .send(&format!("GET /courier/me\ncookie: {session}"), b"")
            .status,
        200
    );
    server
        .send(&head, body.as_bytes())
        .is_problem(401, "api_key_invalid");
    let whole: Value = serde_json::from_str(&stdout(&run(
        &server.folder,
        &["courier", "link", id, "--json"],
    )))
    .unwrap();
    assert!(
        whole["value"].is_string() && whole["url"].is_null() && whole["expiresAt"].is_string(),
        "{whole}"
    );
    assert_eq!(
        run(&server.folder, &["courier", "link", "1"]).status.code(),
        Some(1),
        "an unknown courier"
    );
    let (log, secret) = (server.log(), session.rsplit("dsp_").next().unwrap());
    assert!(
        !log.contains(secret) && !log.contains(link.rsplit("dsp_").next().unwrap()),
        "{log}"
    );
}

#[test]
fn demo_prints_a_sign_in_link_for_its_courier() {
    let (folder, panel) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::fs::write(panel.path().join("index.html"), "<!doctype html>").unwrap();
    let mut couriers = Vec::new();
    for _ in 0..2 {
        let mut command = despacho(&folder);
        command
            .args(["serve", "--demo", "--listen", "127.0.0.1:0", "--panel"])
            .arg(panel.path());
        let mut server = command
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(server.stdout.take().unwrap())
            .lines()
            .map_while(Result::ok);
        let printed = lines
            .into_iter()
            .find_map(|line| line.strip_prefix("Courier's app: ").map(str::to_owned));
        let link = printed.unwrap().split_once(' ').unwrap().0.to_owned();
        let address = link
            .strip_prefix("http://")
            .and_then(|rest| rest.split('/').next())
            .unwrap();
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        let (head, body) = sign_in(&link);
        stream.write_all(&request(&head, body.as_bytes())).unwrap();
        let signed_in = Response::read(&mut stream);
        server.kill().unwrap();
        server.wait().unwrap();
        assert_eq!(signed_in.status, 201, "{}", signed_in.text());
        let courier = signed_in.json();
        assert_eq!(
            courier["available"], false,
            "simulated couriers carry the orders until a person starts"
        );
        couriers.push(courier["id"].clone());
    }
    assert_eq!(couriers[0], couriers[1], "the courier is registered once");
}

#[test]
fn sandbox_order_is_delivered_by_simulated_couriers() {
    let server = Server::start(&[
        "--dispatch-interval-seconds",
        "1",
        "--sandbox-couriers-per-store",
        "5",
        "--sandbox-speed",
        "600",
    ]);
    let courier = json!({ "name": "Ana Souza", "phone": "+5511990000001", "available": true });
    let real = send(&server, "POST /admin/couriers", OPERATOR, &courier);
    let real = real["value"].as_str().unwrap();
    send(
        &server,
        "POST /courier/position",
        real,
        &json!({ "latitude": -23.5614, "longitude": -46.6559 }),
    );
    // Created by command while the server runs.
    let key = create_store_with(&server.folder, &["--sandbox"]);
    let created = send(&server, "POST /delivery/orders", &key, &order("SANDBOX-1"));
    let path = format!("GET /delivery/orders/{}", created["id"]);
    let deadline = Instant::now() + 3 * TIMEOUT;
    let delivered = loop {
        let seen = send(&server, &path, &key, &Value::Null);
        match seen["situation"].as_u64() {
            Some(500) => break seen,
            Some(status) if status > 500 => panic!("the order was not delivered: {seen}"),
            _ => assert!(Instant::now() < deadline, "{seen}\n{}", server.log()),
        }
        assert_eq!(
            send(&server, "GET /courier/order", real, &Value::Null)["order"],
            Value::Null
        );
        std::thread::sleep(Duration::from_millis(300));
    };
    let events: Vec<_> = delivered["events"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|event| event["type"].as_str())
        .collect();
    for event in [
        "order.allocated",
        "order.courier_arrived",
        "order.picked_up",
        "delivery.delivered",
        "order.returned",
    ] {
        assert!(events.contains(&event), "{event} in {events:?}");
    }
    assert_eq!(
        send(&server, "GET /courier/me", real, &Value::Null)["orderId"],
        Value::Null
    );
    server.signal("TERM");
    let (status, log) = server.ended(TIMEOUT);
    assert!(status.success(), "{log}");
}

#[test]
fn demo_orders_are_delivered_and_replaced() {
    let server = Server::start(&[
        "--demo",
        "--sandbox-couriers-per-store",
        "3",
        "--sandbox-speed",
        "600",
    ]);
    let key = server.key.clone().unwrap();
    let deadline = Instant::now() + 3 * TIMEOUT;
    // The second of the three orders needs no preparation; another one replaces it.
    loop {
        let listed = send(&server, "GET /delivery/orders", &key, &Value::Null);
        let orders = listed["orders"].as_array().unwrap();
        let completed = orders
            .iter()
            .filter(|order| order["situation"] == 500)
            .count();
        if completed == 1 && orders.len() == 4 {
            break;
        }
        assert!(Instant::now() < deadline, "{listed}\n{}", server.log());
        std::thread::sleep(Duration::from_millis(300));
    }
}
