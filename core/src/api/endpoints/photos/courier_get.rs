//! `GET /courier/photos/{photoId}`

use super::stored::{load_photo, photo_response};
use crate::{
    api::{
        call::{Call, HandlerError},
        media::PHOTOS,
        operation::Operation,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Route},
    },
    host::Host,
};

pub(crate) const ROUTE: Route =
    Route::new(Access::Courier, "GET /courier/photos/{photoId}").media(PHOTOS);

pub(crate) const DOC: Operation = Operation {
    tag: "Couriers",
    id: "courierPhoto",
    summary: "Get a photo",
    description: "Only while you carry the photo's order.",
    responses: &[(200, Some("Document"), "The photo, without metadata.")],
    parameters: &["photoId"],
    codes: &[ProblemCode::PhotoNotFound],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let photo = load_photo(call).await?;
    let courier = call.courier()?;
    let order = call.host.order(photo.order).await?;
    let order = order.filter(|order| !order.status.is_final() && courier.carries(order.id));
    photo_response(photo, order.as_ref())
}
