//! Connections to receivers. A name is resolved, its addresses are checked, and the connection uses
//! one of the checked addresses: a changed DNS record cannot redirect it into a private network.

use std::{
    future::Future,
    io,
    net::SocketAddr,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use despacho_core::{model::webhook::SendError, rules::webhooks::is_public};
use http::Uri;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::{
    client::legacy::connect::{Connected, Connection},
    rt::TokioIo,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpStream, lookup_host},
};
use tokio_rustls::{
    TlsConnector,
    rustls::{self, ClientConfig, RootCertStore, crypto::ring, pki_types::ServerName},
};

/// The error of a connection attempt.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConnectError(pub(super) SendError);

impl std::fmt::Display for ConnectError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.name())
    }
}

impl std::error::Error for ConnectError {}

/// Opens connections to public addresses, and with `loopback` to this machine.
#[derive(Clone)]
pub(super) struct Connector {
    tls: TlsConnector,
    loopback: bool,
}

impl Connector {
    /// Creates a connector that trusts the system's root certificates.
    pub(super) fn new(loopback: bool) -> Result<Connector, rustls::Error> {
        let mut roots = RootCertStore::empty();
        let found = rustls_native_certs::load_native_certs();
        let (accepted, _) = roots.add_parsable_certificates(found.certs);
        if accepted == 0 {
            tracing::warn!("no system root certificates found; all webhooks with HTTPS will fail");
        }
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Connector {
            tls: TlsConnector::from(Arc::new(config)),
            loopback,
        })
    }

    async fn connect(self, target: Uri) -> Result<WebhookStream, ConnectError> {
        let fail = |error| move |_| ConnectError(error);
        let secure = target.scheme_str() != Some("http");
        let host = target
            .host()
            .unwrap_or_default()
            .trim_start_matches('[')
            .trim_end_matches(']')
            .to_owned();
        let port = target.port_u16().unwrap_or(if secure { 443 } else { 80 });
        let found = lookup_host((host.as_str(), port))
            .await
            .map_err(fail(SendError::Name))?;
        let found: Vec<SocketAddr> = found.collect();
        let allowed = allowed(&found, secure, self.loopback)?;
        let socket = connect_to(&allowed)
            .await
            .map_err(fail(SendError::Connect))?;
        // Requests are written in one piece, so delaying small packets has no benefit.
        let _ = socket.set_nodelay(true);
        if !secure {
            return Ok(WebhookStream(TokioIo::new(Box::new(socket))));
        }
        let name = ServerName::try_from(host).map_err(|_| ConnectError(SendError::Tls))?;
        let stream = self
            .tls
            .connect(name, socket)
            .await
            .map_err(fail(SendError::Tls))?;
        Ok(WebhookStream(TokioIo::new(Box::new(stream))))
    }
}

/// Returns the addresses that may be called. Without TLS only loopback addresses are allowed.
fn allowed(
    found: &[SocketAddr],
    secure: bool,
    loopback: bool,
) -> Result<Vec<SocketAddr>, ConnectError> {
    if found.is_empty() {
        return Err(ConnectError(SendError::Name));
    }
    let is_allowed = |address: &&SocketAddr| {
        let is_loopback = loopback && address.ip().is_loopback();
        is_loopback || (secure && is_public(address.ip()))
    };
    let allowed: Vec<SocketAddr> = found.iter().filter(is_allowed).copied().collect();
    if allowed.is_empty() {
        Err(ConnectError(SendError::Address))
    } else {
        Ok(allowed)
    }
}

async fn connect_to(addresses: &[SocketAddr]) -> io::Result<TcpStream> {
    let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
    for address in addresses {
        match TcpStream::connect(address).await {
            Ok(socket) => return Ok(socket),
            Err(error) => last = error,
        }
    }
    Err(last)
}

impl tower::Service<Uri> for Connector {
    type Response = WebhookStream;
    type Error = ConnectError;
    type Future = Pin<Box<dyn Future<Output = Result<WebhookStream, ConnectError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), ConnectError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, target: Uri) -> Self::Future {
        Box::pin(self.clone().connect(target))
    }
}

/// A byte stream with or without TLS.
trait Socket: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Socket for T {}

/// An open connection.
pub(super) struct WebhookStream(TokioIo<Box<dyn Socket>>);

impl Connection for WebhookStream {
    fn connected(&self) -> Connected {
        Connected::new()
    }
}

impl Read for WebhookStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, into)
    }
}

impl Write for WebhookStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_checked_addresses_are_called() {
        let addresses = |list: &[&str]| {
            list.iter()
                .map(|text| text.parse().unwrap())
                .collect::<Vec<SocketAddr>>()
        };
        let count = |list: &[&str], secure, loopback| {
            allowed(&addresses(list), secure, loopback)
                .map(|found| found.len())
                .map_err(|fail| fail.0.name())
        };
        assert_eq!(count(&["1.1.1.1:443", "10.0.0.1:443"], true, false), Ok(1));
        assert_eq!(
            count(&["10.0.0.1:443", "[::ffff:10.0.0.1]:443"], true, true),
            Err("address")
        );
        assert_eq!(count(&["127.0.0.1:80"], true, false), Err("address"));
        assert_eq!(count(&["127.0.0.1:80", "[::1]:80"], false, true), Ok(2));
        assert_eq!(
            count(&["1.1.1.1:80"], false, true),
            Err("address"),
            "public addresses require TLS"
        );
        assert_eq!(count(&[], true, true), Err("name"));
    }
}
