//! The state of one request: its caller, its content, and the commit of its changes.

use std::sync::Arc;

use bytes::Bytes;
use http::request::Parts;

use super::{
    audit,
    problem::{Problem, ProblemCode},
    response::ApiResponse,
    route::{Lasting, Route},
};
pub(super) use crate::host::too_few_ids as too_few;
use crate::{
    changes::Changes,
    drivers::stream::Subscription,
    host::{Host, HostError},
    model::{
        Duration, ExecContext, Language, StoreId,
        courier::Courier,
        order::TrackingLink,
        store::{Claim, ClaimChange, KeyHolder},
        webhook::Webhook,
    },
    rules::settings::Settings,
};

/// How long a response is stored for its idempotency key.
pub(super) const KEPT: Duration = Duration::minutes(24 * 60);
/// Maximum number of attempts to load, decide and commit when concurrent writes win.
pub(super) const ATTEMPTS: usize = 8;

/// A request with everything that a handler needs.
pub(super) struct Call<'a, H> {
    pub host: &'a H,
    pub settings: &'a Settings,
    pub parts: &'a Parts,
    pub body: &'a Bytes,
    pub language: Language,
    pub context: ExecContext,
    /// The calling store; `None` for the operator and for public endpoints.
    pub caller: Option<Arc<KeyHolder>>,
    /// The calling courier, on a courier's endpoints.
    pub courier: Option<Courier>,
    /// The connection, on the endpoints of Open Delivery.
    pub connection: Option<Box<Webhook>>,
    /// The recipient's link, on a recipient's endpoints.
    pub link: Option<TrackingLink>,
    /// The endpoint's route.
    pub route: &'static Route,
    /// The identifier in the path.
    pub id: &'a str,
    /// The claim on the request's idempotency key, until a commit finishes it.
    pub claim: Option<Claim>,
    /// The continuation of an event stream after its first events.
    pub stream: Option<Subscription>,
    /// Whether [`confirmation::confirm`](super::confirmation::confirm) has passed.
    pub is_confirmed: bool,
}

/// The reason why a handler ended early.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "a response, the other result of a handler, is larger"
)]
pub(super) enum HandlerError {
    /// A concurrent write won; reload and retry.
    Conflict,
    /// A problem for the caller.
    Problem(Problem),
}

impl From<Problem> for HandlerError {
    fn from(problem: Problem) -> HandlerError {
        HandlerError::Problem(problem)
    }
}

impl From<HostError> for HandlerError {
    fn from(error: HostError) -> HandlerError {
        match error {
            HostError::Conflict => HandlerError::Conflict,
            error => HandlerError::Problem(error.into()),
        }
    }
}

impl From<HandlerError> for Problem {
    fn from(error: HandlerError) -> Problem {
        match error {
            HandlerError::Conflict => given_up(),
            HandlerError::Problem(problem) => problem,
        }
    }
}

/// Loads, decides and commits by a future, and after a conflict with another write by a new one, up
/// to [`ATTEMPTS`] in all. Every handler is retried as a whole, except one with slow calls, such as
/// a location: it retries only what follows them, and then has a problem instead of a conflict, so
/// its attempts are not multiplied. A macro, because the compiler cannot prove that a function's future is
/// `Send` if the function takes an async closure.
macro_rules! retry {
    ($call:ident, $attempt:expr) => {{
        let mut conflicts = 0;
        loop {
            let result: Result<ApiResponse, HandlerError> = $attempt.await;
            if !matches!(result, Err(HandlerError::Conflict)) {
                break result;
            }
            conflicts += 1;
            $call.refresh(conflicts).await?;
        }
    }};
}
pub(super) use retry;

impl<H: Host> Call<'_, H> {
    /// Reads the calling store or courier again: the other write may have changed its balance or
    /// its order, and a decision on the old one would conflict again. Fails after [`ATTEMPTS`]
    /// conflicts.
    pub(super) async fn refresh(&mut self, conflicts: usize) -> Result<(), Problem> {
        if conflicts >= ATTEMPTS {
            return Err(given_up());
        }
        if let Some(holder) = &mut self.caller {
            // A store that was removed meanwhile must not write.
            let store = self
                .host
                .store(holder.store.id)
                .await?
                .ok_or_else(|| plain(ProblemCode::ApiKeyRevoked))?;
            Arc::make_mut(holder).store = store;
        }
        if let Some(courier) = &mut self.courier {
            *courier = self
                .host
                .courier(courier.id)
                .await?
                .ok_or_else(|| plain(ProblemCode::ApiKeyInvalid))?;
        }
        Ok(())
    }

    /// The calling store's key, on endpoints that only stores may call.
    pub(super) fn caller(&self) -> Result<&KeyHolder, Problem> {
        self.caller.as_deref().ok_or_else(|| {
            HostError::Internal {
                detail: "an endpoint for stores was called without a store".to_owned(),
            }
            .into()
        })
    }

    /// Returns the calling merchant: the parent store of the calling store, or that store.
    pub(super) fn merchant(&self) -> Option<StoreId> {
        self.caller.as_ref().map(|caller| caller.store.merchant())
    }

    /// Returns the calling courier, on endpoints for couriers.
    pub(super) fn courier(&self) -> Result<&Courier, Problem> {
        self.courier.as_ref().ok_or_else(|| {
            HostError::Internal {
                detail: "an endpoint for couriers was called without a courier".to_owned(),
            }
            .into()
        })
    }

    /// Returns the connection and its merchant's ID, on endpoints of Open Delivery.
    pub(super) fn connection(&self) -> Result<(&Webhook, &str), Problem> {
        let connection = self.connection.as_deref();
        connection
            .and_then(|webhook| Some((webhook, webhook.open_delivery.as_deref()?)))
            .ok_or_else(|| {
                HostError::Internal {
                    detail: "an endpoint of Open Delivery was called without a connection"
                        .to_owned(),
                }
                .into()
            })
    }

    /// Returns the recipient's link, on endpoints for recipients.
    pub(super) fn link(&self) -> Result<&TrackingLink, Problem> {
        self.link.as_ref().ok_or_else(|| {
            HostError::Internal {
                detail: "an endpoint for recipients was called without a link".to_owned(),
            }
            .into()
        })
    }

    /// Adds the request to the audit log in its changes.
    pub(super) fn logged(&self, mut changes: Changes) -> Changes {
        let audit = self.route.audit;
        changes.audit.extend(audit.and_then(|audit| {
            audit::entry(audit, self.route.access, self.caller.as_deref(), &changes)
        }));
        changes
    }

    /// Adds a request that changes nothing else, such as an export, to the audit log. Without an
    /// entry there is no response.
    pub(super) async fn log(
        &self,
        action: &'static str,
        store: Option<StoreId>,
    ) -> Result<(), HostError> {
        let at = self.context.now;
        let audit = vec![audit::event(action, store, self.caller.as_deref(), at)];
        self.host
            .commit(&Changes {
                at,
                audit,
                ..Changes::default()
            })
            .await
    }

    /// Commits changes and, in the same transaction, adds the request to the audit log and stores
    /// the response for its idempotency key.
    pub(super) async fn commit(
        &mut self,
        changes: Changes,
        response: &ApiResponse,
    ) -> Result<(), HostError> {
        if self.route.lasting() == Lasting::Access && !self.is_confirmed {
            let detail = "a request that leaves access behind was not confirmed".to_owned();
            return Err(HostError::Internal { detail });
        }
        let mut changes = self.logged(changes);
        let claim = self.claim.take();
        if let Some(claim) = &claim {
            let finished = Claim {
                response: Some(response.stored(self.context.now)),
                expires_at: self.context.now.after(KEPT),
                ..claim.clone()
            };
            changes.claim = Some(ClaimChange::Finish(finished));
        }
        let committed = self.host.commit(&changes).await;
        if committed.is_err() {
            self.claim = claim;
        }
        committed
    }

    /// Reserves identifiers.
    pub(super) async fn ids(&self, count: usize) -> Result<crate::model::IdBlock, HostError> {
        let count = u32::try_from(count).map_err(|_| too_few())?;
        self.host.ids(count).await
    }

    /// Returns the first query parameter with this name.
    pub(super) fn query(&self, name: &str) -> Option<String> {
        let query = self.parts.uri.query()?;
        form_urlencoded::parse(query.as_bytes())
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.into_owned())
    }
}

/// Returns the problem for a request that lost to concurrent writes at every attempt.
pub(super) fn given_up() -> Problem {
    HostError::Conflict.into()
}

/// Returns a problem about which only the code is known.
pub(super) fn plain(code: ProblemCode) -> Problem {
    let detail = code.detail();
    Problem::new(code, detail.en, detail.pt)
}
