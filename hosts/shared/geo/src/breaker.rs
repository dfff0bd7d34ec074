//! A circuit breaker: who keeps failing is left alone for a while. And a pace: who is asked too fast is asked later, or not.

use std::time::Duration;

/// Failures in a row after which a service is left alone.
const LIMIT: u32 = 5;
/// For how long; then one question tries it.
const REST: Duration = Duration::from_secs(20);

/// Whether a service may be asked. Times are [`crate::Runtime::elapsed`].
#[derive(Debug, Default)]
pub(crate) struct CircuitBreaker {
    failures: u32,
    /// When it may be tried again, once it has failed too often.
    rests_until: Option<Duration>,
}

impl CircuitBreaker {
    /// Whether it may be asked now. A resting service whose rest is over gets one question, and rests on until that is answered
    /// or another rest is over.
    pub(crate) fn admits(&mut self, now: Duration) -> bool {
        match self.rests_until {
            None => true,
            Some(until) if now < until => false,
            Some(_) => {
                self.rests_until = Some(now + REST);
                true
            }
        }
    }

    /// It answered; gives whether it was resting.
    pub(crate) fn worked(&mut self) -> bool {
        std::mem::take(self).rests_until.is_some()
    }

    /// It did not answer; gives whether it rests from now on.
    pub(crate) fn failed(&mut self, now: Duration) -> bool {
        self.failures = self.failures.saturating_add(1);
        let begins = self.failures >= LIMIT && self.rests_until.is_none();
        if self.failures >= LIMIT {
            self.rests_until = Some(now + REST);
        }
        begins
    }
}

/// When questions may leave.
#[derive(Debug, Default)]
pub(crate) struct RateLimiter {
    next: Option<Duration>,
}

impl RateLimiter {
    /// How long the next question waits, at so many a second; `None` where that is longer than `most`, so that there is no use in
    /// it.
    pub(crate) fn wait(&mut self, now: Duration, per_second: u32, max: Duration) -> Option<Duration> {
        let at = self.next.map_or(now, |next| next.max(now));
        let wait = at.saturating_sub(now);
        if wait > max {
            return None;
        }
        self.next = Some(at + Duration::from_secs(1) / per_second.max(1));
        Some(wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_opens_after_failures_tries_once_and_closes_when_that_works() {
        let (mut breaker, mut now) = (CircuitBreaker::default(), Duration::from_secs(7));
        for failure in 1..=LIMIT {
            assert!(breaker.admits(now));
            assert_eq!(breaker.failed(now), failure == LIMIT);
        }
        assert!(!breaker.admits(now));
        now += REST;
        assert!(breaker.admits(now), "one may try");
        assert!(!breaker.admits(now), "only one");
        assert!(!breaker.failed(now) && !breaker.admits(now));
        now += REST;
        assert!(breaker.admits(now) && breaker.worked());
        assert!(breaker.admits(now) && breaker.admits(now) && !breaker.worked());
    }

    #[test]
    fn questions_leave_at_their_pace_and_none_waits_too_long() {
        let (mut rate_limiter, now, max) = (RateLimiter::default(), Duration::from_secs(3), Duration::from_millis(500));
        let mut query = |now| rate_limiter.wait(now, 4, max).map(|wait| wait.as_millis());
        assert_eq!([query(now), query(now), query(now), query(now)], [Some(0), Some(250), Some(500), None]);
        assert_eq!(query(now + Duration::from_secs(9)), Some(0));
    }
}
