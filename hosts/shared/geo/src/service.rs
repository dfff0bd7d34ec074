//! Questions to one service: few retries with jitter, a pace, and rest for who keeps failing.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use crate::{
    breaker::{CircuitBreaker, RateLimiter},
    runtime::{AttemptError, Outcome, Runtime, ServiceEvent, ServiceRequest, ServiceResponse},
};

/// The first wait before another attempt; it doubles, and half of it is chance.
const BACKOFF: Duration = Duration::from_millis(100);

/// Why a service did not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServiceError {
    /// It took too long, could not be reached, or said 5xx or 429, at every attempt.
    Failed,
    /// It failed so often that it is left alone for now.
    Resting,
    /// More was asked than its pace allows.
    Paced,
    /// It said something that is not its protocol.
    Malformed,
}

/// How a service is asked.
#[derive(Clone, Debug)]
pub struct RequestPolicy {
    /// For one attempt.
    pub timeout: Duration,
    /// Attempts at one question.
    pub attempts: u32,
    /// Questions a second; `None` for any number.
    pub per_second: Option<u32>,
}

/// A service at a base address, and how it has been doing.
#[derive(Debug)]
pub struct Service {
    name: &'static str,
    base: String,
    policy: RequestPolicy,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    breaker: CircuitBreaker,
    rate_limiter: RateLimiter,
}

impl Service {
    /// A service by its name in metrics. Nothing is asked yet.
    pub fn new(name: &'static str, base: &str, policy: RequestPolicy) -> Service {
        Service { name, base: base.to_owned(), policy, state: Mutex::default() }
    }

    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    pub(crate) fn base(&self) -> &str {
        &self.base
    }

    /// An answer that is not of the service's protocol; it comes at once, so that the service need not be left alone for it.
    pub(crate) fn malformed<W: Runtime>(&self, runtime: &W, what: &'static str) -> ServiceError {
        self.count(runtime, Outcome::Malformed);
        runtime.record(ServiceEvent::Malformed { service: self.name, what });
        ServiceError::Malformed
    }

    /// The answer to a question, after as many attempts as manners allow.
    pub(crate) async fn query<W: Runtime>(
        &self,
        runtime: &W,
        request: &ServiceRequest,
    ) -> Result<ServiceResponse, ServiceError> {
        if !self.with(|state| state.breaker.admits(runtime.elapsed())) {
            self.count(runtime, Outcome::Resting);
            return Err(ServiceError::Resting);
        }
        let url = format!("{}{}", self.base, request.target);
        for attempt in 0..self.policy.attempts {
            if attempt > 0 {
                runtime.pause(jittered(BACKOFF * 2_u32.saturating_pow(attempt - 1), runtime.jitter())).await;
            }
            self.rate_limiter(runtime).await?;
            let outcome = match runtime.send(&url, request, self.policy.timeout).await {
                Ok(response) if response.status >= 500 => Outcome::ServerError,
                Ok(response) if response.status == 429 => Outcome::Rejected,
                Ok(response) => {
                    self.count(runtime, Outcome::Succeeded);
                    if self.with(|state| state.breaker.worked()) {
                        runtime.record(ServiceEvent::Works { service: self.name });
                    }
                    return Ok(response);
                }
                Err(AttemptError::Unreachable) => Outcome::Unreachable,
                Err(AttemptError::Late) => Outcome::Late,
            };
            self.count(runtime, outcome);
        }
        if self.with(|state| state.breaker.failed(runtime.elapsed())) {
            runtime.record(ServiceEvent::Rests { service: self.name });
        }
        Err(ServiceError::Failed)
    }

    /// Waits for the service's pace. Where the wait would be longer than an answer may take there is no use in it.
    async fn rate_limiter<W: Runtime>(&self, runtime: &W) -> Result<(), ServiceError> {
        let Some(per_second) = self.policy.per_second else { return Ok(()) };
        let (now, max) = (runtime.elapsed(), self.policy.timeout);
        match self.with(|state| state.rate_limiter.wait(now, per_second, max)) {
            Some(Duration::ZERO) => Ok(()),
            Some(wait) => {
                runtime.pause(wait).await;
                Ok(())
            }
            None => {
                self.count(runtime, Outcome::Paced);
                Err(ServiceError::Paced)
            }
        }
    }

    fn count<W: Runtime>(&self, runtime: &W, outcome: Outcome) {
        runtime.record(ServiceEvent::Queried { service: self.name, outcome });
    }

    fn with<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        act(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Half of a span, and a random part of the other half, so that who failed together does not come back together.
fn jittered(span: Duration, jitter: u8) -> Duration {
    span / 2 + span * u32::from(jitter) / 510
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jitter_stays_within_the_span() {
        for jitter in 0..=u8::MAX {
            let wait = jittered(BACKOFF, jitter);
            assert!(wait >= BACKOFF / 2 && wait <= BACKOFF, "{wait:?}");
        }
    }
}
