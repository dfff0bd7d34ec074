//! Request bodies of orders and stores.

use serde_json::{Value, json};

/// Returns the body of a preview or an order with stops around the demo store in São Paulo.
pub fn order(code: &str, stops: u32, best_route: bool) -> Value {
    let deliveries: Vec<Value> = (0..stops)
        .map(|stop| {
            // A fixed scatter over one kilometre, so that the route of fifty stops is within the
            // tariff's maximum length.
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

/// Returns the body of a new parent store in São Paulo, different for each number below 10,000.
pub fn parent_store(number: usize) -> Value {
    json!({
        "cnpj": cnpj(number), "name": format!("Merchant {number}"), "email": format!("merchant-{number}@load.example"),
        "password": "correct horse battery", "marketplaceBranchId": 1,
        "responsible": { "name": "Ana Souza", "phone": "+5511999990000" },
        "address": {
            "street": "Rua Augusta", "number": "1500", "city": "São Paulo", "state": "SP",
            "latitude": -23.5558, "longitude": -46.6582,
        },
    })
}

/// Returns a valid CNPJ: the two check digits use weights 2 to 9 from the right, modulo 11.
fn cnpj(number: usize) -> String {
    let mut digits: Vec<usize> = format!("7777{:04}0001", number % 10_000)
        .bytes()
        .map(|digit| usize::from(digit - b'0'))
        .collect();
    for _ in 0..2 {
        let sum: usize = digits
            .iter()
            .rev()
            .zip((2..=9).cycle())
            .map(|(digit, weight)| digit * weight)
            .sum();
        digits.push(if sum % 11 < 2 { 0 } else { 11 - sum % 11 });
    }
    digits.iter().map(ToString::to_string).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn cnpj_is_valid() {
        for number in [0, 7, 31, 9_999] {
            assert!(
                despacho_core::model::Cnpj::parse(&super::cnpj(number)).is_ok(),
                "{}",
                super::cnpj(number)
            );
        }
    }
}
