//! The one filter: any method, any path, into the core.

use std::{net::Ipv4Addr, sync::Arc, time::Duration};

use bytes::{Buf, Bytes, BytesMut};
use despacho_core::api::CallerAddress;
use despacho_shell::body::BodyLimit;
use futures_util::{Stream, StreamExt};
use http::{HeaderMap, HeaderValue, Method, Request, header, request::Parts, uri::PathAndQuery};
use warp::{Filter, filters::path::FullPath, reject::Rejection, reply::Response as Reply};

use crate::{
    app::App,
    connections::Connection,
    early::{self, EarlyResponse},
    overload::{Shed, Weight},
    telemetry::Context,
};

/// Every request, as the core takes it, and the core's answer.
pub(super) fn catch_all(
    app: Arc<App>,
) -> impl Filter<Extract = (Reply,), Error = Rejection> + Clone + Send + Sync + 'static {
    let query = warp::query::raw().map(Some).or(warp::any().map(|| None)).unify();
    warp::method()
        .and(warp::path::full())
        .and(query)
        .and(warp::header::headers_cloned())
        .and(warp::ext::optional::<CallerAddress>())
        .and(warp::ext::optional::<Context>())
        .and(warp::ext::optional::<Arc<Connection>>())
        .and(warp::body::stream())
        .then(
            move |method, path: FullPath, query, headers, caller, trace, connection: Option<Arc<Connection>>, body| {
                let mut head = head(method, path.as_str(), query, headers);
                if let Some(caller) = caller {
                    head.extensions.insert(caller);
                }
                if let Some(trace) = trace {
                    head.extensions.insert(trace);
                }
                if let Some(connection) = connection {
                    head.extensions.insert(connection);
                }
                // On the heap, so that the layers around it do not copy it at each step.
                Box::pin(respond(app.clone(), head, body))
            },
        )
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
    let address = head.extensions.get::<CallerAddress>().map_or(Ipv4Addr::UNSPECIFIED.into(), |caller| caller.0);
    let mut weight = app.overload.weight(address);
    let connection = head.extensions.get::<Arc<Connection>>().cloned();
    let rejection = match collect(body, app.settings.limits.body_bytes, app.timeout, &mut weight).await {
        Ok(body) => match app.overload.admit(head.uri.path()).await {
            Ok(place) => {
                // While a request is processed, its connection is not closed to make room for others.
                let _active = connection.as_ref().map(Connection::activate);
                return app.respond(Request::from_parts(head, body), (place, weight)).await;
            }
            Err(shed) => rejected_requests(&app, shed),
        },
        Err(BodyError::Shed(shed)) => rejected_requests(&app, shed),
        Err(BodyError::Incomplete) => EarlyResponse::IncompleteBody,
    };
    let mut response = early::respond(&head, "unmatched", rejection);
    // Who was turned away keeps its connection: another one costs more than the answer did.
    if rejection == EarlyResponse::IncompleteBody {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response.map(Into::into)
}

fn rejected_requests(app: &App, shed: Shed) -> EarlyResponse {
    app.metrics.rejected_requests(shed);
    EarlyResponse::Busy
}

/// Why a body was not read.
#[derive(Debug, PartialEq, Eq)]
enum BodyError {
    /// It did not come in time, not completely, or malformed.
    Incomplete,
    /// There was no room for it.
    Shed(Shed),
}

/// The body, or its first `limit + 1` bytes, by which the core sees that it is too large. What it declares as its length is not
/// believed: chunked bodies declare none.
async fn collect<S, B>(body: S, limit: usize, timeout: Duration, weight: &mut Weight) -> Result<Bytes, BodyError>
where
    S: Stream<Item = Result<B, warp::Error>>,
    B: Buf,
{
    let mut reading = Reading { limit: BodyLimit::new(limit), shed: None, weight };
    let read = async {
        let mut body = std::pin::pin!(body);
        let first = match body.next().await {
            None => return Ok(Bytes::new()),
            Some(piece) => reading.keep(piece.map_err(|_| BodyError::Incomplete)?),
        };
        let Some(second) = body.next().await else { return reading.end(first) };
        let mut whole = BytesMut::from(first);
        let mut next = Some(second);
        while let Some(piece) = next {
            whole.extend_from_slice(&reading.keep(piece.map_err(|_| BodyError::Incomplete)?));
            if reading.limit.is_exhausted() {
                break;
            }
            next = body.next().await;
        }
        reading.end(whole.freeze())
    };
    tokio::time::timeout(timeout, read).await.unwrap_or(Err(BodyError::Incomplete))
}

/// A body that is being read.
struct Reading<'a> {
    limit: BodyLimit,
    shed: Option<Shed>,
    weight: &'a mut Weight,
}

impl Reading<'_> {
    /// Keeps the part of a piece that fits and discards the rest.
    fn keep(&mut self, mut piece: impl Buf) -> Bytes {
        let mut fitting = if self.shed.is_none() { self.limit.fitting(&piece) } else { 0 };
        if let Err(shed) = self.weight.add(fitting) {
            (self.shed, fitting) = (Some(shed), 0);
        }
        self.limit.add(&piece, fitting);
        piece.copy_to_bytes(fitting)
    }

    fn end(&self, whole: Bytes) -> Result<Bytes, BodyError> {
        self.shed.map_or(Ok(whole), |shed| Err(BodyError::Shed(shed)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        config::Config,
        overload::{Overload, OverloadConfig},
    };

    fn weight() -> Weight {
        Overload::new(OverloadConfig { body_mib: 1, ..Config::defaults().unwrap().overload })
            .weight(Ipv4Addr::LOCALHOST.into())
    }

    async fn collected(pieces: &[&'static [u8]], limit: usize) -> Result<Bytes, BodyError> {
        let pieces: Vec<_> = pieces.iter().map(|piece| Ok(Bytes::from_static(piece))).collect();
        collect(futures_util::stream::iter(pieces), limit, Duration::from_secs(5), &mut weight()).await
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
        let full = futures_util::stream::repeat_with(|| Ok(Bytes::from_static(&[0; 65_536])));
        let shed = collect(full, 16 << 20, Duration::from_secs(5), &mut weight()).await;
        assert_eq!(shed, Err(BodyError::Shed(Shed::BodyMemory)), "all bodies together have a megabyte here");
        let endless = futures_util::stream::repeat_with(|| Ok(Bytes::from_static(&[0; 65_536])));
        let timeout = Duration::from_secs(5);
        assert_eq!(collect(endless, 10, timeout, &mut weight()).await.unwrap().len(), 11);
        let silent = futures_util::stream::pending::<Result<Bytes, warp::Error>>();
        assert_eq!(collect(silent, 10, timeout, &mut weight()).await, Err(BodyError::Incomplete));
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
