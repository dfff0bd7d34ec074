//! The HTTP connector for outbound requests.

use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;

use crate::error::StartError;

/// Returns a connector for HTTP and, if `secure`, HTTPS with the system's root certificates, which
/// are read only then.
pub(crate) fn connector(secure: bool) -> Result<HttpsConnector<HttpConnector>, StartError> {
    let provider = tokio_rustls::rustls::crypto::ring::default_provider();
    let mut http = HttpConnector::new();
    http.enforce_http(false);
    http.set_nodelay(true);
    let builder = HttpsConnectorBuilder::new();
    let builder = if secure {
        builder
            .with_provider_and_native_roots(provider)
            .map_err(StartError::RootCertificates)?
    } else {
        let config = tokio_rustls::rustls::ClientConfig::builder_with_provider(provider.into())
            .with_safe_default_protocol_versions()
            .map_err(StartError::Tls)?;
        let unknown = tokio_rustls::rustls::RootCertStore::empty();
        builder.with_tls_config(config.with_root_certificates(unknown).with_no_client_auth())
    };
    Ok(builder.https_or_http().enable_http1().wrap_connector(http))
}
