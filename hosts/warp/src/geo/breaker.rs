//! A circuit breaker: who keeps failing is left alone for a while.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

/// Failures in a row after which a service is left alone.
const LIMIT: u32 = 5;
/// For how long; then one question tries it.
const REST: Duration = Duration::from_secs(20);

/// Whether a service may be asked.
#[derive(Debug, Default)]
pub(super) struct Breaker {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    failures: u32,
    /// When it may be tried again, once it has failed too often.
    rests_until: Option<Instant>,
}

impl Breaker {
    /// Whether it may be asked now. A resting service whose rest is over gets one question, and rests on until that is answered
    /// or another rest is over.
    pub(super) fn admits(&self) -> bool {
        let mut state = self.lock();
        match state.rests_until {
            None => true,
            Some(until) if Instant::now() < until => false,
            Some(_) => {
                state.rests_until = Some(Instant::now() + REST);
                true
            }
        }
    }

    /// It answered; gives whether it was resting.
    pub(super) fn worked(&self) -> bool {
        std::mem::take(&mut *self.lock()).rests_until.is_some()
    }

    /// It did not answer; gives whether it rests from now on.
    pub(super) fn failed(&self) -> bool {
        let mut state = self.lock();
        state.failures = state.failures.saturating_add(1);
        let begins = state.failures >= LIMIT && state.rests_until.is_none();
        if state.failures >= LIMIT {
            state.rests_until = Some(Instant::now() + REST);
        }
        begins
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn it_opens_after_failures_tries_once_and_closes_when_that_works() {
        let breaker = Breaker::default();
        for failure in 1..=LIMIT {
            assert!(breaker.admits());
            assert_eq!(breaker.failed(), failure == LIMIT);
        }
        assert!(!breaker.admits());
        tokio::time::advance(REST).await;
        assert!(breaker.admits(), "one may try");
        assert!(!breaker.admits(), "only one");
        assert!(!breaker.failed() && !breaker.admits());
        tokio::time::advance(REST).await;
        assert!(breaker.admits() && breaker.worked());
        assert!(breaker.admits() && breaker.admits() && !breaker.worked());
    }
}
