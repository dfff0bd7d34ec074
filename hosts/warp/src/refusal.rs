//! Problems of the server's own, in the core's shape: what went wrong before, around or after the core.

use bytes::Bytes;
use despacho_core::{
    api::{
        self,
        problem::{Code, Problem},
    },
    domain::{Duration, Entropy},
};
use http::{Request, Response, request::Parts};

/// Why the server answers in place of the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A handler panicked.
    Broken,
    /// The answer took too long.
    Late,
    /// The request's body came incomplete, malformed or too slowly.
    IncompleteBody,
    /// There are too many connections.
    Overloaded,
    /// More is asked than the server can do.
    Busy,
    /// The caller's responses, or those of all callers, take all memory set aside for them.
    ResponseMemory,
    /// The merchant or the server has as many streams open as allowed.
    TooManyStreams,
    /// The listener serves metrics alone.
    MetricsOnly,
    /// The request for metrics has no valid token.
    MetricsToken,
    /// The store does not answer.
    NotReady,
    /// The store reads and does not write.
    StorageFailing,
    /// The endpoint takes `GET` and `HEAD` alone.
    ReadOnly,
}

impl Refusal {
    fn problem(self) -> Problem {
        let (code, en, pt) = self.text();
        let problem = Problem::new(code, en, pt);
        match (self, code) {
            (Refusal::ReadOnly, _) => Problem { allow: Some("GET, HEAD".to_owned()), ..problem },
            (_, Code::Unavailable | Code::RateLimited) => problem.retry_after(Duration::seconds(2)),
            _ => problem,
        }
    }

    /// The code, and the detail in English and Portuguese.
    fn text(self) -> (Code, &'static str, &'static str) {
        match self {
            Refusal::Broken => (
                Code::InternalError,
                "The request was not carried out. Report the requestId to the operator.",
                "A requisição não foi executada. Informe o requestId ao operador.",
            ),
            Refusal::Late => (
                Code::UpstreamTimeout,
                "The response took too long. The request may have been carried out: send it again with the same code or idempotency key.",
                "A resposta demorou demais. A requisição pode ter sido executada: envie-a novamente com o mesmo código ou chave de idempotência.",
            ),
            Refusal::IncompleteBody => (
                Code::MalformedRequest,
                "The request's body did not arrive completely and in time, or its chunks are malformed. Send the request again.",
                "O corpo da requisição não chegou completo e a tempo, ou seus blocos (chunks) são inválidos. Envie a requisição novamente.",
            ),
            Refusal::MetricsOnly => (
                Code::EndpointNotFound,
                "This listener serves GET /metrics only.",
                "Esta porta atende somente GET /metrics.",
            ),
            Refusal::MetricsToken => (
                Code::ApiKeyInvalid,
                "Metrics need the metrics token or the operator's token. Send it as Authorization: Bearer or x-api-token.",
                "As métricas exigem o token de métricas ou o do operador. Envie-o em Authorization: Bearer ou em x-api-token.",
            ),
            Refusal::Overloaded => (
                Code::Unavailable,
                "There are too many connections. Connect again later.",
                "Há conexões demais. Conecte-se novamente mais tarde.",
            ),
            Refusal::Busy => (
                Code::Unavailable,
                "The service is overloaded. Nothing was carried out: send the request again.",
                "O serviço está sobrecarregado. Nada foi executado: envie a requisição novamente.",
            ),
            Refusal::ResponseMemory => (
                Code::Unavailable,
                "Too many responses wait for their clients to read them. Nothing was changed: read the open responses, then send the request again.",
                "Há respostas demais à espera de leitura pelos clientes. Nada foi alterado: leia as respostas abertas e envie a requisição novamente.",
            ),
            Refusal::TooManyStreams => (
                Code::RateLimited,
                "The merchant or the server has as many streams open as allowed. Close one, or read /delivery/events.",
                "A empresa ou o servidor já mantém abertos todos os fluxos permitidos. Feche um ou leia /delivery/events.",
            ),
            Refusal::NotReady => {
                (Code::Unavailable, "The database is unavailable.", "O banco de dados está indisponível.")
            }
            Refusal::StorageFailing => (
                Code::Unavailable,
                "The database storage accepts no writes: its disk is full, failing or read-only. The log has the cause.",
                "O armazenamento do banco de dados não aceita gravações: o disco está cheio, com falha ou somente leitura. O log traz a causa.",
            ),
            Refusal::ReadOnly => (
                Code::MethodNotAllowed,
                "This endpoint accepts only GET and HEAD.",
                "Este endpoint aceita somente GET e HEAD.",
            ),
        }
    }
}

/// What of a request a refusal depends on, kept while the request itself is on its way.
pub fn facts<B>(request: &Request<B>) -> Parts {
    let (mut parts, ()) = Request::new(()).into_parts();
    parts.method = request.method().clone();
    parts.uri = request.uri().clone();
    for name in ["accept-language", "x-request-id"] {
        if let Some(value) = request.headers().get(name) {
            parts.headers.insert(name, value.clone());
        }
    }
    parts
}

/// The refusal as a response.
pub fn respond(request: &Parts, route: &'static str, refusal: Refusal) -> Response<Bytes> {
    api::refuse(request, route, refusal.problem(), fresh_id)
}

/// An identifier for a request that came with none.
pub fn fresh_id() -> String {
    let mut seed = [0; 32];
    // An identifier that a machine without randomness repeats is no reason to fail a request.
    let _ = getrandom::fill(&mut seed);
    Entropy::new(seed).hex()
}
