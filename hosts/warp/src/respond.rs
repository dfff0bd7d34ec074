//! Runs one request with a time limit and catches its panics.

use std::{
    future::Future,
    panic::AssertUnwindSafe,
    pin::Pin,
    sync::Arc,
    task::{Context as TaskContext, Poll},
    time::{Duration, Instant},
};

use bytes::Bytes;
use despacho_core::{
    api::{Endpoint, Outcome},
    drivers::stream::Subscription,
};
use futures_util::FutureExt;
use http::{Request, Response};
use tokio::{runtime::Handle, task::JoinHandle, time::timeout};
use tokio_util::task::{AbortOnDropHandle, TaskTracker};

use crate::{
    app::App,
    connections::Connection,
    early::{self, EarlyResponse},
    endpoints, event_stream, recipient_stream,
    telemetry::{self, Context},
    work::Work,
};

impl App {
    /// Returns the response to a request: 500 after a panic, 504 after the time limit.
    ///
    /// Requests that may write run in a separate task: a client that disconnects must not interrupt
    /// them between two steps. Requests that take long run on threads of their own. `place` is held
    /// until the work ends, even if the client has disconnected; its permit must not admit another
    /// request earlier.
    pub async fn respond<P: Send + 'static>(
        self: Arc<App>,
        request: Request<Bytes>,
        endpoint: Endpoint,
        place: P,
    ) -> warp::reply::Response {
        let facts = early::facts(&request);
        let writes = endpoint.may_write(request.headers());
        let heavy = endpoint.is_heavy(request.body());
        let threads = if heavy {
            self.work.requests()
        } else {
            Handle::current()
        };
        let (app, time_limit) = (self.clone(), self.timeout);
        let context = request.extensions().get::<Context>().cloned();
        let connection = request.extensions().get::<Arc<Connection>>().cloned();
        let reply = telemetry::within(context, async move { app.route(request).await });
        let reply = Measured {
            app: self.clone(),
            reply: Box::pin(reply),
            longest: Duration::ZERO,
        };
        let ended = if writes {
            in_time(detached(&self.tasks, &threads, reply, place), time_limit).await
        } else if heavy {
            in_time(abortable(&threads, reply, place), time_limit).await
        } else {
            let responded = in_time(reply, time_limit).await;
            drop(place);
            responded
        };
        let response = match ended {
            Ended::Response((response, None)) => response,
            Ended::Response((begun, Some(subscription))) => {
                return match subscription {
                    Subscription::Journal(journal) => {
                        event_stream::respond(&self, &facts, begun, journal, connection)
                    }
                    Subscription::Delivery(delivery) => {
                        recipient_stream::respond(&self, &facts, begun, delivery, connection)
                    }
                };
            }
            Ended::Late => early::respond(&facts, "unmatched", EarlyResponse::Late),
            Ended::Panicked => {
                self.metrics.panics.inc();
                early::respond(&facts, "unmatched", EarlyResponse::Broken)
            }
        };
        response.map(Into::into)
    }

    async fn route(
        self: Arc<App>,
        request: Request<Bytes>,
    ) -> (Response<Bytes>, Option<Subscription>) {
        match endpoints::serve(&self, &request).await {
            Some(response) => (response, None),
            // Boxed: otherwise the surrounding tasks and timeouts copy the large future at each
            // step.
            None => Box::pin(self.store.respond_or_stream(&self.settings, request)).await,
        }
    }
}

/// The result of a request.
#[derive(Debug)]
enum Ended<T> {
    Response(T),
    Late,
    Panicked,
}

/// Runs a future with a time limit and catches its panics. A panic cannot leave shared state
/// inconsistent: the future owns its state, and the database's transactions run on other threads.
async fn in_time<T>(reply: impl Future<Output = T>, time_limit: Duration) -> Ended<T> {
    match timeout(time_limit, AssertUnwindSafe(reply).catch_unwind()).await {
        Ok(Ok(response)) => Ended::Response(response),
        Ok(Err(_)) => Ended::Panicked,
        Err(_) => Ended::Late,
    }
}

/// Runs `reply` in a separate task on these threads, which ends even if the caller is cancelled,
/// and holds `held` until then.
async fn detached<T: Send + 'static>(
    tasks: &TaskTracker,
    threads: &Handle,
    reply: impl Future<Output = T> + Send + 'static,
    held: impl Send + 'static,
) -> T {
    joined(tasks.spawn_on(holding(reply, held), threads)).await
}

/// Runs `reply` in a separate task on these threads, which is aborted if the caller is cancelled,
/// and holds `held` until then.
async fn abortable<T: Send + 'static>(
    threads: &Handle,
    reply: impl Future<Output = T> + Send + 'static,
    held: impl Send + 'static,
) -> T {
    let task = AbortOnDropHandle::new(threads.spawn(holding(reply, held)));
    propagated(task.await)
}

async fn holding<T>(reply: impl Future<Output = T>, held: impl Send) -> T {
    let response = reply.await;
    drop(held);
    response
}

async fn joined<T>(task: JoinHandle<T>) -> T {
    propagated(task.await)
}

fn propagated<T>(ended: Result<T, tokio::task::JoinError>) -> T {
    match ended {
        Ok(response) => response,
        // The task is never aborted while it is awaited, so it panicked. The panic is propagated.
        Err(error) => std::panic::resume_unwind(Box::new(error.to_string())),
    }
}

/// Records the longest time for which a request occupied a thread without a pause.
struct Measured<F> {
    app: Arc<App>,
    reply: Pin<Box<F>>,
    longest: Duration,
}

impl<F: Future<Output = (Response<Bytes>, Option<Subscription>)>> Future for Measured<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut TaskContext<'_>) -> Poll<F::Output> {
        let started = Instant::now();
        let polled = self.reply.as_mut().poll(context);
        self.longest = self.longest.max(started.elapsed());
        if let Poll::Ready((response, _)) = &polled {
            let route = response
                .extensions()
                .get::<Outcome>()
                .map_or("unmatched", |outcome| outcome.route);
            let threads = if Work::is_current_thread() {
                "work"
            } else {
                "serving"
            };
            self.app.metrics.polled(route, threads, self.longest);
        }
        polled
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot;

    use super::*;

    const TIMEOUT: Duration = Duration::from_secs(5);

    #[tokio::test]
    async fn panic_is_caught_inline_and_in_a_task() {
        let broken = || async { panic!("a bug") };
        assert!(matches!(
            in_time::<()>(broken(), TIMEOUT).await,
            Ended::Panicked
        ));
        assert!(matches!(
            in_time::<()>(
                detached(&TaskTracker::new(), &Handle::current(), broken(), ()),
                TIMEOUT
            )
            .await,
            Ended::Panicked
        ));
        assert!(matches!(
            in_time::<()>(abortable(&Handle::current(), broken(), ()), TIMEOUT).await,
            Ended::Panicked
        ));
        assert!(matches!(
            in_time(async { 1 }, TIMEOUT).await,
            Ended::Response(1)
        ));
    }

    #[tokio::test(start_paused = true)]
    async fn write_after_the_time_limit_still_completes() {
        let tasks = TaskTracker::new();
        tasks.close();
        let slow = async { tokio::time::sleep(2 * TIMEOUT).await };
        assert!(matches!(
            in_time(detached(&tasks, &Handle::current(), slow, ()), TIMEOUT).await,
            Ended::Late
        ));
        assert!(
            timeout(TIMEOUT / 2, tasks.wait()).await.is_err(),
            "it still runs"
        );
        assert!(timeout(TIMEOUT, tasks.wait()).await.is_ok(), "it has ended");
    }

    #[tokio::test(start_paused = true)]
    async fn read_after_the_time_limit_is_aborted() {
        let (held, released) = oneshot::channel::<()>();
        let endless = std::future::pending::<()>();
        assert!(matches!(
            in_time(abortable(&Handle::current(), endless, held), TIMEOUT).await,
            Ended::Late
        ));
        assert!(released.await.is_err(), "its place is free again");
    }
}
