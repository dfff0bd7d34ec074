//! A merchant's client: it creates and cancels orders, issues keys, creates branches, and sends
//! requests that must be rejected.

use std::{
    sync::atomic::{AtomicU32, Ordering},
    time::{Duration, Instant},
};

use fastrand::Rng;
use serde_json::{Value, json};

use super::{
    Field, hostile,
    probe::{Identity, Kind, Target, add_target, cnpj, probe},
};
use crate::faults::{
    client::{self, Caller, Reply},
    merchant, oracle,
    run::{Acknowledged, RunState, lock, store},
};

/// The pause between two actions of a client, in milliseconds.
const PAUSE_MS: std::ops::RangeInclusive<u64> = 5..=60;
/// The maximum number of orders that a client stores for later actions.
const MAX_STORED_ORDERS: usize = 40;

/// An acknowledged order.
struct CreatedOrder {
    code: String,
    id: u64,
    key: Option<String>,
    body: Value,
    stops: Vec<u64>,
}

/// A client of one merchant. The seed decides its actions.
struct Client<'a> {
    field: &'a Field<'a>,
    storm: &'a RunState<'a>,
    number: usize,
    merchant: usize,
    caller: Caller<'a>,
    rng: Rng,
    count: u32,
    orders: Vec<CreatedOrder>,
    /// A branch that is not removed: its ID and a caller with its key.
    branch: Option<(u64, Caller<'a>)>,
}

/// Performs random actions until the storm closes.
pub(crate) fn run(field: &Field<'_>, number: usize) {
    let (storm, merchant) = (field.storm, number % field.clients.merchants.len());
    let mut client = Client {
        field,
        storm,
        number,
        merchant,
        caller: Caller::new(storm, &field.clients.merchants[merchant].key),
        rng: Rng::with_seed(storm.plan.seed ^ (number as u64 + 1) << 20),
        count: 0,
        orders: Vec::new(),
        branch: None,
    };
    while !storm.closing.load(Ordering::SeqCst) && !storm.is_over() {
        let began = Instant::now();
        client.act();
        // Retries end when no server is killed, so a longer duration means a request without a
        // response.
        storm.check(began.elapsed() < client::TIMEOUT * 4, || {
            format!("client {number} got no response for two minutes")
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
            70..74 => hostile::stream(
                storm,
                &field.clients.merchants[self.merchant].key,
                &mut self.rng,
            ),
            74..79 => self.subscribe(),
            79..82 => hostile::unknown_key(storm, &mut self.rng),
            82..84 => hostile::oversized(storm, &self.caller, &mut self.rng),
            84..89 => hostile::malformed(storm, &self.caller, &mut self.rng),
            _ => self.probe(),
        }
    }

    /// Creates an order and stores it for later actions.
    fn create(&mut self) {
        let store = self.field.clients.merchants[self.merchant].id;
        self.count += 1;
        let code = format!("S-{}-{}-{}", self.merchant, self.number, self.count);
        let Some(order) = create(
            self.storm,
            &self.caller,
            code,
            self.is_prepaid(),
            &mut self.rng,
        ) else {
            return;
        };
        self.add_target(store, order.id, Kind::Order);
        if self.orders.len() >= MAX_STORED_ORDERS {
            let index = self.rng.usize(..MAX_STORED_ORDERS);
            self.orders.swap_remove(index);
        }
        self.orders.push(order);
    }

    /// Repeats a creation with two concurrent requests. Both must return the first order.
    fn replay(&mut self) {
        let Some(index) = self.pick_order() else {
            return;
        };
        let order = &self.orders[index];
        let Some(key) = order.key.as_deref() else {
            return;
        };
        let send = || {
            self.caller
                .try_once("POST", "/delivery/orders", Some(key), &order.body)
        };
        let replies = std::thread::scope(|scope| {
            let other = scope.spawn(send);
            [send(), other.join().unwrap_or(Reply::Nothing)]
        });
        for reply in replies {
            if let Reply::Response(status @ (200 | 201), again) = reply {
                self.storm.check(again["id"] == order.id, || {
                    format!(
                        "{} is order {}, but its replay returned {status}: {again}",
                        order.code, order.id
                    )
                });
            }
        }
    }

    /// Sends a different order with a used idempotency key, which must be rejected.
    fn reuse_key(&mut self) {
        let Some(index) = self.pick_order() else {
            return;
        };
        let order = &self.orders[index];
        let Some(key) = order.key.as_deref() else {
            return;
        };
        let mut other = order.body.clone();
        other["code"] = json!(format!("{}-other", order.code));
        if let Reply::Response(status, response) =
            self.caller
                .try_once("POST", "/delivery/orders", Some(key), &other)
        {
            self.storm
                .check(matches!(status, 409 | 422 | 429 | 503), || {
                    format!("a used key with a different order got {status}: {response}")
                });
        }
    }

    fn cancel(&mut self) {
        let Some(index) = self.pick_order() else {
            return;
        };
        let order = self.orders.swap_remove(index);
        if merchant::cancel(self.storm, &self.caller, order.id)
            && let Some(acknowledged) = lock(&self.storm.acknowledged).get_mut(&order.code)
        {
            acknowledged.cancelled = true;
        }
    }

    fn cancel_one_stop(&mut self) {
        let Some(index) = self.pick_order() else {
            return;
        };
        let (id, stops) = (self.orders[index].id, &self.orders[index].stops);
        if stops.is_empty() {
            return;
        }
        let body = json!({ "orderId": id, "deliveryId": stops[self.rng.usize(..stops.len())] });
        if let Reply::Response(status, response) =
            self.caller
                .try_once("POST", "/delivery/orders/cancel", None, &body)
        {
            self.storm
                .check(matches!(status, 200 | 409 | 429 | 503), || {
                    format!("cancelling one delivery of order {id} got {status}: {response}")
                });
        }
    }

    /// Issues a key, uses it, revokes it, and checks that it is then rejected.
    fn issue_and_revoke(&mut self) {
        let Some((201, issued)) =
            self.retry_until_response("POST", "/delivery/keys", &json!({ "name": "storm" }))
        else {
            return;
        };
        let Some(id) = id_of(&issued["id"]) else {
            return;
        };
        self.add_target(
            self.field.clients.merchants[self.merchant].id,
            id,
            Kind::Key,
        );
        let keyed = Caller::new(self.storm, issued["value"].as_str().unwrap_or_default());
        let status = |reply| {
            if let Reply::Response(status, _) = reply {
                status
            } else {
                503
            }
        };
        let list = || status(keyed.try_once("GET", "/delivery/orders?limit=1", None, &Value::Null));
        let before = list();
        self.storm.check(matches!(before, 200 | 429 | 503), || {
            format!("a new key got {before}")
        });
        let Some((revoked, response)) =
            self.retry_until_response("DELETE", &format!("/delivery/keys/{id}"), &Value::Null)
        else {
            return;
        };
        // 404 if an earlier attempt revoked the key and its response was lost.
        self.storm.check(matches!(revoked, 204 | 404), || {
            format!("revoking a key got {revoked}: {response}")
        });
        for _ in 0..3 {
            let after = list();
            self.storm.check(matches!(after, 401 | 429 | 503), || {
                format!("a revoked key got {after}")
            });
        }
    }

    /// Creates a branch, creates and sometimes cancels an order with its key, and removes the
    /// branch unless the order is open.
    fn open_and_remove_branch(&mut self) {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let body = store(&cnpj(number), &format!("branch-{number}"));
        let Reply::Response(201, branch) =
            self.caller
                .try_once("POST", "/delivery/stores", None, &body)
        else {
            return;
        };
        let (Some(id), Some(key)) = (id_of(&branch["storeId"]), branch["value"].as_str()) else {
            return self.storm.record_violation(format!(
                "a branch was created without an ID or key: {branch}"
            ));
        };
        self.add_target(id, id, Kind::Store);
        let caller = Caller::new(self.storm, key);
        if self.branch.is_none() {
            self.branch = Some((id, caller));
            return;
        }
        self.count += 1;
        let code = format!(
            "{}-{}-{}-{}",
            oracle::BRANCH_ORDER,
            self.merchant,
            self.number,
            self.count
        );
        if let Some(order) = create(self.storm, &caller, code, self.is_prepaid(), &mut self.rng) {
            self.add_target(id, order.id, Kind::Order);
            let path = format!("/delivery/orders/{}", order.id);
            if let Reply::Response(status, found) =
                caller.try_once("GET", &path, None, &Value::Null)
            {
                self.storm.check(
                    matches!(status, 429 | 503) || found["code"] == order.code.as_str(),
                    || {
                        format!(
                            "a branch looked up its order {} and got {status}: {found}",
                            order.code
                        )
                    },
                );
            }
            if self.rng.bool()
                && merchant::cancel(self.storm, &caller, order.id)
                && let Some(acknowledged) = lock(&self.storm.acknowledged).get_mut(&order.code)
            {
                acknowledged.cancelled = true;
            }
        }
        if let Reply::Response(status, response) = self.caller.try_once(
            "DELETE",
            &format!("/delivery/stores/{id}"),
            None,
            &Value::Null,
        ) {
            // 409 if the branch has open orders or an unpaid balance.
            self.storm
                .check(matches!(status, 204 | 409 | 429 | 503), || {
                    format!("removing a branch got {status}: {response}")
                });
        }
    }

    /// Subscribes a receiver that never responds, and removes most of the subscriptions.
    fn subscribe(&mut self) {
        let body = json!({ "url": self.field.hanging });
        let Some((status, hook)) = self.retry_until_response("POST", "/delivery/webhooks", &body)
        else {
            return;
        };
        self.storm.check(matches!(status, 201 | 409), || {
            format!("creating a webhook got {status}: {hook}")
        });
        let Some(id) = id_of(&hook["id"]).filter(|_| status == 201) else {
            return;
        };
        self.add_target(
            self.field.clients.merchants[self.merchant].id,
            id,
            Kind::Webhook,
        );
        if self.rng.u8(..8) > 0 {
            self.retry_until_response("DELETE", &format!("/delivery/webhooks/{id}"), &Value::Null);
        }
    }

    fn probe(&mut self) {
        let merchant = self.merchant;
        match (self.rng.u8(..3), &self.branch) {
            (0, Some((store, caller))) => {
                probe(
                    self.field,
                    caller,
                    &Identity::Branch { store: *store },
                    &mut self.rng,
                );
            }
            (1, _) => {
                let caller = Caller::new(self.storm, &self.field.outsider.key);
                probe(self.field, &caller, &Identity::Courier, &mut self.rng);
            }
            _ => probe(
                self.field,
                &self.caller,
                &Identity::Parent { merchant },
                &mut self.rng,
            ),
        }
    }

    fn retry_until_response(&self, method: &str, path: &str, body: &Value) -> Option<(u16, Value)> {
        self.caller.retry_until_response(method, path, None, body)
    }

    fn add_target(&mut self, store: u64, id: u64, kind: Kind) {
        add_target(
            self.field,
            Target {
                merchant: self.merchant,
                store,
                id,
                kind,
            },
            &mut self.rng,
        );
    }

    fn pick_order(&mut self) -> Option<usize> {
        (!self.orders.is_empty()).then(|| self.rng.usize(..self.orders.len()))
    }

    /// Returns whether the merchant pays in advance, which is the last one.
    fn is_prepaid(&self) -> bool {
        self.merchant + 1 == self.field.clients.merchants.len()
    }
}

/// Sends an order until it is acknowledged, or rejected for insufficient balance.
fn create(
    storm: &RunState<'_>,
    caller: &Caller<'_>,
    code: String,
    is_prepaid: bool,
    rng: &mut Rng,
) -> Option<CreatedOrder> {
    let body = merchant::order(&code, rng);
    let key = (rng.u8(..4) > 0).then(|| format!("key-{code}"));
    lock(&storm.sent).insert(code.clone());
    let Some((status, response)) =
        caller.retry_until_response("POST", "/delivery/orders", key.as_deref(), &body)
    else {
        storm.record_violation(format!("{code} was never acknowledged"));
        return None;
    };
    if status == 402 && is_prepaid {
        lock(&storm.rejected).insert(code);
        return None;
    }
    let id = response["id"]
        .as_u64()
        .filter(|_| matches!(status, 200 | 201) && response["code"] == code.as_str());
    storm.check(id.is_some(), || format!("{code} got {status}: {response}"));
    let id = id?;
    lock(&storm.acknowledged).insert(
        code.clone(),
        Acknowledged {
            id,
            cancelled: false,
        },
    );
    let stops = response["deliveries"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|stop| stop["id"].as_u64())
        .collect();
    Some(CreatedOrder {
        code,
        id,
        key,
        body,
        stops,
    })
}

/// Returns an ID, which is a string or a number.
fn id_of(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}
