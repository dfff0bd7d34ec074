//! Processes a request.

use std::{net::SocketAddr, rc::Rc, sync::Arc};

use bytes::Bytes;
use despacho_core::{
    api::{
        self, CallerAddress, Endpoint, Outcome,
        problem::{Problem, ProblemCode},
    },
    host,
    model::Duration,
};
use despacho_shell::{early::EarlyResponse, settings::ConfigErrors};
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

/// IDs that a request reserves at once. Unused IDs remain gaps, so the number is small.
const FEW_IDS: u32 = 8;

thread_local! {
    /// The keys that this instance has checked recently, for previews.
    static RECENT_KEYS: Arc<RecentKeys> = Arc::default();
}

/// Returns the response to a request.
pub(crate) async fn serve(request: Incoming) -> Response<Bytes> {
    let (parts, body) = request.into_parts();
    let mut response = match endpoints::local(&parts) {
        Some(response) => response,
        None => match begin(&parts, body).await {
            Ok(NextStep::Respond(response)) => response,
            Ok(NextStep::CallCore(runtime, body)) => {
                call_core(*runtime, Request::from_parts(parts, body)).await
            }
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

/// The next step of a request.
enum NextStep {
    /// Return a response of the component.
    Respond(Response<Bytes>),
    /// Call the core with this runtime and body.
    CallCore(Box<Runtime>, Bytes),
}

/// The host and configuration with which the core processes a request.
struct Runtime {
    host: SqlHost<Database, Machine>,
    config: Rc<Config>,
}

async fn begin(
    parts: &Parts,
    body: impl http_body_util::BodyExt<Data = Bytes>,
) -> Result<NextStep, EarlyProblem> {
    let unmatched = |problem: Problem| ("unmatched", problem);
    let config = config::load()
        .await
        .map_err(|errors| unmatched(config_problem(&errors)))?;
    if let Some(response) = panel::serve(parts, &config.site) {
        return Ok(NextStep::Respond(response));
    }
    let limit = Endpoint::of(&parts.method, parts.uri.path()).max_body(&config.settings);
    let body = body::collect(body, limit)
        .await
        .ok_or_else(|| unmatched(EarlyResponse::IncompleteBody.problem()))?;
    let error = |error: host::HostError| unmatched(problem(error));
    let database = Database::of(config.own.database_url.as_deref());
    let machine = Machine::new(database.clone(), Rc::clone(&config.geography)).map_err(error)?;
    let host = SqlHost::new(database, machine, config.settings.timing.clone());
    let host = host
        .with_id_batch(FEW_IDS)
        .with_recent_keys(RECENT_KEYS.with(Arc::clone));
    prepare::prepare(&host, &config).await.map_err(error)?;
    host.platform().renew_slot().await;
    if let Some(response) = endpoints::ready(parts, host.driver())
        .await
        .map_err(error)?
    {
        return Ok(NextStep::Respond(response));
    }
    Ok(NextStep::CallCore(Box::new(Runtime { host, config }), body))
}

async fn call_core(runtime: Runtime, mut request: Request<Bytes>) -> Response<Bytes> {
    let Runtime { host, config } = runtime;
    if let Some(address) = config
        .own
        .caller_address_header
        .as_ref()
        .and_then(|header| caller(request.headers(), header))
    {
        request.extensions_mut().insert(address);
    }
    let response = api::handle(&host, &config.settings, request).await;
    webhooks::after_response(&response, host, config).await;
    response
}

/// Returns the client's address from the configured header, with or without a port. Of several
/// values the last one counts, because the platform appended it.
fn caller(headers: &HeaderMap, header: &HeaderName) -> Option<CallerAddress> {
    let value = headers
        .get_all(header)
        .iter()
        .next_back()?
        .to_str()
        .ok()?
        .trim();
    let with_port = value.parse::<SocketAddr>().map(|address| address.ip());
    with_port.or_else(|_| value.parse()).ok().map(CallerAddress)
}

/// Renders a problem of the component in the core's format.
fn reject(parts: &Parts, route: &'static str, problem: Problem) -> Response<Bytes> {
    api::reject(parts, route, problem, fresh_id)
}

fn config_problem(errors: &ConfigErrors) -> Problem {
    let described: Vec<String> = errors.0.iter().map(config::describe).collect();
    let described = described.join("; ");
    Problem {
        log: Some(format!("variables: {described}")),
        ..Problem::new(
            ProblemCode::Unavailable,
            format!("The application's variables are missing or invalid: {described}."),
            format!("Há variáveis da aplicação ausentes ou inválidas: {described}."),
        )
        .retry_after(Duration::minutes(1))
    }
}

/// Returns the problem of an error before the core was called. It names the remedy if the operator
/// must act.
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
        host::HostError::Unavailable { what: prepare::DEMO, .. } => Problem {
            log: Some(error.to_string()),
            ..Problem::new(
                ProblemCode::Unavailable,
                "The demo data cannot be created, because a store in the database already has its CNPJ or email address. Set the variable \
                 `demo` to `false`, or use an empty database.",
                "Os dados de demonstração não podem ser criados, porque uma loja do banco de dados já tem o CNPJ ou o e-mail deles. Defina \
                 a variável `demo` como `false` ou use um banco de dados vazio.",
            )
            .retry_after(Duration::minutes(1))
        },
        _ => error.into(),
    }
}

/// Logs a server error. Of the request only the route template is logged: paths, headers and bodies
/// may contain secrets and personal data. Spin counts successful requests itself.
fn log_request(response: &Response<Bytes>, outcome: &Outcome) {
    let status = response.status().as_u16();
    if status < 500 && outcome.log.is_none() {
        return;
    }
    let Outcome {
        route,
        request_id,
        log,
        ..
    } = outcome;
    log::line(format_args!(
        "{route} {status} {request_id}: {}",
        log.as_deref().unwrap_or("no detail")
    ));
}
