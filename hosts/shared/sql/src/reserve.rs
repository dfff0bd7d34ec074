//! Identifiers, reserved in the database for all requests of a host that wait for some.
//!
//! One request at a time goes to the database, for itself and for all that came while the one before was there. Where identifiers
//! are reserved in stock, most requests take theirs from it and go nowhere.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use despacho_core::{host::HostError, model::IdBlock};

use crate::{Driver, Row, read};

/// What is reserved, and who waits.
#[derive(Debug)]
pub(crate) struct IdAllocator {
    /// Reserved and not given away.
    stock: Mutex<IdBlock>,
    /// Identifiers that are reserved at once at least.
    at_once: u64,
    waiting: Mutex<Vec<Arc<PendingAllocation>>>,
    /// Held by the request that asks the database.
    turn: futures_util::lock::Mutex<()>,
}

/// What a request waits for.
#[derive(Debug)]
struct PendingAllocation {
    count: u64,
    response: Mutex<Option<Result<IdBlock, HostError>>>,
}

impl IdAllocator {
    /// Nothing in stock; so many are to be reserved at once.
    pub(crate) fn of(at_once: u32) -> IdAllocator {
        let (stock, waiting) = (Mutex::new(IdBlock::new(0, 0)), Mutex::default());
        IdAllocator { stock, at_once: at_once.into(), waiting, turn: futures_util::lock::Mutex::new(()) }
    }

    /// So many identifiers, higher than all that anybody was given before this was asked; of several instances too, where none are held
    /// in stock.
    pub(crate) async fn take<D: Driver>(&self, driver: &D, count: u32) -> Result<IdBlock, HostError> {
        let count = u64::from(count);
        if let Some(block) = locked(&self.stock).split(count) {
            return Ok(block);
        }
        let allocation = Arc::new(PendingAllocation { count, response: Mutex::new(None) });
        locked(&self.waiting).push(Arc::clone(&allocation));
        let _turn = self.turn.lock().await;
        if let Some(response) = locked(&allocation.response).take() {
            return response;
        }
        let mut allocations = std::mem::take(&mut *locked(&self.waiting));
        // Whoever took the wishes before may have gone away with them.
        if !allocations.iter().any(|other| Arc::ptr_eq(other, &allocation)) {
            allocations.push(Arc::clone(&allocation));
        }
        // The request before may have reserved more than was wished for.
        allocations.retain(|allocation| {
            locked(&self.stock).split(allocation.count).map(|block| allocation.complete(Ok(block))).is_none()
        });
        if !allocations.is_empty() {
            self.refill(driver, &allocations).await;
        }
        let response = locked(&allocation.response).take();
        response.unwrap_or_else(|| Err(missing()))
    }

    /// Reserves for all of these at once.
    async fn refill<D: Driver>(&self, driver: &D, allocations: &[Arc<PendingAllocation>]) {
        let wanted = allocations.iter().map(|allocation| allocation.count).sum();
        match reserved(driver, self.at_once.max(wanted)).await {
            Ok(mut block) => {
                allocations
                    .iter()
                    .for_each(|allocation| allocation.complete(block.split(allocation.count).ok_or_else(missing)));
                *locked(&self.stock) = block;
            }
            Err(error) => allocations.iter().for_each(|allocation| allocation.complete(Err(error.clone()))),
        }
    }
}

impl PendingAllocation {
    fn complete(&self, response: Result<IdBlock, HostError>) {
        *locked(&self.response) = Some(response);
    }
}

/// A fresh block of the database's.
async fn reserved<D: Driver>(driver: &D, count: u64) -> Result<IdBlock, HostError> {
    let mut rows = driver.write_returning(read::reserve_ids(count)).await?;
    let end = rows.first_mut().map(Row::integer).transpose()?;
    let first = end.and_then(|end| u64::try_from(end).ok()?.checked_sub(count));
    Ok(IdBlock::new(first.ok_or_else(missing)?, count))
}

fn missing() -> HostError {
    HostError::Internal { detail: "the database has no counter of identifiers".to_owned() }
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

    /// A counter that lets everybody else run before it answers.
    #[derive(Default)]
    struct Counter {
        value: AtomicU64,
        requested: AtomicU64,
    }

    impl Driver for Counter {
        async fn read(&self, _: Query) -> Result<Vec<Row>, HostError> {
            Ok(Vec::new())
        }

        async fn write_returning(&self, query: Query) -> Result<Vec<Row>, HostError> {
            let &[Value::Integer(count)] = query.params.as_slice() else { return Ok(Vec::new()) };
            self.requested.fetch_add(1, SeqCst);
            tokio::task::yield_now().await;
            let count = u64::try_from(count).unwrap();
            Ok(vec![Row::new(vec![Value::number(self.value.fetch_add(count, SeqCst) + count)])])
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
    async fn those_who_wait_together_are_served_together_and_none_twice() {
        let (driver, reserve) = (Counter::default(), IdAllocator::of(1));
        let blocks = join_all((0..20).map(|_| reserve.take(&driver, 3))).await;
        let mut all: Vec<u64> = blocks.into_iter().flat_map(|block| numbers(block, 3)).collect();
        all.sort_unstable();
        assert_eq!(all, (0..60).collect::<Vec<_>>());
        // The first goes alone, and all others came while it was away.
        assert_eq!(driver.requested.load(SeqCst), 2);
    }

    #[tokio::test]
    async fn a_stock_serves_many() {
        let (driver, reserve) = (Counter::default(), IdAllocator::of(512));
        for _ in 0..2 {
            join_all((0..20).map(|_| reserve.take(&driver, 3))).await;
        }
        assert_eq!(driver.requested.load(SeqCst), 1);
    }

    #[tokio::test]
    async fn who_goes_away_takes_nobody_along() {
        let (driver, reserve) = (Counter::default(), IdAllocator::of(1));
        let (mut leader, mut second) = (Box::pin(reserve.take(&driver, 1)), Box::pin(reserve.take(&driver, 1)));
        assert!(poll!(leader.as_mut()).is_pending() && poll!(second.as_mut()).is_pending());
        drop(leader);
        // The second leads now, with the third's wish, and goes away too.
        let mut third = Box::pin(reserve.take(&driver, 1));
        assert!(poll!(third.as_mut()).is_pending() && poll!(second.as_mut()).is_pending());
        drop(second);
        assert_eq!(numbers(third.await, 1).len(), 1);
    }
}
