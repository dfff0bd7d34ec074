//! A runtime for tests: it responds at once, sleeping advances its clock, and it records requests
//! and events.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    future::Future,
    pin::pin,
    task::{Context, Poll, Waker},
    time::Duration,
};

use despacho_core::model::Address;

use crate::runtime::{
    AttemptError, CachedResult, Runtime, ServiceEvent, ServiceRequest, ServiceResponse,
};

/// Returns a status and a body for a URL, or an error.
type Script = dyn Fn(&str) -> Result<(u16, String), AttemptError>;

/// Responds by URL.
pub(crate) struct FakeRuntime {
    response: Box<Script>,
    elapsed: Cell<Duration>,
    requests: RefCell<Vec<String>>,
    cache: RefCell<BTreeMap<String, CachedResult>>,
    events: RefCell<Vec<ServiceEvent>>,
}

impl FakeRuntime {
    pub(crate) fn new(response: impl Fn(&str) -> (u16, String) + 'static) -> FakeRuntime {
        FakeRuntime::with(move |url| Ok(response(url)))
    }

    pub(crate) fn with(
        response: impl Fn(&str) -> Result<(u16, String), AttemptError> + 'static,
    ) -> FakeRuntime {
        FakeRuntime {
            response: Box::new(response),
            elapsed: Cell::new(Duration::ZERO),
            requests: RefCell::default(),
            cache: RefCell::default(),
            events: RefCell::default(),
        }
    }

    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.borrow().clone()
    }

    /// Returns the recorded events that match a condition.
    pub(crate) fn events(&self, is_wanted: impl Fn(&ServiceEvent) -> bool) -> Vec<ServiceEvent> {
        self.events
            .borrow()
            .iter()
            .filter(|event| is_wanted(event))
            .copied()
            .collect()
    }

    /// Returns the number of attempts with this outcome.
    pub(crate) fn count(&self, name: &str) -> usize {
        let ended = |event: &&ServiceEvent| matches!(event, ServiceEvent::Queried { outcome, .. } if outcome.name() == name);
        self.events.borrow().iter().filter(ended).count()
    }
}

impl Runtime for FakeRuntime {
    async fn send(
        &self,
        url: &str,
        _request: &ServiceRequest,
        _timeout: Duration,
    ) -> Result<ServiceResponse, AttemptError> {
        self.requests.borrow_mut().push(url.to_owned());
        let (status, body) = (self.response)(url)?;
        Ok(ServiceResponse {
            status,
            body: body.into(),
        })
    }

    async fn pause(&self, span: Duration) {
        self.elapsed.set(self.elapsed.get() + span);
    }

    fn elapsed(&self) -> Duration {
        self.elapsed.get()
    }

    fn jitter(&self) -> u8 {
        7
    }

    async fn cached(&self, request: &str) -> Option<CachedResult> {
        self.cache.borrow().get(request).copied()
    }

    async fn put_cached(&self, request: &str, result: &CachedResult) {
        self.cache.borrow_mut().insert(request.to_owned(), *result);
    }

    fn record(&self, event: ServiceEvent) {
        self.events.borrow_mut().push(event);
    }
}

/// Returns the output of a future that is ready at the first poll.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => unreachable!("the fake runtime never waits"),
    }
}

pub(crate) fn address() -> Address {
    let text = |text: &str| Some(text.to_owned());
    Address {
        street: text("Avenida Paulista"),
        number: text("1578"),
        city: text("São Paulo"),
        state: text("SP"),
        ..Address::default()
    }
}
