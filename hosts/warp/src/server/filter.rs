//! The one filter: any method, any path, into the core.

use std::{sync::Arc, time::Duration};

use bytes::{Buf, Bytes, BytesMut};
use futures_util::{Stream, StreamExt};
use http::{HeaderMap, HeaderValue, Method, Request, header, request::Parts, uri::PathAndQuery};
use warp::{Filter, filters::path::FullPath, reject::Rejection, reply::Response as Reply};

use crate::{
    app::App,
    refusal::{self, Refusal},
};

/// Bytes beyond the limit that are still read and thrown away, so that a caller who is still sending can read the refusal
/// instead of finding the connection reset.
const GRACE_BYTES: usize = 1024 * 1024;

/// Every request, as the core takes it, and the core's answer.
pub(super) fn catch_all(
    app: Arc<App>,
) -> impl Filter<Extract = (Reply,), Error = Rejection> + Clone + Send + Sync + 'static {
    let query = warp::query::raw().map(Some).or(warp::any().map(|| None)).unify();
    warp::method()
        .and(warp::path::full())
        .and(query)
        .and(warp::header::headers_cloned())
        .and(warp::body::stream())
        .then(move |method, path: FullPath, query, headers, body| {
            // On the heap, so that the layers around it do not copy it at each step.
            Box::pin(respond(app.clone(), head(method, path.as_str(), query, headers), body))
        })
}

/// The request without its body. A path that is no path, as `*` of `OPTIONS *`, is one that the core does not know.
fn head(method: Method, path: &str, query: Option<String>, headers: HeaderMap) -> Parts {
    let target = match query {
        Some(query) => PathAndQuery::try_from(format!("{path}?{query}")),
        None => PathAndQuery::try_from(path),
    };
    let (mut parts, ()) = Request::new(()).into_parts();
    parts.method = method;
    parts.uri = target.unwrap_or_else(|_| PathAndQuery::from_static("/")).into();
    parts.headers = headers;
    parts
}

async fn respond<S, B>(app: Arc<App>, head: Parts, body: S) -> Reply
where
    S: Stream<Item = Result<B, warp::Error>>,
    B: Buf,
{
    match collect(body, app.settings.limits.body_bytes, app.patience).await {
        Some(body) => app.answer(Request::from_parts(head, body)).await,
        None => {
            let mut response = refusal::respond(&head, "unmatched", Refusal::LateBody);
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            response.map(Into::into)
        }
    }
}

/// The body, or its first `limit + 1` bytes, by which the core sees that it is too large. `None` where it did not come in time
/// or not whole. What it declares as its length is not believed: chunked bodies declare none.
async fn collect<S, B>(body: S, limit: usize, patience: Duration) -> Option<Bytes>
where
    S: Stream<Item = Result<B, warp::Error>>,
    B: Buf,
{
    let most = limit.saturating_add(1);
    let read = async {
        let mut body = std::pin::pin!(body);
        let mut first = match body.next().await {
            None => return Some(Bytes::new()),
            Some(piece) => piece.ok()?,
        };
        let mut wasted = first.remaining().saturating_sub(most);
        let first = first.copy_to_bytes(first.remaining().min(most));
        let Some(second) = body.next().await else { return Some(first) };
        let mut whole = BytesMut::from(first);
        let mut next = Some(second);
        while let Some(piece) = next {
            let piece = piece.ok()?;
            let room = most - whole.len();
            wasted += piece.remaining().saturating_sub(room);
            whole.extend_from_slice(&{ piece }.copy_to_bytes_up_to(room));
            if wasted > GRACE_BYTES {
                break;
            }
            next = body.next().await;
        }
        Some(whole.freeze())
    };
    tokio::time::timeout(patience, read).await.ok().flatten()
}

/// As much of a buffer as there is room for.
trait UpTo: Buf + Sized {
    fn copy_to_bytes_up_to(mut self, room: usize) -> Bytes {
        self.copy_to_bytes(self.remaining().min(room))
    }
}

impl<B: Buf> UpTo for B {}

#[cfg(test)]
mod tests {
    use super::*;

    async fn collected(pieces: &[&'static [u8]], limit: usize) -> Option<Bytes> {
        let pieces: Vec<_> = pieces.iter().map(|piece| Ok(Bytes::from_static(piece))).collect();
        collect(futures_util::stream::iter(pieces), limit, Duration::from_secs(5)).await
    }

    #[tokio::test]
    async fn a_body_comes_whole_up_to_the_limit_and_one_byte_longer_past_it() {
        assert_eq!(collected(&[], 4).await.unwrap(), "");
        assert_eq!(collected(&[b"abcd"], 4).await.unwrap(), "abcd");
        assert_eq!(collected(&[b"ab", b"cd"], 4).await.unwrap(), "abcd");
        assert_eq!(collected(&[b"abcdef"], 4).await.unwrap(), "abcde");
        assert_eq!(collected(&[b"a", b"bcdef", b"g"], 4).await.unwrap(), "abcde");
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_never_ends_is_given_up() {
        let endless = futures_util::stream::repeat_with(|| Ok(Bytes::from_static(&[0; 65_536])));
        assert_eq!(collect(endless, 10, Duration::from_secs(5)).await.unwrap().len(), 11);
        let silent = futures_util::stream::pending::<Result<Bytes, warp::Error>>();
        assert_eq!(collect(silent, 10, Duration::from_secs(5)).await, None);
    }

    #[test]
    fn a_target_that_is_no_path_is_the_root() {
        let uri =
            |path: &str, query: Option<&str>| head(Method::GET, path, query.map(Into::into), HeaderMap::new()).uri;
        assert_eq!(uri("/a", Some("b=%20c")), "/a?b=%20c");
        assert_eq!(uri("/a", None), "/a");
        assert_eq!(uri("*", None), "*");
        assert_eq!(uri("", None), "/");
    }
}
