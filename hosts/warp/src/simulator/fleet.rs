//! Robots and their keys: those that the demonstration has already, and as many more as are wanted.

use std::sync::Arc;

use bytes::Bytes;
use despacho_core::{Settings, domain::Point, store::KeyHash};
use http::{Method, Request, header};
use serde_json::{Value, json};

use super::client::{Answer, Client};
use crate::app::App;

/// Whoever may register couriers.
pub enum Operator {
    /// The operator of a deployment, by the token.
    Remote(Client, String),
    /// This very process.
    Inside(Box<Inside>),
}

/// The operator's endpoints without a network between.
pub struct Inside {
    app: Arc<App>,
    settings: Settings,
    token: String,
}

/// A robot that may ride.
#[derive(Clone, Debug)]
pub(super) struct Hired {
    pub(super) id: u64,
    pub(super) name: String,
    pub(super) key: String,
    pub(super) place: Point,
}

/// Names to choose from.
const NAMES: [&str; 10] = [
    "Fábio Nunes",
    "Gabi Rocha",
    "Hugo Reis",
    "Iara Melo",
    "Jonas Prado",
    "Karen Luz",
    "Leo Matos",
    "Mara Pinto",
    "Nilo Braga",
    "Olga Serra",
];
/// Where robots begin whose place nobody knows: near the demonstration's stores.
const HOMES: [(f64, f64); 3] = [(-23.5614, -46.6559), (-23.5446, -46.6406), (-3.1316, -60.0234)];
/// Pages of couriers that are looked through for robots.
const MOST_PAGES: usize = 50;

impl Operator {
    /// The operator's endpoints of this process, by a token that is made for it and dies with it.
    pub fn inside(app: Arc<App>, token: String) -> Operator {
        let settings = Settings { operator: Some(KeyHash::of(&token)), ..app.settings.clone() };
        Operator::Inside(Box::new(Inside { app, settings, token }))
    }

    async fn ask(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Value, String> {
        match self {
            Operator::Remote(client, token) => client.ask(method, path, token, body).await?.success(),
            Operator::Inside(inside) => inside.ask(method, path, body).await?.success(),
        }
    }
}

impl Inside {
    async fn ask(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Answer, String> {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header("x-api-token", &self.token)
            .header(header::CONTENT_TYPE, "application/json")
            .body(Bytes::from(body.map(Value::to_string).unwrap_or_default()))
            .map_err(|error| error.to_string())?;
        let response = self.app.store.answer(&self.settings, request).await;
        let body = serde_json::from_slice(response.body()).unwrap_or(Value::Null);
        Ok(Answer { status: response.status(), body })
    }
}

/// Takes on robots: those that are registered get new keys, and those that are missing are registered.
pub(super) async fn hire(operator: &Operator, count: u32) -> Result<Vec<Hired>, String> {
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let mut robots = Vec::new();
    let (mut cursor, mut pages) = (String::new(), 0);
    while robots.len() < count && pages < MOST_PAGES {
        let page = operator.ask(Method::GET, &format!("/admin/couriers?limit=100{cursor}"), None).await?;
        for record in page["couriers"].as_array().into_iter().flatten() {
            let usable = record["demo"] == true && record["removedAt"].is_null();
            if let Some(id) = record["id"].as_u64().filter(|_| usable && robots.len() < count) {
                let change = json!({ "newKey": true, "available": true, "expiresInDays": 30 });
                let changed = operator.ask(Method::PATCH, &format!("/admin/couriers/{id}"), Some(&change)).await?;
                robots.extend(hired(&changed, robots.len()));
            }
        }
        let Some(next) = page["nextCursor"].as_str() else { break };
        (cursor, pages) = (format!("&cursor={next}"), pages + 1);
    }
    while robots.len() < count {
        let number = robots.len();
        let name = NAMES[number % NAMES.len()];
        let phone = format!("+55119900002{:02}", number % 100);
        let new = json!({ "name": name, "phone": phone, "available": true, "demo": true, "expiresInDays": 30 });
        let registered = operator.ask(Method::POST, "/admin/couriers", Some(&new)).await?;
        robots.extend(hired(&registered, number));
        if robots.len() == number {
            return Err("a robot was registered without a key".to_owned());
        }
    }
    Ok(robots)
}

fn hired(record: &Value, number: usize) -> Option<Hired> {
    let home = HOMES[number % HOMES.len()];
    let known = record["latitude"].as_f64().zip(record["longitude"].as_f64());
    let (latitude, longitude) = known.unwrap_or(home);
    Some(Hired {
        id: record["id"].as_u64()?,
        name: record["name"].as_str()?.to_owned(),
        key: record["value"].as_str()?.to_owned(),
        place: Point::from_degrees(latitude, longitude)?,
    })
}
