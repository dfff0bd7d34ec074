//! temporary
use crate::config::Config;
use bytes::Bytes;
use despacho_core::{Settings, api::Outcome, host::Fault};
use http::{Request, Response};

/// Figures of the writer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stats {
    /// c
    pub commits: u64,
    /// g
    pub groups: u64,
    /// q
    pub queued: u64,
}

/// The state.
pub struct Store;

impl Store {
    /// Opens.
    pub async fn open(_config: &Config) -> Result<Store, String> {
        Ok(Store)
    }
    /// Opens.
    pub async fn open_existing(_config: &Config) -> Result<Store, String> {
        Ok(Store)
    }
    /// Backs up.
    pub async fn backup(&self, _file: &std::path::Path) -> Result<(), Fault> {
        Ok(())
    }
    /// Answers.
    pub async fn answer(&self, settings: &Settings, request: Request<Bytes>) -> Response<Bytes> {
        let problem = |s: u16, code: &'static str| {
            let mut r = Response::new(Bytes::from(format!("{{\"code\":\"{code}\"}}")));
            *r.status_mut() = http::StatusCode::from_u16(s).unwrap_or_default();
            r.headers_mut().insert("content-type", http::HeaderValue::from_static("application/problem+json"));
            r.headers_mut().insert(
                "x-request-id",
                request.headers().get("x-request-id").cloned().unwrap_or(http::HeaderValue::from_static("made")),
            );
            r.extensions_mut().insert(Outcome { route: "unmatched", code: Some(code) });
            r
        };
        if request.body().len() > settings.limits.body_bytes {
            return problem(413, "body_too_large");
        }
        problem(404, "endpoint_not_found")
    }
    /// Round.
    pub async fn round(&self, _settings: &Settings, _limit: u32) -> Result<u32, Fault> {
        Ok(0)
    }
    /// Ready.
    pub async fn ready(&self) -> Result<(), Fault> {
        Ok(())
    }
    /// Stats.
    pub fn stats(&self) -> Stats {
        Stats::default()
    }
    /// Close.
    pub async fn close(&self) -> Result<(), Fault> {
        Ok(())
    }
}
