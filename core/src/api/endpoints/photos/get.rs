//! `GET /delivery/photos/{photoId}`

use super::stored::{load_photo, photo_response};
use crate::{
    api::{
        call::{Call, HandlerError},
        endpoints::orders::access::visible,
        media::PHOTOS,
        operation::Operation,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Route},
    },
    host::Host,
};

pub(crate) const ROUTE: Route =
    Route::new(Access::Store, "GET /delivery/photos/{photoId}").media(PHOTOS);

pub(crate) const DOC: Operation = Operation {
    tag: "Orders",
    id: "getPhoto",
    summary: "Get a photo",
    description: "Of an order of the calling store or of one of its branches.",
    responses: &[(200, Some("Document"), "The photo, without metadata.")],
    parameters: &["photoId"],
    codes: &[ProblemCode::PhotoNotFound],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let photo = load_photo(call).await?;
    let order = match visible(call, Some(photo.order)).await {
        Err(HandlerError::Problem(problem)) if problem.code == ProblemCode::OrderNotFound => None,
        found => Some(found?),
    };
    photo_response(photo, order.as_ref())
}
