//! `GET /delivery/proof-key`

use base64ct::{Base64, Encoding};

use crate::{
    api::{
        call::{Call, HandlerError},
        operation::Operation,
        problem::Problem,
        response::ApiResponse,
        route::{Access, Route},
    },
    host::{Host, HostError},
    rules::proofs,
};

pub(crate) const ROUTE: Route =
    Route::new(Access::Public, "GET /delivery/proof-key").media(&["application/x-pem-file"]);

pub(crate) const DOC: Operation = Operation {
    tag: "Orders",
    id: "getProofKey",
    summary: "Get the key that verifies proofs",
    description: "Returns the public key of this deployment in PEM format. It changes only with \
        the deployment's secret.",
    responses: &[(200, Some("Document"), "The public key.")],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let key = Base64::encode_string(&proofs::public_key(&call.settings.secret).ok_or_else(no_key)?);
    let (first, second) = key.split_at_checked(64).unwrap_or((&key, ""));
    let pem = format!("-----BEGIN PUBLIC KEY-----\n{first}\n{second}\n-----END PUBLIC KEY-----\n");
    Ok(ApiResponse {
        media: "application/x-pem-file",
        ..ApiResponse::of(200, pem)
    })
}

pub(super) fn no_key() -> Problem {
    HostError::Internal {
        detail: "the secret derives no key for proofs".to_owned(),
    }
    .into()
}
