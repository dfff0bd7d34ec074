//! `POST /delivery/stores`

use super::registration::{count_registration, open};
use crate::{
    api::{
        call::{Call, HandlerError},
        confirmation,
        operation::{Link, Operation, RequestBody},
        problem::{Problem, ProblemCode},
        response::ApiResponse,
        route::{Access, Lasting, Route, Subject},
        validate,
    },
    host::{Host, UsageQuery},
};

pub(crate) const ROUTE: Route = Route::new(Access::Store, "POST /delivery/stores")
    .owner()
    .leaves(Lasting::Access)
    .audit("store.created", Subject::Store)
    .reads_password();

pub(crate) const DOC: Operation = Operation {
    tag: "Stores",
    id: "createStore",
    summary: "Create a branch",
    description: "Creates a branch of the calling parent store. The response is the branch's first \
        key. `value` is returned only once; store it. CNPJ and email must be unique among all \
        stores.",
    request: RequestBody::Required("CreateStore"),
    responses: &[(
        201,
        Some("IssuedKey"),
        "The branch was created. The response is its key.",
    )],
    codes: &[
        ProblemCode::MatrixRequired,
        ProblemCode::CnpjTaken,
        ProblemCode::EmailTaken,
        ProblemCode::StoreConflict,
        ProblemCode::TooManyBranches,
        ProblemCode::AddressNotFound,
        ProblemCode::AddressImprecise,
        ProblemCode::CoordinatesMismatch,
    ],
    link: Some(Link {
        operation: "getStore",
        parameter: "storeId",
        field: "storeId",
        description: "Get the branch.",
    }),
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let parent = &call.caller()?.store;
    let id = parent.id;
    if !parent.is_parent() {
        return Err(HandlerError::Problem(Problem::new(
            ProblemCode::MatrixRequired,
            "Only a parent store can create branches. Use the parent store's key.",
            "Somente uma loja matriz pode criar filiais. Use a chave da matriz.",
        )));
    }
    let new = validate::store(call.read()?)?;
    confirmation::confirm(call).await?;
    let max = call.settings.limits.branches;
    if call.host.usage(UsageQuery::Branches(id)).await?.records >= u64::from(max) {
        return Err(HandlerError::Problem(Problem::new(
            ProblemCode::TooManyBranches,
            format!(
                "A parent store can have at most {max} branches. Remove one, or request a higher limit from the operator."
            ),
            format!(
                "Uma loja matriz pode ter no máximo {max} filiais. Remova uma ou peça um limite maior ao operador."
            ),
        )));
    }
    count_registration(call, id).await?;
    open(call, new).await
}
