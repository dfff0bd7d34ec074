//! Outbound HTTP: to the loopback addresses that a test names, as `allowed_outbound_hosts` names hosts for Spin, and to nobody else.

use std::{net::SocketAddr, sync::Arc};

use http_body_util::BodyExt;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::{
    client::legacy::{Client, Error as ClientError, connect::HttpConnector},
    rt::TokioExecutor,
};
use tokio_rustls::rustls::{self, ClientConfig, RootCertStore, pki_types::CertificateDer};
use wasmtime_wasi_http::{Error as HttpError, RequestOptions, WasiBody, WasiHttpHooks};

type Sent = (http::Response<WasiBody>, Box<dyn Future<Output = Result<(), HttpError>> + Send>);

/// Calls what it may.
#[derive(Clone)]
pub(crate) struct Calls {
    allowed: Arc<[SocketAddr]>,
    blocked: Arc<[SocketAddr]>,
    client: Client<HttpsConnector<HttpConnector>, WasiBody>,
}

impl Calls {
    /// Calls to these addresses; one that is not this machine's own is never called. Of certificates those of `trusted` are good.
    pub(crate) fn to(
        allowed: &[SocketAddr],
        blocked: &[SocketAddr],
        trusted: &[Vec<u8>],
    ) -> Result<Calls, rustls::Error> {
        let mut roots = RootCertStore::empty();
        for certificate in trusted {
            roots.add(CertificateDer::from(certificate.clone()))?;
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let tls = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
        let tls = tls.with_root_certificates(roots).with_no_client_auth();
        let connector = HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http().enable_http1().build();
        Ok(Calls {
            allowed: allowed.into(),
            blocked: blocked.into(),
            client: Client::builder(TokioExecutor::new()).build(connector),
        })
    }

    fn check(&self, uri: &http::Uri) -> Result<(), HttpError> {
        let address = uri.authority().and_then(|authority| authority.as_str().parse::<SocketAddr>().ok());
        match address.filter(|address| address.ip().is_loopback() && self.allowed.contains(address)) {
            Some(address) if self.blocked.contains(&address) => Err(HttpError::DestinationIpProhibited),
            Some(_) => Ok(()),
            None => Err(HttpError::HttpRequestDenied),
        }
    }
}

/// What the interface calls a failure, as wasmtime's own client would.
fn http_error(error: &ClientError) -> HttpError {
    if is_tls(error) {
        HttpError::TlsProtocolError
    } else if error.is_connect() {
        HttpError::ConnectionRefused
    } else {
        HttpError::ConnectionTerminated
    }
}

/// Whether the reason, or the reason of that, is TLS's. An I/O error says what it holds, and calls only the reason of that its own.
fn is_tls(error: &(dyn std::error::Error + 'static)) -> bool {
    let held = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
    error.is::<rustls::Error>() || held.is_some_and(|held| is_tls(held)) || error.source().is_some_and(is_tls)
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
            calls.check(request.uri())?;
            let response = calls.client.request(request).await;
            let response = response.map_err(|error| http_error(&error))?;
            let io: Box<dyn Future<Output = Result<(), HttpError>> + Send> = Box::new(async { Ok(()) });
            Ok((response.map(|body| body.map_err(HttpError::from).boxed_unsync()), io))
        })
    }
}
