//! The interface between this crate and a host: requests, responses and events as data, and the
//! host's operations.

use std::time::Duration;

use bytes::Bytes;
use despacho_core::model::Located;
use http::{Method, Request, header};
use serde::de::DeserializeOwned;

/// The `User-Agent` header, which public services require.
const USER_AGENT: &str = concat!("despacho/", env!("CARGO_PKG_VERSION"));

/// A request to a service: a `GET`, or a `POST` of JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceRequest {
    /// The path and query after the service's base URL, with a leading slash.
    pub target: String,
    /// The body of a `POST`; `None` for a `GET`.
    pub json: Option<String>,
}

impl ServiceRequest {
    /// Builds the HTTP request to a URL.
    ///
    /// # Errors
    /// The URL is invalid. URLs under a base URL that [`crate::base_url`] accepted are valid.
    pub fn request(&self, url: &str) -> Result<Request<Bytes>, http::Error> {
        let mut request = Request::builder()
            .method(if self.json.is_some() {
                Method::POST
            } else {
                Method::GET
            })
            .uri(url)
            .header(header::USER_AGENT, USER_AGENT)
            .header(header::ACCEPT, "application/json")
            .header(header::ACCEPT_LANGUAGE, "pt-BR");
        if self.json.is_some() {
            request = request.header(header::CONTENT_TYPE, "application/json");
        }
        request.body(self.json.clone().map(Bytes::from).unwrap_or_default())
    }
}

/// A response with any status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceResponse {
    /// The HTTP status.
    pub status: u16,
    /// The body.
    pub body: Bytes,
}

/// The reason that an attempt got no response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptError {
    /// The response did not arrive within the timeout.
    Timeout,
    /// The connection failed or broke.
    Unreachable,
    /// The host's runtime does not permit requests to the service. Contains the setting that
    /// permits them.
    Forbidden(&'static str),
}

/// The outcome of an attempt at a service, for metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The service responded.
    Succeeded,
    /// The response did not arrive within the timeout.
    Timeout,
    /// The service could not be reached.
    Unreachable,
    /// The host's runtime does not permit requests to the service.
    Forbidden,
    /// The service returned 5xx.
    ServerError,
    /// The service returned 429.
    Rejected,
    /// The response did not follow the service's protocol.
    Malformed,
    /// No request was sent: the circuit breaker is open.
    CircuitOpen,
    /// No request was sent: the rate limit would delay it beyond its timeout.
    RateLimited,
}

/// An event that a host counts or logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServiceEvent {
    /// An attempt at a service ended.
    Queried {
        /// The service.
        service: &'static str,
        /// The outcome.
        outcome: Outcome,
    },
    /// A response does not follow the service's protocol.
    Malformed {
        /// The service.
        service: &'static str,
        /// A description of the response.
        what: &'static str,
    },
    /// A circuit breaker opened after repeated failures.
    CircuitOpened {
        /// The service.
        service: &'static str,
    },
    /// A circuit breaker closed after a successful request.
    CircuitClosed {
        /// The service.
        service: &'static str,
    },
    /// The host's runtime does not permit requests to a service. This is recorded once; the service
    /// is not called again.
    Forbidden {
        /// The service.
        service: &'static str,
        /// The setting that permits the requests.
        setting: &'static str,
    },
    /// None of a geocoder's candidates matches the address.
    Rejected {
        /// The geocoder.
        service: &'static str,
        /// The reason: [`despacho_core::geo::candidate::Mismatch::name`].
        mismatch: &'static str,
    },
    /// An address was located.
    Located {
        /// The source: [`crate::SourcedLocation::source`].
        source: &'static str,
        /// The precision's name.
        precision: &'static str,
    },
    /// Legs were computed while a road network is configured.
    Measured {
        /// The network, or `model` for legs that fell back to the estimate.
        source: &'static str,
        /// The number of legs.
        legs: u64,
    },
}

/// A geocoder's result: a verified location, or none.
pub type CachedResult = Option<Located>;

/// The operations that a host provides.
///
/// As in [`despacho_core::host::Host`], there is no `Send` bound: a concrete runtime's futures have
/// their own properties.
#[expect(
    async_fn_in_trait,
    reason = "static dispatch only; a concrete runtime's futures are Send if it is"
)]
pub trait Runtime {
    /// Sends a request once to this URL and returns the complete response, which must arrive within
    /// `timeout`.
    async fn send(
        &self,
        url: &str,
        request: &ServiceRequest,
        timeout: Duration,
    ) -> Result<ServiceResponse, AttemptError>;
    /// Sleeps for this time.
    async fn pause(&self, span: Duration);
    /// Returns the time since a fixed instant, by a monotonic clock.
    fn elapsed(&self) -> Duration;
    /// Returns a random number.
    fn jitter(&self) -> u8;
    /// Returns the cached result of a request, which is named by a hash; `None` if there is none or
    /// the cache cannot be read.
    async fn cached(&self, request: &str) -> Option<CachedResult>;
    /// Caches a result. If that fails, the request is sent again the next time.
    async fn put_cached(&self, request: &str, result: &CachedResult);
    /// Counts or logs an event.
    fn record(&self, event: ServiceEvent);
}

impl ServiceRequest {
    /// Returns a `GET` request with a query string.
    pub(crate) fn get<'a>(
        path: &str,
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> ServiceRequest {
        let query = form_urlencoded::Serializer::new(String::new())
            .extend_pairs(pairs)
            .finish();
        ServiceRequest {
            target: format!("{path}?{query}"),
            json: None,
        }
    }
}

impl ServiceResponse {
    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    pub(crate) fn is_client_error(&self) -> bool {
        (400..500).contains(&self.status)
    }

    /// Decodes the body as JSON from a string, like every other body: decoding from bytes would
    /// compile a second parser.
    pub(crate) fn json<T: DeserializeOwned>(&self) -> Option<T> {
        despacho_core::json::from_str(std::str::from_utf8(&self.body).ok()?).ok()
    }
}

impl Outcome {
    /// Returns the outcome's name in metrics.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Succeeded => "Succeeded",
            Outcome::Timeout => "Timeout",
            Outcome::Unreachable => "Unreachable",
            Outcome::Forbidden => "Forbidden",
            Outcome::ServerError => "ServerError",
            Outcome::Rejected => "Rejected",
            Outcome::Malformed => "Malformed",
            Outcome::CircuitOpen => "CircuitOpen",
            Outcome::RateLimited => "RateLimited",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn query_strings_are_encoded() {
        let request = ServiceRequest::get(
            "/search",
            [("street", "12 Rua São João & Cia"), ("city", "")],
        );
        assert_eq!(
            request.target,
            "/search?street=12+Rua+S%C3%A3o+Jo%C3%A3o+%26+Cia&city="
        );
    }
}
