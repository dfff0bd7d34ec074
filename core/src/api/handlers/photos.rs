//! Receives and returns photos.

use super::{carry::load_courier_order, life::visible};
use crate::{
    api::{
        call::{ApiResponse, Call, HandlerError, plain, too_few},
        media::sent_type,
        problem::{Problem, ProblemCode},
        routes::Endpoint,
    },
    host::Host,
    model::{
        PhotoId,
        order::{Order, OrderProof, PhotoFormat},
    },
    rules::{
        photos::{self, MAX_PIXELS, MAX_SIDE, PhotoError},
        proofs::{self, PhotoOutcome},
    },
    wire::PhotoView,
};

/// `POST /courier/orders/{platformOrderId}/photos`
pub(super) async fn upload<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let (order, courier) = load_courier_order(call).await?;
    if order.status.is_final() {
        return Err(plain(ProblemCode::OrderNotFound).into());
    }
    // The media type of a body that is not empty was checked before.
    let format = PhotoFormat::parse(&sent_type(call.parts).to_ascii_lowercase())
        .unwrap_or(PhotoFormat::Jpeg);
    let clean = photos::clean(call.body, format).map_err(|error| photo_problem(error, format))?;
    let mut ids = call.ids(1).await?;
    let outcome = proofs::add_photo(
        &order,
        courier.id,
        (clean, format),
        &mut ids,
        call.context.now,
    );
    match outcome.ok_or_else(too_few)? {
        PhotoOutcome::Existing(photo) => Ok(ApiResponse::json(201, &PhotoView::of(&photo))?),
        PhotoOutcome::Added(photo, changes) => {
            let response = ApiResponse::json(201, &PhotoView::of(&photo))?;
            call.commit(*changes, &response).await?;
            Ok(response)
        }
        PhotoOutcome::TooMany => {
            let max = OrderProof::MAX_PHOTOS;
            Err(HandlerError::Problem(Problem::new(
                ProblemCode::TooManyPhotos,
                format!("The order has {max} photos, which is the maximum. Use one of them."),
                format!("O pedido já tem {max} fotos, que é o máximo. Use uma delas."),
            )))
        }
    }
}

/// `GET /delivery/photos/{photoId}`, `/courier/photos/{photoId}` and `/admin/photos/{photoId}`
pub(super) async fn get<H: Host>(
    call: &mut Call<'_, H>,
    endpoint: Endpoint,
) -> Result<ApiResponse, HandlerError> {
    let not_found = || HandlerError::from(plain(ProblemCode::PhotoNotFound));
    let id = PhotoId::parse(call.id).ok_or_else(not_found)?;
    let blob = call.host.blob(id).await?.ok_or_else(not_found)?;
    let order = match endpoint {
        Endpoint::GetPhoto => match visible(call, Some(blob.order)).await {
            Err(HandlerError::Problem(problem)) if problem.code == ProblemCode::OrderNotFound => {
                None
            }
            found => Some(found?),
        },
        Endpoint::CourierPhoto => {
            let courier = call.courier()?;
            let carried = |order: &Order| !order.status.is_final() && courier.carries(order.id);
            call.host.order(blob.order).await?.filter(carried)
        }
        _ => call.host.order(blob.order).await?,
    };
    let order = order.ok_or_else(not_found)?;
    let photo = order.proof.photo(id).ok_or_else(not_found)?;
    Ok(ApiResponse {
        media: photo.format.name(),
        ..ApiResponse::of(200, blob.bytes)
    })
}

fn photo_problem(error: PhotoError, declared: PhotoFormat) -> Problem {
    let (en, pt) = match error {
        PhotoError::Empty => (
            "The body is empty. Send the photo as the body.".to_owned(),
            "O corpo está vazio. Envie a foto no corpo.".to_owned(),
        ),
        PhotoError::UnknownFormat => (
            "The body is not a JPEG, PNG or WebP file.".to_owned(),
            "O corpo não é um arquivo JPEG, PNG ou WebP.".to_owned(),
        ),
        PhotoError::OtherFormat(found) => {
            let (found, declared) = (found.name(), declared.name());
            (
                format!(
                    "The body is {found}, and the header content-type is {declared}. Send the type of the file."
                ),
                format!(
                    "O corpo é {found}, mas o cabeçalho content-type é {declared}. Envie o tipo do arquivo."
                ),
            )
        }
        PhotoError::Damaged => (
            "The photo is incomplete or damaged. Send it again.".to_owned(),
            "A foto está incompleta ou danificada. Envie-a novamente.".to_owned(),
        ),
        PhotoError::Animated => (
            "The photo is an animation. Send a still picture.".to_owned(),
            "A foto é uma animação. Envie uma imagem parada.".to_owned(),
        ),
        PhotoError::NoPixels => (
            "The photo has no pixels.".to_owned(),
            "A foto não tem nenhum pixel.".to_owned(),
        ),
        PhotoError::TooManyPixels { width, height } => (
            format!(
                "The photo has {width} × {height} pixels. Send at most {MAX_SIDE} per side and {MAX_PIXELS} in total."
            ),
            format!(
                "A foto tem {width} × {height} pixels. Envie no máximo {MAX_SIDE} por lado e {MAX_PIXELS} no total."
            ),
        ),
    };
    Problem::new(ProblemCode::PhotoInvalid, en, pt)
}
