//! Problems that a host returns instead of the core, in the core's format.

use bytes::Bytes;
use despacho_core::{
    api::{
        self,
        problem::{Problem, ProblemCode},
    },
    model::Duration,
};
use http::{Response, request::Parts};

/// The reason that a host responds instead of the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EarlyResponse {
    /// A handler panicked.
    Broken,
    /// The response took too long.
    Late,
    /// The request's body was incomplete, malformed or too slow.
    IncompleteBody,
    /// There are too many connections.
    Overloaded,
    /// The queue of requests is full.
    Busy,
    /// The memory for unsent responses is full.
    ResponseMemory,
    /// The merchant or the server has the maximum number of open streams.
    TooManyStreams,
    /// The listener serves only metrics.
    MetricsOnly,
    /// The request for metrics has no valid token.
    MetricsToken,
    /// The database does not respond.
    NotReady,
    /// The database accepts no writes.
    StorageFailing,
    /// The endpoint accepts only `GET` and `HEAD`.
    ReadOnly,
    /// The merchant panel was not built.
    PanelMissing,
}

impl EarlyResponse {
    /// Returns the problem.
    #[must_use]
    pub fn problem(self) -> Problem {
        let (code, en, pt) = self.text();
        let problem = Problem::new(code, en, pt);
        match (self, code) {
            (EarlyResponse::ReadOnly, _) => Problem { allow: Some("GET, HEAD".to_owned()), ..problem },
            (_, ProblemCode::Unavailable | ProblemCode::RateLimited) => problem.retry_after(Duration::seconds(2)),
            _ => problem,
        }
    }

    /// Returns the code, and the detail in English and Portuguese.
    fn text(self) -> (ProblemCode, &'static str, &'static str) {
        match self {
            EarlyResponse::Broken => (
                ProblemCode::InternalError,
                "The request was not carried out. Report the requestId to the operator.",
                "A requisição não foi executada. Informe o requestId ao operador.",
            ),
            EarlyResponse::Late => (
                ProblemCode::UpstreamTimeout,
                "The response took too long. The request may have been carried out: send it again with the same code or idempotency key.",
                "A resposta demorou demais. A requisição pode ter sido executada: envie-a novamente com o mesmo código ou chave de idempotência.",
            ),
            EarlyResponse::IncompleteBody => (
                ProblemCode::MalformedRequest,
                "The request's body did not arrive completely and in time, or its chunks are malformed. Send the request again.",
                "O corpo da requisição não chegou completo e a tempo, ou seus blocos (chunks) são inválidos. Envie a requisição novamente.",
            ),
            EarlyResponse::MetricsOnly => (
                ProblemCode::EndpointNotFound,
                "This listener serves GET /metrics only.",
                "Esta porta atende somente GET /metrics.",
            ),
            EarlyResponse::MetricsToken => (
                ProblemCode::ApiKeyInvalid,
                "Metrics need the metrics token or the operator's token. Send it as Authorization: Bearer or x-api-token.",
                "As métricas exigem o token de métricas ou o do operador. Envie-o em Authorization: Bearer ou em x-api-token.",
            ),
            EarlyResponse::Overloaded => (
                ProblemCode::Unavailable,
                "There are too many connections. Connect again later.",
                "Há conexões demais. Conecte-se novamente mais tarde.",
            ),
            EarlyResponse::Busy => (
                ProblemCode::Unavailable,
                "The service is overloaded. Nothing was carried out: send the request again.",
                "O serviço está sobrecarregado. Nada foi executado: envie a requisição novamente.",
            ),
            EarlyResponse::ResponseMemory => (
                ProblemCode::Unavailable,
                "Too many responses wait for their clients to read them. Nothing was changed: read the open responses, then send the request again.",
                "Há respostas demais à espera de leitura pelos clientes. Nada foi alterado: leia as respostas abertas e envie a requisição novamente.",
            ),
            EarlyResponse::TooManyStreams => (
                ProblemCode::RateLimited,
                "The merchant or the server has as many streams open as allowed. Close one, or read /delivery/events.",
                "A empresa ou o servidor já mantém abertos todos os fluxos permitidos. Feche um ou leia /delivery/events.",
            ),
            EarlyResponse::NotReady => {
                (ProblemCode::Unavailable, "The database is unavailable.", "O banco de dados está indisponível.")
            }
            EarlyResponse::StorageFailing => (
                ProblemCode::Unavailable,
                "The database storage accepts no writes: its disk is full, failing or read-only. The log has the cause.",
                "O armazenamento do banco de dados não aceita gravações: o disco está cheio, com falha ou somente leitura. O log traz a causa.",
            ),
            EarlyResponse::ReadOnly => (
                ProblemCode::MethodNotAllowed,
                "This endpoint accepts only GET and HEAD.",
                "Este endpoint aceita somente GET e HEAD.",
            ),
            EarlyResponse::PanelMissing => (
                ProblemCode::EndpointNotFound,
                "The merchant panel is not among the application's files. `npm ci && npm run build` in hosts/panel builds it; then start \
                 or deploy the application again.",
                "O painel não está entre os arquivos da aplicação. `npm ci && npm run build` em hosts/panel o compila; depois, inicie ou \
                 implante a aplicação novamente.",
            ),
        }
    }
}

/// Returns the problem as a response. `fresh_id` creates the request ID if the client sent none.
pub fn respond(
    request: &Parts,
    route: &'static str,
    early: EarlyResponse,
    fresh_id: fn() -> String,
) -> Response<Bytes> {
    api::reject(request, route, early.problem(), fresh_id)
}
