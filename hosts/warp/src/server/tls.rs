//! HTTPS, where a certificate and its key are configured.

use std::{path::Path, sync::Arc};

use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        ServerConfig,
        crypto::ring,
        pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    },
};

use crate::config::Config;

/// What accepts TLS connections, HTTP/2 first; `None` where plain HTTP is configured.
pub(super) fn acceptor(config: &Config) -> Result<Option<TlsAcceptor>, String> {
    let (Some(cert), Some(key)) = (&config.tls.cert, &config.tls.key) else { return Ok(None) };
    let error = |error| format!("the certificate {} and its key do not work: {error}", cert.display());
    let mut tls = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(error)?
        .with_no_client_auth()
        .with_single_cert(chain(cert)?, private_key(key)?)
        .map_err(error)?;
    tls.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Some(TlsAcceptor::from(Arc::new(tls))))
}

fn chain(file: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let error = |error| format!("the certificate {} cannot be read: {error}", file.display());
    let chain: Result<Vec<_>, _> = CertificateDer::pem_file_iter(file).map_err(error)?.collect();
    match chain {
        Ok(chain) if chain.is_empty() => Err(format!("{} holds no certificate in PEM", file.display())),
        chain => chain.map_err(error),
    }
}

fn private_key(file: &Path) -> Result<PrivateKeyDer<'static>, String> {
    PrivateKeyDer::from_pem_file(file)
        .map_err(|error| format!("the private key {} cannot be read: {error}", file.display()))
}
