//! The wall clock of instances.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering::Relaxed},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use wasmtime_wasi::HostWallClock;

/// The system clock, or one that is stopped and advanced by the test, for requests at an exact
/// millisecond. Clones share the time.
#[derive(Clone, Debug, Default)]
pub struct Clock(Option<Arc<AtomicI64>>);

impl Clock {
    /// Returns a clock stopped at a Unix time in milliseconds.
    pub fn at(millis: i64) -> Clock {
        Clock(Some(Arc::new(AtomicI64::new(millis))))
    }

    /// Returns a clock stopped at the current time.
    pub fn stopped() -> Clock {
        Clock::at(system_millis())
    }

    /// Returns whether the clock is stopped.
    pub fn is_stopped(&self) -> bool {
        self.0.is_some()
    }

    /// Returns the Unix time in milliseconds.
    pub fn millis(&self) -> i64 {
        self.0
            .as_ref()
            .map_or_else(system_millis, |at| at.load(Relaxed))
    }

    /// Advances a stopped clock and its clones. Has no effect on the system clock.
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

fn system_millis() -> i64 {
    let since_1970 = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advanced_clock_advances_all_clones() {
        let clock = Clock::at(1_000_000);
        let other = clock.clone();
        other.advance(Duration::from_secs(90));
        assert_eq!((clock.millis(), clock.now().as_secs()), (1_090_000, 1_090));
        assert!((Clock::default().millis() - system_millis()).abs() < 5_000);
    }
}
