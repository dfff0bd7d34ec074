//! Outbound requests. Redirects are not followed. The runtime resolves names, and
//! `allowed_outbound_hosts` in spin.toml restricts hosts.

use std::{pin::pin, time::Duration};

use bytes::{Bytes, BytesMut};
use despacho_core::{
    model::webhook::{AttemptResult, SendError},
    rules::webhooks::{WebhookConfig, check},
};
use despacho_shell::webhooks::{MAX_RESPONSE_BYTES, RESPONSE_TIMEOUT};
use http::{HeaderValue, Request, header};
use http_body_util::BodyExt;
use spin_sdk::{
    http::{FullBody, Response, send},
    wasip3::http::types::ErrorCode,
};

use crate::wait::within;

/// The error of an outbound request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AttemptError {
    /// The response was late.
    Late,
    /// The application may not call the host.
    Denied,
    /// The host's address is in a network that the runtime blocks.
    Blocked,
    /// The host's name has no address.
    Name,
    /// The host did not accept the connection.
    Connect,
    /// The certificate is invalid, or the host does not support TLS.
    Tls,
    /// The connection broke, or the response was not valid HTTP.
    Broken,
}

/// Sends a request and returns the response without its body.
pub(crate) async fn begin(mut request: Request<Bytes>) -> Result<Response, AttemptError> {
    let length = request.body().len();
    if length > 0 {
        // Without a length the body is chunked, which some receivers do not support.
        request
            .headers_mut()
            .insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    }
    send(request.map(FullBody::new))
        .await
        .map_err(|code| attempt_error(&code))
}

/// Reads a body. A body above the limit is an error.
pub(crate) async fn collect<B>(body: B, limit: usize) -> Result<Bytes, AttemptError>
where
    B: BodyExt<Data = Bytes>,
{
    let (mut body, mut whole) = (pin!(body), BytesMut::new());
    while let Some(frame) = body.frame().await {
        let Ok(chunk) = frame.map_err(|_| AttemptError::Broken)?.into_data() else {
            continue;
        };
        if whole.len() + chunk.len() > limit {
            return Err(AttemptError::Broken);
        }
        whole.extend_from_slice(&chunk);
    }
    Ok(whole.freeze())
}

/// Runs work with a timeout.
pub(crate) async fn with_timeout<T>(
    limit: Duration,
    work: impl Future<Output = Result<T, AttemptError>>,
) -> Result<T, AttemptError> {
    within(limit, work).await.unwrap_or(Err(AttemptError::Late))
}

fn attempt_error(code: &ErrorCode) -> AttemptError {
    use ErrorCode as E;
    match code {
        E::DnsError(_) | E::DestinationNotFound => AttemptError::Name,
        E::HttpRequestDenied => AttemptError::Denied,
        E::DestinationIpProhibited => AttemptError::Blocked,
        E::ConnectionRefused
        | E::DestinationUnavailable
        | E::DestinationIpUnroutable
        | E::ConnectionLimitReached => AttemptError::Connect,
        E::TlsProtocolError | E::TlsCertificateError | E::TlsAlertReceived(_) => AttemptError::Tls,
        E::DnsTimeout
        | E::ConnectionTimeout
        | E::ConnectionReadTimeout
        | E::ConnectionWriteTimeout
        | E::HttpResponseTimeout => AttemptError::Late,
        _ => AttemptError::Broken,
    }
}

/// Sends a request to a URL of a client and returns the result.
pub(crate) async fn call(
    url: &str,
    request: Request<Bytes>,
    config: &WebhookConfig,
) -> AttemptResult {
    // The URL was checked when it was stored, perhaps under another configuration.
    if check(url, config.loopback).is_err() {
        return AttemptResult::Failed(SendError::Address);
    }
    match with_timeout(
        Duration::from_secs(config.timeout_seconds.into()),
        begin(request),
    )
    .await
    {
        Ok(response) => {
            let status = response.status().as_u16();
            // The body is read so that the connection can be reused; its content is ignored.
            let _ = with_timeout(
                RESPONSE_TIMEOUT,
                collect(response.into_body(), MAX_RESPONSE_BYTES),
            )
            .await;
            AttemptResult::Status(status)
        }
        Err(error) => AttemptResult::Failed(send_error(error)),
    }
}

fn send_error(error: AttemptError) -> SendError {
    match error {
        AttemptError::Late => SendError::Timeout,
        AttemptError::Denied | AttemptError::Blocked => SendError::Address,
        AttemptError::Name => SendError::Name,
        AttemptError::Connect => SendError::Connect,
        AttemptError::Tls => SendError::Tls,
        AttemptError::Broken => SendError::Broken,
    }
}

#[cfg(test)]
mod tests {
    use std::task::{Context, Poll, Waker};

    use http_body_util::Full;

    use super::*;

    #[test]
    fn body_above_limit_is_an_error() {
        let read = |limit| {
            let body = Full::new(Bytes::from_static(b"abcd"));
            match pin!(collect(body, limit)).poll(&mut Context::from_waker(Waker::noop())) {
                Poll::Ready(read) => read,
                Poll::Pending => panic!("the test body never waits"),
            }
        };
        assert_eq!(
            (read(4), read(3)),
            (Ok(Bytes::from_static(b"abcd")), Err(AttemptError::Broken))
        );
    }

    #[test]
    fn runtime_errors_map_to_attempt_errors() {
        assert_eq!(
            attempt_error(&ErrorCode::HttpRequestDenied),
            AttemptError::Denied
        );
        assert_eq!(
            attempt_error(&ErrorCode::DestinationIpProhibited),
            AttemptError::Blocked
        );
        assert_eq!(
            attempt_error(&ErrorCode::ConnectionRefused),
            AttemptError::Connect
        );
        assert_eq!(
            attempt_error(&ErrorCode::HttpResponseTimeout),
            AttemptError::Late
        );
        assert_eq!(
            attempt_error(&ErrorCode::InternalError(None)),
            AttemptError::Broken
        );
    }
}
