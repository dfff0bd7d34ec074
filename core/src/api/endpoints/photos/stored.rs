//! Stored photos.

use crate::{
    api::{
        call::{Call, HandlerError, plain},
        problem::{Problem, ProblemCode},
        response::ApiResponse,
    },
    host::Host,
    model::{
        PhotoId,
        order::{Blob, Order},
    },
};

/// Loads the photo in the path. The caller checks the access to its order.
pub(super) async fn load_photo<H: Host>(call: &Call<'_, H>) -> Result<Blob, HandlerError> {
    let id = PhotoId::parse(call.id).ok_or_else(photo_not_found)?;
    let blob = call.host.blob(id).await?;
    Ok(blob.ok_or_else(photo_not_found)?)
}

/// Responds with a photo of an order, if the caller has access to the order.
pub(super) fn photo_response(
    blob: Blob,
    order: Option<&Order>,
) -> Result<ApiResponse, HandlerError> {
    let photo = order.and_then(|order| order.proof.photo(blob.id));
    let photo = photo.ok_or_else(photo_not_found)?;
    Ok(ApiResponse {
        media: photo.format.name(),
        ..ApiResponse::of(200, blob.bytes)
    })
}

fn photo_not_found() -> Problem {
    plain(ProblemCode::PhotoNotFound)
}
