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

use crate::document::{OPERATOR, Probe, Run, block_on, internal, order, parent_store};

const LOGIN: &str = "a long password";

/// Records examples, and keeps the keys of the store and the courier.
struct Recorder {
    run: Run,
    examples: Vec<Example>,
    store: String,
    store_id: String,
    courier: String,
    courier_id: String,
}

/// Returns the examples.
///
/// # Errors
/// Returns the response of the first request that failed.
pub(crate) fn record(probe: &Probe) -> Result<Vec<Example>, HostError> {
    let run = Run::new(8, probe);
    let mut recorder = Recorder {
        run,
        examples: Vec::new(),
        store: String::new(),
        store_id: String::new(),
        courier: String::new(),
        courier_id: String::new(),
    };
    recorder.register()?;
    recorder.settings()?;
    recorder.delivery()?;
    recorder.returned()?;
    recorder.cash()?;
    recorder.recipient()?;
    recorder.payment()?;
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
        let courier = self.send("POST /admin/couriers", OPERATOR, &new)?;
        (self.courier, self.courier_id) = (text(&courier["value"]), text(&courier["id"]));
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
        let path = format!("/delivery/stores/{}/payments", self.store_id);
        let payments = json!({
            "settle": "PER_ORDER",
            "pix": { "key": "11.222.333/0001-81", "name": "Empório Central", "city": "São Paulo" },
        });
        self.by_store("setStorePayments", &format!("PUT {path}"), Some(payments))?;
        self.by_store("getStorePayments", &format!("GET {path}"), None)?;
        let amount = Some(json!({ "amount": 250 }));
        self.by_store("requestTopUp", "POST /delivery/top-ups", amount)?;
        self.by_store("listTopUps", "GET /delivery/top-ups", None)?;
        let path = format!("/admin/stores/{}/top-ups", self.store_id);
        self.by_operator("listStoreTopUps", &format!("GET {path}"), None)?;
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

    /// The cash of the courier of the orders before, from the float to the closing.
    fn cash(&mut self) -> Result<(), HostError> {
        let me = self.send("GET /courier/me", &self.courier, &Value::Null)?;
        let (courier, path) = (me["id"].clone(), format!("/delivery/couriers/{}", me["id"]));
        let float = json!({ "amount": 50, "reference": "Envelope 3" });
        self.by_store("giveFloat", &format!("POST {path}/float"), Some(float))?;
        let handover = json!({ "amount": 20, "method": "PIX", "reference": "E90400888" });
        self.by_store(
            "bookHandover",
            &format!("POST {path}/handovers"),
            Some(handover),
        )?;
        self.by_store("listCash", "GET /delivery/cash", None)?;
        self.by_courier("showCourierCash", "GET /courier/cash", None)?;
        let path = format!("/admin/couriers/{courier}/cash");
        self.by_operator("showCashOfCourier", &format!("GET {path}"), None)?;
        let slip = json!({ "amount": 32.5, "brand": "Elo", "authorisation": "038471" });
        let count = json!({ "courierId": courier, "counted": 27.1, "period": 1, "slips": [slip] });
        self.by_store("closeCash", "POST /delivery/cash/close", Some(count))?;
        let reason = json!({ "courierId": courier, "period": 1, "reason": "Troco errado" });
        self.by_store(
            "explainDifference",
            "POST /delivery/cash/reasons",
            Some(reason),
        )?;
        self.by_store(
            "listCashEntries",
            "GET /delivery/cash/entries?limit=2",
            None,
        )?;
        let path = format!("GET /courier/cash/{}?limit=1", self.store_id);
        self.by_courier("listCourierCashEntries", &path, None)?;
        self.by_operator("listDifferences", "GET /admin/cash/differences", None)?;
        Ok(())
    }

    /// An order that is paid by Pix.
    fn payment(&mut self) -> Result<(), HostError> {
        let mut new = order();
        new["code"] = json!("PED-PIX");
        new["deliveries"][0]["onlinePayment"] = json!(false);
        new["deliveries"][0]["payment"] = json!({ "method": "PIX" });
        let created = self.send("POST /delivery/orders", &self.store, &new)?;
        let paid = created["deliveries"].as_array().into_iter().flatten();
        let paid = paid
            .filter(|one| one["onlinePayment"] == false)
            .collect::<Vec<_>>();
        let received = json!({
            "deliveryId": paid[0]["id"],
            "method": "PIX",
            "received": paid[0]["productValue"],
            "reference": "E9040088820261121143000123456789",
        });
        let path = format!("POST /delivery/orders/{}/payment", created["id"]);
        self.by_store("recordPayment", &path, Some(received))?;
        Ok(())
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
        self.by_operator("listTariffs", "GET /admin/tariffs", None)?;
        self.pay()
    }

    /// A pay plan, and a courier who is paid by it.
    fn pay(&mut self) -> Result<(), HostError> {
        let plan = json!({
            "version": "2026.12", "perTrip": 4, "perExtraOrder": 2, "perDelivery": 3, "includedKm": 2, "perKm": 1.5,
            "returned": { "perKm": 1.5 }, "cancelledPercent": { "arrived": 50 },
            "waiting": { "afterMinutes": 10, "perMinute": 0.6 },
            "windows": [{ "name": "night", "from": "18:00", "until": "06:00", "percent": 20 }],
        });
        let orders = json!([{ "distanceKm": 3.4, "at": "2026-11-30T23:00:00Z", "state": "SP" }]);
        let body = json!({ "plan": plan, "orders": orders, "shiftMinutes": 310 });
        self.by_operator(
            "previewPayPlan",
            "POST /admin/pay-plans/preview",
            Some(body),
        )?;
        let body = json!({ "name": "motoboy", "plan": plan });
        self.by_operator("createPayPlan", "POST /admin/pay-plans", Some(body))?;
        self.by_operator("listPayPlans", "GET /admin/pay-plans", None)?;
        let courier = format!("/admin/couriers/{}", self.courier_id);
        let terms = json!({ "terms": [{ "plan": "motoboy", "payer": "OPERATOR" }] });
        self.by_operator("setCourierPay", &format!("PUT {courier}/pay"), Some(terms))?;
        self.by_operator("getCourierPay", &format!("GET {courier}/pay"), None)?;
        let entry = json!({ "type": "tip", "amount": 5, "reason": "Gorjeta por Pix" });
        let entries = format!("POST {courier}/entries");
        self.by_operator("createPayEntry", &entries, Some(entry))?;
        let statement = format!("GET {courier}/statement");
        self.by_operator("getCourierStatement", &statement, None)?;
        self.by_courier("courierEarnings", "GET /courier/earnings", None)?;
        self.by_courier("courierStatement", "GET /courier/statement", None)
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
