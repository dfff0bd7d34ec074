//! The properties of an endpoint that the service needs before and after its handler.

use http::{Method, request::Parts};

use super::{
    media::{FORM, JSON, PHOTOS},
    response::ApiResponse,
};
use crate::{
    changes::Changes,
    model::store::Role,
    rules::{
        limits::{Limits, Usage},
        settings::Settings,
    },
};

/// The credential that an endpoint requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// A store's key.
    Store,
    /// A courier's key, or the session cookie of the courier's app.
    Courier,
    /// The key of a courier's device, as its protocol sends it.
    Device(Protocol),
    /// The token of a recipient's link, in the path.
    Recipient,
    /// The operator's token, or the session cookie of the operator's panel.
    Operator,
    /// The access token of an Open Delivery connection.
    Connection,
    /// None, but the handler accepts the access token of a connection.
    OptionalConnection,
    /// None.
    Public,
}

/// The protocol of a device that reports positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// OsmAnd, as Traccar Client sends it: the key is a parameter.
    Osmand,
    /// OwnTracks: the key is the password of HTTP Basic authentication.
    OwnTracks,
}

/// What a request leaves behind that gives access after its session has ended. A session ends
/// within hours, and a stolen one must not become access that lasts. Requests with a key are not
/// asked for a confirmation, because the key lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lasting {
    /// Nothing. It reads, ends access, or changes data that only callers with an access of their
    /// own read.
    Nothing,
    /// A key, a login, a link or a receiver of data. A session must confirm each request.
    Access,
    /// The same, but only with some contents: the handler asks for the confirmation.
    SomeAccess,
    /// Access that ends with the session.
    WithSession,
    /// It starts or confirms a session, or sets a password. The request itself contains the secret
    /// that permits it.
    OwnSecret,
}

/// Whether a request changes what is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// No.
    Reads,
    /// Only its idempotency record, if it has a key.
    Computes,
    /// Yes.
    Writes,
}

/// The content of a request body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// The body is ignored.
    Ignored,
    Json,
    Form,
    JsonOrForm,
    Photo,
}

/// How many requests of its quota a request counts as. Quotas bound the work of a merchant, so a
/// request that takes the work of many counts as many. The numbers are processor time in units of
/// about two milliseconds, in the worst case that the endpoint permits.
#[derive(Clone, Copy)]
enum Cost {
    /// One, and one more for each [`BODY_BYTES`] of the body.
    Body,
    Fixed(u32),
    /// The number if the condition holds.
    If(fn(&Parts) -> bool, u32),
}

/// Each of these bytes of a body counts as a further request.
const BODY_BYTES: usize = 16 * 1024;

/// An entry of a request in the audit log.
#[derive(Clone, Copy)]
pub(super) struct Audit {
    pub action: Action,
    pub subject: Subject,
}

/// An action in the audit log.
#[derive(Clone, Copy)]
pub(super) enum Action {
    Always(&'static str),
    /// An action that depends on what changed.
    Of(fn(&Changes) -> &'static str),
}

/// The kind of the object that the audit log names as changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    Store,
    /// A store or a user, whose login changes.
    Login,
    User,
    Key,
    Webhook,
    Courier,
    TopUp,
    Tariff,
    /// The courier of an entry in the cash ledger.
    Cash,
    PayPlan,
    PayEntry,
}

/// An endpoint's method, path and properties.
pub struct Route {
    /// The method.
    pub method: &'static Method,
    /// The path with its placeholder.
    pub path: &'static str,
    /// Method and path as metrics and documentation name them.
    pub template: &'static str,
    /// The credential that it requires.
    pub access: Access,
    /// The quota that a request counts against.
    pub usage: Usage,
    /// The role that a store's endpoint requires. A clerk does the daily work with orders.
    pub role: Role,
    /// What a request of a session leaves behind; `None` is nothing.
    lasting: Option<Lasting>,
    effect: Effect,
    cost: Cost,
    /// The media types of its successful responses, the default first.
    pub(super) media: &'static [&'static str],
    pub(super) content: Content,
    pub(super) audit: Option<Audit>,
    /// Whether a clerk's session may call it for its own key.
    pub(super) permits_own_key: bool,
    /// Whether each key has a quota of its own.
    pub(super) is_counted_per_key: bool,
    /// Whether a request can take more than about a millisecond of processor time, whatever its
    /// body: lists, reports, files, pages with photos, plans for whole orders and passes over many
    /// rows.
    pub(super) is_heavy: bool,
    /// Whether a `POST` with an `Idempotency-Key` stores its response.
    pub(super) stores_response: bool,
    /// Whether the body can contain a password.
    pub(super) reads_password: bool,
    /// Whether a browser can send the request by a form of the page one path above.
    pub(super) is_form_of_page: bool,
    /// Whether the calling store gets a notification of a failure.
    pub(super) notifies_of_failure: bool,
    /// Completes a stored response that is returned again.
    pub(super) completion: Option<fn(&Settings, ApiResponse) -> ApiResponse>,
}

impl Route {
    /// Creates the route of a template such as `GET /delivery/orders/{platformOrderId}`. By default
    /// a `GET` counts as a read and stores nothing, and other methods count as writes.
    pub(super) const fn new(access: Access, template: &'static str) -> Route {
        let (method, length) = match template.as_bytes() {
            [b'P', b'O', ..] => (&Method::POST, 5),
            [b'P', b'U', ..] => (&Method::PUT, 4),
            [b'P', b'A', ..] => (&Method::PATCH, 6),
            [b'D', ..] => (&Method::DELETE, 7),
            _ => (&Method::GET, 4),
        };
        let (usage, effect) = match template.as_bytes() {
            [b'G', ..] => (Usage::Read, Effect::Reads),
            _ => (Usage::Create, Effect::Writes),
        };
        let content = match template.as_bytes() {
            [b'G' | b'D', ..] => Content::Ignored,
            _ => Content::Json,
        };
        Route {
            method,
            path: template.split_at(length).1,
            template,
            access,
            usage,
            role: Role::Clerk,
            lasting: None,
            effect,
            cost: Cost::Body,
            media: &[JSON],
            content,
            audit: None,
            permits_own_key: false,
            is_counted_per_key: false,
            is_heavy: false,
            stores_response: true,
            reads_password: false,
            is_form_of_page: false,
            notifies_of_failure: false,
            completion: None,
        }
    }

    /// Sets the quota that a request counts against.
    pub(super) const fn quota(self, usage: Usage) -> Route {
        Route { usage, ..self }
    }

    /// Requires the role of an owner.
    pub(super) const fn owner(self) -> Route {
        Route {
            role: Role::Owner,
            ..self
        }
    }

    /// Permits a clerk's session to call it for its own key.
    pub(super) const fn or_own_key(self) -> Route {
        Route {
            permits_own_key: true,
            ..self
        }
    }

    /// Gives each key a quota of its own.
    pub(super) const fn counted_per_key(self) -> Route {
        Route {
            is_counted_per_key: true,
            ..self
        }
    }

    /// States what a request of a session leaves behind. Every endpoint but a `GET` must.
    pub(super) const fn leaves(self, lasting: Lasting) -> Route {
        Route {
            lasting: Some(lasting),
            ..self
        }
    }

    /// Adds requests to the audit log as this action.
    pub(super) const fn audit(self, action: &'static str, subject: Subject) -> Route {
        self.audit_as(Action::Always(action), subject)
    }

    /// Adds requests to the audit log as an action that depends on what changed.
    pub(super) const fn audit_by(
        self,
        action: fn(&Changes) -> &'static str,
        subject: Subject,
    ) -> Route {
        self.audit_as(Action::Of(action), subject)
    }

    const fn audit_as(self, action: Action, subject: Subject) -> Route {
        Route {
            audit: Some(Audit { action, subject }),
            ..self
        }
    }

    /// Sets the media types of its successful responses, the default first.
    pub(super) const fn media(self, media: &'static [&'static str]) -> Route {
        Route { media, ..self }
    }

    /// Sets the content of its request body.
    pub(super) const fn content(self, content: Content) -> Route {
        Route { content, ..self }
    }

    /// States that the request has no body.
    pub(super) const fn without_body(self) -> Route {
        self.content(Content::Ignored)
    }

    /// States that a request can take more than about a millisecond of processor time.
    pub(super) const fn heavy(self) -> Route {
        Route {
            is_heavy: true,
            ..self
        }
    }

    /// Lets each request count as this many.
    pub(super) const fn cost(self, requests: u32) -> Route {
        Route {
            cost: Cost::Fixed(requests),
            ..self
        }
    }

    /// Lets each request for which the condition holds count as this many.
    pub(super) const fn cost_if(self, condition: fn(&Parts) -> bool, requests: u32) -> Route {
        Route {
            cost: Cost::If(condition, requests),
            ..self
        }
    }

    /// States that a request stores nothing besides its idempotency record.
    pub(super) const fn computes(self) -> Route {
        Route {
            effect: Effect::Computes,
            ..self
        }
    }

    /// States that a `GET` stores something.
    pub(super) const fn writes(self) -> Route {
        Route {
            effect: Effect::Writes,
            ..self
        }
    }

    /// Never stores the response for an idempotency key: exported personal data, the phone in an
    /// erasure request, or anything derived from a new password must not be stored.
    pub(super) const fn stores_no_response(self) -> Route {
        Route {
            stores_response: false,
            ..self
        }
    }

    /// States that the body can contain a password.
    pub(super) const fn reads_password(self) -> Route {
        Route {
            reads_password: true,
            ..self
        }
    }

    /// States that a browser can send the request by a form of the page one path above.
    pub(super) const fn form_of_page(self) -> Route {
        Route {
            is_form_of_page: true,
            ..self.content(Content::JsonOrForm)
        }
    }

    /// Notifies the calling store of failures.
    pub(super) const fn notifies_of_failure(self) -> Route {
        Route {
            notifies_of_failure: true,
            ..self
        }
    }

    /// Completes a stored response that is returned again.
    pub(super) const fn completes_replay(
        self,
        completion: fn(&Settings, ApiResponse) -> ApiResponse,
    ) -> Route {
        Route {
            completion: Some(completion),
            ..self
        }
    }

    /// Whether the route states all that it must.
    pub(super) const fn is_complete(&self) -> bool {
        self.lasting.is_some() || matches!(self.effect, Effect::Reads)
    }

    /// Returns what a request of a session leaves behind.
    pub fn lasting(&self) -> Lasting {
        self.lasting.unwrap_or(Lasting::Nothing)
    }

    /// Whether a request may change what is stored, given whether it has an `Idempotency-Key`.
    pub(super) fn may_write(&self, has_idempotency_key: bool) -> bool {
        match self.effect {
            Effect::Reads => false,
            Effect::Computes => has_idempotency_key,
            Effect::Writes => true,
        }
    }

    /// Whether a request stores nothing but needs processor time, so that the host may authenticate it
    /// with cached data.
    pub(super) fn only_computes(&self, has_idempotency_key: bool) -> bool {
        self.effect == Effect::Computes && !has_idempotency_key
    }

    /// Returns how many requests of its quota a request counts as.
    pub(super) fn cost_of(&self, parts: &Parts, body: &[u8]) -> u32 {
        match self.cost {
            Cost::Fixed(requests) => requests,
            Cost::If(condition, requests) if condition(parts) => requests,
            Cost::Body | Cost::If(..) => u32::try_from(body.len() / BODY_BYTES)
                .unwrap_or(u32::MAX)
                .saturating_add(1),
        }
    }

    /// Returns the maximum size of the request body in bytes.
    pub(super) fn max_body(&self, limits: &Limits) -> usize {
        match self.content {
            Content::Photo => limits.photo_bytes,
            _ => limits.body_bytes,
        }
    }

    /// Whether a request can send an `Idempotency-Key`. Requests of public endpoints, devices and
    /// recipients are never replayed.
    #[cfg(feature = "openapi")]
    pub(super) fn takes_idempotency_key(&self) -> bool {
        let is_replayed = match self.access {
            Access::Store | Access::Courier | Access::Operator => true,
            Access::Device(_)
            | Access::Recipient
            | Access::Connection
            | Access::OptionalConnection
            | Access::Public => false,
        };
        self.method == Method::POST && is_replayed && self.stores_response
    }
}

impl Content {
    /// Returns the media types of a request body.
    pub(super) fn media(self) -> &'static [&'static str] {
        match self {
            Content::Ignored | Content::Json => &[JSON],
            Content::Form => &[FORM],
            Content::JsonOrForm => &[JSON, FORM],
            Content::Photo => PHOTOS,
        }
    }
}
