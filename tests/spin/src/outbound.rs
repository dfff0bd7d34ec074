//! Outbound HTTP: to the loopback addresses that a test names, as `allowed_outbound_hosts` names hosts for Spin, and to nobody else.

use std::{net::SocketAddr, sync::Arc};

use http_body_util::BodyExt;
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use wasmtime_wasi_http::{Error as HttpError, RequestOptions, WasiBody, WasiHttpHooks};

type Sent = (http::Response<WasiBody>, Box<dyn Future<Output = Result<(), HttpError>> + Send>);

/// Calls what it may.
#[derive(Clone)]
pub(crate) struct Calls {
    allowed: Arc<[SocketAddr]>,
    client: Client<HttpConnector, WasiBody>,
}

impl Calls {
    /// Calls to these addresses; one that is not this machine's own is never called.
    pub(crate) fn to(allowed: &[SocketAddr]) -> Calls {
        Calls { allowed: allowed.into(), client: Client::builder(TokioExecutor::new()).build_http() }
    }

    fn may(&self, uri: &http::Uri) -> bool {
        let address = uri.authority().and_then(|authority| authority.as_str().parse::<SocketAddr>().ok());
        let allowed = |address: SocketAddr| address.ip().is_loopback() && self.allowed.contains(&address);
        uri.scheme_str() == Some("http") && address.is_some_and(allowed)
    }
}

impl WasiHttpHooks for Calls {
    fn send_request(
        &mut self,
        request: http::Request<WasiBody>,
        _options: Option<RequestOptions>,
        _io: Box<dyn Future<Output = Result<(), HttpError>> + Send>,
    ) -> Box<dyn Future<Output = Result<Sent, HttpError>> + Send> {
        let calls = self.clone();
        Box::new(async move {
            if !calls.may(request.uri()) {
                return Err(HttpError::HttpRequestDenied);
            }
            let answer = calls.client.request(request).await;
            let answer = answer.map_err(|error| {
                if error.is_connect() { HttpError::ConnectionRefused } else { HttpError::ConnectionTerminated }
            })?;
            let io: Box<dyn Future<Output = Result<(), HttpError>> + Send> = Box::new(async { Ok(()) });
            Ok((answer.map(|body| body.map_err(HttpError::from).boxed_unsync()), io))
        })
    }
}
