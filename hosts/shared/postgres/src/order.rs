//! Several requests on one connection, sent in their order before the first is answered.

use std::{
    future::{Future, poll_fn},
    pin::Pin,
    task::Poll,
};

/// A request whose answer has not come yet. Its message leaves when it is first asked for.
pub(crate) type Sent<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Waits for all. They are first asked in their order, which is the order that the messages leave in: `join_all` promises none.
pub(crate) async fn in_order<T>(mut requests: Vec<Sent<'_, T>>) -> Vec<T> {
    let mut responses: Vec<Option<T>> = requests.iter().map(|_| None).collect();
    let (mut sent, mut oldest) = (0, 0);
    poll_fn(|context| {
        for (request, response) in requests.iter_mut().zip(&mut responses).skip(sent) {
            if let Poll::Ready(ready) = request.as_mut().poll(context) {
                *response = Some(ready);
            }
            sent += 1;
        }
        // Answers come in the order of the questions, so that the oldest one is all there is to wait for.
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
    async fn all_leave_in_order_and_none_is_asked_again_once_it_answered() {
        let left = std::sync::Mutex::new(Vec::new());
        let request = |number: usize| -> Sent<'_, usize> {
            let left = &left;
            Box::pin(async move {
                left.lock().unwrap().push(number);
                // The later ones are answered first.
                for _ in number..40 {
                    tokio::task::yield_now().await;
                }
                number
            })
        };
        let responses = in_order((0..=40).map(request).collect()).await;
        assert_eq!(responses, (0..=40).collect::<Vec<_>>());
        assert_eq!(*left.lock().unwrap(), responses);
    }
}
