//! Measures prices of pairs of addresses as text, with and without a pack, against the prices of
//! their exact locations.

use std::error::Error;

use despacho_core::{
    api::page::Previewer,
    geo::{Gazetteer, great_circle_m, pack::Pack},
    model::{Language, Timestamp, tariff::Tariff},
    wire::PreviewContext,
};
use serde_json::{Value, json};

use crate::forms::{Door, Rng};

/// Maximum number of pairs of each kind.
const PAIRS: usize = 1_000;
/// Maximum number of attempts to find the second address of a pair.
const ATTEMPTS: usize = 20_000;
/// The difference in reais up to which a price is near.
const NEAR: f64 = 1.0;

/// A kind of pairs: its name, and whether two addresses at this distance in metres belong to it.
type Kind = (&'static str, fn(&Door, &Door, u32) -> bool);

const KINDS: [Kind; 8] = [
    ("same CEP", |a, b, _| a.cep == b.cep),
    ("same five digits of the CEP", |a, b, _| {
        a.cep / 1_000 == b.cep / 1_000
    }),
    ("up to 300 m apart", |_, _, metres| metres <= 300),
    ("300 m to 1 km apart", |_, _, metres| {
        (300..1_000).contains(&metres)
    }),
    ("1 to 2 km apart", |_, _, metres| {
        (1_000..2_000).contains(&metres)
    }),
    ("2 to 4 km apart", |_, _, metres| {
        (2_000..4_000).contains(&metres)
    }),
    ("4 to 8 km apart", |_, _, metres| {
        (4_000..8_000).contains(&metres)
    }),
    ("any", |_, _, _| true),
];

/// The prices of a kind of pairs.
#[derive(Default)]
struct Counts {
    pairs: u32,
    right: u32,
    near: u32,
}

impl Counts {
    fn add(&mut self, price: Option<f64>, exact: f64) {
        let error = price.map_or(f64::INFINITY, |price| (price - exact).abs());
        self.pairs += 1;
        self.right += u32::from(error < 0.005);
        self.near += u32::from(error < NEAR + 0.005);
    }

    fn shares(&self) -> String {
        let share = |count: u32| 100.0 * f64::from(count) / f64::from(self.pairs.max(1));
        format!("{:.0} %, {:.0} %", share(self.right), share(self.near))
    }
}

/// Returns the shares of prices that are right and near, as a table.
pub(crate) fn report(doors: &[Door], pack: &'static [u8]) -> Result<String, Box<dyn Error>> {
    let without = previewer()?;
    let mut with = previewer()?;
    with.add_pack(Pack::open(pack)?);
    let mut text = "| pairs | number | without a pack: right, within R$ 1 | with a pack |\n|---|---|---|---|\n".to_owned();
    for (name, belongs) in KINDS {
        let (mut rough, mut precise, mut rng) = (Counts::default(), Counts::default(), Rng(7));
        for _ in 0..PAIRS {
            let a = &doors[rng.below(doors.len())];
            let b = (0..ATTEMPTS)
                .map(|_| &doors[rng.below(doors.len())])
                .find(|b| {
                    let metres = great_circle_m(a.point, b.point);
                    metres > 0 && belongs(a, b, metres)
                });
            let Some(b) = b else { continue };
            let exact = price(&without, &address(a, true), &address(b, true));
            let Some(exact) = exact else { continue };
            let texts = [address(a, false), address(b, false)];
            rough.add(price(&without, &texts[0], &texts[1]), exact);
            precise.add(price(&with, &texts[0], &texts[1]), exact);
        }
        text += &format!(
            "| {name} | {} | {} | {} |\n",
            rough.pairs,
            rough.shares(),
            precise.shares()
        );
    }
    Ok(text)
}

fn address(door: &Door, exact: bool) -> Value {
    let street = format!("{} {}", door.kind, door.name);
    let mut address = json!({
        "street": street.trim(), "number": door.number.to_string(), "city": door.city, "state": door.state,
        "zipCode": format!("{:08}", door.cep),
    });
    if exact {
        address["latitude"] = json!(door.point.latitude());
        address["longitude"] = json!(door.point.longitude());
    }
    address
}

fn previewer() -> Result<Previewer, Box<dyn Error>> {
    let context: PreviewContext = serde_json::from_value(json!({
        "format": 1, "issuedAt": "2026-11-01T12:00:00Z", "exact": true,
        "store": {
            "id": 1,
            "address": { "street": "Praça da Sé", "number": "1", "city": "São Paulo", "state": "SP" },
            "location": { "latitude": -23.5505, "longitude": -46.6333, "precision": "coordinates", "radiusM": 0 },
        },
        "tariff": Tariff::default(),
        "limits": { "deliveries": 50, "bodyBytes": 65_536, "preparationMinutes": 60, "minPrecision": "municipality" },
    }))?;
    Previewer::new(context, Gazetteer::embedded()).map_err(|problem| problem.detail.en.into())
}

/// Returns the fee of an order, or `None` if it is rejected.
fn price(previewer: &Previewer, pickup: &Value, delivery: &Value) -> Option<f64> {
    let body = json!({
        "preparationTime": 0, "pickupAddress": pickup,
        "deliveries": [{ "onlinePayment": true, "address": delivery }],
    });
    let noon = Timestamp::parse("2026-11-03T15:00:00Z")?;
    let preview = previewer.preview(body.to_string().as_bytes(), noon, Language::default());
    serde_json::to_value(preview.ok()?).ok()?["deliveryFee"].as_f64()
}
