//! TLS with the machine's root certificates. The certificate must match the server's name.

use std::{fmt, sync::Arc};

use tokio_postgres_rustls::MakeRustlsConnect;
use tokio_rustls::rustls::{self, ClientConfig, RootCertStore, crypto::ring};

/// The reason that connections cannot be encrypted.
#[derive(Debug)]
pub(crate) enum TlsError {
    /// The machine has no root certificates.
    NoRootCertificates,
    /// The TLS configuration was rejected.
    Config(rustls::Error),
}

impl fmt::Display for TlsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TlsError::NoRootCertificates => f.write_str(
                "this machine has no root certificates, so no server's certificate can be verified; install them or set SSL_CERT_FILE",
            ),
            TlsError::Config(error) => write!(f, "TLS is unavailable: {error}"),
        }
    }
}

impl std::error::Error for TlsError {}

/// Creates the connector of encrypted connections.
pub(crate) fn connector() -> Result<MakeRustlsConnect, TlsError> {
    let mut roots = RootCertStore::empty();
    let (added, _) =
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if added == 0 {
        return Err(TlsError::NoRootCertificates);
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(TlsError::Config)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}
