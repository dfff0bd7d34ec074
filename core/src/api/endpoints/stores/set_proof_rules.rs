//! `PUT /delivery/stores/{storeId}/proofs`

use super::access::overseen;
use crate::{
    api::{
        call::{Call, HandlerError},
        operation::{Operation, RequestBody},
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Lasting, Route, Subject},
        validate,
    },
    host::Host,
    model::store::Store,
    rules::stores,
    wire::ProofRulesView,
};

pub(crate) const ROUTE: Route = Route::new(Access::Store, "PUT /delivery/stores/{storeId}/proofs")
    .owner()
    .leaves(Lasting::Nothing)
    .audit("proof-rules.set", Subject::Store);

pub(crate) const DOC: Operation = Operation {
    tag: "Stores",
    id: "setProofRules",
    summary: "Set the rules for proofs",
    description: "Replaces the rules of the calling store or of one of its branches. They apply to \
        orders that are created from now on. A step that lacks a required part is rejected with \
        `proof_required`, which lists every missing part.",
    request: RequestBody::Required("SetProofRules"),
    responses: &[(200, Some("ProofRules"), "The new rules.")],
    parameters: &["storeId"],
    codes: &[ProblemCode::StoreNotFound, ProblemCode::ValidationFailed],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let proofs = validate::proof_rules(call.read()?)?;
    let store = overseen(call).await?;
    let (changed, changes) = stores::replace(Store { proofs, ..store }, call.context.now);
    let response = ApiResponse::json(200, &ProofRulesView::of(&changed.proofs))?;
    call.commit(changes, &response).await?;
    Ok(response)
}
