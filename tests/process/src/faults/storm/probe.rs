//! Tenancy probes: requests by ID with keys of other merchants, of branches and of couriers.

use fastrand::Rng;
use serde_json::{Value, json};

use super::Field;
use crate::faults::{
    client::{Caller, Reply},
    run::lock,
};

/// A resource that belongs to one store.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    /// The index of its merchant.
    pub(crate) merchant: usize,
    pub(crate) store: u64,
    pub(crate) id: u64,
    pub(crate) kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Order,
    Store,
    Key,
    Webhook,
}

/// The maximum number of targets. A new target then replaces a random one.
const MAX_TARGETS: usize = 2_000;
/// The number of requests of one probe.
const REQUESTS: usize = 6;

/// The identity of the probing client.
pub(crate) enum Identity {
    Parent { merchant: usize },
    Branch { store: u64 },
    Courier,
}

impl Identity {
    fn may_access(&self, target: &Target) -> bool {
        match self {
            Identity::Parent { merchant } => target.merchant == *merchant,
            Identity::Branch { store } => target.store == *store,
            Identity::Courier => false,
        }
    }
}

/// Adds a target for the probes of all clients.
pub(crate) fn add_target(field: &Field<'_>, target: Target, rng: &mut Rng) {
    let mut targets = lock(&field.targets);
    if targets.len() < MAX_TARGETS {
        targets.push(target);
    } else {
        let index = rng.usize(..targets.len());
        targets[index] = target;
    }
}

/// Sends requests for resources that the identity may not access. Each must be rejected as unknown
/// or forbidden.
pub(crate) fn probe(field: &Field<'_>, caller: &Caller<'_>, identity: &Identity, rng: &mut Rng) {
    for _ in 0..REQUESTS {
        let target = {
            let targets = lock(&field.targets);
            targets[rng.usize(..targets.len())]
        };
        if identity.may_access(&target) {
            continue;
        }
        let requests = requests(&target);
        let (method, path, body) = &requests[rng.usize(..requests.len())];
        if let Reply::Response(status, response) = caller.try_once(method, path, None, body) {
            field.storm.check(matches!(status, 401 | 403 | 404 | 429 | 503), || {
                format!("tenancy: {method} {path} with another store's key returned {status}: {response}")
            });
        }
    }
}

fn requests(target: &Target) -> Vec<(&'static str, String, Value)> {
    let id = target.id;
    let (get, post, delete) = (
        |path: String| ("GET", path, Value::Null),
        |path: String, body: Value| ("POST", path, body),
        |path: String| ("DELETE", path, Value::Null),
    );
    match target.kind {
        Kind::Order => vec![
            get(format!("/delivery/orders/{id}")),
            get(format!("/delivery/orders/{id}/cancellation")),
            post(
                "/delivery/orders/cancel".to_owned(),
                json!({ "orderId": id }),
            ),
            post(
                "/delivery/orders/cancel".to_owned(),
                json!({ "orderId": id, "deliveryId": 1 }),
            ),
            post(format!("/delivery/orders/{id}/ready"), json!({})),
            post(
                format!("/delivery/orders/{id}/delay"),
                json!({ "minutes": 5 }),
            ),
            post(
                format!("/delivery/orders/{id}/discard"),
                json!({ "deliveryId": 1 }),
            ),
            post(
                format!("/delivery/orders/{id}/return"),
                json!({ "deliveryId": 1, "reason": "probe" }),
            ),
            post(format!("/delivery/orders/{id}/waive"), json!({})),
            post(format!("/courier/orders/{id}/arrive"), json!({})),
            post(
                format!("/courier/orders/{id}/pickup"),
                json!({ "code": "0000" }),
            ),
            post(
                format!("/courier/orders/{id}/deliver"),
                json!({ "deliveryId": 1 }),
            ),
            post(
                format!("/courier/orders/{id}/decline"),
                json!({ "reason": "probe" }),
            ),
            post(
                format!("/admin/orders/{id}/cancel"),
                json!({ "reason": "probe" }),
            ),
        ],
        Kind::Store => vec![
            get(format!("/delivery/stores/{id}")),
            delete(format!("/delivery/stores/{id}")),
            post(
                "/delivery/keys".to_owned(),
                json!({ "storeId": id, "name": "probe" }),
            ),
            post(
                format!("/admin/stores/{id}/top-ups"),
                json!({ "amount": 1, "reference": "probe" }),
            ),
        ],
        Kind::Key => vec![
            delete(format!("/delivery/keys/{id}")),
            delete(format!("/admin/keys/{id}")),
        ],
        Kind::Webhook => vec![
            get(format!("/delivery/webhooks/{id}/attempts")),
            post(format!("/delivery/webhooks/{id}/rotate"), json!({})),
            post(format!("/delivery/webhooks/{id}/enable"), json!({})),
            post(format!("/delivery/webhooks/{id}/test"), json!({})),
            delete(format!("/delivery/webhooks/{id}")),
        ],
    }
}

/// Returns a valid company number (CNPJ) for each count: twelve digits and two check digits, modulo
/// 11 with weights 2 to 9 from the right.
pub(crate) fn cnpj(count: u32) -> String {
    let mut digits: Vec<u32> = format!("77{count:010}")
        .chars()
        .filter_map(|digit| digit.to_digit(10))
        .collect();
    for _ in 0..2 {
        let sum: u32 = digits
            .iter()
            .rev()
            .zip((2..=9).cycle())
            .map(|(digit, weight)| digit * weight)
            .sum();
        digits.push(if sum % 11 < 2 { 0 } else { 11 - sum % 11 });
    }
    digits.iter().map(u32::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_digits_match_a_published_company_number() {
        let digits: Vec<u32> = cnpj(0)
            .chars()
            .filter_map(|digit| digit.to_digit(10))
            .collect();
        assert_eq!(digits.len(), 14);
        // 00.000.000/0001-91 by the same rule.
        let check = |digits: &[u32]| {
            let sum: u32 = digits
                .iter()
                .rev()
                .zip((2..=9).cycle())
                .map(|(digit, weight)| digit * weight)
                .sum();
            if sum % 11 < 2 { 0 } else { 11 - sum % 11 }
        };
        assert_eq!(check(&[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]), 9);
        assert_eq!(check(&[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 9]), 1);
        assert_eq!(
            (check(&digits[..12]), check(&digits[..13])),
            (digits[12], digits[13])
        );
    }
}
