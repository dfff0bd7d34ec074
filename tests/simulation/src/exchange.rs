//! What a client wants, however many requests it takes; and what one request did on its way.

use bytes::Bytes;
use despacho_core::{
    changes::Changes,
    model::{CourierId, OrderId, StoreId},
};
use http::{Method, Request};
use serde_json::Value;

/// What a client does, with what its judge must know.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    /// Creates an order.
    Create { store: StoreId, quote: Option<usize>, content: Value },
    /// Asks for a price.
    Preview { store: StoreId, content: Value },
    /// Looks an order up.
    Look { order: OrderId, viewer: StoreId },
    /// Lists orders.
    List { viewer: StoreId },
    /// Asks what a cancellation would cost.
    Terms { order: OrderId, viewer: StoreId },
    /// Does something with an order, as a store, a courier or the operator.
    Move { order: OrderId, by: By, wrong: bool, cancels: bool },
    /// Reads on in a journal.
    Read { reader: usize },
    /// Reads a page of a statement.
    Statement { store: StoreId },
    /// Opens a branch.
    OpenBranch,
    /// Issues a key of a store.
    IssueKey,
    /// Revokes a key.
    RevokeKey { key: usize },
    /// Subscribes.
    HookCreate { store: StoreId, url: String, events: Vec<&'static str> },
    /// Asks for another secret.
    HookRotate { hook: usize },
    /// Registers a courier.
    Register,
    /// Changes a courier.
    Alter { courier: usize, removes: bool },
    /// Books money in.
    TopUp { amount: i64 },
    /// Anything whose answer says no more than that it was taken.
    Plain,
    /// A request that must be refused.
    Wrong,
}

/// Who does it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// A store.
    Store(StoreId),
    /// A courier.
    Courier(CourierId),
    /// The operator.
    Operator,
}

/// A request that is to be made.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) token: Option<String>,
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) body: Option<Value>,
    pub(crate) keyed: bool,
    pub(crate) act: Act,
}

/// How far a client has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// It waits.
    Open,
    /// It was told that it is done.
    Acknowledged,
    /// It was told that it is not.
    Rejected,
    /// It gave up without being told.
    Unknown,
}

/// What a client wants, until it is told.
#[derive(Clone, Debug)]
pub(crate) struct Exchange {
    pub(crate) plan: Plan,
    /// The `Idempotency-Key` that all its requests carry.
    pub(crate) key: Option<String>,
    pub(crate) state: State,
    /// The first success that it was told.
    pub(crate) response: Option<(u16, Bytes)>,
    /// Whether a commit kept its answer.
    pub(crate) applied: bool,
    pub(crate) tries: u32,
    /// Events of the journal in question when it began.
    pub(crate) began_journal: usize,
    /// Its requests that are in the network or on an instance.
    pub(crate) flying: u32,
}

/// One request on an instance.
#[derive(Clone, Debug)]
pub(crate) struct Attempt {
    pub(crate) exchange: usize,
    /// Events of the order in question when it arrived.
    pub(crate) seen_order: usize,
    /// Events of the journal in question when it arrived.
    pub(crate) seen_journal: usize,
    /// Whether the answer was kept before it arrived.
    pub(crate) applied_before: bool,
    /// Whether it committed what a refused request may not leave behind.
    pub(crate) leaves: Option<&'static str>,
    pub(crate) commits: u32,
    /// Kinds of the events that it caused itself.
    pub(crate) caused: Vec<&'static str>,
}

impl Plan {
    /// A request without a body.
    pub(crate) fn get(token: &str, path: String, act: Act) -> Plan {
        Plan { token: Some(token.to_owned()), method: Method::GET, path, body: None, keyed: false, act }
    }

    /// A `POST` under an idempotency key.
    pub(crate) fn post(token: &str, path: impl Into<String>, body: Value, act: Act) -> Plan {
        let (token, path) = (Some(token.to_owned()), path.into());
        Plan { token, method: Method::POST, path, body: Some(body), keyed: true, act }
    }

    /// The same with another method, which knows no idempotency keys.
    pub(crate) fn with(self, method: Method) -> Plan {
        Plan { method, keyed: false, ..self }
    }

    /// The order in question.
    pub(crate) fn order(&self) -> Option<OrderId> {
        match &self.act {
            Act::Look { order, .. } | Act::Terms { order, .. } | Act::Move { order, .. } => Some(*order),
            _ => None,
        }
    }

    /// Whether a client that heard nothing asks again.
    pub(crate) fn repeats(&self) -> bool {
        self.keyed || self.method == Method::GET || matches!(self.act, Act::Create { .. } | Act::Move { .. })
    }

    /// The request as it is sent.
    ///
    /// # Errors
    /// A request that HTTP cannot say.
    pub(crate) fn request(&self, key: Option<&str>) -> Result<Request<Bytes>, String> {
        let mut request = Request::builder().method(&self.method).uri(&self.path);
        if let Some(token) = &self.token {
            request = request.header("x-api-token", token);
        }
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        if matches!(self.act, Act::Statement { .. }) {
            request = request.header("accept", "application/json");
        }
        let body = match &self.body {
            Some(body) => {
                request = request.header("content-type", "application/json");
                Bytes::from(body.to_string())
            }
            None => Bytes::new(),
        };
        request.body(body).map_err(|error| format!("{} {}: {error}", self.method, self.path))
    }
}

impl Attempt {
    /// Takes a commit of its own up.
    pub(crate) fn note(&mut self, changes: &Changes) {
        self.commits += 1;
        let by_time = |kind: &str| matches!(kind, "order.ready" | "order.searching" | "order.expired");
        let own = changes.events.iter().filter(|event| event.by.name != "platform" || !by_time(event.kind.name()));
        self.caused.extend(own.map(|event| event.kind.name()));
        let refunds = changes.ledger.iter().all(|entry| entry.kind == despacho_core::model::store::EntryKind::Refund);
        let left = [
            (!changes.stores.is_empty(), "a store"),
            (!changes.keys.is_empty(), "a key"),
            (!changes.couriers.is_empty(), "a courier"),
            (!changes.top_ups.is_empty(), "a top-up"),
            (!changes.webhooks.is_empty() || !changes.messages.is_empty(), "a subscription"),
            (changes.orders.iter().any(|write| write.expected == 0), "an order"),
            (!self.caused.is_empty(), "an event"),
            (!refunds, "an entry of the ledger"),
        ];
        self.leaves = self.leaves.or_else(|| left.iter().find(|(is, _)| *is).map(|(_, what)| *what));
    }
}
