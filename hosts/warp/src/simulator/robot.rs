//! One robot courier: asks for its order and does what comes next, over and over.
//!
//! It remembers nothing that the service does not tell it, so that it goes on after a restart of either of them.

use std::{sync::Arc, time::Duration};

use despacho_core::{domain::Point, geo::great_circle_m};
use http::Method;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::{
    Say,
    chance::{Chance, Mishap},
    client::Client,
    fleet::Hired,
    ride::Ride,
};

/// What all robots share.
#[derive(Debug)]
pub(super) struct World {
    pub(super) client: Client,
    pub(super) store_key: String,
    pub(super) speed: u32,
    pub(super) chance: Chance,
    pub(super) say: Say,
}

/// A robot.
#[derive(Debug)]
pub(super) struct Robot {
    me: Hired,
    world: Arc<World>,
    place: Point,
    /// When the place was last told.
    told: Option<Instant>,
    /// The order that the robot does not go for, so that it says so once.
    missed: Option<u64>,
}

/// Between two questions for an order.
const ASKS: Duration = Duration::from_secs(1);
/// Between two places told while nothing happens.
const TELLS: Duration = Duration::from_secs(20);
/// Between two places told on the way.
const TELLS_RIDING: Duration = Duration::from_secs(1);
/// What it takes to hand goods over, in the robots' time.
const HANDOVER: Duration = Duration::from_secs(60);
/// How long a connection is lost, in the robots' time.
const LOST: Duration = Duration::from_secs(45);
/// How much longer a late ride takes.
const SLOWER: u32 = 3;
/// Riders who are that near are there.
const THERE_M: u32 = 25;

type Done = Result<(), String>;

impl Robot {
    pub(super) fn new(me: Hired, world: Arc<World>) -> Robot {
        Robot { place: me.place, me, world, told: None, missed: None }
    }

    /// Rides until it is dropped.
    pub(super) async fn ride(mut self) {
        let mut failed = false;
        loop {
            let done = self.once().await;
            if let (Err(error), false) = (&done, failed) {
                self.say(error);
            }
            failed = done.is_err();
            sleep(if failed { 3 * ASKS } else { ASKS }).await;
        }
    }

    /// Does what comes next, if anything.
    async fn once(&mut self) -> Done {
        let current = self.ask(Method::GET, "/courier/order", None).await?;
        let order = &current["order"];
        let Some(id) = order["id"].as_u64() else { return self.wait().await };
        match order["situation"].as_u64() {
            Some(210) => self.go_to_pickup(id, order).await,
            Some(220) => self.collect(id).await,
            Some(300) => self.deliver_next(id, order).await,
            Some(400) => {
                self.go(pickup(order, self.place), 1).await?;
                self.step(id, "at-return", None, id).await
            }
            Some(410) => self.hand_back(id).await,
            _ => self.wait().await,
        }
    }

    /// Stands still, and says where from time to time.
    async fn wait(&mut self) -> Done {
        match self.told {
            Some(told) if told.elapsed() < TELLS => Ok(()),
            _ => self.tell().await,
        }
    }

    async fn go_to_pickup(&mut self, id: u64, order: &Value) -> Done {
        if self.strikes(Mishap::NoShow, id) {
            // Not a word from now on: the service takes the order back by itself.
            if self.missed.replace(id) != Some(id) {
                self.say(&format!("does not go for order {id}"));
            }
            return Ok(());
        }
        let to = pickup(order, self.place);
        if self.strikes(Mishap::Decline, id) {
            self.go(Ride::between(self.place, to, 2).place(Ride::between(self.place, to, 1).takes), 1).await?;
            return self.step(id, "decline", Some(json!({ "reason": "a flat tyre" })), id).await;
        }
        self.go(to, if self.strikes(Mishap::Late, id) { SLOWER } else { 1 }).await?;
        self.step(id, "arrive", None, id).await
    }

    async fn collect(&mut self, id: u64) -> Done {
        self.pass(HANDOVER).await;
        let code = self.told_by_merchant(id, "pickupCode").await?;
        self.miscode(id, "pickup", json!({}), &code, id).await?;
        self.step(id, "pickup", Some(json!({ "code": code })), id).await
    }

    /// The next thing on the road: at the door first, then on the way, then the next stop of the route.
    async fn deliver_next(&mut self, id: u64, order: &Value) -> Done {
        let stops: Vec<&Value> = order["deliveries"].as_array().into_iter().flatten().collect();
        let standing = |situation: u64| stops.iter().find(|stop| stop["situation"] == situation);
        if let Some(stop) = standing(330) {
            return self.hand_over(id, stop).await;
        }
        if let Some(stop) = standing(320) {
            let delivery = stop["id"].as_u64().unwrap_or_default();
            let slower = if self.strikes(Mishap::Late, delivery) { SLOWER } else { 1 };
            self.go(point(stop).unwrap_or(self.place), slower).await?;
            return self.step(id, "at-door", Some(json!({ "deliveryId": delivery })), delivery).await;
        }
        match standing(310) {
            Some(stop) => {
                let delivery = stop["id"].as_u64().unwrap_or_default();
                self.step(id, "en-route", Some(json!({ "deliveryId": delivery })), delivery).await
            }
            None => self.wait().await,
        }
    }

    async fn hand_over(&mut self, id: u64, stop: &Value) -> Done {
        let delivery = stop["id"].as_u64().unwrap_or_default();
        self.pass(HANDOVER).await;
        if self.strikes(Mishap::Absent, delivery) {
            let body = json!({ "deliveryId": delivery, "reason": "nobody at home" });
            return self.step(id, "fail", Some(body), delivery).await;
        }
        if stop["codeRequired"] != true {
            return self.step(id, "deliver", Some(json!({ "deliveryId": delivery })), delivery).await;
        }
        let order = self.known_to_merchant(id).await?;
        let recipient = order["deliveries"].as_array().into_iter().flatten().find(|other| other["id"] == delivery);
        let code = recipient.and_then(|recipient| recipient["deliveryCode"].as_str()).unwrap_or_default().to_owned();
        self.miscode(id, "deliver", json!({ "deliveryId": delivery }), &code, delivery).await?;
        self.step(id, "deliver", Some(json!({ "deliveryId": delivery, "code": code })), delivery).await
    }

    async fn hand_back(&mut self, id: u64) -> Done {
        self.pass(HANDOVER).await;
        let code = self.told_by_merchant(id, "returnCode").await?;
        self.step(id, "hand-back", Some(json!({ "code": code })), id).await
    }

    /// Rides to a place, and says on the way where it is.
    async fn go(&mut self, to: Point, slower: u32) -> Done {
        let ride = Ride::between(self.place, to, slower);
        if great_circle_m(self.place, to) > THERE_M {
            self.say(&format!("rides {} m in {} s", ride.metres(), ride.takes.as_secs()));
        }
        let start = Instant::now();
        loop {
            let passed = start.elapsed() * self.world.speed;
            self.place = ride.place(passed);
            // A place that cannot be told is told the next time.
            let _ = self.tell().await;
            if passed >= ride.takes {
                return Ok(());
            }
            sleep(((ride.takes - passed) / self.world.speed).min(TELLS_RIDING)).await;
        }
    }

    async fn tell(&mut self) -> Done {
        let place = json!({ "latitude": self.place.latitude(), "longitude": self.place.longitude(), "accuracy": 5 });
        self.told = Some(Instant::now());
        self.ask(Method::POST, "/courier/position", Some(&place)).await.map(drop)
    }

    /// Takes a step. Where the connection is lost on the way back nobody knows whether it was taken, so it is taken again.
    async fn step(&mut self, id: u64, step: &str, body: Option<Value>, occasion: u64) -> Done {
        let path = format!("/courier/orders/{id}/{step}");
        if self.strikes(Mishap::LostConnection, occasion ^ (step.len() as u64) << 48) {
            self.say(&format!("order {id}: {step}, and the connection is lost"));
            let _ = self.ask(Method::POST, &path, body.as_ref()).await;
            self.pass(LOST).await;
        }
        self.ask(Method::POST, &path, body.as_ref()).await.map_err(|error| format!("order {id}: {step}: {error}"))?;
        self.say(&format!("order {id}: {step}"));
        Ok(())
    }

    /// Somebody may tell a wrong code first.
    async fn miscode(&self, id: u64, step: &str, body: Value, right: &str, occasion: u64) -> Done {
        if !self.strikes(Mishap::WrongCode, occasion) {
            return Ok(());
        }
        let mut body = body;
        body["code"] = json!(if right == "0000" { "1111" } else { "0000" });
        let path = format!("/courier/orders/{id}/{step}");
        let answer = self.world.client.ask(Method::POST, &path, &self.me.key, Some(&body)).await?;
        self.say(&format!(
            "order {id}: {step} with a wrong code: {}",
            answer.body["code"].as_str().unwrap_or_default()
        ));
        self.pass(HANDOVER / 4).await;
        Ok(())
    }

    async fn told_by_merchant(&self, id: u64, code: &str) -> Result<String, String> {
        let order = self.known_to_merchant(id).await?;
        order[code].as_str().map(str::to_owned).ok_or_else(|| format!("order {id} has no {code}"))
    }

    /// The order as its merchant sees it, with all codes: people tell them.
    async fn known_to_merchant(&self, id: u64) -> Result<Value, String> {
        let path = format!("/delivery/orders/{id}");
        self.world.client.ask(Method::GET, &path, &self.world.store_key, None).await?.success()
    }

    async fn ask(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Value, String> {
        self.world.client.ask(method, path, &self.me.key, body).await?.success()
    }

    /// Lets some of the robots' time pass.
    async fn pass(&self, time: Duration) {
        sleep(time / self.world.speed).await;
    }

    fn strikes(&self, mishap: Mishap, occasion: u64) -> bool {
        self.world.chance.strikes(mishap, self.me.id, occasion)
    }

    fn say(&self, what: &str) {
        (self.world.say)(&format!("{} ({}) {what}", self.me.name, self.me.id));
    }
}

/// Where to collect; where the robot stands if the service does not say.
fn pickup(order: &Value, here: Point) -> Point {
    let degrees = order["pickupLatitude"].as_f64().zip(order["pickupLongitude"].as_f64());
    degrees.and_then(|(latitude, longitude)| Point::from_degrees(latitude, longitude)).unwrap_or(here)
}

fn point(place: &Value) -> Option<Point> {
    Point::from_degrees(place["latitude"].as_f64()?, place["longitude"].as_f64()?)
}
