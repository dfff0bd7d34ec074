//! `GET /openapi.json`

use bytes::Bytes;

use crate::{
    api::{
        call::{Call, HandlerError},
        operation::Operation,
        response::ApiResponse,
        route::{Access, Route},
    },
    host::{Host, description},
};

pub(crate) const ROUTE: Route = Route::new(Access::Public, "GET /openapi.json");

pub(crate) const DOC: Operation = Operation {
    tag: "Deployment",
    id: "getOpenApi",
    summary: "Get this document",
    description: "Returns the OpenAPI document of this API.",
    responses: &[(200, Some("Document"), "The document.")],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(_: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    Ok(ApiResponse::of(200, Bytes::from_static(description())))
}
