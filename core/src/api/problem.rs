//! Problem documents (RFC 9457). One table defines every code with its status and title; all hosts
//! write the same document.

use serde::Serialize;

use crate::{
    host::HostError,
    model::{
        Duration, Language, Text, Timestamp,
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
        /// The kind of a problem. The codes do not depend on the language.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum ProblemCode { $($(#[doc = $doc])* $variant,)* }

        impl ProblemCode {
            /// Every code, in the order of the documentation.
            pub const ALL: &'static [ProblemCode] = &[$(ProblemCode::$variant,)*];

            /// Returns the code as the API writes it.
            pub fn name(self) -> &'static str {
                match self { $(ProblemCode::$variant => $code,)* }
            }

            /// Returns the HTTP status.
            pub fn status(self) -> u16 {
                match self { $(ProblemCode::$variant => $status,)* }
            }

            /// Returns the condition for this code, as a sentence of the API documentation.
            pub fn meaning(self) -> &'static str {
                match self { $(ProblemCode::$variant => concat!($($doc),*).trim_ascii_start(),)* }
            }

            /// Returns the title, without a full stop.
            pub fn title(self) -> Text {
                match self { $(ProblemCode::$variant => Text::new($en, $pt),)* }
            }
        }
    };
}

codes! {
    /// The body is not a JSON object, has a duplicate field or a value of the wrong type, or did
    /// not arrive completely; or the `Idempotency-Key` is malformed.
    MalformedRequest "malformed_request" 400 "Malformed request" "Requisição malformada",
    /// The request has no `x-api-token` header, no session cookie, or no device key.
    ApiKeyMissing "api_key_missing" 401 "Missing API key" "Chave de API ausente",
    /// The API key, the session or the sign-in code is not valid.
    ApiKeyInvalid "api_key_invalid" 401 "Invalid API key" "Chave de API inválida",
    /// The API key or the session has expired.
    ApiKeyExpired "api_key_expired" 401 "Expired API key" "Chave de API expirada",
    /// The API key was revoked, or its store was removed.
    ApiKeyRevoked "api_key_revoked" 401 "Revoked API key" "Chave de API revogada",
    /// The email or the password is incorrect.
    CredentialsInvalid "credentials_invalid" 401 "Incorrect email or password" "E-mail ou senha incorretos",
    /// The fee would take a prepaid store's balance below its floor.
    InsufficientBalance "insufficient_balance" 402 "Insufficient balance" "Saldo insuficiente",
    /// The operator disabled the store or its parent store. Open orders continue.
    StoreDisabled "store_disabled" 403 "Store disabled" "Loja desativada",
    /// A panel session must send the password of its login with this request.
    PasswordRequired "password_required" 403 "Password required" "Senha obrigatória",
    /// The role of the caller does not allow this request.
    RoleNotAllowed "role_not_allowed" 403 "Role not allowed" "Papel não permitido",
    /// Only a panel session can send this request, because it concerns the session's login.
    SessionRequired "session_required" 403 "Panel session required" "Sessão do painel obrigatória",
    /// Only a parent store can send this request.
    MatrixRequired "matrix_required" 403 "Parent store required" "Loja matriz obrigatória",
    /// The key is not allowed to act for this store.
    StoreNotAllowed "store_not_allowed" 403 "Store not allowed" "Loja não permitida",
    /// A form on another site sent the request.
    CrossSite "cross_site" 403 "Request from another site" "Requisição de outro site",
    /// The link to a recipient's page is unknown or has ended.
    TrackingNotFound "tracking_not_found" 404 "Link not found" "Link não encontrado",
    /// The order does not exist or is not visible to this key.
    OrderNotFound "order_not_found" 404 "Order not found" "Pedido não encontrado",
    /// The store does not exist or is not visible to this key.
    StoreNotFound "store_not_found" 404 "Store not found" "Loja não encontrada",
    /// The API key does not exist or is not visible to the caller.
    KeyNotFound "key_not_found" 404 "API key not found" "Chave de API não encontrada",
    /// The user does not exist or is not visible to the caller.
    UserNotFound "user_not_found" 404 "User not found" "Usuário não encontrado",
    /// The session does not exist or is not visible to the caller.
    SessionNotFound "session_not_found" 404 "Session not found" "Sessão não encontrada",
    /// The notification does not exist or belongs to another store.
    NotificationNotFound "notification_not_found" 404 "Notification not found" "Notificação não encontrada",
    /// The courier does not exist.
    CourierNotFound "courier_not_found" 404 "Courier not found" "Entregador não encontrado",
    /// The webhook does not exist or belongs to another store.
    WebhookNotFound "webhook_not_found" 404 "Webhook not found" "Webhook não encontrado",
    /// The attempt does not exist or belongs to another store. Each webhook keeps its newest 200
    /// attempts.
    AttemptNotFound "attempt_not_found" 404 "Attempt not found" "Tentativa não encontrada",
    /// The photo does not exist or is not visible to the caller.
    PhotoNotFound "photo_not_found" 404 "Photo not found" "Foto não encontrada",
    /// The tariff does not exist.
    TariffNotFound "tariff_not_found" 404 "Tariff not found" "Tarifa não encontrada",
    /// There is no version of a pay plan with this ID.
    PayPlanNotFound "pay_plan_not_found" 404 "Pay plan not found" "Plano de ganhos não encontrado",
    /// The path does not exist.
    EndpointNotFound "endpoint_not_found" 404 "Endpoint not found" "Endpoint não encontrado",
    /// The endpoint does not accept this method; `Allow` lists those that it accepts.
    MethodNotAllowed "method_not_allowed" 405 "Method not allowed" "Método não permitido",
    /// `Accept` excludes every media type of the response.
    NotAcceptable "not_acceptable" 406 "Media type not acceptable" "Tipo de mídia não aceito na resposta",
    /// An order with this code and other content exists.
    OrderCodeConflict "order_code_conflict" 409 "Order code in use" "Código do pedido em uso",
    /// A store with this CNPJ exists.
    CnpjTaken "cnpj_taken" 409 "CNPJ already registered" "CNPJ já cadastrado",
    /// A store or a user with this email exists.
    EmailTaken "email_taken" 409 "Email already registered" "E-mail já cadastrado",
    /// The CNPJ or the email cannot be used. The reason is not disclosed.
    StoreConflict "store_conflict" 409 "CNPJ or email not available" "CNPJ ou e-mail indisponível",
    /// The parent store has its maximum number of branches.
    TooManyBranches "too_many_branches" 409 "Branch limit reached" "Limite de filiais atingido",
    /// A top-up with this reference and another amount exists.
    ReferenceConflict "reference_conflict" 409 "Reference in use" "Referência em uso",
    /// The store has its maximum number of pending top-ups.
    TooManyTopUps "too_many_top_ups" 409 "Limit of pending top-ups reached" "Limite de recargas pendentes atingido",
    /// The operator receives no payments by Pix.
    PixUnavailable "pix_unavailable" 409 "Pix unavailable" "Pix indisponível",
    /// The courier's cash was closed before, or has no entries to close.
    CashClosed "cash_closed" 409 "Cash closed" "Caixa já fechado",
    /// The store or the merchant has its maximum number of webhooks.
    TooManyWebhooks "too_many_webhooks" 409 "Webhook limit reached" "Limite de webhooks atingido",
    /// The store has its maximum number of valid API keys.
    TooManyKeys "too_many_keys" 409 "API key limit reached" "Limite de chaves de API atingido",
    /// The store has its maximum number of users.
    TooManyUsers "too_many_users" 409 "User limit reached" "Limite de usuários atingido",
    /// The maximum number of tariffs is scheduled.
    TooManyTariffs "too_many_tariffs" 409 "Scheduled tariff limit reached" "Limite de tarifas agendadas atingido",
    /// The tariff has taken effect and cannot be removed.
    TariffInEffect "tariff_in_effect" 409 "Tariff in effect" "Tarifa em vigor",
    /// The version of the pay plan has taken effect, so it cannot be removed.
    PayPlanInEffect "pay_plan_in_effect" 409 "Pay plan in effect" "Plano de ganhos em vigor",
    /// The order has its maximum number of photos.
    TooManyPhotos "too_many_photos" 409 "Photo limit reached" "Limite de fotos atingido",
    /// The webhook is disabled or has ended, so nothing is sent.
    WebhookDisabled "webhook_disabled" 409 "Webhook not active" "Webhook inativo",
    /// A request with this idempotency key is still running.
    RequestInProgress "request_in_progress" 409 "Request in progress" "Requisição em andamento",
    /// The step is not valid for the order's current status.
    InvalidTransition "invalid_transition" 409 "Step not allowed in the current status" "Etapa não permitida na situação atual",
    /// Another order of the courier's trip comes first.
    NotNextInTrip "not_next_in_trip" 409 "Another order of the trip comes first" "Outro pedido da viagem vem antes",
    /// The courier is not available, is off shift, or has a trip that cannot take the order.
    CourierUnavailable "courier_unavailable" 409 "Courier not available" "Entregador indisponível",
    /// The operator suspended the courier, who cannot become available.
    CourierSuspended "courier_suspended" 409 "Courier suspended" "Entregador suspenso",
    /// The courier has the goods and must return them first.
    ReturnRequired "return_required" 409 "Return required" "Devolução necessária",
    /// The recipient has rated this delivery.
    AlreadyRated "already_rated" 409 "Already rated" "Entrega já avaliada",
    /// The store has orders that have not ended.
    OpenOrders "open_orders" 409 "Open orders" "Pedidos em aberto",
    /// The quote has expired.
    QuoteExpired "quote_expired" 410 "Expired quote" "Cotação expirada",
    /// The operator has archived events after this cursor.
    EventsArchived "events_archived" 410 "Archived events" "Eventos arquivados",
    /// The body exceeds the maximum size.
    BodyTooLarge "body_too_large" 413 "Request body too large" "Corpo da requisição grande demais",
    /// The body is not declared as uncompressed JSON, or as another type that the endpoint accepts.
    UnsupportedMediaType "unsupported_media_type" 415 "Unsupported media type" "Tipo de mídia não suportado",
    /// A field or a query parameter is invalid.
    ValidationFailed "validation_failed" 422 "Invalid fields" "Campos inválidos",
    /// The cursor is malformed, belongs to another store, or is past the end of the journal.
    CursorInvalid "cursor_invalid" 422 "Invalid cursor" "Cursor inválido",
    /// The period has more entries than one CSV file can hold.
    StatementTooLong "statement_too_long" 422 "Statement too long" "Extrato longo demais",
    /// An address cannot be located.
    AddressNotFound "address_not_found" 422 "Address not found" "Endereço não encontrado",
    /// An address cannot be located as precisely as the operator requires.
    AddressImprecise "address_imprecise" 422 "Address not precise enough" "Endereço sem precisão suficiente",
    /// The coordinates are far from the address, or outside Brazil.
    CoordinatesMismatch "coordinates_mismatch" 422 "Coordinates do not match the address" "Coordenadas não correspondem ao endereço",
    /// A stop is too far from the pickup or outside the store's service area, or no road leads to
    /// it.
    OutOfArea "out_of_area" 422 "Outside the service area" "Fora da área de atendimento",
    /// The store is closed when the goods are ready; `nextOpening` is the time at which it opens.
    StoreClosed "store_closed" 422 "Store closed" "Loja fechada",
    /// The courier cannot arrive within the window of a delivery.
    WindowUnreachable "window_unreachable" 422 "Delivery window not reachable" "Janela de entrega inalcançável",
    /// The fee is above the highest that the client accepts.
    FeeAboveMaximum "fee_above_maximum" 422 "Fee above the maximum" "Taxa acima do máximo",
    /// The route exceeds the maximum distance.
    DistanceExceeded "distance_exceeded" 422 "Route too long" "Rota longa demais",
    /// A request of Open Delivery cannot be carried out in the present state; `detail` has the
    /// reason.
    DeliveryRejected "delivery_rejected" 422 "Delivery rejected" "Entrega recusada",
    /// The code of a link that sets a password is unknown, was used, or has expired.
    PasswordLinkInvalid "password_link_invalid" 422 "Invalid link" "Link inválido",
    /// The photo is empty, damaged, animated or too large in pixels, or not a file of the declared
    /// type.
    PhotoInvalid "photo_invalid" 422 "Invalid photo" "Foto inválida",
    /// The store requires a proof of this step that was not sent completely.
    ProofRequired "proof_required" 422 "Proof required" "Comprovante obrigatório",
    /// The order has more deliveries than allowed.
    TooManyDeliveries "too_many_deliveries" 422 "Too many deliveries" "Entregas demais",
    /// The quote was issued for other content.
    QuoteMismatch "quote_mismatch" 422 "Quote does not match the order" "Cotação não corresponde ao pedido",
    /// The idempotency key was used for another request.
    IdempotencyKeyReused "idempotency_key_reused" 422 "Idempotency key reused" "Chave de idempotência reutilizada",
    /// The code that the courier sent is incorrect.
    CodeIncorrect "code_incorrect" 422 "Incorrect code" "Código incorreto",
    /// The code belongs to another order of the courier's trip.
    CodeOfOtherOrder "code_of_other_order" 422 "Code of another order" "Código de outro pedido",
    /// The lead time is not between 0 and 60 minutes.
    LeadOutOfRange "lead_out_of_range" 422 "Lead time out of range" "Antecedência fora do intervalo",
    /// The limit of orders in a trip is not between 1 and 10.
    TripLimitOutOfRange "trip_limit_out_of_range" 422 "Trip limit out of range" "Limite da viagem fora do intervalo",
    /// A quota is used up, or too many event streams are open; `Retry-After` is the time to wait.
    RateLimited "rate_limited" 429 "Too many requests" "Requisições demais",
    /// The merchant has its maximum of stored responses.
    IdempotencyLimit "idempotency_limit" 429 "Idempotency limit reached" "Limite de chaves de idempotência atingido",
    /// Too many incorrect codes were sent; codes are locked for ten minutes.
    CodeLocked "code_locked" 429 "Too many incorrect codes" "Códigos incorretos demais",
    /// The service has a defect; the operator's log has the cause.
    InternalError "internal_error" 500 "Internal error" "Erro interno",
    /// This deployment does not offer the function.
    NotImplemented "not_implemented" 501 "Not implemented" "Não implementado",
    /// A component of the service is unavailable or overloaded.
    Unavailable "unavailable" 503 "Service unavailable" "Serviço indisponível",
    /// A component of the service did not respond in time.
    UpstreamTimeout "upstream_timeout" 504 "Response timeout" "Tempo de resposta esgotado",
}

/// An invalid field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{pointer}: {}", .detail.en)]
pub struct FieldError {
    /// RFC 6901 pointer into the request's body.
    pub pointer: String,
    /// The error's code, one of the schema `FieldCode`.
    pub code: &'static str,
    /// The error, and what to send instead.
    pub detail: Text,
}

/// A problem in both languages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The kind of problem.
    pub code: ProblemCode,
    /// What happened, and what to do.
    pub detail: Text,
    /// All invalid fields.
    pub errors: Vec<FieldError>,
    /// Whether the invalid fields are query parameters.
    pub in_query: bool,
    /// The time to wait before a retry, for the `Retry-After` header.
    pub retry_after: Option<Duration>,
    /// The ID of the existing order with the same code.
    pub existing_order: Option<u64>,
    /// The types of the events that are valid next, if a step was rejected.
    pub possible: Option<Vec<&'static str>>,
    /// The number of incorrect codes left before the lock.
    pub tries_left: Option<u32>,
    /// The time at which the closed store opens.
    pub next_opening: Option<Timestamp>,
    /// The methods that the endpoint accepts, for the `Allow` header.
    pub allow: Option<String>,
    /// The cause, for the log only.
    pub log: Option<String>,
}

impl Problem {
    /// Creates a problem with its detail in English and Portuguese.
    pub fn new(code: ProblemCode, en: impl Into<String>, pt: impl Into<String>) -> Problem {
        Problem {
            code,
            detail: Text::new(en, pt),
            errors: Vec::new(),
            in_query: false,
            retry_after: None,
            existing_order: None,
            possible: None,
            tries_left: None,
            next_opening: None,
            allow: None,
            log: None,
        }
    }

    /// Sets the invalid fields.
    #[must_use]
    pub fn with_errors(self, errors: Vec<FieldError>) -> Problem {
        Problem { errors, ..self }
    }

    /// Marks the errors as those of query parameters: each pointer is that of a parameter in an
    /// object of all parameters.
    #[must_use]
    pub fn in_query(self) -> Problem {
        Problem {
            in_query: true,
            ..self
        }
    }

    /// Sets the time to wait before a retry.
    #[must_use]
    pub fn retry_after(self, span: Duration) -> Problem {
        Problem {
            retry_after: Some(span),
            ..self
        }
    }

    /// Returns the document in a language.
    pub fn document(
        &self,
        language: Language,
        instance: &str,
        request_id: &str,
    ) -> ProblemDocument {
        let errors = self.errors.iter().map(|error| FieldErrorDocument {
            pointer: error.pointer.clone(),
            parameter: error
                .pointer
                .strip_prefix('/')
                .filter(|_| self.in_query)
                .map(str::to_owned),
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
            next_opening: self.next_opening.map(|at| at.to_string()),
        }
    }

    /// Returns the part of the problem that a notification stores.
    pub fn reason(&self) -> FailureReason {
        let fields = self.errors.iter().take(20).map(|error| FailedField {
            pointer: error.pointer.chars().take(200).collect(),
            code: error.code.to_owned(),
            detail: error.detail.clone(),
        });
        FailureReason {
            code: self.code.name().to_owned(),
            detail: self.detail.clone(),
            fields: fields.collect(),
        }
    }
}

impl From<HostError> for Problem {
    fn from(error: HostError) -> Problem {
        let log = Some(error.to_string());
        let problem = match error {
            HostError::Conflict => Problem::new(
                ProblemCode::Unavailable,
                "Too many concurrent writes to the same data. Retry the request.",
                "Houve gravações simultâneas demais nos mesmos dados. Envie a requisição novamente.",
            )
            .retry_after(Duration::seconds(1)),
            HostError::Unavailable { what, .. } => {
                let Text { en, pt } = component(what);
                let en = format!("{en} is unavailable. Retry later.");
                let pt = format!("{pt} está indisponível. Tente novamente mais tarde.");
                Problem::new(ProblemCode::Unavailable, en, pt).retry_after(Duration::seconds(2))
            }
            HostError::Timeout { what } => {
                let Text { en, pt } = component(what);
                let en = format!("{en} did not respond in time. Retry later.");
                let pt = format!("{pt} não respondeu a tempo. Tente novamente mais tarde.");
                Problem::new(ProblemCode::UpstreamTimeout, en, pt)
            }
            HostError::Unsupported { method } => Problem::new(
                ProblemCode::NotImplemented,
                format!(
                    "This deployment does not offer this function: its host has no `{method}`."
                ),
                format!(
                    "Esta instalação não oferece esta função: seu servidor não tem `{method}`."
                ),
            ),
            HostError::Internal { .. } => Problem::new(
                ProblemCode::InternalError,
                "The request failed because of an internal error. Report the requestId to the operator.",
                "A requisição falhou por um erro interno. Informe o requestId ao operador.",
            ),
        };
        Problem { log, ..problem }
    }
}

/// Returns the name of a component of the service for clients, as a subject with its article.
fn component(name: &str) -> Text {
    match name {
        "database" => Text::new("The database", "O banco de dados"),
        "database storage" => {
            Text::new("The database storage", "O armazenamento do banco de dados")
        }
        "journal" => Text::new("The event journal", "O diário de eventos"),
        "geocoder" => Text::new("The geocoder", "O geocodificador"),
        "API document" => Text::new("The API document", "O documento da API"),
        "passwords" => Text::new("Password verification", "A verificação de senhas"),
        other => Text::new(
            format!("The component '{other}'"),
            format!("O componente '{other}'"),
        ),
    }
}

/// A problem document (RFC 9457).
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Problem))]
#[serde(rename_all = "camelCase")]
pub struct ProblemDocument {
    /// A URN of the kind of problem.
    #[serde(rename = "type")]
    pub kind: String,
    /// The kind of problem, as a short phrase.
    pub title: String,
    /// HTTP status.
    pub status: u16,
    /// What happened, and what to do.
    pub detail: String,
    /// The requested path.
    pub instance: String,
    /// The kind of problem, for programs. It does not depend on the language.
    #[cfg_attr(feature = "openapi", schema(value_type = ProblemCodeSchema))]
    pub code: &'static str,
    /// The request ID, for the operator.
    pub request_id: String,
    /// All invalid fields.
    pub errors: Vec<FieldErrorDocument>,
    /// With `order_code_conflict`: the ID of the order that has the code.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub order_id: Option<u64>,
    /// With `invalid_transition`: the types of the events that the caller can cause next.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Vec<EventKind>>, nullable = false))]
    pub possible: Option<Vec<&'static str>>,
    /// With `code_incorrect`: the number of incorrect codes left before codes are locked for ten
    /// minutes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub tries_left: Option<u32>,
    /// With `store_closed`: the time at which the store opens.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>, format = DateTime, nullable = false))]
    pub next_opening: Option<String>,
}

/// An invalid field.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = FieldError))]
pub struct FieldErrorDocument {
    /// RFC 6901 pointer into the request's body, or into an object of the query parameters.
    pub pointer: String,
    /// The name of the query parameter. Absent if the field is in the body.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, example = "limit"))]
    pub parameter: Option<String>,
    /// The error's code.
    #[cfg_attr(feature = "openapi", schema(value_type = FieldCode))]
    pub code: &'static str,
    /// The error, and what to send instead.
    pub detail: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_statuses_are_errors() {
        let names: std::collections::BTreeSet<_> =
            ProblemCode::ALL.iter().map(|code| code.name()).collect();
        assert_eq!(names.len(), ProblemCode::ALL.len());
        assert!(
            ProblemCode::ALL
                .iter()
                .all(|code| (400..600).contains(&code.status()) && !code.title().pt.is_empty())
        );
    }

    #[test]
    fn internal_error_detail_is_not_in_the_document() {
        let problem = Problem::from(HostError::Internal {
            detail: "row 7 of table x".into(),
        });
        let json =
            serde_json::to_string(&problem.document(Language::English, "/x", "r-1")).unwrap();
        assert!(!json.contains("row 7") && problem.log.is_some());
    }
}
