//! Encryption: the certificates that the machine trusts, and the server's name in its certificate.

use std::sync::Arc;

use tokio_postgres_rustls::MakeRustlsConnect;
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto::ring};

/// Opens encrypted connections.
pub(crate) fn connector() -> Result<MakeRustlsConnect, String> {
    let mut roots = RootCertStore::empty();
    let (taken, _) = roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if taken == 0 {
        return Err("this machine trusts no root certificate (SSL_CERT_FILE may name some), so that no server's \
                    certificate can be checked"
            .to_owned());
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| format!("no TLS: {error}"))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}
