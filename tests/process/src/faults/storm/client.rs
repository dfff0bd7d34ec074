//! A merchant's client: it creates and cancels orders, issues keys, makes branches, and tries what it must not.

use std::{
    sync::atomic::{AtomicU32, Ordering},
    time::{Duration, Instant},
};

use fastrand::Rng;
use serde_json::{Value, json};

use super::{
    Field, hostile,
    probe::{Identity, Kind, Target, aim, cnpj, probe},
};
use crate::faults::{
    client::{self, Caller, Reply},
    judge, merchant,
    run::{Acknowledged, StormRun, lock, store},
};

/// Between two actions of a client, in milliseconds.
const PAUSE_MS: std::ops::RangeInclusive<u64> = 5..=60;
/// Orders that a client remembers for later actions.
const MAX_REMEMBERED: usize = 40;

/// An acknowledged order.
struct Sold {
    code: String,
    id: u64,
    key: Option<String>,
    body: Value,
    stops: Vec<u64>,
}

/// A client of one merchant, with choices by the seed.
struct Client<'a> {
    field: &'a Field<'a>,
    storm: &'a StormRun<'a>,
    number: usize,
    merchant: usize,
    caller: Caller<'a>,
    rng: Rng,
    count: u32,
    sold: Vec<Sold>,
    /// A branch that stays: its ID and a caller with its key.
    branch: Option<(u64, Caller<'a>)>,
}

/// Acts until the storm closes.
pub(crate) fn run(field: &Field<'_>, number: usize) {
    let (storm, merchant) = (field.storm, number % field.parties.merchants.len());
    let mut client = Client {
        field,
        storm,
        number,
        merchant,
        caller: Caller::new(storm, &field.parties.merchants[merchant].key),
        rng: Rng::with_seed(storm.plan.seed ^ (number as u64 + 1) << 20),
        count: 0,
        sold: Vec::new(),
        branch: None,
    };
    while !storm.closing.load(Ordering::SeqCst) && !storm.is_over() {
        let began = Instant::now();
        client.act();
        // Only a request without a response takes so long: others are sent again, and are over when nothing is killed.
        storm.check(began.elapsed() < client::TIMEOUT * 4, || {
            format!("client {number} had no response for two minutes")
        });
        std::thread::sleep(Duration::from_millis(client.rng.u64(PAUSE_MS)));
    }
}

impl Client<'_> {
    fn act(&mut self) {
        let (storm, field) = (self.storm, self.field);
        match self.rng.u8(..100) {
            0..30 => self.create(),
            30..40 => self.replay(),
            40..44 => self.reuse_key(),
            44..52 => self.cancel(),
            52..58 => self.cancel_one_stop(),
            58..64 => self.issue_and_revoke(),
            64..70 => self.open_and_remove_branch(),
            70..74 => hostile::stream(storm, &field.parties.merchants[self.merchant].key, &mut self.rng),
            74..79 => self.subscribe(),
            79..82 => hostile::wrong_key(storm, &mut self.rng),
            82..84 => hostile::oversized(storm, &self.caller, &mut self.rng),
            84..89 => hostile::malformed(storm, &self.caller, &mut self.rng),
            _ => self.probe(),
        }
    }

    /// Creates an order and remembers it.
    fn create(&mut self) {
        let store = self.field.parties.merchants[self.merchant].id;
        self.count += 1;
        let code = format!("S-{}-{}-{}", self.merchant, self.number, self.count);
        let Some(sold) = create(self.storm, &self.caller, code, self.is_prepaid(), &mut self.rng) else { return };
        self.aim(store, sold.id, Kind::Order);
        if self.sold.len() >= MAX_REMEMBERED {
            let place = self.rng.usize(..MAX_REMEMBERED);
            self.sold.swap_remove(place);
        }
        self.sold.push(sold);
    }

    /// Sends a creation twice more at once. Both responses are the first one's.
    fn replay(&mut self) {
        let Some(place) = self.pick() else { return };
        let sold = &self.sold[place];
        let Some(key) = sold.key.as_deref() else { return };
        let send = || self.caller.try_once("POST", "/delivery/orders", Some(key), &sold.body);
        let replies = std::thread::scope(|scope| {
            let other = scope.spawn(send);
            [send(), other.join().unwrap_or(Reply::Nothing)]
        });
        for reply in replies {
            if let Reply::Response(status @ (200 | 201), again) = reply {
                self.storm.check(again["id"] == sold.id, || {
                    format!("{} is order {}, and its replay ({status}) {again}", sold.code, sold.id)
                });
            }
        }
    }

    /// Sends another order with a used key, which is rejected.
    fn reuse_key(&mut self) {
        let Some(place) = self.pick() else { return };
        let sold = &self.sold[place];
        let Some(key) = sold.key.as_deref() else { return };
        let mut other = sold.body.clone();
        other["code"] = json!(format!("{}-other", sold.code));
        if let Reply::Response(status, response) = self.caller.try_once("POST", "/delivery/orders", Some(key), &other) {
            self.storm.check(matches!(status, 409 | 422 | 429 | 503), || {
                format!("a used key with another order was answered {status}: {response}")
            });
        }
    }

    fn cancel(&mut self) {
        let Some(place) = self.pick() else { return };
        let sold = self.sold.swap_remove(place);
        if merchant::cancel(self.storm, &self.caller, sold.id)
            && let Some(kept) = lock(&self.storm.acknowledged).get_mut(&sold.code)
        {
            kept.cancelled = true;
        }
    }

    fn cancel_one_stop(&mut self) {
        let Some(place) = self.pick() else { return };
        let (id, stops) = (self.sold[place].id, &self.sold[place].stops);
        if stops.is_empty() {
            return;
        }
        let body = json!({ "orderId": id, "deliveryId": stops[self.rng.usize(..stops.len())] });
        if let Reply::Response(status, response) = self.caller.try_once("POST", "/delivery/orders/cancel", None, &body)
        {
            self.storm.check(matches!(status, 200 | 409 | 429 | 503), || {
                format!("cancelling one delivery of order {id} was answered {status}: {response}")
            });
        }
    }

    /// A key works until it is revoked, and never again.
    fn issue_and_revoke(&mut self) {
        let Some((201, issued)) = self.retry_until_response("POST", "/delivery/keys", &json!({ "name": "storm" }))
        else {
            return;
        };
        let Some(id) = id_of(&issued["id"]) else { return };
        self.aim(self.field.parties.merchants[self.merchant].id, id, Kind::Key);
        let keyed = Caller::new(self.storm, issued["value"].as_str().unwrap_or_default());
        let status = |reply| if let Reply::Response(status, _) = reply { status } else { 503 };
        let list = || status(keyed.try_once("GET", "/delivery/orders?limit=1", None, &Value::Null));
        let before = list();
        self.storm.check(matches!(before, 200 | 429 | 503), || format!("a new key was answered {before}"));
        let Some((revoked, response)) =
            self.retry_until_response("DELETE", &format!("/delivery/keys/{id}"), &Value::Null)
        else {
            return;
        };
        // Unknown if an earlier request, whose response was lost, revoked it.
        self.storm.check(matches!(revoked, 204 | 404), || format!("revoking a key was answered {revoked}: {response}"));
        for _ in 0..3 {
            let after = list();
            self.storm.check(matches!(after, 401 | 429 | 503), || format!("a revoked key was answered {after}"));
        }
    }

    /// Makes a branch, lets it create and cancel an order, and removes it unless the order is still open.
    fn open_and_remove_branch(&mut self) {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let body = store(&cnpj(number), &format!("branch-{number}"));
        let Reply::Response(201, branch) = self.caller.try_once("POST", "/delivery/stores", None, &body) else {
            return;
        };
        let (Some(id), Some(key)) = (id_of(&branch["storeId"]), branch["value"].as_str()) else {
            return self.storm.wrong(format!("a branch was made without an ID or key: {branch}"));
        };
        self.aim(id, id, Kind::Store);
        let caller = Caller::new(self.storm, key);
        if self.branch.is_none() {
            self.branch = Some((id, caller));
            return;
        }
        self.count += 1;
        let code = format!("{}-{}-{}-{}", judge::OF_A_BRANCH, self.merchant, self.number, self.count);
        if let Some(sold) = create(self.storm, &caller, code, self.is_prepaid(), &mut self.rng) {
            self.aim(id, sold.id, Kind::Order);
            let path = format!("/delivery/orders/{}", sold.id);
            if let Reply::Response(status, order) = caller.try_once("GET", &path, None, &Value::Null) {
                self.storm.check(matches!(status, 429 | 503) || order["code"] == sold.code.as_str(), || {
                    format!("a branch looked up its order {} and was answered {status}: {order}", sold.code)
                });
            }
            if self.rng.bool()
                && merchant::cancel(self.storm, &caller, sold.id)
                && let Some(kept) = lock(&self.storm.acknowledged).get_mut(&sold.code)
            {
                kept.cancelled = true;
            }
        }
        if let Reply::Response(status, response) =
            self.caller.try_once("DELETE", &format!("/delivery/stores/{id}"), None, &Value::Null)
        {
            // 409 with open orders or an unpaid balance.
            self.storm.check(matches!(status, 204 | 409 | 429 | 503), || {
                format!("removing a branch was answered {status}: {response}")
            });
        }
    }

    /// Subscribes a receiver that never responds, and removes half of the subscriptions.
    fn subscribe(&mut self) {
        let body = json!({ "url": self.field.hanging });
        let Some((status, hook)) = self.retry_until_response("POST", "/delivery/webhooks", &body) else { return };
        self.storm.check(matches!(status, 201 | 409), || format!("a webhook was answered {status}: {hook}"));
        let Some(id) = id_of(&hook["id"]).filter(|_| status == 201) else { return };
        self.aim(self.field.parties.merchants[self.merchant].id, id, Kind::Webhook);
        if self.rng.u8(..8) > 0 {
            self.retry_until_response("DELETE", &format!("/delivery/webhooks/{id}"), &Value::Null);
        }
    }

    fn probe(&mut self) {
        let merchant = self.merchant;
        match (self.rng.u8(..3), &self.branch) {
            (0, Some((store, caller))) => {
                probe(self.field, caller, &Identity::Branch { store: *store }, &mut self.rng);
            }
            (1, _) => {
                let caller = Caller::new(self.storm, &self.field.outsider.key);
                probe(self.field, &caller, &Identity::Courier, &mut self.rng);
            }
            _ => probe(self.field, &self.caller, &Identity::Parent { merchant }, &mut self.rng),
        }
    }

    fn retry_until_response(&self, method: &str, path: &str, body: &Value) -> Option<(u16, Value)> {
        self.caller.retry_until_response(method, path, None, body)
    }

    fn aim(&mut self, store: u64, id: u64, kind: Kind) {
        aim(self.field, Target { merchant: self.merchant, store, id, kind }, &mut self.rng);
    }

    fn pick(&mut self) -> Option<usize> {
        (!self.sold.is_empty()).then(|| self.rng.usize(..self.sold.len()))
    }

    /// The last merchant pays in advance.
    fn is_prepaid(&self) -> bool {
        self.merchant + 1 == self.field.parties.merchants.len()
    }
}

/// Sends an order until it is acknowledged, or rejected because the merchant has no money left.
fn create(storm: &StormRun<'_>, caller: &Caller<'_>, code: String, is_prepaid: bool, rng: &mut Rng) -> Option<Sold> {
    let body = merchant::order(&code, rng);
    let key = (rng.u8(..4) > 0).then(|| format!("key-{code}"));
    lock(&storm.sent).insert(code.clone());
    let Some((status, response)) = caller.retry_until_response("POST", "/delivery/orders", key.as_deref(), &body)
    else {
        storm.wrong(format!("{code} was never acknowledged"));
        return None;
    };
    if status == 402 && is_prepaid {
        lock(&storm.rejected).insert(code);
        return None;
    }
    let id = response["id"].as_u64().filter(|_| matches!(status, 200 | 201) && response["code"] == code.as_str());
    storm.check(id.is_some(), || format!("{code} was answered {status}: {response}"));
    let id = id?;
    lock(&storm.acknowledged).insert(code.clone(), Acknowledged { id, cancelled: false });
    let stops =
        response["deliveries"].as_array().into_iter().flatten().filter_map(|stop| stop["id"].as_u64()).collect();
    Some(Sold { code, id, key, body, stops })
}

/// IDs are strings or numbers.
fn id_of(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}
