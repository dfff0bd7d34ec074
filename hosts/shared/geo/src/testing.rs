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

use crate::world::{Answer, Kept, Missed, Note, Question, World};

/// A status and a body for an address.
type Says = dyn Fn(&str) -> (u16, String);

/// Answers by the address that it is asked at.
pub(crate) struct Fixed {
    answer: Box<Says>,
    elapsed: Cell<Duration>,
    asked: RefCell<Vec<String>>,
    kept: RefCell<BTreeMap<String, Kept>>,
    notes: RefCell<Vec<Note>>,
}

impl Fixed {
    pub(crate) fn new(answer: impl Fn(&str) -> (u16, String) + 'static) -> Fixed {
        Fixed {
            answer: Box::new(answer),
            elapsed: Cell::new(Duration::ZERO),
            asked: RefCell::default(),
            kept: RefCell::default(),
            notes: RefCell::default(),
        }
    }

    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.borrow().clone()
    }

    /// Attempts that ended so.
    pub(crate) fn count(&self, name: &str) -> usize {
        let ended = |note: &&Note| matches!(note, Note::Asked { outcome, .. } if outcome.name() == name);
        self.notes.borrow().iter().filter(ended).count()
    }
}

impl World for Fixed {
    async fn send(&self, url: &str, _question: &Question, _patience: Duration) -> Result<Answer, Missed> {
        self.asked.borrow_mut().push(url.to_owned());
        let (status, body) = (self.answer)(url);
        Ok(Answer { status, body: body.into() })
    }

    async fn pause(&self, span: Duration) {
        self.elapsed.set(self.elapsed.get() + span);
    }

    fn elapsed(&self) -> Duration {
        self.elapsed.get()
    }

    fn chance(&self) -> u8 {
        7
    }

    async fn kept(&self, question: &str) -> Option<Kept> {
        self.kept.borrow().get(question).copied()
    }

    async fn keep(&self, question: &str, kept: &Kept) {
        self.kept.borrow_mut().insert(question.to_owned(), *kept);
    }

    fn note(&self, note: Note) {
        self.notes.borrow_mut().push(note);
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
