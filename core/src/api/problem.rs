//! Problem documents (RFC 9457): one closed table from code to status and title, one shape for every host.

use serde::Serialize;

use crate::{
    host::HostError,
    model::{
        Duration, Language, Text,
        store::{FailedField, FailureReason},
    },
};
#[cfg(feature = "openapi")]
use crate::{
    model::order::EventKind,
    wire::schema::{FieldCode, ProblemCodeSchema},
};

macro_rules! codes {
    ($($(#[doc = $doc:literal])* $variant:ident $code:literal $status:literal $en:literal $pt:literal,)*) => {
        /// What is wrong with a request, or with the service. The codes never change with the language.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum ProblemCode { $($(#[doc = $doc])* $variant,)* }

        impl ProblemCode {
            /// Every code, in the order of the documentation.
            pub const ALL: &'static [ProblemCode] = &[$(ProblemCode::$variant,)*];

            /// The code as the API writes it.
            pub fn name(self) -> &'static str {
                match self { $(ProblemCode::$variant => $code,)* }
            }

            /// The HTTP status that it comes with.
            pub fn status(self) -> u16 {
                match self { $(ProblemCode::$variant => $status,)* }
            }

            /// When it is given, in a sentence of the documentation.
            pub fn meaning(self) -> &'static str {
                match self { $(ProblemCode::$variant => concat!($($doc),*).trim_ascii_start(),)* }
            }

            /// What it means in a few words.
            pub fn title(self) -> Text {
                match self { $(ProblemCode::$variant => Text::new($en, $pt),)* }
            }
        }
    };
}

codes! {
    /// The body is no JSON, or a value has the wrong type.
    MalformedRequest "malformed_request" 400 "The request cannot be read" "A requisição não pode ser lida",
    /// There is no `x-api-token`.
    ApiKeyMissing "api_key_missing" 401 "An API key is needed" "É necessária uma chave de API",
    /// The key is not known.
    ApiKeyInvalid "api_key_invalid" 401 "The API key is not valid" "A chave de API não é válida",
    /// The key's time is over.
    ApiKeyExpired "api_key_expired" 401 "The API key has expired" "A chave de API expirou",
    /// The key was revoked, or its store removed.
    ApiKeyRevoked "api_key_revoked" 401 "The API key was revoked" "A chave de API foi revogada",
    /// Email and password do not belong together.
    CredentialsInvalid "credentials_invalid" 401 "Email or password is wrong" "E-mail ou senha incorretos",
    /// The fee would take a prepaid store below its floor.
    InsufficientBalance "insufficient_balance" 402 "The balance is too low" "Saldo insuficiente",
    /// A session does this only with the store's password.
    PasswordRequired "password_required" 403 "The store's password is required" "É necessária a senha da loja",
    /// Only a matrix may do that.
    MatrixRequired "matrix_required" 403 "Only a matrix may do this" "Somente uma matriz pode fazer isso",
    /// The caller may not act for that store.
    StoreNotAllowed "store_not_allowed" 403 "The caller may not act for this store" "Não é permitido agir por esta loja",
    /// No such order that the caller may see.
    OrderNotFound "order_not_found" 404 "There is no such order" "Pedido não encontrado",
    /// No such store that the caller may see.
    StoreNotFound "store_not_found" 404 "There is no such store" "Loja não encontrada",
    /// No such key that the caller may see.
    KeyNotFound "key_not_found" 404 "There is no such key" "Chave não encontrada",
    /// No such notification that the caller may see.
    NotificationNotFound "notification_not_found" 404 "There is no such notification" "Notificação não encontrada",
    /// No such courier.
    CourierNotFound "courier_not_found" 404 "There is no such courier" "Entregador não encontrado",
    /// No such webhook that the caller may see.
    WebhookNotFound "webhook_not_found" 404 "There is no such webhook" "Webhook não encontrado",
    /// No such attempt that the caller may see; a webhook keeps its newest 200.
    AttemptNotFound "attempt_not_found" 404 "There is no such attempt" "Tentativa não encontrada",
    /// No such path.
    EndpointNotFound "endpoint_not_found" 404 "There is no such endpoint" "Endereço não encontrado",
    /// The path has other methods.
    MethodNotAllowed "method_not_allowed" 405 "The endpoint does not take this method" "Método não permitido",
    /// The caller accepts no JSON.
    NotAcceptable "not_acceptable" 406 "Answers are JSON" "As respostas são em JSON",
    /// An order with this code exists.
    OrderCodeConflict "order_code_conflict" 409 "The order code is taken" "O código do pedido já está em uso",
    /// A store with this CNPJ exists.
    CnpjTaken "cnpj_taken" 409 "The CNPJ is taken" "O CNPJ já está cadastrado",
    /// A store with this email exists.
    EmailTaken "email_taken" 409 "The email is taken" "O e-mail já está cadastrado",
    /// The CNPJ or the email cannot be used, for a reason that is not the caller's to know.
    StoreConflict "store_conflict" 409 "The CNPJ or the email cannot be used" "O CNPJ ou o e-mail não pode ser usado",
    /// The parent store has as many branches as it may have.
    TooManyBranches "too_many_branches" 409 "There are too many branches" "Há filiais demais",
    /// The operator has booked another amount under this reference.
    ReferenceConflict "reference_conflict" 409 "The reference is taken" "A referência já está em uso",
    /// The store has as many webhooks as it may have.
    TooManyWebhooks "too_many_webhooks" 409 "There are too many webhooks" "Há webhooks demais",
    /// The store has as many valid keys as it may have.
    TooManyKeys "too_many_keys" 409 "There are too many keys" "Há chaves demais",
    /// The webhook is disabled or has ended, so that nothing is sent.
    WebhookDisabled "webhook_disabled" 409 "The webhook is not active" "O webhook não está ativo",
    /// A request with this idempotency key is still running.
    RequestInProgress "request_in_progress" 409 "The same request is still running" "A mesma requisição ainda está em andamento",
    /// The order does not take this step from where it stands.
    InvalidTransition "invalid_transition" 409 "The order does not take this step now" "O pedido não permite esta etapa agora",
    /// The goods are with the courier and must come back.
    ReturnRequired "return_required" 409 "The goods must come back first" "A mercadoria precisa ser devolvida antes",
    /// The store has orders that have not ended.
    OpenOrders "open_orders" 409 "The store has open orders" "A loja tem pedidos em aberto",
    /// The quote's time is over.
    QuoteExpired "quote_expired" 410 "The quote has expired" "A cotação expirou",
    /// The cursor is older than what is left of the journal: events after it were archived.
    EventsArchived "events_archived" 410 "Events were archived" "Eventos foram arquivados",
    /// The body is too large.
    BodyTooLarge "body_too_large" 413 "The body is too large" "O corpo da requisição é grande demais",
    /// The body is not declared as JSON.
    UnsupportedMediaType "unsupported_media_type" 415 "Bodies are JSON" "O corpo da requisição deve ser JSON",
    /// Fields are at fault.
    ValidationFailed "validation_failed" 422 "Some fields are not valid" "Há campos inválidos",
    /// The cursor is no cursor, belongs to another store, or lies past the end.
    CursorInvalid "cursor_invalid" 422 "The cursor is not valid here" "O cursor não é válido aqui",
    /// The period has more lines than one file holds.
    StatementTooLong "statement_too_long" 422 "The statement is too long" "O extrato é longo demais",
    /// An address has no place.
    AddressNotFound "address_not_found" 422 "An address cannot be located" "Um endereço não pôde ser localizado",
    /// An address is known less precisely than the operator accepts.
    AddressImprecise "address_imprecise" 422 "An address is not known precisely enough" "Um endereço não é conhecido com precisão suficiente",
    /// Coordinates and address are far apart.
    CoordinatesMismatch "coordinates_mismatch" 422 "Coordinates and address do not belong together" "As coordenadas não correspondem ao endereço",
    /// A stop is too far from the pickup.
    OutOfArea "out_of_area" 422 "A delivery is outside the service area" "Uma entrega está fora da área de atendimento",
    /// The route is too long.
    DistanceExceeded "distance_exceeded" 422 "The route is too long" "A rota é longa demais",
    /// There are too many deliveries.
    TooManyDeliveries "too_many_deliveries" 422 "There are too many deliveries" "Há entregas demais",
    /// The quote belongs to another content.
    QuoteMismatch "quote_mismatch" 422 "The quote belongs to another order" "A cotação pertence a outro pedido",
    /// The idempotency key was used with another body.
    IdempotencyKeyReused "idempotency_key_reused" 422 "The idempotency key was used for another request" "A chave de idempotência foi usada em outra requisição",
    /// The code told to the courier is wrong.
    CodeIncorrect "code_incorrect" 422 "The code is wrong" "Código incorreto",
    /// The caller's quota is used up.
    RateLimited "rate_limited" 429 "Too many requests" "Requisições demais",
    /// The merchant has as many stored responses as are kept for it.
    IdempotencyLimit "idempotency_limit" 429 "Too many idempotency keys" "Chaves de idempotência demais",
    /// Too many wrong codes.
    CodeLocked "code_locked" 429 "Too many wrong codes" "Códigos incorretos demais",
    /// A defect of the service.
    InternalError "internal_error" 500 "Something went wrong on our side" "Algo deu errado do nosso lado",
    /// A part of the service is out of order.
    Unavailable "unavailable" 503 "The service cannot answer now" "O serviço não pode responder agora",
    /// A part of the service did not answer in time.
    UpstreamTimeout "upstream_timeout" 504 "The service did not answer in time" "O serviço não respondeu a tempo",
}

/// A field at fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// RFC 6901 pointer into the request's body.
    pub pointer: String,
    /// The fault's code.
    pub code: &'static str,
    /// What is wrong, and what to send instead.
    pub detail: Text,
}

/// One problem, in both languages until it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong.
    pub code: ProblemCode,
    /// What is wrong here.
    pub detail: Text,
    /// The fields at fault, all at once.
    pub errors: Vec<FieldError>,
    /// When to come again.
    pub retry_after: Option<Duration>,
    /// The order that is there already.
    pub existing_order: Option<u64>,
    /// The events that could come next, where a step was refused.
    pub possible: Option<Vec<&'static str>>,
    /// Further wrong codes before the lock.
    pub tries_left: Option<u32>,
    /// What the endpoint takes, for the `Allow` header.
    pub allow: Option<String>,
    /// What happened, for the log alone.
    pub log: Option<String>,
}

impl Problem {
    /// A problem with what is wrong here.
    pub fn new(code: ProblemCode, en: impl Into<String>, pt: impl Into<String>) -> Problem {
        Problem {
            code,
            detail: Text::new(en, pt),
            errors: Vec::new(),
            retry_after: None,
            existing_order: None,
            possible: None,
            tries_left: None,
            allow: None,
            log: None,
        }
    }

    /// The same with fields at fault.
    #[must_use]
    pub fn with_errors(self, errors: Vec<FieldError>) -> Problem {
        Problem { errors, ..self }
    }

    /// The same with when to come again.
    #[must_use]
    pub fn retry_after(self, span: Duration) -> Problem {
        Problem { retry_after: Some(span), ..self }
    }

    /// The document in a language.
    pub fn document(&self, language: Language, instance: &str, request_id: &str) -> ProblemDocument {
        let errors = self.errors.iter().map(|error| FieldErrorDocument {
            pointer: error.pointer.clone(),
            code: error.code,
            detail: error.detail.get(language).to_owned(),
        });
        ProblemDocument {
            kind: format!("urn:despacho:problem:{}", self.code.name()),
            title: self.code.title().get(language).to_owned(),
            status: self.code.status(),
            detail: self.detail.get(language).to_owned(),
            instance: instance.to_owned(),
            code: self.code.name(),
            request_id: request_id.to_owned(),
            errors: errors.collect(),
            order_id: self.existing_order,
            possible: self.possible.clone(),
            tries_left: self.tries_left,
        }
    }

    /// What a notification keeps of the problem.
    pub fn reason(&self) -> FailureReason {
        let fields = self.errors.iter().take(20).map(|error| FailedField {
            pointer: error.pointer.chars().take(200).collect(),
            code: error.code.to_owned(),
            detail: error.detail.clone(),
        });
        FailureReason { code: self.code.name().to_owned(), detail: self.detail.clone(), fields: fields.collect() }
    }
}

impl From<HostError> for Problem {
    fn from(error: HostError) -> Problem {
        let log = Some(error.to_string());
        let problem = match error {
            HostError::Conflict => Problem::new(
                ProblemCode::Unavailable,
                "Too many writes met on the same data. Send the request again.",
                "Houve muitas gravações sobre os mesmos dados. Envie a requisição novamente.",
            )
            .retry_after(Duration::seconds(1)),
            HostError::Unavailable { what, .. } => Problem::new(
                ProblemCode::Unavailable,
                format!("The part '{what}' is out of order or overloaded. Send the request again later."),
                format!("O componente '{what}' está fora do ar ou sobrecarregado. Envie a requisição mais tarde."),
            )
            .retry_after(Duration::seconds(2)),
            HostError::Timeout { what } => Problem::new(
                ProblemCode::UpstreamTimeout,
                format!("The part '{what}' did not answer in time. Send the request again later."),
                format!("O componente '{what}' não respondeu a tempo. Envie a requisição mais tarde."),
            ),
            HostError::Internal { .. } => Problem::new(
                ProblemCode::InternalError,
                "The request was not carried out. Tell the operator the requestId.",
                "A requisição não foi executada. Informe o requestId ao operador.",
            ),
        };
        Problem { log, ..problem }
    }
}

/// A problem document (RFC 9457).
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Problem))]
#[serde(rename_all = "camelCase")]
pub struct ProblemDocument {
    /// A URN that names the kind of problem.
    #[serde(rename = "type")]
    pub kind: String,
    /// The kind of problem in a few words.
    pub title: String,
    /// HTTP status.
    pub status: u16,
    /// What is wrong here and what to do.
    pub detail: String,
    /// The path that was asked for.
    pub instance: String,
    /// The kind of problem, for programs: it never changes with the language.
    #[cfg_attr(feature = "openapi", schema(value_type = ProblemCodeSchema))]
    pub code: &'static str,
    /// The request's identifier, for the operator.
    pub request_id: String,
    /// The fields at fault, all at once.
    pub errors: Vec<FieldErrorDocument>,
    /// With `order_code_conflict`: the order that has the code.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub order_id: Option<u64>,
    /// With `invalid_transition`: the types of the events that could come next by the same caller.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Vec<EventKind>>, nullable = false))]
    pub possible: Option<Vec<&'static str>>,
    /// With `code_incorrect`: further wrong codes before codes are locked for ten minutes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub tries_left: Option<u32>,
}

/// A field at fault.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = FieldError))]
pub struct FieldErrorDocument {
    /// RFC 6901 pointer into the request's body.
    pub pointer: String,
    /// The fault's code.
    #[cfg_attr(feature = "openapi", schema(value_type = FieldCode))]
    pub code: &'static str,
    /// What is wrong, and what to send instead.
    pub detail: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_statuses_are_errors() {
        let names: std::collections::BTreeSet<_> = ProblemCode::ALL.iter().map(|code| code.name()).collect();
        assert_eq!(names.len(), ProblemCode::ALL.len());
        assert!(ProblemCode::ALL.iter().all(|code| (400..600).contains(&code.status()) && !code.title().pt.is_empty()));
    }

    #[test]
    fn a_fault_tells_the_caller_nothing_internal() {
        let problem = Problem::from(HostError::Internal { detail: "row 7 of table x".into() });
        let json = serde_json::to_string(&problem.document(Language::English, "/x", "r-1")).unwrap();
        assert!(!json.contains("row 7") && problem.log.is_some());
    }
}
