//! Boxed futures whose code stays a separate function.

use std::{
    future::Future,
    marker::PhantomData,
    pin::Pin,
    task::{Context, Poll},
};

use super::{
    call::{ApiResponse, HandlerError, plain},
    problem::ProblemCode,
};
use crate::host::Platform;

/// A future on the heap, polled through a function that is not inlined. Inlined into one function, fifty handlers produce more code,
/// and every caller's state has the size of the largest handler's.
///
/// It is not a `dyn Future`, so `Send` follows from its type, which depends on the host. The program of a host that does not serve the
/// endpoint does not contain the code of the future.
pub(super) struct BoxedHandler<H, F, const OPERATOR: bool>(Pin<Box<F>>, PhantomData<fn() -> H>);

/// Boxes the future of an endpoint of the operator.
pub(super) fn operator<H, F: Future>(future: F) -> BoxedHandler<H, F, true> {
    BoxedHandler(Box::pin(future), PhantomData)
}

/// Boxes the future of any other endpoint.
pub(super) fn boxed<H, F: Future>(future: F) -> BoxedHandler<H, F, false> {
    BoxedHandler(Box::pin(future), PhantomData)
}

impl<H: Platform, F: Future<Output = Result<ApiResponse, HandlerError>>, const OPERATOR: bool> Future
    for BoxedHandler<H, F, OPERATOR>
{
    type Output = F::Output;

    #[inline(never)]
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        if H::ENDPOINTS.includes(OPERATOR) {
            self.0.as_mut().poll(context)
        } else {
            Poll::Ready(Err(plain(ProblemCode::EndpointNotFound).into()))
        }
    }
}
