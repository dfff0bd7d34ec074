//! Sends several requests on one connection in order, before the first response arrives.

use std::{
    future::{Future, poll_fn},
    pin::Pin,
    task::Poll,
};

/// A pending request. Its message is sent at the first poll.
pub(crate) type PendingRequest<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Waits for all requests. It first polls them in order, which is the order of their messages;
/// `join_all` does not guarantee an order.
pub(crate) async fn in_order<T>(mut requests: Vec<PendingRequest<'_, T>>) -> Vec<T> {
    let mut responses: Vec<Option<T>> = requests.iter().map(|_| None).collect();
    let (mut sent, mut oldest) = (0, 0);
    poll_fn(|context| {
        for (request, response) in requests.iter_mut().zip(&mut responses).skip(sent) {
            if let Poll::Ready(ready) = request.as_mut().poll(context) {
                *response = Some(ready);
            }
            sent += 1;
        }
        // Responses arrive in the order of the requests, so only the oldest pending request needs a
        // poll.
        for (request, response) in requests.iter_mut().zip(&mut responses).skip(oldest) {
            if response.is_none() {
                match request.as_mut().poll(context) {
                    Poll::Ready(ready) => *response = Some(ready),
                    Poll::Pending => return Poll::Pending,
                }
            }
            oldest += 1;
        }
        Poll::Ready(())
    })
    .await;
    responses.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn requests_are_sent_in_order_and_not_polled_after_completion() {
        let sent = std::sync::Mutex::new(Vec::new());
        let request = |number: usize| -> PendingRequest<'_, usize> {
            let sent = &sent;
            Box::pin(async move {
                sent.lock().unwrap().push(number);
                // Later requests complete first.
                for _ in number..40 {
                    tokio::task::yield_now().await;
                }
                number
            })
        };
        let responses = in_order((0..=40).map(request).collect()).await;
        assert_eq!(responses, (0..=40).collect::<Vec<_>>());
        assert_eq!(*sent.lock().unwrap(), responses);
    }
}
