//! Outbound HTTP, only to the loopback addresses chosen by the test, as with
//! `allowed_outbound_hosts` in Spin.

use std::{net::SocketAddr, sync::Arc};

use http_body_util::BodyExt;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::{
    client::legacy::{Client, Error as ClientError, connect::HttpConnector},
    rt::TokioExecutor,
};
use tokio_rustls::rustls::{self, ClientConfig, RootCertStore, pki_types::CertificateDer};
use wasmtime_wasi_http::{Error as HttpError, RequestOptions, WasiBody, WasiHttpHooks};

type Sent = (
    http::Response<WasiBody>,
    Box<dyn Future<Output = Result<(), HttpError>> + Send>,
);

/// Sends requests to allowed addresses.
#[derive(Clone)]
pub(crate) struct Calls {
    allowed: Arc<[SocketAddr]>,
    blocked: Arc<[SocketAddr]>,
    client: Client<HttpsConnector<HttpConnector>, WasiBody>,
}

impl Calls {
    /// Allows requests to these addresses if they are loopback addresses. Only `trusted`
    /// certificates are accepted.
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
        let tls =
            ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
        let tls = tls.with_root_certificates(roots).with_no_client_auth();
        let connector = HttpsConnectorBuilder::new()
            .with_tls_config(tls)
            .https_or_http()
            .enable_http1()
            .build();
        Ok(Calls {
            allowed: allowed.into(),
            blocked: blocked.into(),
            client: Client::builder(TokioExecutor::new()).build(connector),
        })
    }

    fn check(&self, uri: &http::Uri) -> Result<(), HttpError> {
        let address = uri
            .authority()
            .and_then(|authority| authority.as_str().parse::<SocketAddr>().ok());
        match address.filter(|address| address.ip().is_loopback() && self.allowed.contains(address))
        {
            Some(address) if self.blocked.contains(&address) => {
                Err(HttpError::DestinationIpProhibited)
            }
            Some(_) => Ok(()),
            None => Err(HttpError::HttpRequestDenied),
        }
    }
}

/// Maps an error to the interface's error, like wasmtime's client.
fn http_error(error: &ClientError) -> HttpError {
    if is_tls(error) {
        HttpError::TlsProtocolError
    } else if error.is_connect() {
        HttpError::ConnectionRefused
    } else {
        HttpError::ConnectionTerminated
    }
}

/// Returns whether TLS caused an error. The source of an I/O error is that of its inner error, so
/// the inner error is checked separately.
fn is_tls(error: &(dyn std::error::Error + 'static)) -> bool {
    let inner = error
        .downcast_ref::<std::io::Error>()
        .and_then(std::io::Error::get_ref);
    error.is::<rustls::Error>()
        || inner.is_some_and(|inner| is_tls(inner))
        || error.source().is_some_and(is_tls)
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
            let io: Box<dyn Future<Output = Result<(), HttpError>> + Send> =
                Box::new(async { Ok(()) });
            Ok((
                response.map(|body| body.map_err(HttpError::from).boxed_unsync()),
                io,
            ))
        })
    }
}
