//! `POST /delivery/keys`

use std::sync::Arc;

use crate::{
    api::{
        call::{Call, HandlerError, plain},
        confirmation,
        credentials::hand_out,
        operation::{Link, Operation, RequestBody},
        problem::{FieldError, Problem, ProblemCode},
        response::ApiResponse,
        route::{Access, Lasting, Route, Subject},
        validate,
    },
    changes::Changes,
    host::{Host, KeyQuery},
    model::{
        Duration, StoreId,
        store::{KeyHolder, KeyKind, Store},
    },
    rules::stores::{KeyParams, KeyRequest},
};

pub(crate) const ROUTE: Route = Route::new(Access::Store, "POST /delivery/keys")
    .owner()
    .leaves(Lasting::Access)
    .audit("key.issued", Subject::Key)
    .reads_password();

pub(crate) const DOC: Operation = Operation {
    tag: "Keys",
    id: "issueKey",
    summary: "Issue a key",
    description: "Issues a key for the calling store or, with `storeId`, for one of its branches. \
        `value` is returned only once. Send `{}` for the defaults: the calling store, one year. A \
        panel session must confirm the request, because the key outlives the session: with the \
        password of its login as `currentPassword`, or by `POST /delivery/sessions/confirmation` \
        up to five minutes before; attempts count as logins.",
    request: RequestBody::Required("IssueKey"),
    responses: &[(201, Some("IssuedKey"), "The new key.")],
    codes: &[ProblemCode::StoreNotFound, ProblemCode::TooManyKeys],
    link: Some(Link {
        operation: "revokeKey",
        parameter: "keyId",
        field: "id",
        description: "Revoke the key.",
    }),
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let request = validate::key(call.read()?)?;
    confirmation::confirm(call).await?;
    let caller = call.caller()?.store.clone();
    let store = match request.store.filter(|id| *id != caller.id) {
        None => caller.clone(),
        Some(id) => {
            let store = call
                .host
                .store(id)
                .await?
                .filter(|store| caller.oversees(store));
            store.ok_or_else(|| {
                plain(ProblemCode::StoreNotFound).with_errors(vec![unknown_store()])
            })?
        }
    };
    issue(call, request, &store, caller.id).await
}

pub(super) async fn issue<H: Host>(
    call: &mut Call<'_, H>,
    request: KeyRequest,
    store: &Store,
    integrator: StoreId,
) -> Result<ApiResponse, HandlerError> {
    let settings = call.settings;
    let max = settings.keys.per_store;
    let counts = |held: &&Arc<KeyHolder>| {
        held.key.kind == KeyKind::Integration && held.key.is_valid(call.context.now)
    };
    if call
        .host
        .find_keys(KeyQuery::Store(store.id))
        .await?
        .iter()
        .filter(counts)
        .count()
        >= max as usize
    {
        return Err(HandlerError::Problem(Problem::new(
            ProblemCode::TooManyKeys,
            format!("A store can have at most {max} valid API keys. Revoke one first."),
            format!("Uma loja pode ter no máximo {max} chaves de API válidas. Revogue uma antes."),
        )));
    }
    let days = request.days.unwrap_or(settings.keys.days);
    let opening = KeyParams {
        store: store.id,
        integrator,
        kind: KeyKind::Integration,
        name: request.name,
        user: None,
        connection: None,
        validity: Duration::minutes(i64::from(days) * 24 * 60),
        secret: &settings.secret,
    };
    hand_out(call, opening, Vec::new(), Changes::default()).await
}

pub(super) fn unknown_store() -> FieldError {
    let code = ProblemCode::StoreNotFound;
    FieldError {
        pointer: "/storeId".to_owned(),
        code: code.name(),
        detail: code.detail(),
    }
}
