//! What the server does when more is asked of it than it can do: a bounded number of requests at once, a short bounded queue
//! behind them, and for everybody else 503 at once, which costs little. Whoever watches the server has a way in beside the queue.

use std::{net::IpAddr, sync::Arc, time::Duration};

use despacho_shell::settings::fields;
use serde::Deserialize;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

use crate::{
    connections::address_group,
    memory::{MemoryBudget, MemoryLimits, MemoryOwner, MemoryShare},
};

/// Requests of supervisors and monitors at once: more is nobody's honest number.
const WATCHERS: usize = 64;
/// Bytes of a body that are reserved at once.
const BODY_UNIT: usize = 1_024;
/// The part of the memory for bodies that one client address may occupy.
const ADDRESS_SHARE: usize = 4;
/// What supervisors and monitors ask for.
const WATCHED: [&str; 3] = ["/healthz", "/readyz", "/metrics"];

/// How much is taken on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct OverloadTerms {
    /// Requests processed at the same time. The SQLite writer commits 256 writes together; twice as many keep it busy.
    pub max_in_flight: usize,
    /// Queued requests; further requests are rejected.
    pub max_queued: usize,
    /// Time after which a queued request is rejected.
    #[serde(rename = "max-queue-ms", deserialize_with = "fields::milliseconds")]
    pub max_queue: Duration,
    /// Memory of the bodies of all requests that are read, queued or processed.
    pub body_mib: usize,
    /// Memory of all unsent responses.
    pub response_mib: usize,
    /// Memory of the unsent responses of one caller.
    pub response_per_caller_mib: usize,
}

/// Why a request was turned away. Nothing of it was carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shed {
    /// The queue was full.
    QueueFull,
    /// Its turn did not come in time.
    WaitedTooLong,
    /// There was no memory set aside for its body.
    BodyMemory,
}

impl Shed {
    /// As metrics call it.
    pub fn name(self) -> &'static str {
        match self {
            Shed::QueueFull => "queue_full",
            Shed::WaitedTooLong => "waited_too_long",
            Shed::BodyMemory => "body_memory",
        }
    }
}

/// The doors of the server.
#[derive(Debug)]
pub struct Overload {
    room: Arc<Semaphore>,
    queue: Semaphore,
    watchers: Arc<Semaphore>,
    bodies: Arc<MemoryBudget>,
    terms: OverloadTerms,
}

/// A request's place, given back when it is dropped.
#[derive(Debug)]
pub struct Place {
    _permit: OwnedSemaphorePermit,
}

/// The memory that a body takes, given back when it is dropped.
#[derive(Debug)]
pub struct Weight {
    bodies: Arc<MemoryBudget>,
    owner: MemoryOwner,
    held: Option<MemoryShare>,
    spare: usize,
}

impl Overload {
    /// Doors with nobody inside.
    pub fn new(terms: OverloadTerms) -> Overload {
        Overload {
            room: Arc::new(Semaphore::new(terms.max_in_flight)),
            queue: Semaphore::new(terms.max_queued),
            watchers: Arc::new(Semaphore::new(WATCHERS)),
            bodies: Arc::new(MemoryBudget::new(MemoryLimits {
                total_mib: terms.body_mib,
                caller_mib: (terms.body_mib / ADDRESS_SHARE).max(1),
            })),
            terms,
        }
    }

    /// A place for a request of this path, perhaps after a wait.
    pub async fn enter(&self, path: &str) -> Result<Place, Shed> {
        if is_watched(path) {
            let permit = self.watchers.clone().try_acquire_owned().map_err(|_| Shed::QueueFull)?;
            return Ok(Place { _permit: permit });
        }
        let permit = match self.room.clone().try_acquire_owned() {
            Ok(permit) => permit,
            Err(_) => self.in_turn().await?,
        };
        // What needs the processor alone would be done before the next request is even counted, and a thousand requests that wait for
        // a processor would look like none. Whoever steps back once is counted before it is served.
        tokio::task::yield_now().await;
        Ok(Place { _permit: permit })
    }

    async fn in_turn(&self) -> Result<OwnedSemaphorePermit, Shed> {
        let _chair = self.queue.try_acquire().map_err(|_| Shed::QueueFull)?;
        match timeout(self.terms.max_queue, self.room.clone().acquire_owned()).await {
            Ok(Ok(permit)) => Ok(permit),
            _ => Err(Shed::WaitedTooLong),
        }
    }

    /// Requests that wait for their turn.
    pub fn waiting(&self) -> usize {
        self.terms.max_queued.saturating_sub(self.queue.available_permits())
    }

    /// Bytes of memory that bodies take.
    pub fn body_bytes(&self) -> usize {
        self.bodies.used_bytes()
    }

    /// The weight of a body from this address of which nothing has come yet.
    pub fn weight(&self, address: IpAddr) -> Weight {
        let owner = MemoryOwner::Address(address_group(address));
        Weight { bodies: self.bodies.clone(), owner, held: None, spare: 0 }
    }
}

impl Weight {
    /// Adds the bytes of a piece that has come.
    pub fn add(&mut self, bytes: usize) -> Result<(), Shed> {
        if bytes <= self.spare {
            self.spare -= bytes;
            return Ok(());
        }
        let units = (bytes - self.spare).div_ceil(BODY_UNIT);
        let more = self.bodies.reserve(self.owner, units * BODY_UNIT, false).map_err(|_| Shed::BodyMemory)?;
        self.spare = self.spare + units * BODY_UNIT - bytes;
        match &mut self.held {
            Some(held) => held.merge(more),
            None => self.held = Some(more),
        }
        Ok(())
    }
}

/// Whether a path is one that a supervisor or monitor asks for.
pub fn is_watched(path: &str) -> bool {
    WATCHED.contains(&path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn doors(max_in_flight: usize, max_queued: usize) -> Overload {
        let terms = Config::defaults().unwrap().overload;
        Overload::new(OverloadTerms { max_in_flight, max_queued, body_mib: 1, ..terms })
    }

    #[tokio::test(start_paused = true)]
    async fn one_too_many_is_refused_at_once_and_one_that_waits_after_a_while() {
        let doors = Arc::new(doors(1, 1));
        let inside = doors.enter("/delivery/orders").await.unwrap();
        let waits = tokio::spawn({
            let doors = doors.clone();
            async move { doors.enter("/delivery/orders").await.map(drop) }
        });
        tokio::task::yield_now().await;
        assert_eq!(doors.waiting(), 1);
        assert_eq!(doors.enter("/x").await.err(), Some(Shed::QueueFull));
        assert_eq!(waits.await.unwrap(), Err(Shed::WaitedTooLong));
        assert_eq!(doors.waiting(), 0);
        drop(inside);
        assert!(doors.enter("/x").await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn who_waits_is_served_when_somebody_leaves() {
        let doors = Arc::new(doors(1, 1));
        let inside = doors.enter("/x").await.unwrap();
        let waits = tokio::spawn({
            let doors = doors.clone();
            async move { doors.enter("/x").await.map(drop) }
        });
        tokio::task::yield_now().await;
        drop(inside);
        assert_eq!(waits.await.unwrap(), Ok(()));
    }

    #[tokio::test]
    async fn a_full_house_still_answers_its_supervisor() {
        let doors = doors(1, 0);
        let _inside = doors.enter("/x").await.unwrap();
        assert_eq!(doors.enter("/x").await.err(), Some(Shed::QueueFull));
        for path in WATCHED {
            assert!(doors.enter(path).await.is_ok(), "{path}");
        }
    }

    #[test]
    fn bodies_share_their_memory_and_give_it_back() {
        let doors = doors(1, 1);
        let [one, other] = [1, 2].map(|last| IpAddr::from([192, 0, 2, last]));
        let mut first = doors.weight(one);
        for _ in 0..1_024 {
            first.add(1_000).unwrap();
        }
        let mut second = doors.weight(other);
        assert_eq!(second.add(100_000), Err(Shed::BodyMemory));
        assert_eq!(doors.body_bytes(), 1_000 * BODY_UNIT);
        drop(first);
        assert_eq!(doors.body_bytes(), 0);
        assert_eq!(second.add(100_000), Ok(()));
    }

    #[test]
    fn bodies_of_one_address_leave_memory_for_others() {
        let doors = Overload::new(OverloadTerms { body_mib: 8, ..Config::defaults().unwrap().overload });
        let mut slow = doors.weight([192, 0, 2, 1].into());
        slow.add(2 << 20).unwrap();
        assert_eq!(doors.weight([192, 0, 2, 1].into()).add(1), Err(Shed::BodyMemory));
        assert_eq!(doors.weight([192, 0, 2, 2].into()).add(1 << 20), Ok(()));
    }
}
