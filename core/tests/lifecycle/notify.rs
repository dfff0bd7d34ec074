//! Messages to recipients: when they are due, and what the webhook contains.

use despacho_core::{
    changes::{Changes, Write},
    drivers::outbox::{self, Lane},
    host::{Host, Platform, Storage},
    memory::MemoryHost,
    model::{
        WebhookId,
        webhook::{AttemptResult, Webhook},
    },
    rules::{
        limits::Limits,
        settings::Settings,
        webhooks::{MAIL_URL, MessageResult},
    },
};
use despacho_simulator::demo::KEY;
use serde_json::{Value, json};

use crate::{
    recipient::{assign, create, send, steps, tracked, with_url},
    support::block_on,
};

fn subscribe(host: &MemoryHost, events: &Value) -> WebhookId {
    let body = json!({ "url": "https://loja.example/hook", "events": events });
    let created = send(host, KEY, "POST /delivery/webhooks", &body);
    assert_eq!(created.status, 201, "{}", created.text);
    WebhookId::new(created.json()["id"].as_u64().unwrap()).unwrap()
}

/// Returns the bodies of the messages that are due, which are then delivered.
fn deliver(host: &MemoryHost, id: WebhookId) -> Vec<Value> {
    let mut bodies = Vec::new();
    loop {
        let webhook = block_on(host.webhook(id)).unwrap().unwrap();
        let Some(batch) = block_on(outbox::take(host, &with_url(), &webhook)).unwrap() else {
            return bodies;
        };
        let at = host.exec_context().now;
        let sent = batch.lanes.iter().flatten().map(|job| {
            bodies.push(serde_json::from_slice(&job.body).unwrap());
            let accepted = despacho_core::model::webhook::AttemptResult::Status(204);
            MessageResult {
                message: job.message.clone(),
                sent: Some((at, 5, accepted)),
            }
        });
        let sent = sent.collect();
        block_on(outbox::finish(host, &with_url(), &batch, sent)).unwrap();
    }
}

#[test]
fn message_has_the_recipient_the_link_and_a_text() {
    let host = tracked();
    let webhook = subscribe(&host, &json!(["recipient.notify"]));
    let (stored, links) = create(&host, "N-1");
    let bodies = deliver(&host, webhook);
    assert_eq!(bodies.len(), 2);
    let url = format!("https://entregas.example{}", links[0]);
    assert_eq!(
        bodies[0]["data"]["recipient"],
        json!({
            "name": "CanaryName1 CanarySurname1", "phone": "+5511977770001", "email": "canary1@mail.example",
            "channels": ["WHATSAPP", "SMS", "EMAIL"], "trackingUrl": url, "storeName": "Cantina Demo — Matriz",
            "subject": "Cantina Demo — Matriz: recebemos seu pedido",
            "text": format!("Olá, CanaryName1! Seu pedido de Cantina Demo — Matriz foi recebido. Acompanhe a entrega: {url}"),
        })
    );
    assert_eq!(
        bodies[0]["data"]["event"]["deliveryId"],
        stored.deliveries[0].id.get()
    );
    assert_eq!(bodies[1]["data"]["recipient"]["phone"], "+5511977770002");
    assert_eq!(
        bodies[0]["data"]["order"]["deliveries"][0]["trackingUrl"],
        Value::Null,
        "only the recipient has the link"
    );
}

#[test]
fn mails_beyond_the_quota_are_withheld_with_one_notice() {
    let host = tracked();
    let limits = Limits {
        mails_per_day: 3,
        ..with_url().limits
    };
    let settings = Settings {
        limits,
        mail: true,
        ..with_url()
    };
    let id = subscribe(&host, &json!(["recipient.notify"]));
    let webhook = block_on(host.webhook(id)).unwrap().unwrap();
    // The demo store is a sandbox store, which cannot create such a webhook.
    let value = Webhook {
        url: MAIL_URL.to_owned(),
        ..webhook.clone()
    };
    let webhooks = vec![Write {
        expected: webhook.version,
        value,
    }];
    block_on(host.commit(&Changes {
        at: host.exec_context().now,
        webhooks,
        ..Changes::default()
    }))
    .unwrap();
    // Two recipients with an address in each order.
    for code in ["N-7", "N-8", "N-9"] {
        create(&host, code);
    }
    let mut sent = 0;
    loop {
        let webhook = block_on(host.webhook(id)).unwrap().unwrap();
        let Some(batch) = block_on(outbox::take(&host, &settings, &webhook)).unwrap() else {
            break;
        };
        let mut results = Vec::new();
        for jobs in batch.lanes.clone() {
            let mut lane = Lane::new(jobs);
            while let Some(job) = lane.next_job(true) {
                sent += 1;
                lane.record(job, host.exec_context().now, 5, AttemptResult::Status(250));
            }
            results.extend(lane.into_results());
        }
        block_on(outbox::finish(&host, &settings, &batch, results)).unwrap();
    }
    let attempts = send(
        &host,
        KEY,
        &format!("GET /delivery/webhooks/{id}/attempts"),
        &Value::Null,
    )
    .json();
    let faults: Vec<&Value> = attempts["attempts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["fault"])
        .collect();
    assert_eq!(
        (
            sent,
            faults.iter().filter(|fault| ***fault == "quota").count()
        ),
        (3, faults.len() - 3),
        "{attempts}"
    );
    assert!(
        faults.len() > 3
            && attempts["attempts"]
                .as_array()
                .unwrap()
                .iter()
                .all(|one| one["nextAt"].is_null())
    );
    assert_eq!(block_on(host.webhook(id)).unwrap().unwrap().failures, 0);
    let notices = send(&host, KEY, "GET /delivery/notifications", &Value::Null).json();
    let notices = notices["notifications"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["type"] == "mail_withheld");
    assert_eq!(notices.count(), 1);
}

#[test]
fn message_is_due_once_per_step_and_recipient() {
    let host = tracked();
    let webhook = subscribe(&host, &json!([]));
    let (stored, _) = create(&host, "N-2");
    let id = stored.id.get();
    assign(&host, id);
    steps(
        &host,
        id,
        &[
            "arrive",
            "pickup",
            "en-route",
            "resequence",
            "en-route",
            "at-door",
            "deliver",
        ],
        0,
    );
    steps(&host, id, &["en-route"], 1);
    let bodies = deliver(&host, webhook);
    let notified = |body: &&Value| body["type"] == "recipient.notify";
    let due: Vec<(u64, &str)> = bodies
        .iter()
        .filter(notified)
        .map(|body| &body["data"]["event"])
        .map(|event| {
            (
                event["deliveryId"].as_u64().unwrap(),
                event["reason"].as_str().unwrap(),
            )
        })
        .collect();
    let [first, second] = [0, 1].map(|at| stored.deliveries[at].id.get());
    assert_eq!(
        due,
        [
            (first, "CREATED"),
            (second, "CREATED"),
            (first, "PICKED_UP"),
            (second, "PICKED_UP"),
            (first, "EN_ROUTE"),
            (second, "EN_ROUTE")
        ]
    );
    let others = bodies.iter().filter(|body| !notified(body));
    assert!(
        others.clone().count() > 8
            && others
                .into_iter()
                .all(|body| body["data"]["recipient"].is_null())
    );
}

#[test]
fn message_of_a_revoked_link_has_no_link() {
    let host = tracked();
    let webhook = subscribe(&host, &json!(["recipient.notify"]));
    let (stored, _) = create(&host, "N-3");
    let line = format!("POST /delivery/orders/{}/tracking", stored.id);
    for delivery in &stored.deliveries {
        let revoked = send(
            &host,
            KEY,
            &line,
            &json!({ "deliveryId": delivery.id.get(), "action": "REVOKE" }),
        );
        assert_eq!(revoked.status, 200);
    }
    for body in deliver(&host, webhook) {
        let recipient = &body["data"]["recipient"];
        assert!(
            recipient["trackingUrl"].is_null()
                && !recipient["text"].as_str().unwrap().contains("http"),
            "{recipient}"
        );
    }
    assign(&host, stored.id.get());
    steps(&host, stored.id.get(), &["arrive", "pickup"], 0);
    assert_eq!(
        deliver(&host, webhook),
        [Value::Null; 0],
        "without a link nothing further is due"
    );
}
