//! Allocates IDs in the database for all waiting requests of a host.
//!
//! One request at a time, the leader, updates the counter: for itself and for all requests that
//! arrived during the previous update. If the host keeps a stock of IDs, most requests are served
//! from it without the database.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use despacho_core::{host::HostError, model::IdBlock};

use crate::{Driver, Row, read};

/// The stock of IDs and the waiting requests.
#[derive(Debug)]
pub(crate) struct IdAllocator {
    /// Allocated IDs that are unused.
    stock: Mutex<IdBlock>,
    /// Minimum number of IDs that one update allocates.
    batch: u64,
    waiting: Mutex<Vec<Arc<PendingAllocation>>>,
    /// Locked by the leader.
    leader: futures_util::lock::Mutex<()>,
}

/// The allocation that a request waits for.
#[derive(Debug)]
struct PendingAllocation {
    count: u64,
    result: Mutex<Option<Result<IdBlock, HostError>>>,
}

impl IdAllocator {
    /// Creates an allocator with an empty stock, which allocates at least `batch` IDs at a time.
    pub(crate) fn of(batch: u32) -> IdAllocator {
        let (stock, waiting) = (Mutex::new(IdBlock::new(0, 0)), Mutex::default());
        IdAllocator {
            stock,
            batch: batch.into(),
            waiting,
            leader: futures_util::lock::Mutex::new(()),
        }
    }

    /// Allocates `count` IDs, which are higher than all IDs that were allocated before the call.
    /// Without a stock this is also true across instances.
    pub(crate) async fn take<D: Driver>(
        &self,
        driver: &D,
        count: u32,
    ) -> Result<IdBlock, HostError> {
        let count = u64::from(count);
        if let Some(block) = locked(&self.stock).split(count) {
            return Ok(block);
        }
        let allocation = Arc::new(PendingAllocation {
            count,
            result: Mutex::new(None),
        });
        locked(&self.waiting).push(Arc::clone(&allocation));
        let _leader = self.leader.lock().await;
        if let Some(result) = locked(&allocation.result).take() {
            return result;
        }
        let mut allocations = std::mem::take(&mut *locked(&self.waiting));
        // The previous leader may have taken this allocation and been cancelled.
        if !allocations
            .iter()
            .any(|other| Arc::ptr_eq(other, &allocation))
        {
            allocations.push(Arc::clone(&allocation));
        }
        // The previous leader may have allocated more IDs than were requested.
        allocations.retain(|allocation| {
            locked(&self.stock)
                .split(allocation.count)
                .map(|block| allocation.complete(Ok(block)))
                .is_none()
        });
        if !allocations.is_empty() {
            self.refill(driver, &allocations).await;
        }
        let result = locked(&allocation.result).take();
        result.unwrap_or_else(|| Err(missing()))
    }

    /// Serves all of these with one update of the counter.
    async fn refill<D: Driver>(&self, driver: &D, allocations: &[Arc<PendingAllocation>]) {
        let wanted = allocations.iter().map(|allocation| allocation.count).sum();
        match allocate(driver, self.batch.max(wanted)).await {
            Ok(mut block) => {
                allocations.iter().for_each(|allocation| {
                    allocation.complete(block.split(allocation.count).ok_or_else(missing))
                });
                *locked(&self.stock) = block;
            }
            Err(error) => allocations
                .iter()
                .for_each(|allocation| allocation.complete(Err(error.clone()))),
        }
    }
}

impl PendingAllocation {
    fn complete(&self, result: Result<IdBlock, HostError>) {
        *locked(&self.result) = Some(result);
    }
}

/// Allocates a block of IDs in the database.
async fn allocate<D: Driver>(driver: &D, count: u64) -> Result<IdBlock, HostError> {
    let mut rows = driver.write_returning(read::reserve_ids(count)).await?;
    let end = rows.first_mut().map(Row::integer).transpose()?;
    let first = end.and_then(|end| u64::try_from(end).ok()?.checked_sub(count));
    Ok(IdBlock::new(first.ok_or_else(missing)?, count))
}

fn missing() -> HostError {
    HostError::Internal {
        detail: "the database has no counter of IDs".to_owned(),
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

    use futures_util::{future::join_all, poll};

    use super::*;
    use crate::{Query, Statement, Value};

    /// A counter that yields to all other tasks before it returns.
    #[derive(Default)]
    struct Counter {
        value: AtomicU64,
        updates: AtomicU64,
    }

    impl Driver for Counter {
        async fn read(&self, _: Query) -> Result<Vec<Row>, HostError> {
            Ok(Vec::new())
        }

        async fn write_returning(&self, query: Query) -> Result<Vec<Row>, HostError> {
            let &[Value::Integer(count)] = query.params.as_slice() else {
                return Ok(Vec::new());
            };
            self.updates.fetch_add(1, SeqCst);
            tokio::task::yield_now().await;
            let count = u64::try_from(count).unwrap();
            Ok(vec![Row::new(vec![Value::number(
                self.value.fetch_add(count, SeqCst) + count,
            )])])
        }

        async fn transact(&self, _: Vec<Statement>) -> Result<(), HostError> {
            Ok(())
        }
    }

    fn numbers(block: Result<IdBlock, HostError>, count: usize) -> Vec<u64> {
        let mut block = block.unwrap();
        (0..count).map(|_| block.take(Some).unwrap()).collect()
    }

    #[tokio::test]
    async fn waiting_requests_share_update_without_duplicates() {
        let (driver, allocator) = (Counter::default(), IdAllocator::of(1));
        let blocks = join_all((0..20).map(|_| allocator.take(&driver, 3))).await;
        let mut all: Vec<u64> = blocks
            .into_iter()
            .flat_map(|block| numbers(block, 3))
            .collect();
        all.sort_unstable();
        assert_eq!(all, (0..60).collect::<Vec<_>>());
        // The first request updates the counter by itself. All others arrive meanwhile and share
        // the second update.
        assert_eq!(driver.updates.load(SeqCst), 2);
    }

    #[tokio::test]
    async fn stock_serves_many_requests() {
        let (driver, allocator) = (Counter::default(), IdAllocator::of(512));
        for _ in 0..2 {
            join_all((0..20).map(|_| allocator.take(&driver, 3))).await;
        }
        assert_eq!(driver.updates.load(SeqCst), 1);
    }

    #[tokio::test]
    async fn cancelled_caller_does_not_cancel_other_waiters() {
        let (driver, allocator) = (Counter::default(), IdAllocator::of(1));
        let (mut leader, mut second) = (
            Box::pin(allocator.take(&driver, 1)),
            Box::pin(allocator.take(&driver, 1)),
        );
        assert!(poll!(leader.as_mut()).is_pending() && poll!(second.as_mut()).is_pending());
        drop(leader);
        // The second request is now the leader, with the third's allocation, and is cancelled too.
        let mut third = Box::pin(allocator.take(&driver, 1));
        assert!(poll!(third.as_mut()).is_pending() && poll!(second.as_mut()).is_pending());
        drop(second);
        assert_eq!(numbers(third.await, 1).len(), 1);
    }
}
