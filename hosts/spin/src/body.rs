//! A request's body, never more of it than is needed to say that it is too large.

use std::{pin::pin, time::Duration};

use bytes::{Bytes, BytesMut};
use despacho_shell::body::BodyLimit;
use http_body_util::BodyExt;

use crate::wait::within;

/// How long a body may take to arrive.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Collects a body up to `limit` and one more byte; `None` where it broke off or took too long.
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
    let length = body.size_hint().upper().and_then(|length| usize::try_from(length).ok());
    let (mut body, mut whole, mut limit) = (pin!(body), BytesMut::new(), BodyLimit::new(limit));
    while !limit.is_exhausted()
        && length.is_none_or(|length| whole.len() < length)
        && let Some(frame) = body.frame().await
    {
        // Trailers are ignored.
        let Ok(piece) = frame.ok()?.into_data() else { continue };
        let fitting = limit.fitting(&piece);
        if whole.is_empty() && fitting == piece.len() && length == Some(fitting) {
            return Some(piece);
        }
        limit.add(&piece, fitting);
        whole.extend_from_slice(piece.get(..fitting).unwrap_or_default());
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
            Poll::Pending => panic!("nothing here waits"),
        }
    }

    #[test]
    fn a_body_comes_whole_up_to_the_limit_and_one_byte_longer_past_it() {
        for (sent, read_back) in [("", ""), ("abcd", "abcd"), ("abcdef", "abcde")] {
            assert_eq!(now(read(Full::new(Bytes::from_static(sent.as_bytes())), 4)).expect("it is there"), read_back);
        }
    }

    #[test]
    fn a_body_that_never_ends_is_given_up() {
        let frame = || Ok::<_, std::io::Error>(http_body::Frame::data(Bytes::from_static(&[0; 4096])));
        let endless = StreamBody::new(futures_util::stream::repeat_with(frame));
        assert_eq!(now(read(endless, 10)).expect("what fits").len(), 11);
    }
}
