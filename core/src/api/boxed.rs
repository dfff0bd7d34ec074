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
use crate::host::{Part, Platform};

/// A future on the heap, polled through a function that is not inlined. Inlined into one function, fifty handlers produce more code,
/// and every caller's state has the size of the largest handler's.
///
/// It is not a `dyn Future`, so `Send` follows from its type, which depends on the host. The program of a host that does not serve the
/// endpoint does not contain the code of the future.
pub(super) struct BoxedHandler<H, F, const PART: u8>(Pin<Box<F>>, PhantomData<fn() -> H>);

/// Boxes the future of an endpoint of the operator.
pub(super) fn operator<H, F: Future>(future: F) -> BoxedHandler<H, F, { Part::Operator as u8 }> {
    BoxedHandler(Box::pin(future), PhantomData)
}

/// Boxes the future of an endpoint of couriers.
pub(super) fn courier<H, F: Future>(future: F) -> BoxedHandler<H, F, { Part::Courier as u8 }> {
    BoxedHandler(Box::pin(future), PhantomData)
}

/// Boxes the future of an endpoint of webhooks, of Open Delivery, or of the dispatch pass.
pub(super) fn connection<H, F: Future>(future: F) -> BoxedHandler<H, F, { Part::Connection as u8 }> {
    BoxedHandler(Box::pin(future), PhantomData)
}

/// Boxes the future of the preview.
pub(super) fn previewed<H, F: Future>(future: F) -> BoxedHandler<H, F, { Part::Preview as u8 }> {
    BoxedHandler(Box::pin(future), PhantomData)
}

/// Boxes the future of any other endpoint.
pub(super) fn boxed<H, F: Future>(future: F) -> BoxedHandler<H, F, { Part::Store as u8 }> {
    BoxedHandler(Box::pin(future), PhantomData)
}

impl<H: Platform, F: Future<Output = Result<ApiResponse, HandlerError>>, const PART: u8> Future
    for BoxedHandler<H, F, PART>
{
    type Output = F::Output;

    #[inline(never)]
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        if H::ENDPOINTS.includes(PART) {
            self.0.as_mut().poll(context)
        } else {
            Poll::Ready(Err(plain(ProblemCode::EndpointNotFound).into()))
        }
    }
}
