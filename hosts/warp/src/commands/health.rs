//! `despacho healthcheck`: one request to `/readyz`, without a client library.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::{
    TlsConnector,
    rustls::{
        ClientConfig, DigitallySignedStruct, Error, SignatureScheme,
        client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
        crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature},
        pki_types::{CertificateDer, ServerName, UnixTime, pem::PemObject},
    },
};

use super::error::CommandError;
use crate::config::{self, Config};

const TIMEOUT: Duration = Duration::from_secs(4);
const REQUEST: &[u8] = b"GET /readyz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";

/// Succeeds if the server responds that it is ready.
pub(super) async fn check(config: &Config) -> Result<(), CommandError> {
    let address = config::reachable(config.listen);
    let status = timeout(TIMEOUT, send(config, address))
        .await
        .map_err(|_| format!("no response from {address} within 4 seconds"))??;
    if status == "200" {
        Ok(())
    } else {
        Err(CommandError::Failed(format!(
            "{address} is not ready: status {status}"
        )))
    }
}

async fn send(config: &Config, address: SocketAddr) -> Result<String, CommandError> {
    let socket = TcpStream::connect(address)
        .await
        .map_err(|error| format!("cannot connect to {address}: {error}"))?;
    let Some(file) = &config.tls.cert else {
        return exchange(socket).await;
    };
    let certificate = CertificateDer::from_pem_file(file)
        .map_err(|error| format!("cannot read {}: {error}", file.display()))?;
    let provider = Arc::new(ring::default_provider());
    let client = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(PinnedCertificate {
            certificate,
            provider,
        }))
        .with_no_client_auth();
    let name = ServerName::from(address.ip());
    exchange(
        TlsConnector::from(Arc::new(client))
            .connect(name, socket)
            .await?,
    )
    .await
}

async fn exchange(mut stream: impl AsyncRead + AsyncWrite + Unpin) -> Result<String, CommandError> {
    stream.write_all(REQUEST).await?;
    let mut head = [0; 12];
    stream.read_exact(&mut head).await?;
    Ok(String::from_utf8_lossy(&head[9..]).into_owned())
}

/// Trusts only the configured certificate, for any host name: the check connects by IP address.
#[derive(Debug)]
struct PinnedCertificate {
    certificate: CertificateDer<'static>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for PinnedCertificate {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if *end_entity == self.certificate {
            Ok(ServerCertVerified::assertion())
        } else {
            Err(Error::General(
                "the server's certificate differs from the configured one".to_owned(),
            ))
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(
            message,
            cert,
            signature,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(
            message,
            cert,
            signature,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}
