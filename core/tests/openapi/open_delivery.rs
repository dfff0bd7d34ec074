//! Examples of Open Delivery.

use bytes::Bytes;
use despacho_core::{
    api::{
        self,
        openapi::{Example, Json},
    },
    host::HostError,
    json::Tree,
    model::Duration,
};
use despacho_simulator::demo::{self, KEY};
use http::Request;
use serde_json::{Value, json};

use crate::document::{Probe, Run, block_on, internal};

const MERCHANT: &str = "11222333000181-de7e5f0c-7d2e-4b8a-9f4e-0a3d6b1c2f10";
const ORDER: &str = "52122852-6626-11ed-9022-0242ac120002";

/// Records a request to each endpoint.
///
/// # Errors
/// Returns the response of the first request that failed.
pub(crate) fn record(probe: &Probe) -> Result<Vec<Example>, HostError> {
    let run = Run::new(11, probe);
    block_on(demo::seed(&run.host, &run.settings))??;
    let connection =
        json!({ "url": "https://pdv.example", "openDelivery": { "merchantId": MERCHANT } });
    let created = run.send("POST /delivery/webhooks", KEY, Some(&connection))?;
    let created: Value =
        serde_json::from_slice(created.body()).map_err(|error| internal(&error.to_string()))?;
    let (token, issued) = issue_token(&run, &created)?;
    let key = format!("Bearer {token}");
    let at = |operation, line: &str, body| run.record(operation, line, &key, body);
    let path = |step: &str| format!("POST /v1/logistics/{step}/{ORDER}");
    let mut examples = vec![
        issued,
        at(
            "getAvailability",
            "POST /v1/logistics/availability",
            Some(availability()),
        )?,
        at(
            "requestDelivery",
            "POST /v1/logistics/delivery",
            Some(delivery()),
        )?,
        at(
            "getDelivery",
            &format!("GET /v1/logistics/delivery/{ORDER}"),
            None,
        )?,
        at("setReadyForPickup", &path("readyForPickup"), None)?,
    ];
    run.host.advance(Duration::minutes(1));
    let cancellation =
        json!({ "reason": "CONSUMER_CANCELLATION_REQUESTED", "message": "Desistiu" });
    examples.push(at("cancelDelivery", &path("cancel"), Some(cancellation))?);
    let written = |operation, body: Value| -> Result<Example, HostError> {
        (run.probe)(&run, (&path(operation), &key, &body));
        let request = Json::of(&body).map_err(|error| internal(&error.to_string()))?;
        Ok(Example {
            operation,
            request: Some(request),
            response: None,
        })
    };
    // These need a courier with the goods; their responses have no body.
    examples.push(written(
        "finishDelivery",
        json!({ "finishDate": "2026-11-21T15:00:00Z" }),
    )?);
    let decision = json!({ "reason": "NOBODY_TO_RECEIVE", "action": "RETURN_TO_STORE" });
    examples.push(written("handleProblem", decision)?);
    Ok(examples)
}

fn issue_token(run: &Run, created: &Value) -> Result<(String, Example), HostError> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (id, secret) = (
        text(&created["openDelivery"]["clientId"]),
        text(&created["secret"]),
    );
    let form = format!("grant_type=client_credentials&client_id={id}&client_secret={secret}");
    let request =
        Request::post("/oauth/token").header("content-type", "application/x-www-form-urlencoded");
    let request = request
        .body(Bytes::from(form))
        .map_err(|error| internal(&error.to_string()))?;
    let response = block_on(api::handle(&run.host, &run.settings, request))?;
    let invalid = |error: serde_json::Error| internal(&error.to_string());
    let token: Value = serde_json::from_slice(response.body()).map_err(invalid)?;
    let reply = serde_json::from_slice(response.body())
        .and_then(|reply: Tree<'_>| Json::of(&reply))
        .map_err(invalid)?;
    let example = Example {
        operation: "issueToken",
        request: None,
        response: Some(reply),
    };
    Ok((text(&token["access_token"]), example))
}

fn address(street: &str, number: &str, latitude: f64) -> Value {
    json!({
        "country": "BR", "state": "SP", "city": "São Paulo", "district": "Consolação", "street": street, "number": number,
        "postalCode": "01304-001", "complement": "", "latitude": latitude, "longitude": -46.6560,
    })
}

fn availability() -> Value {
    json!({
        "merchant": { "id": MERCHANT, "name": "Pizzaria Boa" },
        "pickupAddress": address("Rua Augusta", "900", -23.5530), "deliveryAddress": address("Rua Augusta", "1500", -23.5580),
        "returnToMerchant": false, "canCombine": true, "vehicle": { "type": ["MOTORBIKE_BAG"], "container": "THERMIC" },
        "limitTimes": { "pickupLimit": 60, "deliveryLimit": 90 }, "totalOrderPrice": { "value": 57.9, "currency": "BRL" },
        "totalWeight": 1200, "onlinePayment": true,
    })
}

fn delivery() -> Value {
    let mut body = availability();
    if let Some(members) = body.as_object_mut() {
        members.remove("onlinePayment");
        members.insert("orderId".to_owned(), ORDER.into());
        members.insert("orderDisplayId".to_owned(), "1042".into());
        members.insert("customerName".to_owned(), "Maria Silva".into());
        members.insert("customerPhone".to_owned(), "+5511999990000".into());
        members.insert("notifyReadyForPickup".to_owned(), true.into());
    }
    body
}
