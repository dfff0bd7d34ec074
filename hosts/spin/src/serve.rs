//! From a request to an answer, whatever happens in between.

use std::{net::SocketAddr, rc::Rc, sync::Arc};

use bytes::Bytes;
use despacho_core::{
    api::{
        self, CallerAddress, Outcome,
        problem::{Problem, ProblemCode},
    },
    host,
    model::Duration,
};
use despacho_shell::{early::EarlyResponse, settings::ConfigErrors};
use despacho_simulator::{Pass, Simulation};
use despacho_sql::{RecentKeys, SqlHost};
use http::{HeaderMap, HeaderName, Request, Response, request::Parts};
use spin_sdk::http::Request as Incoming;

use crate::{
    body,
    config::{self, Config},
    database::Database,
    endpoints, log, panel,
    platform::Machine,
    prepare,
    response::fresh_id,
    sqlite, webhooks,
};

/// Identifiers that a request reserves at once. What it leaves over is a gap, so there are few.
const FEW_IDS: u32 = 8;
/// Simulation passes after one dispatch pass; each reads at most 500 open orders of sandbox stores.
const MAX_SIMULATION_PASSES: u32 = 10;
/// The endpoint that a cron asks.
const DISPATCH: &str = "POST /admin/dispatch";

thread_local! {
    /// What this instance remembers of keys, for previews.
    static KEYS: Arc<RecentKeys> = Arc::default();
}

/// Answers a request.
pub(crate) async fn serve(request: Incoming) -> Response<Bytes> {
    let (parts, body) = request.into_parts();
    let mut response = match endpoints::local(&parts) {
        Some(response) => response,
        None => match begin(&parts, body).await {
            Ok(Begun::Response(response)) => response,
            Ok(Begun::Known(runtime, body)) => carried_out(*runtime, Request::from_parts(parts, body)).await,
            Err((route, problem)) => reject(&parts, route, problem),
        },
    };
    if let Some(outcome) = response.extensions_mut().remove::<Outcome>() {
        log_request(&response, &outcome);
    }
    api::protect(response.headers_mut());
    response
}

type EarlyProblem = (&'static str, Problem);

/// What is known of a request before the core has seen it.
enum Begun {
    /// It was the component's own to answer.
    Response(Response<Bytes>),
    /// It is the core's: what it is answered from, and its body.
    Known(Box<Runtime>, Bytes),
}

/// What a request is answered from.
struct Runtime {
    host: SqlHost<Database, Machine>,
    config: Rc<Config>,
}

async fn begin(parts: &Parts, body: impl http_body_util::BodyExt<Data = Bytes>) -> Result<Begun, EarlyProblem> {
    let unmatched = |problem: Problem| ("unmatched", problem);
    let config = config::load().await.map_err(|errors| unmatched(misconfigured(&errors)))?;
    if let Some(response) = panel::serve(parts, &config.site) {
        return Ok(Begun::Response(response));
    }
    let limit = config.settings.limits.body_bytes;
    let body = body::collect(body, limit).await.ok_or_else(|| unmatched(EarlyResponse::IncompleteBody.problem()))?;
    let error = |error: host::HostError| unmatched(problem(error));
    let database = Database::of(config.own.database_url.as_deref());
    let machine = Machine::new(database.clone(), Rc::clone(&config.geography)).map_err(error)?;
    let host = SqlHost::new(database, machine, config.settings.timing.clone());
    let host = host.with_id_batch(FEW_IDS).with_recent_keys(KEYS.with(Arc::clone));
    prepare::prepare(&host, &config).await.map_err(error)?;
    host.platform().keep_slot().await;
    if let Some(response) = endpoints::ready(parts, host.driver()).await.map_err(error)? {
        return Ok(Begun::Response(response));
    }
    Ok(Begun::Known(Box::new(Runtime { host, config }), body))
}

async fn carried_out(runtime: Runtime, mut request: Request<Bytes>) -> Response<Bytes> {
    let Runtime { host, config } = runtime;
    if let Some(address) =
        config.own.caller_address_header.as_ref().and_then(|header| caller(request.headers(), header))
    {
        request.extensions_mut().insert(address);
    }
    let response = api::handle(&host, &config.settings, request).await;
    let outcome = response.extensions().get::<Outcome>();
    let dispatched = outcome.is_some_and(|outcome| outcome.route == DISPATCH) && response.status().is_success();
    if dispatched {
        simulate_couriers(&host, &config).await;
    }
    send_webhooks(dispatched, host, config).await;
    response
}

/// Moves the simulated couriers of sandbox stores. An instance has no background tasks, so the dispatch endpoint does it.
async fn simulate_couriers(host: &SqlHost<Database, Machine>, config: &Config) {
    let mut after = None;
    for _ in 0..MAX_SIMULATION_PASSES {
        match despacho_simulator::run_pass(host, &config.settings, Simulation::default(), after).await {
            Ok(Pass { next: Some(next), .. }) => after = Some(next),
            Ok(_) => return,
            Err(error) => {
                log::line(format_args!("couriers not simulated; the next pass tries again: {error}"));
                return;
            }
        }
    }
}

/// Where a request comes from, by the header that the operator named: an address, or one with a port. Of several the last counts, which the
/// platform put there.
fn caller(headers: &HeaderMap, header: &HeaderName) -> Option<CallerAddress> {
    let received = headers.get_all(header).iter().next_back()?.to_str().ok()?.trim();
    let with_port = received.parse::<SocketAddr>().map(|address| address.ip());
    with_port.or_else(|_| received.parse()).ok().map(CallerAddress)
}

/// Sends webhooks before the answer to a round of dispatch, and where the operator wants it after every answer that has news.
async fn send_webhooks(dispatched: bool, host: SqlHost<Database, Machine>, config: Rc<Config>) {
    let after = config.own.webhooks_after_responses && host.platform().has_updates();
    let sending = async move {
        if let Err(error) = webhooks::deliver(&host, host.driver(), &config.settings).await {
            log::line(format_args!("webhooks not sent; the next pass sends them: {error}"));
        }
    };
    if dispatched {
        sending.await;
    } else if after {
        spin_sdk::wasip3::spawn(sending);
    }
}

/// A problem of the component's own, in the core's shape.
fn reject(parts: &Parts, route: &'static str, problem: Problem) -> Response<Bytes> {
    api::reject(parts, route, problem, fresh_id)
}

fn misconfigured(errors: &ConfigErrors) -> Problem {
    let received: Vec<String> = errors.0.iter().map(config::describe).collect();
    let received = received.join("; ");
    Problem {
        log: Some(format!("variables: {received}")),
        ..Problem::new(
            ProblemCode::Unavailable,
            format!("The application's variables are not complete: {received}."),
            format!("As variáveis da aplicação não estão completas: {received}."),
        )
        .retry_after(Duration::minutes(1))
    }
}

/// The problem of a failure before the core had the request. If the operator has to do something, the response says what.
fn problem(error: host::HostError) -> Problem {
    match &error {
        host::HostError::Unavailable { detail, .. } if detail == sqlite::IN_MEMORY => Problem {
            log: Some(error.to_string()),
            ..Problem::new(
                ProblemCode::Unavailable,
                "The database has no file: Spin runs without a state directory. Start it with `spin up --state-dir DIRECTORY`, or set \
                 the variable `database_url` to a PostgreSQL database.",
                "O banco de dados não tem arquivo: o Spin foi iniciado sem diretório de estado. Inicie-o com \
                 `spin up --state-dir DIRETÓRIO` ou defina a variável `database_url` com um banco de dados PostgreSQL.",
            )
            .retry_after(Duration::minutes(1))
        },
        _ => error.into(),
    }
}

/// One line for what failed on this side. Of the request nothing is written but its endpoint's template: paths,
/// headers and bodies may hold secrets and people's data. What succeeds is counted by Spin itself.
fn log_request(response: &Response<Bytes>, outcome: &Outcome) {
    let status = response.status().as_u16();
    if status < 500 && outcome.log.is_none() {
        return;
    }
    let Outcome { route, request_id, log, .. } = outcome;
    log::line(format_args!("{route} {status} {request_id}: {}", log.as_deref().unwrap_or("no detail")));
}
