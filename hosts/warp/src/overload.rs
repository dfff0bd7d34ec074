//! Overload protection: a bounded number of concurrent requests, a short bounded queue, and an
//! immediate 503 for all further requests. Probes and metrics bypass the queue.

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

/// Maximum number of concurrent probe requests.
const MAX_PROBES: usize = 64;
/// The granularity of memory reservations for bodies, in bytes.
const BODY_UNIT: usize = 1_024;
/// One client address may occupy at most this fraction (1/n) of the memory for bodies.
const ADDRESS_SHARE: usize = 4;
/// Requests that take long may have at most this fraction (1/n) of the permits.
const HEAVY_SHARE: usize = 2;
/// The paths of probes and metrics.
const PROBE_PATHS: [&str; 3] = ["/healthz", "/readyz", "/metrics"];

/// The limits on concurrent requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct OverloadConfig {
    /// Requests processed at the same time. The SQLite writer commits 256 writes together; twice as
    /// many keep it busy.
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

/// The reason for which a request was rejected before it was processed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shed {
    /// The queue was full.
    QueueFull,
    /// The request was queued for too long.
    WaitedTooLong,
    /// The memory for bodies was exhausted.
    BodyMemory,
}

impl Shed {
    /// Returns the value of the metrics label.
    pub fn name(self) -> &'static str {
        match self {
            Shed::QueueFull => "queue_full",
            Shed::WaitedTooLong => "waited_too_long",
            Shed::BodyMemory => "body_memory",
        }
    }
}

/// Admits requests within the limits.
#[derive(Debug)]
pub struct Overload {
    permits: Arc<Semaphore>,
    heavy: Arc<Semaphore>,
    queue: Semaphore,
    probes: Arc<Semaphore>,
    bodies: Arc<MemoryBudget>,
    config: OverloadConfig,
}

/// The permit of an admitted request, released on drop.
#[derive(Debug)]
pub struct Permit {
    _permit: OwnedSemaphorePermit,
    _heavy: Option<OwnedSemaphorePermit>,
}

/// The memory reserved for one body, released on drop.
#[derive(Debug)]
pub struct BodyMemory {
    bodies: Arc<MemoryBudget>,
    owner: MemoryOwner,
    reserved: Option<MemoryShare>,
    spare: usize,
}

impl Overload {
    /// Creates the limits without any request.
    pub fn new(config: OverloadConfig) -> Overload {
        Overload {
            permits: Arc::new(Semaphore::new(config.max_in_flight)),
            heavy: Arc::new(Semaphore::new((config.max_in_flight / HEAVY_SHARE).max(1))),
            queue: Semaphore::new(config.max_queued),
            probes: Arc::new(Semaphore::new(MAX_PROBES)),
            bodies: Arc::new(MemoryBudget::new(MemoryLimits {
                total_mib: config.body_mib,
                caller_mib: (config.body_mib / ADDRESS_SHARE).max(1),
            })),
            config,
        }
    }

    /// Admits a request for a path, after waiting in the queue if necessary.
    pub async fn admit(&self, path: &str) -> Result<Permit, Shed> {
        if is_probe(path) {
            let permit = self
                .probes
                .clone()
                .try_acquire_owned()
                .map_err(|_| Shed::QueueFull)?;
            return Ok(Permit {
                _permit: permit,
                _heavy: None,
            });
        }
        let permit = match self.permits.clone().try_acquire_owned() {
            Ok(permit) => permit,
            Err(_) => self.wait_in_queue().await?,
        };
        // A CPU-bound request would finish before the next one is counted, and a thousand requests
        // that wait for a CPU would appear as none. Yielding once counts the request before it is
        // processed.
        tokio::task::yield_now().await;
        Ok(Permit {
            _permit: permit,
            _heavy: None,
        })
    }

    /// Admits a request that takes long. While it waits for its turn, it must not take the place of
    /// other requests.
    pub async fn admit_heavy(&self, path: &str) -> Result<Permit, Shed> {
        let heavy = self
            .heavy
            .clone()
            .try_acquire_owned()
            .map_err(|_| Shed::QueueFull)?;
        Ok(Permit {
            _heavy: Some(heavy),
            ..self.admit(path).await?
        })
    }

    async fn wait_in_queue(&self) -> Result<OwnedSemaphorePermit, Shed> {
        let _permit = self.queue.try_acquire().map_err(|_| Shed::QueueFull)?;
        match timeout(self.config.max_queue, self.permits.clone().acquire_owned()).await {
            Ok(Ok(permit)) => Ok(permit),
            _ => Err(Shed::WaitedTooLong),
        }
    }

    /// Returns the number of queued requests.
    pub fn queued_requests(&self) -> usize {
        self.config
            .max_queued
            .saturating_sub(self.queue.available_permits())
    }

    /// Returns the memory reserved for bodies, in bytes.
    pub fn body_bytes(&self) -> usize {
        self.bodies.used_bytes()
    }

    /// Returns an empty reservation for a body from an address.
    pub fn body_memory(&self, address: IpAddr) -> BodyMemory {
        let owner = MemoryOwner::Address(address_group(address));
        BodyMemory {
            bodies: self.bodies.clone(),
            owner,
            reserved: None,
            spare: 0,
        }
    }
}

impl BodyMemory {
    /// Reserves memory for a received chunk.
    pub fn add(&mut self, bytes: usize) -> Result<(), Shed> {
        if bytes <= self.spare {
            self.spare -= bytes;
            return Ok(());
        }
        let units = (bytes - self.spare).div_ceil(BODY_UNIT);
        let more = self
            .bodies
            .reserve(self.owner, units * BODY_UNIT, false)
            .map_err(|_| Shed::BodyMemory)?;
        self.spare = self.spare + units * BODY_UNIT - bytes;
        match &mut self.reserved {
            Some(reserved) => reserved.merge(more),
            None => self.reserved = Some(more),
        }
        Ok(())
    }
}

/// Returns whether a path is that of a probe or of the metrics.
pub fn is_probe(path: &str) -> bool {
    PROBE_PATHS.contains(&path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn overload(max_in_flight: usize, max_queued: usize) -> Overload {
        let config = Config::defaults().unwrap().overload;
        Overload::new(OverloadConfig {
            max_in_flight,
            max_queued,
            body_mib: 1,
            ..config
        })
    }

    #[tokio::test(start_paused = true)]
    async fn full_queue_rejects_at_once_and_queued_request_times_out() {
        let overload = Arc::new(overload(1, 1));
        let admitted = overload.admit("/delivery/orders").await.unwrap();
        let queued = tokio::spawn({
            let overload = overload.clone();
            async move { overload.admit("/delivery/orders").await.map(drop) }
        });
        tokio::task::yield_now().await;
        assert_eq!(overload.queued_requests(), 1);
        assert_eq!(overload.admit("/x").await.err(), Some(Shed::QueueFull));
        assert_eq!(queued.await.unwrap(), Err(Shed::WaitedTooLong));
        assert_eq!(overload.queued_requests(), 0);
        drop(admitted);
        assert!(overload.admit("/x").await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn queued_request_is_admitted_when_another_ends() {
        let overload = Arc::new(overload(1, 1));
        let admitted = overload.admit("/x").await.unwrap();
        let queued = tokio::spawn({
            let overload = overload.clone();
            async move { overload.admit("/x").await.map(drop) }
        });
        tokio::task::yield_now().await;
        drop(admitted);
        assert_eq!(queued.await.unwrap(), Ok(()));
    }

    #[tokio::test]
    async fn requests_that_take_long_leave_permits_for_others() {
        let overload = overload(2, 0);
        let heavy = overload.admit_heavy("/x").await.unwrap();
        assert_eq!(
            overload.admit_heavy("/x").await.err(),
            Some(Shed::QueueFull)
        );
        assert!(overload.admit("/x").await.is_ok());
        drop(heavy);
        assert!(overload.admit_heavy("/x").await.is_ok());
    }

    #[tokio::test]
    async fn probes_are_admitted_during_overload() {
        let overload = overload(1, 0);
        let _admitted = overload.admit("/x").await.unwrap();
        assert_eq!(overload.admit("/x").await.err(), Some(Shed::QueueFull));
        for path in PROBE_PATHS {
            assert!(overload.admit(path).await.is_ok(), "{path}");
        }
    }

    #[test]
    fn body_memory_is_shared_and_released() {
        let overload = overload(1, 1);
        let [one, other] = [1, 2].map(|last| IpAddr::from([192, 0, 2, last]));
        let mut first = overload.body_memory(one);
        for _ in 0..1_024 {
            first.add(1_000).unwrap();
        }
        let mut second = overload.body_memory(other);
        assert_eq!(second.add(100_000), Err(Shed::BodyMemory));
        assert_eq!(overload.body_bytes(), 1_000 * BODY_UNIT);
        drop(first);
        assert_eq!(overload.body_bytes(), 0);
        assert_eq!(second.add(100_000), Ok(()));
    }

    #[test]
    fn single_address_cannot_reserve_all_body_memory() {
        let overload = Overload::new(OverloadConfig {
            body_mib: 8,
            ..Config::defaults().unwrap().overload
        });
        let mut slow = overload.body_memory([192, 0, 2, 1].into());
        slow.add(2 << 20).unwrap();
        assert_eq!(
            overload.body_memory([192, 0, 2, 1].into()).add(1),
            Err(Shed::BodyMemory)
        );
        assert_eq!(
            overload.body_memory([192, 0, 2, 2].into()).add(1 << 20),
            Ok(())
        );
    }
}
