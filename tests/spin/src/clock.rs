//! The wall clock that instances are shown.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering::Relaxed},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use wasmtime_wasi::HostWallClock;

/// The machine's clock, or one that stands still until it is moved, so that a test may ask at the very millisecond at which
/// something ends. A clone shows the same.
#[derive(Clone, Debug, Default)]
pub struct Clock(Option<Arc<AtomicI64>>);

impl Clock {
    /// One that stands at this instant, in milliseconds since 1970.
    pub fn at(millis: i64) -> Clock {
        Clock(Some(Arc::new(AtomicI64::new(millis))))
    }

    /// One that stands at the machine's present.
    pub fn stopped() -> Clock {
        Clock::at(machine())
    }

    /// Whether it stands still until it is moved.
    pub fn is_stopped(&self) -> bool {
        self.0.is_some()
    }

    /// What it shows, in milliseconds since 1970.
    pub fn millis(&self) -> i64 {
        self.0.as_ref().map_or_else(machine, |at| at.load(Relaxed))
    }

    /// Moves it on, for all who see it; the machine's is not moved.
    pub fn advance(&self, by: Duration) {
        if let Some(at) = &self.0 {
            at.fetch_add(i64::try_from(by.as_millis()).unwrap_or(i64::MAX), Relaxed);
        }
    }
}

impl HostWallClock for Clock {
    fn resolution(&self) -> Duration {
        Duration::from_millis(1)
    }

    fn now(&self) -> Duration {
        Duration::from_millis(u64::try_from(self.millis()).unwrap_or_default())
    }
}

fn machine() -> i64 {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_moved_is_moved_for_all() {
        let clock = Clock::at(1_000_000);
        let other = clock.clone();
        other.advance(Duration::from_secs(90));
        assert_eq!((clock.millis(), clock.now().as_secs()), (1_090_000, 1_090));
        assert!((Clock::default().millis() - machine()).abs() < 5_000);
    }
}
