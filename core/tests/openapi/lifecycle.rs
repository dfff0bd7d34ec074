//! Records examples of everything that needs a courier with an order: its steps, the store's and
//! the recipient's actions, and the operator's administration. It uses a host of its own, so that
//! other examples do not depend on these.

use despacho_core::{
    api::openapi::Example,
    drivers::outbox,
    host::{Host, HostError},
    model::{Duration, WebhookId, webhook::AttemptResult},
    rules::webhooks::MessageResult,
};
use serde_json::{Value, json};

use crate::document::{OPERATOR, Run, block_on, internal, order, parent_store};

const LOGIN: &str = "a long password";

/// Records examples, and keeps the keys of the store and the courier.
struct Recorder {
    run: Run,
    examples: Vec<Example>,
    store: String,
    store_id: String,
    courier: String,
}

/// Returns the examples.
///
/// # Errors
/// Returns the response of the first request that failed.
pub(crate) fn record() -> Result<Vec<Example>, HostError> {
    let run = Run::new(8);
    let mut recorder = Recorder {
        run,
        examples: Vec::new(),
        store: String::new(),
        store_id: String::new(),
        courier: String::new(),
    };
    recorder.register()?;
    recorder.settings()?;
    recorder.delivery()?;
    recorder.returned()?;
    recorder.recipient()?;
    recorder.operator()?;
    recorder.webhook_attempts()?;
    recorder.passwords()?;
    Ok(recorder.examples)
}

/// Returns a member as text: a string's content, or a number.
fn text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

impl Recorder {
    /// Sends a request as an example.
    fn add(
        &mut self,
        operation: &'static str,
        line: &str,
        key: &str,
        body: Option<Value>,
    ) -> Result<Value, HostError> {
        let example = self.run.record(operation, line, key, body)?;
        let response = example
            .response
            .as_ref()
            .map(|response| serde_json::from_str(&response.to_json()));
        self.examples.push(example);
        response
            .transpose()
            .map_err(|error| internal(&error.to_string()))
            .map(Option::unwrap_or_default)
    }

    fn by_store(
        &mut self,
        operation: &'static str,
        line: &str,
        body: Option<Value>,
    ) -> Result<Value, HostError> {
        self.add(operation, line, &self.store.clone(), body)
    }

    fn by_courier(
        &mut self,
        operation: &'static str,
        line: &str,
        body: Option<Value>,
    ) -> Result<Value, HostError> {
        self.add(operation, line, &self.courier.clone(), body)
    }

    fn by_operator(
        &mut self,
        operation: &'static str,
        line: &str,
        body: Option<Value>,
    ) -> Result<Value, HostError> {
        self.add(operation, line, OPERATOR, body)
    }

    /// Sends a request that is not an example.
    fn send(&self, line: &str, key: &str, body: &Value) -> Result<Value, HostError> {
        let response = self
            .run
            .send(line, key, Some(body).filter(|body| !body.is_null()))?;
        let reply = serde_json::from_slice(response.body()).unwrap_or_default();
        if response.status().is_success() {
            Ok(reply)
        } else {
            Err(internal(&format!("{line}: {reply}")))
        }
    }

    /// Creates an order and assigns the courier. Returns the order.
    fn assigned(&self, code: &str) -> Result<Value, HostError> {
        let created = self.create(code)?;
        self.send(
            &format!("POST /delivery/orders/{}/ready", created["id"]),
            &self.store,
            &Value::Null,
        )?;
        self.assign()?;
        Ok(created)
    }

    fn create(&self, code: &str) -> Result<Value, HostError> {
        let mut new = order();
        new["code"] = json!(code);
        new["deliveries"][0]["email"] = json!("maria@exemplo.com.br");
        self.send("POST /delivery/orders", &self.store, &new)
    }

    fn assign(&self) -> Result<(), HostError> {
        self.run.host.advance(Duration::minutes(1));
        self.send(
            "POST /courier/position",
            &self.courier,
            &json!({ "latitude": -23.5600, "longitude": -46.6570 }),
        )?;
        self.send("POST /admin/dispatch", OPERATOR, &Value::Null)
            .map(drop)
    }

    fn register(&mut self) -> Result<(), HostError> {
        let mut new = parent_store();
        new["prepaidFloor"] = Value::Null;
        let store = self.send("POST /admin/matrices", OPERATOR, &new)?;
        (self.store, self.store_id) = (text(&store["value"]), text(&store["storeId"]));
        let new = json!({ "name": "Ana Souza", "phone": "+5511990000011", "available": true });
        self.courier = text(&self.send("POST /admin/couriers", OPERATOR, &new)?["value"]);
        let device =
            text(&self.send("POST /courier/device", &self.courier, &Value::Null)?["value"]);
        let message = json!({ "_type": "location", "lat": -23.5600, "lon": -46.6570, "tst": 1_795_269_600, "acc": 12 });
        let basic = format!("Basic {}", base64(format!("ana:{device}").as_bytes()));
        self.add(
            "reportOwnTracks",
            "POST /courier/positions/owntracks",
            &basic,
            Some(message),
        )?;
        let endpoint = || Some(json!({ "endpoint": "https://push.example/send/c2VjcmV0" }));
        self.by_courier("subscribePush", "POST /courier/push", endpoint())?;
        self.by_courier("unsubscribePush", "DELETE /courier/push", endpoint())?;
        Ok(())
    }

    fn settings(&mut self) -> Result<(), HostError> {
        let path = format!("/delivery/stores/{}/tracking", self.store_id);
        let tracking = json!({
            "enabled": true,
            "contact": { "name": "Balcão", "phone": "+551130000000", "text": "Das 11h às 23h" },
            "choices": ["DOORMAN", "AT_DOOR"],
            "notifyAt": ["CREATED", "EN_ROUTE"],
        });
        self.by_store("setStoreTracking", &format!("PUT {path}"), Some(tracking))?;
        self.by_store("getStoreTracking", &format!("GET {path}"), None)?;
        let path = format!("/admin/stores/{}/dispatch", self.store_id);
        let dispatch = json!({ "leadMinutes": 15, "ordersPerTrip": 1 });
        self.by_operator("setStoreDispatch", &format!("PUT {path}"), Some(dispatch))?;
        self.by_operator("getStoreDispatch", &format!("GET {path}"), None)?;
        self.by_operator("getDispatch", "GET /admin/dispatch", None)?;
        let webhook =
            json!({ "url": "https://loja.example/despacho", "events": ["order.created"] });
        self.send("POST /delivery/webhooks", &self.store, &webhook)
            .map(drop)
    }

    /// An order that is declined, picked up and delivered.
    fn delivery(&mut self) -> Result<(), HostError> {
        let created = self.create("PED-1")?;
        let [id, first, second] = ids(&created);
        let order = format!("/delivery/orders/{id}");
        self.by_store(
            "delayOrder",
            &format!("POST {order}/delay"),
            Some(json!({ "minutes": 10 })),
        )?;
        self.by_store("readyOrder", &format!("POST {order}/ready"), None)?;
        let smaller = Some(json!({ "radiusKm": 3 }));
        self.by_operator("compareDispatch", "POST /admin/dispatch/what-if", smaller)?;
        self.assign()?;
        self.by_store(
            "getCancellation",
            &format!("GET {order}/cancellation"),
            None,
        )?;
        self.by_store("getRoute", &format!("GET {order}/route"), None)?;
        self.by_operator(
            "adminGetRoute",
            &format!("GET /admin/orders/{id}/route"),
            None,
        )?;
        self.by_operator(
            "explainDispatch",
            &format!("GET /admin/orders/{id}/dispatch"),
            None,
        )?;
        self.by_courier("courierOrder", "GET /courier/order", None)?;
        self.by_courier("courierTrip", "GET /courier/trip", None)?;
        let steps = format!("POST /courier/orders/{id}");
        let at = || Some(json!({ "at": "2026-11-21T14:01:00Z" }));
        self.by_courier("courierArrive", &format!("{steps}/arrive"), at())?;
        let code = json!({ "code": created["pickupCode"] });
        self.by_courier("courierPickUp", &format!("{steps}/pickup"), Some(code))?;
        let stop = |id: &str| Some(json!({ "deliveryId": id.parse::<u64>().unwrap_or(0) }));
        self.by_courier("courierSetOut", &format!("{steps}/en-route"), stop(&first))?;
        self.by_courier(
            "courierResequence",
            &format!("{steps}/resequence"),
            stop(&first),
        )?;
        self.send(
            &format!("{steps}/en-route"),
            &self.courier,
            &json!({ "deliveryId": number(&second) }),
        )?;
        self.by_courier("courierAtDoor", &format!("{steps}/at-door"), stop(&second))?;
        self.by_store(
            "discardDelivery",
            &format!("POST {order}/discard"),
            stop(&second),
        )?;
        for step in ["en-route", "at-door"] {
            self.send(
                &format!("{steps}/{step}"),
                &self.courier,
                &json!({ "deliveryId": number(&first) }),
            )?;
        }
        let handed_over = &created["deliveries"][0];
        let delivered =
            json!({ "deliveryId": number(&first), "code": handed_over["deliveryCode"] });
        self.by_courier(
            "courierDeliver",
            &format!("{steps}/deliver"),
            Some(delivered),
        )?;
        let rating = json!({ "stars": 5, "text": "Chegou quente." });
        self.add(
            "rateDelivery",
            &format!("POST {}/rating", page(handed_over)),
            "",
            Some(rating),
        )?;
        self.by_store("getProof", &format!("GET {order}/proof"), None)
            .map(drop)
    }

    /// Orders whose goods come back to the store.
    fn returned(&mut self) -> Result<(), HostError> {
        let created = self.assigned("PED-2")?;
        let [id, first, second] = ids(&created);
        let (order, steps) = (
            format!("POST /delivery/orders/{id}"),
            format!("POST /courier/orders/{id}"),
        );
        self.send(&format!("{steps}/arrive"), &self.courier, &Value::Null)?;
        self.send(
            &format!("{steps}/pickup"),
            &self.courier,
            &json!({ "code": created["pickupCode"] }),
        )?;
        let reason = json!({ "deliveryId": number(&first), "reason": "wrong goods" });
        self.by_store("returnDelivery", &format!("{order}/return"), Some(reason))?;
        for step in ["en-route", "at-door"] {
            self.send(
                &format!("{steps}/{step}"),
                &self.courier,
                &json!({ "deliveryId": number(&second) }),
            )?;
        }
        let reason = json!({ "deliveryId": number(&second), "reason": "recipient not at home" });
        self.by_courier("courierFail", &format!("{steps}/fail"), Some(reason))?;
        let at = json!({ "at": "2026-11-21T14:02:00Z" });
        self.by_courier("courierAtReturn", &format!("{steps}/at-return"), Some(at))?;
        let current = self.send(
            &format!("GET /delivery/orders/{id}"),
            &self.store,
            &Value::Null,
        )?;
        let code = json!({ "code": current["returnCode"] });
        self.by_courier("courierHandBack", &format!("{steps}/hand-back"), Some(code))?;
        let created = self.assigned("PED-3")?;
        let [id, first, second] = ids(&created);
        let (order, steps) = (
            format!("POST /delivery/orders/{id}"),
            format!("POST /courier/orders/{id}"),
        );
        self.send(&format!("{steps}/arrive"), &self.courier, &Value::Null)?;
        self.send(
            &format!("{steps}/pickup"),
            &self.courier,
            &json!({ "code": created["pickupCode"] }),
        )?;
        for delivery in [first, second] {
            let reason = json!({ "deliveryId": number(&delivery), "reason": "wrong goods" });
            self.send(&format!("{order}/return"), &self.store, &reason)?;
        }
        self.by_store("waiveReturn", &format!("{order}/waive"), None)
            .map(drop)
    }

    /// The recipient's page, and the end of an order by the store.
    fn recipient(&mut self) -> Result<(), HostError> {
        let created = self.create("PED-4")?;
        let [id, first, _] = ids(&created);
        let page = page(&created["deliveries"][0]);
        self.add("getRecipientPage", &format!("GET {page}"), "", None)?;
        let choice = json!({ "choice": "AT_DOOR" });
        self.add(
            "chooseDelivery",
            &format!("POST {page}/choice"),
            "",
            Some(choice),
        )?;
        let change = json!({ "deliveryId": number(&first), "action": "ROTATE" });
        self.by_store(
            "changeLink",
            &format!("POST /delivery/orders/{id}/tracking"),
            Some(change),
        )?;
        let cancel = json!({ "orderId": number(&id), "reason": "the customer changed their mind" });
        self.by_store("cancelOrder", "POST /delivery/orders/cancel", Some(cancel))?;
        self.by_store("listOrders", "GET /delivery/orders?limit=1", None)?;
        self.by_store("listStores", "GET /delivery/stores", None)?;
        self.by_store(
            "dayReport",
            "GET /delivery/reports/days?from=2026-11-21&to=2026-11-21",
            None,
        )
        .map(drop)
    }

    fn operator(&mut self) -> Result<(), HostError> {
        let reason = || Some(json!({ "reason": "flat tyre" }));
        let declined = self.assigned("PED-5")?;
        let path = format!("POST /courier/orders/{}/decline", declined["id"]);
        self.by_courier("courierDecline", &path, reason())?;
        let created = self.assigned("PED-7")?;
        let order = format!("/admin/orders/{}", created["id"]);
        self.by_operator("reassignOrder", &format!("POST {order}/reassign"), reason())?;
        self.by_operator("adminGetOrder", &format!("GET {order}"), None)?;
        self.by_operator("adminListOrders", "GET /admin/orders?limit=1", None)?;
        self.by_operator(
            "adminCancelOrder",
            &format!("POST {order}/cancel"),
            reason(),
        )?;
        let lost = self.assigned("PED-6")?;
        let [id, first, _] = ids(&lost);
        let steps = format!("POST /courier/orders/{id}");
        self.send(&format!("{steps}/arrive"), &self.courier, &Value::Null)?;
        self.send(
            &format!("{steps}/pickup"),
            &self.courier,
            &json!({ "code": lost["pickupCode"] }),
        )?;
        let reason =
            json!({ "deliveryId": number(&first), "reason": "the courier had an accident" });
        self.by_operator(
            "adminLoseDelivery",
            &format!("POST /admin/orders/{id}/lost"),
            Some(reason),
        )?;
        let store = format!("/admin/stores/{}", self.store_id);
        self.by_operator("adminListStores", "GET /admin/stores?limit=1", None)?;
        self.by_operator("adminGetStore", &format!("GET {store}"), None)?;
        let change = Some(json!({ "disabled": false }));
        self.by_operator("alterStore", &format!("PATCH {store}"), change)?;
        let days = "GET /admin/reports/days?from=2026-11-21&to=2026-11-21";
        self.by_operator("adminDayReport", days, None)?;
        self.by_operator("showHealth", "GET /admin/health", None)?;
        let token = Some(json!({ "token": OPERATOR }));
        self.add("startOperatorSession", "POST /admin/session", "", token)?;
        self.tariffs()
    }

    fn tariffs(&mut self) -> Result<(), HostError> {
        let tariff = json!({
            "version": "2026.12", "baseFee": 8.5, "baseKm": 3, "perKm": 1.7, "perExtraStop": 3.5, "returnFee": 2,
            "returnPerKm": 0.8, "minimumFee": 8.5, "maxDistanceKm": 120, "serviceRadiusKm": 40, "approachMinutes": 8,
            "handoverMinutes": 3, "windows": [{ "name": "night", "from": "22:00", "until": "06:00", "percent": 20 }],
        });
        let samples = json!([{ "distanceKm": 10.123, "stops": 2, "at": "2026-11-22T02:00:00Z", "state": "SP" }]);
        let body = json!({ "tariff": tariff, "samples": samples });
        self.by_operator("previewTariff", "POST /admin/tariffs/preview", Some(body))?;
        let body = json!({ "tariff": tariff, "days": 7 });
        self.by_operator("compareTariff", "POST /admin/tariffs/what-if", Some(body))?;
        let body = json!({ "tariff": tariff, "effectiveFrom": "2026-12-01T03:00:00Z" });
        self.by_operator("createTariff", "POST /admin/tariffs", Some(body))?;
        self.by_operator("listTariffs", "GET /admin/tariffs", None)
            .map(drop)
    }

    /// A message that the receiver rejected, and that is sent again.
    fn webhook_attempts(&mut self) -> Result<(), HostError> {
        let listed = self.send("GET /delivery/webhooks", &self.store, &Value::Null)?;
        let id = listed["webhooks"][0]["id"].clone();
        let (host, settings) = (&self.run.host, &self.run.settings);
        let webhook =
            WebhookId::new(id.as_u64().unwrap_or(0)).ok_or_else(|| internal("no webhook"))?;
        let webhook =
            block_on(host.webhook(webhook))??.ok_or_else(|| internal("the webhook is missing"))?;
        let batch = block_on(outbox::take(host, settings, &webhook))??
            .ok_or_else(|| internal("no message is due"))?;
        let sent = Some((host.now(), 84, AttemptResult::Status(503)));
        let jobs = batch.lanes.iter().filter_map(|lane| lane.first()).take(1);
        let results = jobs
            .map(|job| MessageResult {
                message: job.message.clone(),
                sent,
            })
            .collect();
        block_on(outbox::finish(host, settings, &batch, results))??;
        let path = format!("GET /delivery/webhooks/{id}/attempts?limit=1");
        let attempts = self.by_store("listAttempts", &path, None)?;
        let retry = format!(
            "POST /delivery/webhooks/attempts/{}/retry",
            text(&attempts["attempts"][0]["id"])
        );
        self.by_store("retryAttempt", &retry, None).map(drop)
    }

    fn passwords(&mut self) -> Result<(), HostError> {
        let login = json!({ "email": "matriz@cantina.example", "password": LOGIN });
        let session = text(&self.send("POST /delivery/sessions", "", &login)?["value"]);
        let confirmed = json!({ "currentPassword": LOGIN });
        self.add(
            "confirmSession",
            "POST /delivery/sessions/confirmation",
            &session,
            Some(confirmed),
        )?;
        let change = json!({ "currentPassword": LOGIN, "newPassword": "another long password" });
        self.add(
            "changePassword",
            "POST /delivery/password",
            &session,
            Some(change),
        )?;
        let line = format!("POST /admin/stores/{}/password-link", self.store_id);
        let issued = self.send(&line, OPERATOR, &json!({}))?;
        let code = issued["code"]
            .as_str()
            .or(issued["value"].as_str())
            .unwrap_or_default();
        let reset = json!({ "code": code, "newPassword": "a third long password" });
        self.add(
            "resetPassword",
            "POST /delivery/password/reset",
            "",
            Some(reset),
        )
        .map(drop)
    }
}

/// Returns the IDs of an order and of its deliveries.
fn ids(order: &Value) -> [String; 3] {
    let delivery = |index: usize| text(&order["deliveries"][index]["id"]);
    [text(&order["id"]), delivery(0), delivery(1)]
}

/// Returns the path of a delivery's page.
fn page(delivery: &Value) -> String {
    let url = text(&delivery["trackingUrl"]);
    url.split_once("/t/")
        .map(|(_, token)| format!("/t/{token}"))
        .unwrap_or_default()
}

fn number(id: &str) -> u64 {
    id.parse().unwrap_or(0)
}

/// Encodes the credentials of HTTP's Basic scheme.
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let encode = |chunk: &[u8]| {
        let bits = chunk
            .iter()
            .chain([&0, &0])
            .take(3)
            .fold(0_usize, |bits, byte| bits << 8 | usize::from(*byte));
        let letter = |index: usize| match index <= chunk.len() {
            true => char::from(ALPHABET[bits >> (18 - 6 * index) & 63]),
            false => '=',
        };
        [0, 1, 2, 3].map(letter)
    };
    bytes.chunks(3).flat_map(encode).collect()
}
