//! HTTPS, if a certificate and its key are configured.

use std::{path::Path, sync::Arc};

use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        ServerConfig,
        crypto::ring,
        pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    },
};

use crate::{config::Config, error::StartError};

/// Returns the acceptor of TLS connections, which prefers HTTP/2; `None` for plain HTTP.
pub(super) fn acceptor(config: &Config) -> Result<Option<TlsAcceptor>, StartError> {
    let (Some(cert), Some(key)) = (&config.tls.cert, &config.tls.key) else {
        return Ok(None);
    };
    let error = |error| {
        content(
            "certificate",
            cert,
            format!("cannot be used with its key: {error}"),
        )
    };
    let mut tls = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(error)?
        .with_no_client_auth()
        .with_single_cert(chain(cert)?, private_key(key)?)
        .map_err(error)?;
    tls.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Some(TlsAcceptor::from(Arc::new(tls))))
}

fn content(name: &'static str, path: &Path, detail: String) -> StartError {
    StartError::Content {
        name,
        path: path.to_owned(),
        detail,
    }
}

fn chain(file: &Path) -> Result<Vec<CertificateDer<'static>>, StartError> {
    let error = |error| content("certificate", file, format!("cannot be read: {error}"));
    let chain: Result<Vec<_>, _> = CertificateDer::pem_file_iter(file)
        .map_err(error)?
        .collect();
    match chain {
        Ok(chain) if chain.is_empty() => Err(content(
            "certificate",
            file,
            "contains no PEM certificate".to_owned(),
        )),
        chain => chain.map_err(error),
    }
}

fn private_key(file: &Path) -> Result<PrivateKeyDer<'static>, StartError> {
    PrivateKeyDer::from_pem_file(file)
        .map_err(|error| content("private key", file, format!("cannot be read: {error}")))
}
