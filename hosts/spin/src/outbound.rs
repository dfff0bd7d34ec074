//! Requests to other machines. Redirects are not followed, and no name is resolved here: what may be called at all is for
//! `allowed_outbound_hosts` in spin.toml to say.

use std::{pin::pin, time::Duration};

use bytes::{Bytes, BytesMut};
use http::{HeaderValue, Request, header};
use http_body_util::BodyExt;
use spin_sdk::{
    http::{FullBody, Response, send},
    wasip3::http::types::ErrorCode,
};

use crate::wait::within;

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AttemptError {
    /// It did not come in time.
    Late,
    /// The application may not call this host.
    Denied,
    /// The host's address is in a network that the runtime blocks.
    Blocked,
    /// The host's name has no address.
    Name,
    /// The host took no connection.
    Connect,
    /// Its certificate is not good, or it speaks no TLS.
    Tls,
    /// The connection broke, or what came was no HTTP.
    Broken,
}

/// Sends a request and gives the head of the answer.
pub(crate) async fn begin(mut request: Request<Bytes>) -> Result<Response, AttemptError> {
    let length = request.body().len();
    if length > 0 {
        // Without it the body comes in chunks, which not every receiver takes.
        request.headers_mut().insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    }
    send(request.map(FullBody::new)).await.map_err(|code| missed(&code))
}

/// A body up to its limit; longer ones are as good as broken off.
pub(crate) async fn collect<B>(body: B, limit: usize) -> Result<Bytes, AttemptError>
where
    B: BodyExt<Data = Bytes>,
{
    let (mut body, mut whole) = (pin!(body), BytesMut::new());
    while let Some(frame) = body.frame().await {
        let Ok(piece) = frame.map_err(|_| AttemptError::Broken)?.into_data() else { continue };
        if whole.len() + piece.len() > limit {
            return Err(AttemptError::Broken);
        }
        whole.extend_from_slice(&piece);
    }
    Ok(whole.freeze())
}

/// Gives up what takes longer.
pub(crate) async fn in_time<T>(
    limit: Duration,
    work: impl Future<Output = Result<T, AttemptError>>,
) -> Result<T, AttemptError> {
    within(limit, work).await.unwrap_or(Err(AttemptError::Late))
}

fn missed(code: &ErrorCode) -> AttemptError {
    use ErrorCode as E;
    match code {
        E::DnsError(_) | E::DestinationNotFound => AttemptError::Name,
        E::HttpRequestDenied => AttemptError::Denied,
        E::DestinationIpProhibited => AttemptError::Blocked,
        E::ConnectionRefused | E::DestinationUnavailable | E::DestinationIpUnroutable | E::ConnectionLimitReached => {
            AttemptError::Connect
        }
        E::TlsProtocolError | E::TlsCertificateError | E::TlsAlertReceived(_) => AttemptError::Tls,
        E::DnsTimeout
        | E::ConnectionTimeout
        | E::ConnectionReadTimeout
        | E::ConnectionWriteTimeout
        | E::HttpResponseTimeout => AttemptError::Late,
        _ => AttemptError::Broken,
    }
}

#[cfg(test)]
mod tests {
    use std::task::{Context, Poll, Waker};

    use http_body_util::Full;

    use super::*;

    #[test]
    fn a_body_comes_whole_or_not_at_all() {
        let read = |limit| {
            let body = Full::new(Bytes::from_static(b"abcd"));
            match pin!(collect(body, limit)).poll(&mut Context::from_waker(Waker::noop())) {
                Poll::Ready(read) => read,
                Poll::Pending => panic!("nothing here waits"),
            }
        };
        assert_eq!((read(4), read(3)), (Ok(Bytes::from_static(b"abcd")), Err(AttemptError::Broken)));
    }

    #[test]
    fn errors_are_told_apart() {
        assert_eq!(missed(&ErrorCode::HttpRequestDenied), AttemptError::Denied);
        assert_eq!(missed(&ErrorCode::DestinationIpProhibited), AttemptError::Blocked);
        assert_eq!(missed(&ErrorCode::ConnectionRefused), AttemptError::Connect);
        assert_eq!(missed(&ErrorCode::HttpResponseTimeout), AttemptError::Late);
        assert_eq!(missed(&ErrorCode::InternalError(None)), AttemptError::Broken);
    }
}
