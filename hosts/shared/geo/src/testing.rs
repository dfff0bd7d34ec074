//! A world for tests: it answers at once, its clock moves when somebody waits, and it remembers.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    future::Future,
    pin::pin,
    task::{Context, Poll, Waker},
    time::Duration,
};

use despacho_core::model::Address;

use crate::runtime::{AttemptError, Kept, Runtime, ServiceEvent, ServiceRequest, ServiceResponse};

/// A status and a body for an address.
type Script = dyn Fn(&str) -> (u16, String);

/// Answers by the address that it is asked at.
pub(crate) struct Fixed {
    response: Box<Script>,
    elapsed: Cell<Duration>,
    requests: RefCell<Vec<String>>,
    kept: RefCell<BTreeMap<String, Kept>>,
    notes: RefCell<Vec<ServiceEvent>>,
}

impl Fixed {
    pub(crate) fn new(response: impl Fn(&str) -> (u16, String) + 'static) -> Fixed {
        Fixed {
            response: Box::new(response),
            elapsed: Cell::new(Duration::ZERO),
            requests: RefCell::default(),
            kept: RefCell::default(),
            notes: RefCell::default(),
        }
    }

    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.borrow().clone()
    }

    /// Attempts that ended so.
    pub(crate) fn count(&self, name: &str) -> usize {
        let ended =
            |record: &&ServiceEvent| matches!(record, ServiceEvent::Queried { outcome, .. } if outcome.name() == name);
        self.notes.borrow().iter().filter(ended).count()
    }
}

impl Runtime for Fixed {
    async fn send(
        &self,
        url: &str,
        _request: &ServiceRequest,
        _timeout: Duration,
    ) -> Result<ServiceResponse, AttemptError> {
        self.requests.borrow_mut().push(url.to_owned());
        let (status, body) = (self.response)(url);
        Ok(ServiceResponse { status, body: body.into() })
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

    async fn kept(&self, request: &str) -> Option<Kept> {
        self.kept.borrow().get(request).copied()
    }

    async fn keep(&self, request: &str, kept: &Kept) {
        self.kept.borrow_mut().insert(request.to_owned(), *kept);
    }

    fn record(&self, record: ServiceEvent) {
        self.notes.borrow_mut().push(record);
    }
}

/// What a future gives that never waits.
pub(crate) fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => unreachable!("nothing here waits"),
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
