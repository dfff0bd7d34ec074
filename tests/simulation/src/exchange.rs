//! A client's operation with all its requests, and the record of one request on an instance.

use bytes::Bytes;
use despacho_core::{
    changes::Changes,
    model::{CourierId, OrderId, StoreId},
};
use http::{Method, Request};
use serde_json::Value;

/// A client's action, with the data that the oracle requires.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    /// Creates an order.
    Create {
        store: StoreId,
        quote: Option<usize>,
        content: Value,
    },
    /// Requests a price.
    Preview { store: StoreId, content: Value },
    /// Looks an order up.
    LookUp { order: OrderId, viewer: StoreId },
    /// Lists orders.
    List { viewer: StoreId },
    /// Requests the cost of a cancellation.
    CancellationCost { order: OrderId, viewer: StoreId },
    /// Takes a step of an order, as a store, a courier or the operator.
    Step {
        order: OrderId,
        by: Actor,
        wrong_code: bool,
        cancels: bool,
    },
    /// Reads a courier's trip.
    Trip { courier: CourierId },
    /// Reads the next page of a journal.
    Read { reader: usize },
    /// Reads a page of a statement.
    Statement { store: StoreId },
    /// Opens a branch.
    OpenBranch,
    /// Issues a key of a store.
    IssueKey,
    /// Revokes a key.
    RevokeKey { key: usize },
    /// Creates a webhook subscription.
    HookCreate {
        store: StoreId,
        url: String,
        events: Vec<&'static str>,
    },
    /// Rotates a webhook's secret.
    HookRotate { hook: usize },
    /// Registers a courier.
    Register,
    /// Changes a courier.
    UpdateCourier { courier: usize, removes: bool },
    /// Tops up a balance.
    TopUp { amount: i64 },
    /// Requests the decisions of a dispatch pass, which changes nothing.
    DryRun,
    /// Any action whose response needs no specific check.
    Plain,
    /// A request that must be rejected.
    Invalid,
}

/// The actor of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Actor {
    /// A store.
    Store(StoreId),
    /// A courier.
    Courier(CourierId),
    /// The operator.
    Operator,
}

/// A planned request.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) token: Option<String>,
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) body: Option<Value>,
    pub(crate) keyed: bool,
    pub(crate) action: Action,
}

/// The state of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// It waits for a response.
    Open,
    /// It got a successful response.
    Acknowledged,
    /// It was rejected.
    Rejected,
    /// It ended without a final response.
    Unknown,
}

/// A client's operation, which may take several requests.
#[derive(Clone, Debug)]
pub(crate) struct Exchange {
    pub(crate) plan: Plan,
    /// The `Idempotency-Key` of all its requests.
    pub(crate) key: Option<String>,
    pub(crate) state: State,
    /// The first successful response that the client received.
    pub(crate) response: Option<(u16, Bytes)>,
    /// Whether a commit stored its response.
    pub(crate) applied: bool,
    pub(crate) tries: u32,
    /// The number of events in its journal at the start.
    pub(crate) journal_events_at_start: usize,
    /// The number of its requests in the network or on an instance.
    pub(crate) in_flight: u32,
}

/// One request on an instance.
#[derive(Clone, Debug)]
pub(crate) struct Attempt {
    pub(crate) exchange: usize,
    /// The number of the order's events when the request arrived.
    pub(crate) order_events: usize,
    /// The number of the journal's events when the request arrived.
    pub(crate) journal_events: usize,
    /// Whether the response was stored before the request arrived.
    pub(crate) applied_before: bool,
    /// A kind of stored data that a rejected request must not store, if it committed any.
    pub(crate) stored_kind: Option<&'static str>,
    pub(crate) commits: u32,
    /// The kinds of the events that it caused itself.
    pub(crate) caused: Vec<&'static str>,
}

impl Plan {
    /// Creates a `GET` request.
    pub(crate) fn get(token: &str, path: String, action: Action) -> Plan {
        Plan {
            token: Some(token.to_owned()),
            method: Method::GET,
            path,
            body: None,
            keyed: false,
            action,
        }
    }

    /// Creates a `POST` request with an idempotency key.
    pub(crate) fn post(token: &str, path: impl Into<String>, body: Value, action: Action) -> Plan {
        let (token, path) = (Some(token.to_owned()), path.into());
        Plan {
            token,
            method: Method::POST,
            path,
            body: Some(body),
            keyed: true,
            action,
        }
    }

    /// Replaces the method with one that has no idempotency key.
    pub(crate) fn with(self, method: Method) -> Plan {
        Plan {
            method,
            keyed: false,
            ..self
        }
    }

    /// Returns the order of the action.
    pub(crate) fn order(&self) -> Option<OrderId> {
        match &self.action {
            Action::LookUp { order, .. }
            | Action::CancellationCost { order, .. }
            | Action::Step { order, .. } => Some(*order),
            _ => None,
        }
    }

    /// Returns whether the client retries without a response.
    pub(crate) fn is_retried(&self) -> bool {
        self.keyed
            || self.method == Method::GET
            || matches!(self.action, Action::Create { .. } | Action::Step { .. })
    }

    /// Builds the HTTP request.
    ///
    /// # Errors
    /// If the request is not valid HTTP.
    pub(crate) fn request(&self, key: Option<&str>) -> Result<Request<Bytes>, String> {
        let mut request = Request::builder().method(&self.method).uri(&self.path);
        if let Some(token) = &self.token {
            request = request.header("x-api-token", token);
        }
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        if matches!(self.action, Action::Statement { .. }) {
            request = request.header("accept", "application/json");
        }
        let body = match &self.body {
            Some(body) => {
                request = request.header("content-type", "application/json");
                Bytes::from(body.to_string())
            }
            None => Bytes::new(),
        };
        request
            .body(body)
            .map_err(|error| format!("{} {}: {error}", self.method, self.path))
    }
}

impl Attempt {
    /// Records a commit of this request.
    pub(crate) fn record_commit(&mut self, changes: &Changes) {
        self.commits += 1;
        let timed = [
            "order.preparing",
            "order.ready",
            "order.searching",
            "order.expired",
        ];
        let by_time = |kind: &str| timed.contains(&kind);
        let own = changes
            .events
            .iter()
            .filter(|event| event.by.name != "platform" || !by_time(event.kind.name()));
        self.caused.extend(own.map(|event| event.kind.name()));
        let refunds = changes
            .ledger
            .iter()
            .all(|entry| entry.kind == despacho_core::model::store::EntryKind::Refund);
        let left = [
            (!changes.stores.is_empty(), "a store"),
            (!changes.keys.is_empty(), "a key"),
            (!changes.couriers.is_empty(), "a courier"),
            (!changes.top_ups.is_empty(), "a top-up"),
            (
                !changes.webhooks.is_empty() || !changes.messages.is_empty(),
                "a subscription",
            ),
            (
                changes.orders.iter().any(|write| write.expected == 0),
                "an order",
            ),
            (!self.caused.is_empty(), "an event"),
            (!refunds, "an entry of the ledger"),
        ];
        self.stored_kind = self
            .stored_kind
            .or_else(|| left.iter().find(|(is, _)| *is).map(|(_, kind)| *kind));
    }
}
