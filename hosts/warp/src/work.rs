//! Requests that take more than about a millisecond of processor time: the threads on which they
//! run, and the turns of their callers.
//!
//! The threads that serve connections respond to all requests, health checks included, so a request
//! that occupies one of them for a second delays all others by that second.
//! [`despacho_core::api::Endpoint::is_heavy`] selects the requests that run here instead. A merchant
//! runs one of them at a time, and a few run in all; the others wait. Merchants take turns in the
//! order in which their next request came.

use std::{
    collections::HashMap,
    num::NonZero,
    sync::{Arc, Mutex, PoisonError},
    thread::available_parallelism,
    time::Duration,
};

use despacho_core::host::{HostError, Turn};
use tokio::{
    runtime::{Builder, Handle, Runtime},
    sync::Semaphore,
    time::timeout,
};

use crate::error::StartError;

/// Maximum number of heavy requests that run at the same time: less than the connections with which
/// SQLite reads, so that one of these is always left for other requests.
const MAX_RUNNING: usize = 3;
/// Maximum number of a caller's heavy requests that wait.
const MAX_WAITING: usize = 64;
/// Maximum time for which a request waits for its turn.
const MAX_WAIT: Duration = Duration::from_secs(10);
/// The name of the threads.
const THREAD: &str = "work";

/// Returns how many heavy requests run at the same time.
fn max_running() -> usize {
    available_parallelism()
        .map_or(1, NonZero::get)
        .clamp(2, MAX_RUNNING)
}

/// The threads for heavy requests, and for the passes of the scheduler.
#[derive(Debug)]
pub struct Work {
    requests: Option<Runtime>,
    passes: Option<Runtime>,
}

impl Work {
    /// Starts the threads.
    pub fn start() -> Result<Work, StartError> {
        let start = |name: &str, threads| {
            let runtime = Builder::new_multi_thread()
                .worker_threads(threads)
                .thread_name(name)
                .enable_all()
                .build();
            runtime.map_err(|error| StartError::Process {
                action: "start the threads for long requests",
                error,
            })
        };
        // Passes have their own thread, because orders must not wait for merchants' reports.
        Ok(Work {
            requests: Some(start(THREAD, max_running())?),
            passes: Some(start("passes", 1)?),
        })
    }

    /// Returns the threads for heavy requests.
    pub fn requests(&self) -> Handle {
        self.requests
            .as_ref()
            .map_or_else(Handle::current, |runtime| runtime.handle().clone())
    }

    /// Returns the thread for the passes of the scheduler.
    pub fn passes(&self) -> Handle {
        self.passes
            .as_ref()
            .map_or_else(Handle::current, |runtime| runtime.handle().clone())
    }

    /// Returns whether the current thread is one of those for heavy requests.
    pub fn is_current_thread() -> bool {
        std::thread::current().name() == Some(THREAD)
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        // The server waits for requests and passes before. A runtime must not be dropped in an
        // asynchronous task in another way.
        for runtime in [self.requests.take(), self.passes.take()]
            .into_iter()
            .flatten()
        {
            runtime.shutdown_background();
        }
    }
}

/// The turns of callers.
#[derive(Debug)]
pub struct Turns {
    running: Arc<Semaphore>,
    callers: Arc<Mutex<HashMap<String, Caller>>>,
    max_wait: Duration,
}

/// The requests of one caller.
#[derive(Debug)]
struct Caller {
    turn: Arc<Semaphore>,
    /// The number of requests that run or wait.
    requests: usize,
}

/// A request of a caller that runs or waits.
struct Place {
    callers: Arc<Mutex<HashMap<String, Caller>>>,
    caller: String,
    turn: Arc<Semaphore>,
}

impl Turns {
    /// Creates the turns without any request.
    pub fn new() -> Turns {
        Turns {
            running: Arc::new(Semaphore::new(max_running())),
            callers: Arc::default(),
            max_wait: MAX_WAIT,
        }
    }

    /// Waits for a caller's turn. `None` if too many of its requests wait.
    pub async fn take(&self, caller: &str) -> Result<Option<Turn>, HostError> {
        let Some(place) = Place::of(&self.callers, caller) else {
            return Ok(None);
        };
        let turn = async {
            let own = place.turn.clone().acquire_owned().await.ok()?;
            // Only one request of each caller waits here, so callers take turns.
            let running = self.running.clone().acquire_owned().await.ok()?;
            Some((own, running))
        };
        match timeout(self.max_wait, turn).await {
            // Fields are dropped in this order: the permits before the place.
            Ok(Some((own, running))) => Ok(Some(Turn::holding((running, own, place)))),
            _ => {
                let detail = "the request waited too long for its turn".to_owned();
                Err(HostError::Unavailable {
                    what: "server",
                    detail,
                })
            }
        }
    }
}

impl Default for Turns {
    fn default() -> Turns {
        Turns::new()
    }
}

impl Place {
    fn of(callers: &Arc<Mutex<HashMap<String, Caller>>>, caller: &str) -> Option<Place> {
        let mut known = callers.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = known.entry(caller.to_owned());
        let entry = entry.or_insert_with(|| Caller {
            turn: Arc::new(Semaphore::new(1)),
            requests: 0,
        });
        if entry.requests > MAX_WAITING {
            return None;
        }
        entry.requests += 1;
        let turn = entry.turn.clone();
        Some(Place {
            callers: callers.clone(),
            caller: caller.to_owned(),
            turn,
        })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut known = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(caller) = known.get_mut(&self.caller) {
            caller.requests -= 1;
            if caller.requests == 0 {
                known.remove(&self.caller);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        future::{Future, poll_fn},
        pin::{Pin, pin},
        task::Poll,
    };

    use super::*;

    async fn is_ready<T>(mut future: Pin<&mut impl Future<Output = T>>) -> bool {
        poll_fn(|context| Poll::Ready(future.as_mut().poll(context).is_ready())).await
    }

    #[tokio::test]
    async fn callers_take_turns_and_each_runs_one_request() {
        let turns = Turns {
            running: Arc::new(Semaphore::new(2)),
            ..Turns::new()
        };
        let first = turns.take("a").await.unwrap().unwrap();
        let mut second = pin!(turns.take("a"));
        let mut third = pin!(turns.take("a"));
        assert!(!is_ready(second.as_mut()).await && !is_ready(third.as_mut()).await);
        // Another caller does not wait for them.
        let other = turns.take("b").await.unwrap().unwrap();
        let mut last = pin!(turns.take("c"));
        assert!(!is_ready(last.as_mut()).await, "two requests run");
        drop(first);
        assert!(
            !is_ready(second.as_mut()).await,
            "`c` came before the second request of `a` had its turn"
        );
        let last = last.await.unwrap().unwrap();
        drop(other);
        let second = second.await.unwrap().unwrap();
        assert!(!is_ready(third.as_mut()).await);
        drop((last, second));
        drop(third.await.unwrap().unwrap());
        assert!(turns.callers.lock().unwrap().is_empty());
    }

    #[tokio::test]
    async fn caller_with_too_many_requests_is_rejected() {
        let turns = Turns::new();
        let running = turns.take("a").await.unwrap();
        let mut waiting: Vec<_> = (0..MAX_WAITING)
            .map(|_| Box::pin(turns.take("a")))
            .collect();
        for request in &mut waiting {
            assert!(!is_ready(request.as_mut()).await);
        }
        assert!(turns.take("a").await.unwrap().is_none());
        assert!(turns.take("b").await.unwrap().is_some());
        drop((waiting, running));
        assert!(turns.callers.lock().unwrap().is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn request_that_waits_too_long_is_rejected() {
        let turns = Turns::new();
        let _running = turns.take("a").await.unwrap();
        assert!(matches!(
            turns.take("a").await,
            Err(HostError::Unavailable { .. })
        ));
        assert_eq!(turns.callers.lock().unwrap()["a"].requests, 1);
    }

    #[test]
    fn work_runs_on_named_threads() {
        let work = Work::start().unwrap();
        let on_work = work.requests().spawn(async { Work::is_current_thread() });
        let on_passes = work.passes().spawn(async { Work::is_current_thread() });
        let joined = work
            .requests()
            .block_on(async { (on_work.await.unwrap(), on_passes.await.unwrap()) });
        assert_eq!(joined, (true, false));
    }
}
