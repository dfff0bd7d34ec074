//! The boundary: what asking needs from the program that asks, and what is asked and answered, as data.

use std::time::Duration;

use bytes::Bytes;
use despacho_core::model::Located;
use http::{Method, Request, header};
use serde::de::DeserializeOwned;

/// How we call ourselves, as public services demand.
const AGENT: &str = concat!("despacho/", env!("CARGO_PKG_VERSION"));

/// A question to a service: a `GET`, or a `POST` of JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceRequest {
    /// What follows the service's base address, with its slash.
    pub target: String,
    /// The body of a `POST`; `None` for a `GET`.
    pub json: Option<String>,
}

impl ServiceRequest {
    /// The request, ready to be sent to an address.
    ///
    /// # Errors
    /// That the address is none; one that was checked when it was taken is.
    pub fn request(&self, url: &str) -> Result<Request<Bytes>, http::Error> {
        let mut request = Request::builder()
            .method(if self.json.is_some() { Method::POST } else { Method::GET })
            .uri(url)
            .header(header::USER_AGENT, AGENT)
            .header(header::ACCEPT, "application/json")
            .header(header::ACCEPT_LANGUAGE, "pt-BR");
        if self.json.is_some() {
            request = request.header(header::CONTENT_TYPE, "application/json");
        }
        request.body(self.json.clone().map(Bytes::from).unwrap_or_default())
    }
}

/// An answer, whatever it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceResponse {
    /// The HTTP status.
    pub status: u16,
    /// The body.
    pub body: Bytes,
}

/// Why an attempt brought no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptError {
    /// It took too long.
    Late,
    /// There was no connection, or it broke.
    Unreachable,
}

/// How an attempt at a service ended, for whoever counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It answered.
    Succeeded,
    /// It took too long.
    Late,
    /// It could not be reached.
    Unreachable,
    /// It answered 5xx.
    ServerError,
    /// It answered 429.
    Rejected,
    /// It answered, and not in its protocol.
    Malformed,
    /// It was not asked: it failed too often.
    Resting,
    /// It was not asked: its pace does not allow it.
    Paced,
}

/// What happened, to be counted and logged as a host does that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServiceEvent {
    /// An attempt at a service ended.
    Queried {
        /// The service.
        service: &'static str,
        /// How.
        outcome: Outcome,
    },
    /// An answer cannot be used.
    Malformed {
        /// Whose.
        service: &'static str,
        /// What it was.
        what: &'static str,
    },
    /// A service is left alone from now on.
    Rests {
        /// Which.
        service: &'static str,
    },
    /// A service that was left alone answers again.
    Works {
        /// Which.
        service: &'static str,
    },
    /// Nothing that a geocoder offered is the place.
    Rejected {
        /// Which geocoder.
        service: &'static str,
        /// Why: [`despacho_core::geo::candidate::Mismatch::name`].
        mismatch: &'static str,
    },
    /// An address was located.
    Located {
        /// By whom: [`crate::Sourced::source`].
        source: &'static str,
        /// How precisely.
        precision: &'static str,
    },
    /// Legs were told, where a road network is configured.
    Measured {
        /// By a network, or by the `model` that stands in for it.
        source: &'static str,
        /// How many.
        legs: u64,
    },
}

/// What a geocoder said: a verified place, or that it knows none.
pub type Kept = Option<Located>;

/// What asking needs from the program that asks.
///
/// As in [`despacho_core::host::Host`] there is no `Send`: a concrete world's futures are what they are.
#[expect(async_fn_in_trait, reason = "static dispatch alone; a concrete world's futures are Send where it is")]
pub trait Runtime {
    /// One attempt: the answer to a question at this address, whole and within `timeout`.
    async fn send(
        &self,
        url: &str,
        request: &ServiceRequest,
        timeout: Duration,
    ) -> Result<ServiceResponse, AttemptError>;
    /// Waits.
    async fn pause(&self, span: Duration);
    /// The time since some moment that stays the same, by a clock that is never set back.
    fn elapsed(&self) -> Duration;
    /// Any number, by chance.
    fn jitter(&self) -> u8;
    /// What is kept for a question, which is a hash; `None` where nothing is, or cannot be read.
    async fn kept(&self, request: &str) -> Option<Kept>;
    /// Keeps an answer, or fails to, which costs the same question another time.
    async fn keep(&self, request: &str, kept: &Kept);
    /// Counts or logs.
    fn record(&self, record: ServiceEvent);
}

impl ServiceRequest {
    /// A `GET` with a query.
    pub(crate) fn get<'a>(path: &str, pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> ServiceRequest {
        let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
        ServiceRequest { target: format!("{path}?{query}"), json: None }
    }
}

impl ServiceResponse {
    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    pub(crate) fn is_client_error(&self) -> bool {
        (400..500).contains(&self.status)
    }

    /// The body as JSON. It is read as every other body is: another kind of source would be a second parser.
    pub(crate) fn json<T: DeserializeOwned>(&self) -> Option<T> {
        despacho_core::json::from_str(std::str::from_utf8(&self.body).ok()?).ok()
    }
}

impl Outcome {
    /// Its name in metrics.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Succeeded => "Answered",
            Outcome::Late => "Late",
            Outcome::Unreachable => "Unreachable",
            Outcome::ServerError => "ServerError",
            Outcome::Rejected => "Refused",
            Outcome::Malformed => "Strange",
            Outcome::Resting => "Resting",
            Outcome::Paced => "Paced",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_encoded() {
        let request = ServiceRequest::get("/search", [("street", "12 Rua São João & Cia"), ("city", "")]);
        assert_eq!(request.target, "/search?street=12+Rua+S%C3%A3o+Jo%C3%A3o+%26+Cia&city=");
    }
}
