//! Memory that clients occupy with slowly sent bodies and slowly read responses, bounded in total
//! and per caller.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use bytes::Bytes;
use despacho_core::model::StoreId;

use crate::connections::{ActiveGuard, UnsentResponse};

/// The limits of a budget, in mebibytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryLimits {
    /// Limit for all callers together.
    pub total_mib: usize,
    /// Limit for one caller.
    pub caller_mib: usize,
}

/// The caller whose limit applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryOwner {
    /// An authenticated merchant, with all its stores and keys.
    Merchant(StoreId),
    /// An unauthenticated client, by address.
    Address(IpAddr),
    /// Health checks from an address. Their budget is separate: other requests from there must not
    /// block them.
    HealthCheck(IpAddr),
}

/// The limit that was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The limit of the caller.
    Caller,
    /// The limit of all callers together.
    Total,
}

/// The memory for all unsent responses, or for all request bodies.
#[derive(Debug)]
pub struct MemoryBudget {
    limits: MemoryLimits,
    used: Mutex<MemoryUsage>,
}

#[derive(Debug, Default)]
struct MemoryUsage {
    total: usize,
    by_owner: HashMap<MemoryOwner, usize>,
}

/// A reserved part of the memory, released on drop.
#[derive(Debug)]
pub struct MemoryShare {
    memory: Arc<MemoryBudget>,
    owner: MemoryOwner,
    bytes: usize,
}

impl MemoryBudget {
    /// Creates a budget without reservations.
    pub fn new(limits: MemoryLimits) -> MemoryBudget {
        MemoryBudget {
            limits,
            used: Mutex::default(),
        }
    }

    /// Reserves memory, or returns the limit that was reached. With `required` it always succeeds:
    /// the response of a committed write must not be replaced.
    pub fn reserve(
        self: &Arc<Self>,
        owner: MemoryOwner,
        bytes: usize,
        required: bool,
    ) -> Result<MemoryShare, Limit> {
        let mut used = self.used();
        let own = used
            .by_owner
            .get(&owner)
            .copied()
            .unwrap_or(0)
            .saturating_add(bytes);
        let total = used.total.saturating_add(bytes);
        if own > self.limits.caller_mib << 20 && !required {
            return Err(Limit::Caller);
        }
        if total > self.limits.total_mib << 20 && !required {
            return Err(Limit::Total);
        }
        used.total = total;
        used.by_owner.insert(owner, own);
        Ok(MemoryShare {
            memory: self.clone(),
            owner,
            bytes,
        })
    }

    /// Returns the number of reserved bytes.
    pub fn used_bytes(&self) -> usize {
        self.used().total
    }

    fn used(&self) -> MutexGuard<'_, MemoryUsage> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MemoryShare {
    /// Adds another part of the same budget and owner.
    pub fn merge(&mut self, mut other: MemoryShare) {
        self.bytes += std::mem::take(&mut other.bytes);
    }
}

impl Drop for MemoryShare {
    fn drop(&mut self) {
        let mut used = self.memory.used();
        used.total = used.total.saturating_sub(self.bytes);
        if let Some(own) = used.by_owner.get_mut(&self.owner) {
            *own = own.saturating_sub(self.bytes);
            if *own == 0 {
                used.by_owner.remove(&self.owner);
            }
        }
    }
}

/// A body whose reservation is released when its last part has been written to the socket.
struct ReservedBody {
    body: Bytes,
    _share: MemoryShare,
    _active: Option<ActiveGuard>,
    _unsent: Option<Arc<UnsentResponse>>,
}

impl AsRef<[u8]> for ReservedBody {
    fn as_ref(&self) -> &[u8] {
        &self.body
    }
}

/// Binds a body to its memory reservation and to its connection, which stays active until the body
/// is sent.
pub fn reserved(
    body: Bytes,
    share: MemoryShare,
    active: Option<ActiveGuard>,
    unsent: Option<Arc<UnsentResponse>>,
) -> Bytes {
    Bytes::from_owner(ReservedBody {
        body,
        _share: share,
        _active: active,
        _unsent: unsent,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory() -> Arc<MemoryBudget> {
        Arc::new(MemoryBudget::new(MemoryLimits {
            total_mib: 2,
            caller_mib: 1,
        }))
    }

    fn owner(last: u8) -> MemoryOwner {
        MemoryOwner::Address([192, 0, 2, last].into())
    }

    #[test]
    fn caller_above_its_limit_does_not_block_others() {
        let memory = memory();
        let held = memory.reserve(owner(1), 900_000, false).unwrap();
        assert!(matches!(
            memory.reserve(owner(1), 900_000, false),
            Err(Limit::Caller)
        ));
        let other = memory.reserve(owner(2), 900_000, false).unwrap();
        assert!(matches!(
            memory.reserve(owner(3), 900_000, false),
            Err(Limit::Total)
        ));
        drop(other);
        assert!(memory.reserve(owner(3), 900_000, false).is_ok());
        drop(held);
        assert_eq!((memory.used_bytes(), memory.used().by_owner.len()), (0, 0));
    }

    #[test]
    fn response_of_a_write_is_never_replaced() {
        let memory = memory();
        let _held = memory.reserve(owner(1), 1_000_000, false).unwrap();
        let required = memory.reserve(owner(1), 1_000_000, true).unwrap();
        assert_eq!(memory.used_bytes(), 2_000_000);
        drop(required);
        assert!(memory.used_bytes() < 1_100_000);
    }

    #[test]
    fn memory_is_held_until_the_last_slice_is_dropped() {
        let memory = memory();
        let share = memory.reserve(owner(1), 10, false).unwrap();
        let mut body = reserved(Bytes::from_static(b"0123456789"), share, None, None);
        let slice = body.split_to(4);
        drop(body);
        assert!(memory.used_bytes() > 0);
        drop(slice);
        assert_eq!(memory.used_bytes(), 0);
    }
}
