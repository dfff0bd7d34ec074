//! Futures that keep apart from the one that waits for them.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

/// A future on the heap whose code stays a function of its own. Fifty handlers within one function have so many variables that
/// reaching one takes longer code than each of them alone, and their states would be as large as the largest's in every caller.
///
/// It is no `dyn Future`: whether it may move between threads is up to the host, and follows from its type.
pub(super) struct BoxedHandler<F>(Pin<Box<F>>);

/// Puts a future apart.
pub(super) fn boxed<F: Future>(future: F) -> BoxedHandler<F> {
    BoxedHandler(Box::pin(future))
}

impl<F: Future> Future for BoxedHandler<F> {
    type Output = F::Output;

    #[inline(never)]
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        self.0.as_mut().poll(context)
    }
}
