//! Boxed futures whose code stays a separate function.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

/// A future on the heap, polled through a function that is not inlined. Inlined into one function, fifty handlers produce more code,
/// and every caller's state has the size of the largest handler's.
///
/// It is not a `dyn Future`, so `Send` follows from its type, which depends on the host.
pub(super) struct BoxedHandler<F>(Pin<Box<F>>);

/// Boxes a future.
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
