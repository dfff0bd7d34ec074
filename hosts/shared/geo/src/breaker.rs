//! A circuit breaker and a rate limiter for one service.

use std::{collections::BTreeMap, time::Duration};

use despacho_core::model::StoreId;

/// Consecutive failures that open the circuit breaker.
const MAX_FAILURES: u32 = 5;
/// Time that the circuit breaker stays open before it allows one trial request.
const OPEN_TIME: Duration = Duration::from_secs(20);

/// Blocks requests to a service that keeps failing. Times are [`crate::Runtime::elapsed`].
#[derive(Debug, Default)]
pub(crate) struct CircuitBreaker {
    failures: u32,
    /// The end of the open time; `None` if the circuit breaker is closed.
    open_until: Option<Duration>,
}

impl CircuitBreaker {
    /// Whether a request may be sent now. After the open time one trial request is allowed; further
    /// requests wait for its result or for the end of another open time.
    pub(crate) fn allows(&mut self, now: Duration) -> bool {
        match self.open_until {
            None => true,
            Some(until) if now < until => false,
            Some(_) => {
                self.open_until = Some(now + OPEN_TIME);
                true
            }
        }
    }

    /// Records a response, and returns whether this closed the circuit breaker.
    pub(crate) fn record_success(&mut self) -> bool {
        std::mem::take(self).open_until.is_some()
    }

    /// Records a failure, and returns whether this opened the circuit breaker.
    pub(crate) fn record_failure(&mut self, now: Duration) -> bool {
        self.failures = self.failures.saturating_add(1);
        let opens = self.failures >= MAX_FAILURES && self.open_until.is_none();
        if self.failures >= MAX_FAILURES {
            self.open_until = Some(now + OPEN_TIME);
        }
        opens
    }
}

/// Spaces requests evenly.
#[derive(Debug, Default)]
pub(crate) struct RateLimiter {
    next: Option<Duration>,
}

impl RateLimiter {
    /// Reserves the next request at `per_second` and returns the time until it may be sent; `None`
    /// if that is longer than `max`.
    pub(crate) fn wait(
        &mut self,
        now: Duration,
        per_second: u32,
        max: Duration,
    ) -> Option<Duration> {
        let at = self.next.map_or(now, |next| next.max(now));
        let wait = at.saturating_sub(now);
        if wait > max {
            return None;
        }
        self.next = Some(at + Duration::from_secs(1) / per_second.max(1));
        Some(wait)
    }
}

/// Time after a merchant's last request for which it counts as active.
const ACTIVE_TIME: Duration = Duration::from_secs(2);

/// Spaces each merchant's requests, so that the share of one more merchant is always free: one
/// merchant alone may send at most half of the requests, two a third each, and so on.
#[derive(Debug, Default)]
pub(crate) struct Shares(BTreeMap<StoreId, Duration>);

impl Shares {
    /// Reserves a merchant's next request and returns the time until it may be sent; `None` if that
    /// is longer than `max`.
    pub(crate) fn wait(
        &mut self,
        merchant: StoreId,
        now: Duration,
        per_second: u32,
        max: Duration,
    ) -> Option<Duration> {
        self.0.retain(|_, next| *next + ACTIVE_TIME > now);
        let at = self.0.get(&merchant).map_or(now, |next| (*next).max(now));
        let wait = at.saturating_sub(now);
        if wait > max {
            return None;
        }
        let others = self.0.keys().filter(|other| **other != merchant).count();
        let shares = u32::try_from(others).unwrap_or(u32::MAX).saturating_add(2);
        self.0.insert(
            merchant,
            at + Duration::from_secs(1) / per_second.max(1) * shares,
        );
        Some(wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn share_of_one_more_merchant_is_always_free() {
        let (mut shares, now, max) = (
            Shares::default(),
            Duration::from_secs(3),
            Duration::from_secs(1),
        );
        let [one, other, third] = [1, 2, 3].map(|id| StoreId::new(id).unwrap());
        let mut wait = |merchant, now| {
            shares
                .wait(merchant, now, 10, max)
                .map(|wait| wait.as_millis())
        };
        // Ten requests a second, of which one merchant may send five.
        assert_eq!(
            [wait(one, now), wait(one, now), wait(one, now)],
            [Some(0), Some(200), Some(400)]
        );
        for _ in 0..3 {
            assert!(wait(one, now).is_some());
        }
        assert_eq!(wait(one, now), None, "its queue is full");
        assert_eq!(
            [wait(other, now), wait(other, now)],
            [Some(0), Some(300)],
            "another merchant does not wait"
        );
        assert_eq!([wait(third, now), wait(third, now)], [Some(0), Some(400)]);
        let later = now + Duration::from_secs(9);
        assert_eq!(
            [wait(other, later), wait(other, later)],
            [Some(0), Some(200)]
        );
    }

    #[test]
    fn breaker_opens_after_failures_and_closes_after_trial() {
        let (mut breaker, mut now) = (CircuitBreaker::default(), Duration::from_secs(7));
        for failure in 1..=MAX_FAILURES {
            assert!(breaker.allows(now));
            assert_eq!(breaker.record_failure(now), failure == MAX_FAILURES);
        }
        assert!(!breaker.allows(now));
        now += OPEN_TIME;
        assert!(breaker.allows(now), "one trial request");
        assert!(!breaker.allows(now), "only one trial request");
        assert!(!breaker.record_failure(now) && !breaker.allows(now));
        now += OPEN_TIME;
        assert!(breaker.allows(now) && breaker.record_success());
        assert!(breaker.allows(now) && breaker.allows(now) && !breaker.record_success());
    }

    #[test]
    fn rate_limiter_spaces_requests_and_rejects_long_waits() {
        let (mut rate_limiter, now, max) = (
            RateLimiter::default(),
            Duration::from_secs(3),
            Duration::from_millis(500),
        );
        let mut query = |now| rate_limiter.wait(now, 4, max).map(|wait| wait.as_millis());
        assert_eq!(
            [query(now), query(now), query(now), query(now)],
            [Some(0), Some(250), Some(500), None]
        );
        assert_eq!(query(now + Duration::from_secs(9)), Some(0));
    }
}
