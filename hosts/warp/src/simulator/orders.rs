//! Demonstration orders, created and watched to their end.

use std::{collections::BTreeMap, time::Duration};

use http::Method;
use serde_json::{Value, json};
use tokio::time::sleep;

use super::{Say, client::Client};

/// Between two looks at the orders.
const LOOKS: Duration = Duration::from_secs(1);

/// Where recipients live: near the demonstration's matrix in São Paulo.
const RECIPIENTS: [(&str, &str, &str, f64, f64); 6] = [
    ("Maria Silva", "Rua Augusta", "1508", -23.557_8, -46.660_0),
    ("João Pereira", "Rua Vergueiro", "1000", -23.571_2, -46.640_1),
    ("Rita Gomes", "Rua da Consolação", "2200", -23.553_0, -46.660_5),
    ("Davi Ramos", "Alameda Santos", "700", -23.566_8, -46.651_0),
    ("Lia Costa", "Rua Haddock Lobo", "595", -23.557_0, -46.664_0),
    ("Caio Lopes", "Rua Frei Caneca", "569", -23.553_9, -46.651_8),
];

/// Creates so many orders, ready at once, each with one to three deliveries; gives their numbers.
///
/// # Errors
/// Why one was not created.
pub async fn create(client: &Client, key: &str, count: u32, run: &str, say: Say) -> Result<Vec<u64>, String> {
    let mut ids = Vec::new();
    for number in 0..count {
        let order = order(number as usize, run);
        let created = client.ask(Method::POST, "/delivery/orders", key, Some(&order)).await?.success()?;
        let id = created["id"].as_u64().ok_or("an order was created without a number")?;
        say(&format!(
            "order {id}: {} deliveries, R$ {}",
            order["deliveries"].as_array().map_or(0, Vec::len),
            created["deliveryFee"]
        ));
        ids.push(id);
    }
    Ok(ids)
}

fn order(number: usize, run: &str) -> Value {
    let delivery = |at: usize| {
        let (name, street, house, latitude, longitude) = RECIPIENTS[at % RECIPIENTS.len()];
        json!({
            "name": name, "phone": "+5511990000201", "onlinePayment": at % 4 != 3, "productValue": 57.9,
            "confirmation": { "platform": at.is_multiple_of(2) },
            "address": {
                "street": street, "number": house, "city": "São Paulo", "state": "SP",
                "latitude": latitude, "longitude": longitude,
            },
        })
    };
    let deliveries: Vec<Value> = (number..=number + number % 3).map(delivery).collect();
    json!({ "code": format!("SIM-{run}-{number}"), "preparationTime": 0, "sortByBestRoute": true, "deliveries": deliveries })
}

/// Tells every event of these orders as it happens, until all have ended.
///
/// # Errors
/// Why an order cannot be looked up.
pub async fn watch_to_the_end(client: &Client, key: &str, ids: &[u64], say: Say) -> Result<(), String> {
    let mut seen: BTreeMap<u64, usize> = ids.iter().map(|id| (*id, 0)).collect();
    while !seen.is_empty() {
        let mut ended = Vec::new();
        for (id, told) in &mut seen {
            let path = format!("/delivery/orders/{id}");
            let order = client.ask(Method::GET, &path, key, None).await?.success()?;
            let events = order["events"].as_array().map_or(&[][..], Vec::as_slice);
            for event in events.iter().skip(*told) {
                let text = |name: &str| event[name].as_str().unwrap_or_default().to_owned();
                say(&format!(
                    "{} order {id} {} {}: {}",
                    text("createdAt"),
                    event["situation"],
                    text("type"),
                    text("description")
                ));
            }
            *told = events.len();
            if order["situation"].as_u64().is_some_and(|situation| situation >= 500) {
                ended.push(*id);
            }
        }
        seen.retain(|id, _| !ended.contains(id));
        if !seen.is_empty() {
            sleep(LOOKS).await;
        }
    }
    Ok(())
}
