//! Streams rows from a database to the component.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use tokio::sync::mpsc::Receiver;
use wasmtime::{
    StoreContextMut,
    component::{Destination, StreamProducer, StreamResult},
};

/// The receiving end of a statement's rows.
pub(crate) struct Rows<R>(pub(crate) Receiver<R>);

impl<D, R> StreamProducer<D> for Rows<R>
where
    R: wasmtime::component::Lower + wasmtime::component::Lift + Send + Sync + 'static,
{
    type Item = R;
    type Buffer = Option<R>;

    fn poll_produce<'a>(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        store: StoreContextMut<'a, D>,
        mut to: Destination<'a, R, Option<R>>,
        finish: bool,
    ) -> Poll<wasmtime::Result<StreamResult>> {
        if to.remaining(store) == Some(0) {
            return Poll::Ready(Ok(StreamResult::Completed));
        }
        match self.get_mut().0.poll_recv(context) {
            Poll::Ready(Some(row)) => {
                to.set_buffer(Some(row));
                Poll::Ready(Ok(StreamResult::Completed))
            }
            Poll::Ready(None) => Poll::Ready(Ok(StreamResult::Dropped)),
            Poll::Pending if finish => Poll::Ready(Ok(StreamResult::Cancelled)),
            Poll::Pending => Poll::Pending,
        }
    }
}
