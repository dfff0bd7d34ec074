//! Requests to one service: retries with jitter, a rate limit and a circuit breaker.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use despacho_core::model::StoreId;

use crate::{
    breaker::{CircuitBreaker, RateLimiter, Shares},
    runtime::{AttemptError, Outcome, Runtime, ServiceEvent, ServiceRequest, ServiceResponse},
};

/// The delay before the second attempt. It doubles for each further attempt, and up to half of it
/// is random.
const BACKOFF: Duration = Duration::from_millis(100);

/// The reason that a service returned no usable response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServiceError {
    /// Every attempt timed out, found the service unreachable, or got 5xx or 429.
    Failed,
    /// The circuit breaker is open.
    CircuitOpen,
    /// The host's runtime does not permit requests to the service.
    Forbidden,
    /// The rate limit would delay the request beyond its timeout.
    RateLimited,
    /// The response does not follow the service's protocol.
    Malformed,
}

/// The limits of requests to a service.
#[derive(Clone, Debug)]
pub struct RequestPolicy {
    /// Timeout of one attempt.
    pub timeout: Duration,
    /// Maximum attempts for one request.
    pub attempts: u32,
    /// Maximum requests per second; `None` for no limit.
    pub per_second: Option<u32>,
}

/// A service at a base URL, with its rate limiter and circuit breaker.
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
    /// Whether the host's runtime rejected a request. It would reject every other: the permission
    /// is part of the deployment.
    is_forbidden: bool,
    shares: Shares,
}

impl Service {
    /// Creates a service with its name in metrics. No request is sent yet.
    pub fn new(name: &'static str, base: &str, policy: RequestPolicy) -> Service {
        Service {
            name,
            base: base.to_owned(),
            policy,
            state: Mutex::default(),
        }
    }

    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    pub(crate) fn base(&self) -> &str {
        &self.base
    }

    /// Records a response that does not follow the service's protocol. It does not open the circuit
    /// breaker, because it costs no waiting.
    pub(crate) fn malformed<W: Runtime>(&self, runtime: &W, detail: &'static str) -> ServiceError {
        self.count(runtime, Outcome::Malformed);
        runtime.record(ServiceEvent::Malformed {
            service: self.name,
            what: detail,
        });
        ServiceError::Malformed
    }

    /// Sends a request for a merchant, with retries, and returns the response. Without a merchant
    /// it has no share of its own.
    pub(crate) async fn query<W: Runtime>(
        &self,
        runtime: &W,
        merchant: Option<StoreId>,
        request: &ServiceRequest,
    ) -> Result<ServiceResponse, ServiceError> {
        if self.with(|state| state.is_forbidden) {
            self.count(runtime, Outcome::Forbidden);
            return Err(ServiceError::Forbidden);
        }
        if !self.with(|state| state.breaker.allows(runtime.elapsed())) {
            self.count(runtime, Outcome::CircuitOpen);
            return Err(ServiceError::CircuitOpen);
        }
        let url = format!("{}{}", self.base, request.target);
        for attempt in 0..self.policy.attempts {
            if attempt > 0 {
                runtime
                    .pause(jittered(
                        BACKOFF * 2_u32.saturating_pow(attempt - 1),
                        runtime.jitter(),
                    ))
                    .await;
            }
            self.wait_for_rate_limit(runtime, merchant).await?;
            let outcome = match runtime.send(&url, request, self.policy.timeout).await {
                Ok(response) if response.status >= 500 => Outcome::ServerError,
                Ok(response) if response.status == 429 => Outcome::Rejected,
                Ok(response) => {
                    self.count(runtime, Outcome::Succeeded);
                    if self.with(|state| state.breaker.record_success()) {
                        runtime.record(ServiceEvent::CircuitClosed { service: self.name });
                    }
                    return Ok(response);
                }
                Err(AttemptError::Unreachable) => Outcome::Unreachable,
                Err(AttemptError::Timeout) => Outcome::Timeout,
                Err(AttemptError::Forbidden(setting)) => return Err(self.forbid(runtime, setting)),
            };
            self.count(runtime, outcome);
        }
        if self.with(|state| state.breaker.record_failure(runtime.elapsed())) {
            runtime.record(ServiceEvent::CircuitOpened { service: self.name });
        }
        Err(ServiceError::Failed)
    }

    /// Records that the host's runtime does not permit requests. Concurrent requests record it only
    /// once.
    fn forbid<W: Runtime>(&self, runtime: &W, setting: &'static str) -> ServiceError {
        self.count(runtime, Outcome::Forbidden);
        if !self.with(|state| std::mem::replace(&mut state.is_forbidden, true)) {
            runtime.record(ServiceEvent::Forbidden {
                service: self.name,
                setting,
            });
        }
        ServiceError::Forbidden
    }

    /// Waits until the rate limit allows a request. A wait longer than the request's timeout is an
    /// error.
    async fn wait_for_rate_limit<W: Runtime>(
        &self,
        runtime: &W,
        merchant: Option<StoreId>,
    ) -> Result<(), ServiceError> {
        let Some(per_second) = self.policy.per_second else {
            return Ok(());
        };
        let (now, max) = (runtime.elapsed(), self.policy.timeout);
        let waited = async {
            // A merchant first waits for its own share, so that its requests do not fill the queue
            // of all.
            if let Some(merchant) = merchant {
                let wait = self.with(|state| state.shares.wait(merchant, now, per_second, max))?;
                pause(runtime, wait).await;
            }
            let now = runtime.elapsed();
            let wait = self.with(|state| state.rate_limiter.wait(now, per_second, max))?;
            pause(runtime, wait).await;
            Some(())
        };
        waited.await.ok_or_else(|| {
            self.count(runtime, Outcome::RateLimited);
            ServiceError::RateLimited
        })
    }

    fn count<W: Runtime>(&self, runtime: &W, outcome: Outcome) {
        runtime.record(ServiceEvent::Queried {
            service: self.name,
            outcome,
        });
    }

    fn with<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        act(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

async fn pause<W: Runtime>(runtime: &W, wait: Duration) {
    if wait > Duration::ZERO {
        runtime.pause(wait).await;
    }
}

/// Returns half of a span plus a random part of the other half, so that callers that failed
/// together do not retry together.
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
