//! The deployment's endpoints: probes, metrics, documentation and panel. The core handles all other
//! paths, including unknown ones.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use despacho_core::{api::Outcome, host::HostError, model::store::KeyHash};
use despacho_shell::{
    panel::{page_before_slash, redirect},
    probes::{self, ALIVE, HEALTH_ROUTE, PANEL_ROUTE, READY, READY_ROUTE, json},
};
use despacho_sql::STORAGE;
use http::{HeaderMap, HeaderValue, Request, Response, header};

use crate::{
    app::App,
    docs,
    early::{self, EarlyResponse},
};

/// Maximum time of the database check behind `/readyz`.
const READINESS_TIMEOUT: Duration = Duration::from_secs(2);

/// The route of the API's description for language models.
pub const LLMS_ROUTE: &str = "GET /llms.txt";
/// The route of the streets of the panel's map.
const STREETS_ROUTE: &str = "GET /streets.pmtiles";

/// Returns the response if the path belongs to the deployment.
pub async fn serve(app: &Arc<App>, request: &Request<Bytes>) -> Option<Response<Bytes>> {
    let path = request.uri().path();
    let route = match (probes::route(path), path) {
        (Some(route), _) => route,
        (None, "/metrics") => "GET /metrics",
        (None, "/llms.txt") => LLMS_ROUTE,
        (None, path) if path.starts_with("/docs/") => "GET /docs/{file}",
        _ => return panel(app, request).await,
    };
    let file = docs::file(path);
    if route == "GET /docs/{file}" && file.is_none() {
        return None;
    }
    if !probes::is_read(request.method()) {
        return Some(early::respond(
            &early::facts(request),
            route,
            EarlyResponse::ReadOnly,
        ));
    }
    let mut response = match (route, file) {
        (_, Some(file)) => file.response(request.headers()),
        (HEALTH_ROUTE, _) => json(ALIVE),
        (READY_ROUTE, _) => readiness(app, request).await,
        _ if may_read_metrics(app, request.headers()) => metrics(app, request),
        _ => early::respond(&early::facts(request), route, EarlyResponse::MetricsToken),
    };
    add_outcome(&mut response, request, route);
    Some(response)
}

/// Returns a file of the panel, or a part of its map's streets.
async fn panel(app: &Arc<App>, request: &Request<Bytes>) -> Option<Response<Bytes>> {
    let (panel, path) = (app.panel.as_ref()?, request.uri().path());
    let redirected = page_before_slash(path);
    let (streets, file) = (panel.streets(path), panel.file(redirected.unwrap_or(path)));
    let route = if streets.is_some() {
        STREETS_ROUTE
    } else {
        PANEL_ROUTE
    };
    if streets.is_none() && file.is_none() {
        return None;
    }
    if !probes::is_read(request.method()) {
        return Some(early::respond(
            &early::facts(request),
            route,
            EarlyResponse::ReadOnly,
        ));
    }
    let mut response = match (streets, redirected) {
        (_, Some(page)) => redirect(page, request.uri()),
        (Some(streets), _) => match streets.respond(request.headers()).await {
            Ok(response) => response,
            Err(error) => {
                tracing::error!(%error, "streets cannot be read; returning 500");
                early::respond(&early::facts(request), route, EarlyResponse::Broken)
            }
        },
        (None, None) => file?.response(request.headers()),
    };
    add_outcome(&mut response, request, route);
    Some(response)
}

/// Adds the route and request ID that metrics and logs use for a response from outside the core.
fn add_outcome(response: &mut Response<Bytes>, request: &Request<Bytes>, route: &'static str) {
    if response.extensions().get::<Outcome>().is_none() {
        let request_id = probes::request_id(request.headers(), early::fresh_id);
        response.extensions_mut().insert(Outcome {
            route,
            code: None,
            request_id,
            log: None,
        });
    }
}

async fn readiness(app: &Arc<App>, request: &Request<Bytes>) -> Response<Bytes> {
    match tokio::time::timeout(READINESS_TIMEOUT, app.store.ready()).await {
        Ok(Ok(())) => json(READY),
        Ok(Err(error)) => {
            tracing::warn!(%error, "readiness check failed; returning 503");
            let failing = matches!(error, HostError::Unavailable { what: STORAGE, .. });
            let rejection = if failing {
                EarlyResponse::StorageFailing
            } else {
                EarlyResponse::NotReady
            };
            early::respond(&early::facts(request), READY_ROUTE, rejection)
        }
        Err(_) => early::respond(&early::facts(request), READY_ROUTE, EarlyResponse::NotReady),
    }
}

/// Returns whether the request has the token for metrics or the operator's. Routes and rates reveal
/// other clients' activity.
fn may_read_metrics(app: &App, headers: &HeaderMap) -> bool {
    let bearer = headers
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
    let token = bearer.or_else(|| headers.get("x-api-token")?.to_str().ok());
    let hash = token.map(|token| KeyHash::of(token.trim()));
    hash.is_some() && [&app.metrics_token, &app.settings.operator].contains(&&hash)
}

/// Returns the metrics in the OpenMetrics text format.
pub fn metrics(app: &App, request: &Request<Bytes>) -> Response<Bytes> {
    let (stats, pool) = (
        app.store.stats(),
        app.store.connections().unwrap_or_default(),
    );
    match app
        .metrics
        .text(&stats, &pool, &app.overload, app.responses.used_bytes())
    {
        Ok(text) => {
            let mut response = Response::new(Bytes::from(text));
            let kind = HeaderValue::from_static(
                "application/openmetrics-text; version=1.0.0; charset=utf-8",
            );
            response.headers_mut().insert(header::CONTENT_TYPE, kind);
            response
        }
        Err(_) => early::respond(
            &early::facts(request),
            "GET /metrics",
            EarlyResponse::Broken,
        ),
    }
}

#[cfg(test)]
mod tests {
    use despacho_core::{api::Endpoint, rules::settings::Settings};
    use http_body_util::BodyExt;
    use tokio_util::{sync::CancellationToken, task::TaskTracker};

    use super::*;
    use crate::{
        config::Config, connections::Connections, geo::Geography, memory::MemoryBudget,
        metrics::Metrics, overload::Overload, store::Store, streams::Streams, work::Work,
    };

    #[tokio::test]
    async fn closed_store_is_alive_but_not_ready() {
        let folder = tempfile::tempdir().unwrap();
        let config = Config {
            data: folder.path().to_owned(),
            ..Config::defaults().unwrap()
        };
        Store::create(&config).await.unwrap();
        let store = Store::open(&config, Arc::new(Geography::embedded()))
            .await
            .unwrap();
        let (metrics, timeout) = (Metrics::new(), Duration::from_secs(5));
        let streams = Streams::new(config.streams);
        let settings = Settings::default();
        let overload = Overload::new(config.overload);
        let app = App {
            settings,
            store,
            metrics,
            metrics_token: None,
            panel: None,
            timeout,
            write_timeout: timeout,
            connections: Arc::new(Connections::new(config.connection_limits())),
            responses: Arc::new(MemoryBudget::new(config.response_limits())),
            streams,
            tracer: None,
            overload,
            work: Work::start().unwrap(),
            shutdown: CancellationToken::new(),
            tasks: TaskTracker::new(),
        };
        let app = Arc::new(app);
        let get = |path: &str| {
            let request = Request::get(path)
                .header("x-request-id", "probe-1")
                .body(Bytes::new())
                .unwrap();
            let endpoint = Endpoint::of(request.method(), path);
            app.clone().respond(request, endpoint, ())
        };
        assert_eq!(get("/readyz").await.status(), 200);
        app.store.close().await.unwrap();
        assert_eq!(get("/healthz").await.status(), 200);
        let (rejected, body) = get("/readyz").await.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        let problem: serde_json::Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(
            (rejected.status.as_u16(), &problem["code"]),
            (503, &"unavailable".into())
        );
        assert_eq!(problem["requestId"], "probe-1");
        let outcome = rejected.extensions.get::<Outcome>().unwrap();
        assert_eq!(
            (outcome.route, outcome.code),
            ("GET /readyz", Some("unavailable"))
        );
    }
}
