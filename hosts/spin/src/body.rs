//! Reads a request's body, and not more of it than is needed to detect that it is too large.

use std::{pin::pin, time::Duration};

use bytes::{Bytes, BytesMut};
use despacho_shell::body::BodyLimit;
use http_body_util::BodyExt;

use crate::wait::within;

/// Maximum time to receive a body.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Collects a body up to `limit` plus one byte; `None` if it is incomplete or late.
pub(crate) async fn collect<B>(body: B, limit: usize) -> Option<Bytes>
where
    B: http_body_util::BodyExt<Data = Bytes>,
{
    within(TIMEOUT, read(body, limit)).await.flatten()
}

async fn read<B>(body: B, limit: usize) -> Option<Bytes>
where
    B: http_body_util::BodyExt<Data = Bytes>,
{
    // The end of a body that declares its length is known without another call to the runtime.
    let length = body
        .size_hint()
        .upper()
        .and_then(|length| usize::try_from(length).ok());
    let (mut body, mut whole, mut limit) = (pin!(body), BytesMut::new(), BodyLimit::new(limit));
    while !limit.is_exhausted()
        && length.is_none_or(|length| whole.len() < length)
        && let Some(frame) = body.frame().await
    {
        // Trailers are ignored.
        let Ok(chunk) = frame.ok()?.into_data() else {
            continue;
        };
        let fitting = limit.fitting(&chunk);
        if whole.is_empty() && fitting == chunk.len() && length == Some(fitting) {
            return Some(chunk);
        }
        limit.add(&chunk, fitting);
        whole.extend_from_slice(chunk.get(..fitting).unwrap_or_default());
    }
    Some(whole.freeze())
}

#[cfg(test)]
mod tests {
    use std::{
        future::Future,
        task::{Context, Poll, Waker},
    };

    use http_body_util::{Full, StreamBody};

    use super::*;

    fn now<T>(future: impl Future<Output = T>) -> T {
        match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(value) => value,
            Poll::Pending => panic!("the test body never waits"),
        }
    }

    #[test]
    fn body_above_limit_is_truncated() {
        for (sent, read_back) in [("", ""), ("abcd", "abcd"), ("abcdef", "abcde")] {
            assert_eq!(
                now(read(Full::new(Bytes::from_static(sent.as_bytes())), 4))
                    .expect("complete body"),
                read_back
            );
        }
    }

    #[test]
    fn endless_body_is_truncated() {
        let frame =
            || Ok::<_, std::io::Error>(http_body::Frame::data(Bytes::from_static(&[0; 4096])));
        let endless = StreamBody::new(futures_util::stream::repeat_with(frame));
        assert_eq!(now(read(endless, 10)).expect("truncated body").len(), 11);
    }
}
