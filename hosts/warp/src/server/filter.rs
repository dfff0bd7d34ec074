//! The filter that passes all methods and paths to the core.

use std::{net::Ipv4Addr, sync::Arc, time::Duration};

use bytes::{Buf, Bytes, BytesMut};
use despacho_core::api::{CallerAddress, Endpoint};
use despacho_shell::body::BodyLimit;
use futures_util::{Stream, StreamExt};
use http::{HeaderMap, HeaderValue, Method, Request, header, request::Parts, uri::PathAndQuery};
use warp::{Filter, filters::path::FullPath, reject::Rejection, reply::Response as Reply};

use crate::{
    app::App,
    connections::Connection,
    early::{self, EarlyResponse},
    overload::{BodyMemory, Permit, Shed},
    telemetry::Context,
};

/// Converts every request for the core and returns the core's response.
pub(super) fn catch_all(
    app: Arc<App>,
) -> impl Filter<Extract = (Reply,), Error = Rejection> + Clone + Send + Sync + 'static {
    let query = warp::query::raw()
        .map(Some)
        .or(warp::any().map(|| None))
        .unify();
    warp::method()
        .and(warp::path::full())
        .and(query)
        .and(warp::header::headers_cloned())
        .and(warp::ext::optional::<CallerAddress>())
        .and(warp::ext::optional::<Context>())
        .and(warp::ext::optional::<Arc<Connection>>())
        .and(warp::body::stream())
        .then(
            move |method,
                  path: FullPath,
                  query,
                  headers,
                  caller,
                  trace,
                  connection: Option<Arc<Connection>>,
                  body| {
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
                // Boxed: otherwise the surrounding layers copy the large future at each step.
                Box::pin(respond(app.clone(), head, body))
            },
        )
}

/// Returns the request without its body. An invalid path becomes `/`, for which the core returns
/// 404.
fn head(method: Method, path: &str, query: Option<String>, headers: HeaderMap) -> Parts {
    let target = match query {
        Some(query) => PathAndQuery::try_from(format!("{path}?{query}")),
        None => PathAndQuery::try_from(path),
    };
    let (mut parts, ()) = Request::new(()).into_parts();
    parts.method = method;
    parts.uri = target
        .unwrap_or_else(|_| PathAndQuery::from_static("/"))
        .into();
    parts.headers = headers;
    parts
}

async fn respond<S, B>(app: Arc<App>, head: Parts, body: S) -> Reply
where
    S: Stream<Item = Result<B, warp::Error>>,
    B: Buf,
{
    let address = head
        .extensions
        .get::<CallerAddress>()
        .map_or(Ipv4Addr::UNSPECIFIED.into(), |caller| caller.0);
    let mut memory = app.overload.body_memory(address);
    let connection = head.extensions.get::<Arc<Connection>>().cloned();
    let endpoint = Endpoint::of(&head.method, head.uri.path());
    let limit = endpoint.max_body(&app.settings);
    let rejection = match collect(body, limit, app.timeout, &mut memory).await {
        Ok(body) => match admit(&app, &head, endpoint.is_heavy(&body)).await {
            Ok(permit) => {
                // While a request is processed, its connection is not closed to make room for
                // others.
                let _active = connection.as_ref().map(Connection::activate);
                return app
                    .respond(Request::from_parts(head, body), endpoint, (permit, memory))
                    .await;
            }
            Err(shed) => shed_response(&app, shed),
        },
        Err(BodyError::Shed(shed)) => shed_response(&app, shed),
        Err(BodyError::Incomplete) => EarlyResponse::IncompleteBody,
    };
    let mut response = early::respond(&head, "unmatched", rejection);
    // After a rejection the connection stays open: a new one costs more than the response.
    if rejection == EarlyResponse::IncompleteBody {
        response
            .headers_mut()
            .insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response.map(Into::into)
}

/// Admits a request. Those that take long have only a part of the permits.
async fn admit(app: &App, head: &Parts, is_heavy: bool) -> Result<Permit, Shed> {
    if is_heavy {
        app.overload.admit_heavy(head.uri.path()).await
    } else {
        app.overload.admit(head.uri.path()).await
    }
}

fn shed_response(app: &App, shed: Shed) -> EarlyResponse {
    app.metrics.rejected_requests(shed);
    EarlyResponse::Busy
}

/// The error of reading a body.
#[derive(Debug, PartialEq, Eq)]
enum BodyError {
    /// The body was late, incomplete or malformed.
    Incomplete,
    /// The memory for bodies was exhausted.
    Shed(Shed),
}

/// Reads the body, or its first `limit + 1` bytes, from which the core detects that it is too
/// large. The declared length is not used: chunked bodies have none.
async fn collect<S, B>(
    body: S,
    limit: usize,
    timeout: Duration,
    memory: &mut BodyMemory,
) -> Result<Bytes, BodyError>
where
    S: Stream<Item = Result<B, warp::Error>>,
    B: Buf,
{
    let mut reader = BodyReader {
        limit: BodyLimit::new(limit),
        shed: None,
        memory,
    };
    let read = async {
        let mut body = std::pin::pin!(body);
        let first = match body.next().await {
            None => return Ok(Bytes::new()),
            Some(chunk) => reader.append(chunk.map_err(|_| BodyError::Incomplete)?),
        };
        let Some(second) = body.next().await else {
            return reader.end(first);
        };
        let mut whole = BytesMut::from(first);
        let mut next = Some(second);
        while let Some(chunk) = next {
            whole.extend_from_slice(&reader.append(chunk.map_err(|_| BodyError::Incomplete)?));
            if reader.limit.is_exhausted() {
                break;
            }
            next = body.next().await;
        }
        reader.end(whole.freeze())
    };
    tokio::time::timeout(timeout, read)
        .await
        .unwrap_or(Err(BodyError::Incomplete))
}

/// A body that is being read.
struct BodyReader<'a> {
    limit: BodyLimit,
    shed: Option<Shed>,
    memory: &'a mut BodyMemory,
}

impl BodyReader<'_> {
    /// Returns the part of a chunk that fits, and discards the rest.
    fn append(&mut self, mut chunk: impl Buf) -> Bytes {
        let mut fitting = if self.shed.is_none() {
            self.limit.fitting(&chunk)
        } else {
            0
        };
        if let Err(shed) = self.memory.add(fitting) {
            (self.shed, fitting) = (Some(shed), 0);
        }
        self.limit.add(&chunk, fitting);
        chunk.copy_to_bytes(fitting)
    }

    fn end(&self, whole: Bytes) -> Result<Bytes, BodyError> {
        self.shed
            .map_or(Ok(whole), |shed| Err(BodyError::Shed(shed)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        config::Config,
        overload::{Overload, OverloadConfig},
    };

    fn body_memory() -> BodyMemory {
        Overload::new(OverloadConfig {
            body_mib: 1,
            ..Config::defaults().unwrap().overload
        })
        .body_memory(Ipv4Addr::LOCALHOST.into())
    }

    async fn collected(chunks: &[&'static [u8]], limit: usize) -> Result<Bytes, BodyError> {
        let chunks: Vec<_> = chunks
            .iter()
            .map(|chunk| Ok(Bytes::from_static(chunk)))
            .collect();
        collect(
            futures_util::stream::iter(chunks),
            limit,
            Duration::from_secs(5),
            &mut body_memory(),
        )
        .await
    }

    #[tokio::test]
    async fn body_above_limit_is_truncated() {
        assert_eq!(collected(&[], 4).await.unwrap(), "");
        assert_eq!(collected(&[b"abcd"], 4).await.unwrap(), "abcd");
        assert_eq!(collected(&[b"ab", b"cd"], 4).await.unwrap(), "abcd");
        assert_eq!(collected(&[b"abcdef"], 4).await.unwrap(), "abcde");
        assert_eq!(
            collected(&[b"a", b"bcdef", b"g"], 4).await.unwrap(),
            "abcde"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn endless_body_is_aborted() {
        let full = futures_util::stream::repeat_with(|| Ok(Bytes::from_static(&[0; 65_536])));
        let shed = collect(full, 16 << 20, Duration::from_secs(5), &mut body_memory()).await;
        assert_eq!(
            shed,
            Err(BodyError::Shed(Shed::BodyMemory)),
            "the test limits all bodies to one megabyte"
        );
        let endless = futures_util::stream::repeat_with(|| Ok(Bytes::from_static(&[0; 65_536])));
        let timeout = Duration::from_secs(5);
        assert_eq!(
            collect(endless, 10, timeout, &mut body_memory())
                .await
                .unwrap()
                .len(),
            11
        );
        let silent = futures_util::stream::pending::<Result<Bytes, warp::Error>>();
        assert_eq!(
            collect(silent, 10, timeout, &mut body_memory()).await,
            Err(BodyError::Incomplete)
        );
    }

    #[test]
    fn invalid_target_becomes_root() {
        let uri = |path: &str, query: Option<&str>| {
            head(Method::GET, path, query.map(Into::into), HeaderMap::new()).uri
        };
        assert_eq!(uri("/a", Some("b=%20c")), "/a?b=%20c");
        assert_eq!(uri("/a", None), "/a");
        assert_eq!(uri("*", None), "*");
        assert_eq!(uri("", None), "/");
    }
}
