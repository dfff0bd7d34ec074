//! A request's body, never more of it than is needed to say that it is too large.

use std::{pin::pin, time::Duration};

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;

use crate::wait::within;

/// How long a body may take to arrive.
const PATIENCE: Duration = Duration::from_secs(30);
/// How much is read and thrown away past the limit, so that a caller who is still sending gets to see the refusal.
const GRACE_BYTES: usize = 1 << 20;

/// Collects a body up to `limit` and one more byte; `None` where it broke off or took too long.
pub(crate) async fn collect<B>(body: B, limit: usize) -> Option<Bytes>
where
    B: http_body_util::BodyExt<Data = Bytes>,
{
    within(PATIENCE, read(body, limit)).await.flatten()
}

async fn read<B>(body: B, limit: usize) -> Option<Bytes>
where
    B: http_body_util::BodyExt<Data = Bytes>,
{
    let most = limit.saturating_add(1);
    // The end of a body that says its length is known without asking the host again for its end and its trailers.
    let length = body.size_hint().upper().and_then(|length| usize::try_from(length).ok());
    let (mut body, mut whole, mut wasted) = (pin!(body), BytesMut::new(), 0);
    while length.is_none_or(|length| whole.len() < length)
        && let Some(frame) = body.frame().await
    {
        // Trailers say nothing here.
        let Ok(piece) = frame.ok()?.into_data() else { continue };
        if whole.is_empty() && piece.len() < most && length == Some(piece.len()) {
            return Some(piece);
        }
        let room = most - whole.len();
        whole.extend_from_slice(piece.get(..room.min(piece.len())).unwrap_or_default());
        wasted += piece.len().saturating_sub(room);
        if wasted > GRACE_BYTES {
            break;
        }
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
