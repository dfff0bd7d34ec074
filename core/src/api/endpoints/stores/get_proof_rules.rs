//! `GET /delivery/stores/{storeId}/proofs`

use super::access::overseen;
use crate::{
    api::{
        call::{Call, HandlerError},
        operation::Operation,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Route},
    },
    host::Host,
    wire::ProofRulesView,
};

pub(crate) const ROUTE: Route = Route::new(Access::Store, "GET /delivery/stores/{storeId}/proofs");

pub(crate) const DOC: Operation = Operation {
    tag: "Stores",
    id: "getProofRules",
    summary: "Get the rules for proofs",
    description: "Returns what the store requires as a proof of the couriers' steps.",
    responses: &[(200, Some("ProofRules"), "The rules.")],
    parameters: &["storeId"],
    codes: &[ProblemCode::StoreNotFound],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let store = overseen(call).await?;
    Ok(ApiResponse::json(200, &ProofRulesView::of(&store.proofs))?)
}
