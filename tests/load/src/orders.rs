//! Orders to send.

use serde_json::{Value, json};

/// The body of a preview, or of an order, of so many stops around the demonstration matrix in São Paulo.
pub fn order(code: &str, stops: u32, best_route: bool) -> Value {
    let deliveries: Vec<Value> = (0..stops)
        .map(|stop| {
            // A fixed scatter over a kilometre, so that fifty stops stay within the tariff's longest route: neither a line nor a circle.
            let (north, east) = (f64::from(stop * 37 % 19) - 9.0, f64::from(stop * 53 % 23) - 11.0);
            json!({
                "name": "Maria Silva", "phone": "+5511999990000", "onlinePayment": true, "productValue": 57.9,
                "address": {
                    "street": "Rua Augusta", "number": (1_500 + stop).to_string(), "neighborhood": "Consolação",
                    "city": "São Paulo", "state": "SP", "zipCode": "01304-001",
                    "latitude": -23.5578 + north * 0.0006, "longitude": -46.6600 + east * 0.0006,
                },
            })
        })
        .collect();
    json!({
        "code": code, "preparationTime": 600, "previewDeliveryTime": true, "sortByBestRoute": best_route, "deliveries": deliveries,
    })
}
