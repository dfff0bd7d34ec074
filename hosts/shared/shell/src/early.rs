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
            (EarlyResponse::ReadOnly, _) => Problem {
                allow: Some("GET, HEAD".to_owned()),
                ..problem
            },
            (_, ProblemCode::Unavailable | ProblemCode::RateLimited) => {
                problem.retry_after(Duration::seconds(2))
            }
            _ => problem,
        }
    }

    /// Returns the code, and the detail in English and Portuguese.
    fn text(self) -> (ProblemCode, &'static str, &'static str) {
        match self {
            EarlyResponse::Broken => (
                ProblemCode::InternalError,
                "The request failed because of an internal error. Report the requestId to the operator.",
                "A requisição falhou por um erro interno. Informe o requestId ao operador.",
            ),
            EarlyResponse::Late => (
                ProblemCode::UpstreamTimeout,
                "The response took too long, and the request may have been executed. Retry with the same code or idempotency key.",
                "A resposta demorou demais. A requisição pode ter sido executada: envie-a novamente com o mesmo código ou chave de idempotência.",
            ),
            EarlyResponse::IncompleteBody => (
                ProblemCode::MalformedRequest,
                "The request body was incomplete, too slow or malformed (chunked encoding). Send the request again.",
                "O corpo da requisição chegou incompleto, lento demais ou malformado (chunked encoding). Envie a requisição novamente.",
            ),
            EarlyResponse::MetricsOnly => (
                ProblemCode::EndpointNotFound,
                "This port serves only GET /metrics. Send the request to the port of the API.",
                "Esta porta atende somente GET /metrics. Envie a requisição para a porta da API.",
            ),
            EarlyResponse::MetricsToken => (
                ProblemCode::ApiKeyInvalid,
                "Metrics require the metrics token or the operator's token. Send it as Authorization: Bearer or x-api-token.",
                "As métricas exigem o token de métricas ou o do operador. Envie-o em Authorization: Bearer ou em x-api-token.",
            ),
            EarlyResponse::Overloaded => (
                ProblemCode::Unavailable,
                "The service has too many connections. Connect again later.",
                "O serviço está com conexões demais. Conecte-se novamente mais tarde.",
            ),
            EarlyResponse::Busy => (
                ProblemCode::Unavailable,
                "The service is overloaded, and the request was not executed. Retry after the time in Retry-After.",
                "O serviço está sobrecarregado e a requisição não foi executada. Tente novamente após o tempo indicado em Retry-After.",
            ),
            EarlyResponse::ResponseMemory => (
                ProblemCode::Unavailable,
                "Too many responses are waiting for their clients to read them. Nothing was changed. Read the open responses, then retry.",
                "Há respostas demais à espera de leitura pelos clientes. Nada foi alterado. Leia as respostas abertas e tente novamente.",
            ),
            EarlyResponse::TooManyStreams => (
                ProblemCode::RateLimited,
                "The merchant or the server has its maximum number of open event streams. Close one, or use /delivery/events.",
                "A empresa ou o servidor atingiu o limite de fluxos de eventos abertos. Feche um ou use /delivery/events.",
            ),
            EarlyResponse::NotReady => (
                ProblemCode::Unavailable,
                "The database is unavailable. Retry later.",
                "O banco de dados está indisponível. Tente novamente mais tarde.",
            ),
            EarlyResponse::StorageFailing => (
                ProblemCode::Unavailable,
                "The database storage rejects writes: its disk is full, failing or read-only. The operator's log has the cause.",
                "O armazenamento do banco de dados rejeita gravações: o disco está cheio, com falha ou é somente leitura. O log do operador traz a causa.",
            ),
            EarlyResponse::ReadOnly => (
                ProblemCode::MethodNotAllowed,
                "This endpoint accepts only GET and HEAD.",
                "Este endpoint aceita somente GET e HEAD.",
            ),
            EarlyResponse::PanelMissing => (
                ProblemCode::EndpointNotFound,
                "The merchant panel was not built. Run `npm ci && npm run build` in hosts/panel, then restart or redeploy the application.",
                "O painel não foi compilado. Execute `npm ci && npm run build` em hosts/panel e depois reinicie ou reimplante a aplicação.",
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

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [EarlyResponse; 13] = [
        EarlyResponse::Broken,
        EarlyResponse::Late,
        EarlyResponse::IncompleteBody,
        EarlyResponse::Overloaded,
        EarlyResponse::Busy,
        EarlyResponse::ResponseMemory,
        EarlyResponse::TooManyStreams,
        EarlyResponse::MetricsOnly,
        EarlyResponse::MetricsToken,
        EarlyResponse::NotReady,
        EarlyResponse::StorageFailing,
        EarlyResponse::ReadOnly,
        EarlyResponse::PanelMissing,
    ];

    /// Words that the language guide bans from English messages.
    const BANNED: &str = include_str!("../../../../core/tests/lifecycle/banned-words.txt");

    #[test]
    fn details_follow_the_language_guide() {
        for early in ALL {
            let detail = early.problem().detail;
            let sentences =
                [&detail.en, &detail.pt].map(|text| text.len() > 20 && text.ends_with('.'));
            assert!(
                sentences == [true, true] && detail.en != detail.pt,
                "{early:?}: {detail:?}"
            );
            let mut words = detail.en.split(|c: char| !c.is_ascii_alphabetic());
            let banned = words.find(|word| {
                BANNED
                    .split_whitespace()
                    .any(|banned| word.eq_ignore_ascii_case(banned))
            });
            assert_eq!(banned, None, "{early:?}");
        }
    }
}
