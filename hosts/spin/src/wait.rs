//! Timeouts, and notifications between requests of one instance.

use std::{cell::RefCell, future::poll_fn, pin::pin, task::Poll, time::Duration};

use futures_util::future::{Either, select};
use spin_sdk::wasip3::{wit_bindgen::StreamWriter, wit_stream};

/// Returns the result of `work`, or `None` if it takes longer than `limit`. The work is then
/// cancelled.
pub(crate) async fn within<T>(limit: Duration, work: impl Future<Output = T>) -> Option<T> {
    let mut work = pin!(work);
    // A timer costs several calls to the runtime, and most work is complete at once, such as the
    // body of a small request.
    if let Poll::Ready(done) = poll_fn(|context| Poll::Ready(work.as_mut().poll(context))).await {
        return Some(done);
    }
    match select(work, pin!(spin_sdk::time::sleep(limit))).await {
        Either::Left((done, _)) => Some(done),
        Either::Right(_) => None,
    }
}

/// Wakes all requests of this instance that wait for it.
///
/// A Rust waker cannot resume another request: the runtime resumes requests only for events of the
/// component model. Each waiting request therefore reads a stream that never carries data. Dropping
/// the writer, which is stored here, wakes the request.
pub(crate) struct Event(RefCell<Vec<StreamWriter<u8>>>);

impl Event {
    pub(crate) const fn new() -> Event {
        Event(RefCell::new(Vec::new()))
    }

    /// Waits for the next notification.
    pub(crate) async fn notified(&self) {
        let (writer, mut reader) = wit_stream::new::<u8>();
        self.0.borrow_mut().push(writer);
        reader.next().await;
    }

    pub(crate) fn notify_all(&self) {
        drop(self.0.take());
    }
}
