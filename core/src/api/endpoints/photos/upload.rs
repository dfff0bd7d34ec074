//! `POST /courier/orders/{platformOrderId}/photos`

use crate::{
    api::{
        call::{Call, HandlerError, plain, too_few},
        endpoints::trips::access::load_courier_order,
        media::sent_type,
        operation::{Operation, RequestBody},
        problem::{Problem, ProblemCode},
        response::ApiResponse,
        route::{Access, Content, Lasting, Route},
    },
    host::Host,
    model::order::{OrderProof, PhotoFormat},
    rules::{
        photos::{self, MAX_PIXELS, MAX_SIDE, PhotoError},
        proofs::{self, PhotoOutcome},
    },
    wire::PhotoView,
};

pub(crate) const ROUTE: Route = Route::new(
    Access::Courier,
    "POST /courier/orders/{platformOrderId}/photos",
)
.leaves(Lasting::Nothing)
.content(Content::Photo)
.heavy()
.cost(PHOTO);

pub(crate) const DOC: Operation = Operation {
    tag: "Couriers",
    id: "uploadPhoto",
    summary: "Send a photo",
    description: "The body is a JPEG, PNG or WebP file of at most 1 MiB, unless the deployment \
        sets another limit. Metadata is removed before the photo is stored: EXIF with position and \
        orientation, XMP, colour profiles, comments, thumbnails and data after the end. Turn the \
        pixels upright before you send the photo. A photo has at most 8192 pixels per side and \
        33554432 in total, and an order at most 20 photos. The same photo again returns the stored \
        one. Send its `photoId` in the `proof` of a step.",
    request: RequestBody::Required("PhotoFile"),
    responses: &[(201, Some("Photo"), "The photo is stored.")],
    parameters: &["platformOrderId"],
    codes: &[
        ProblemCode::OrderNotFound,
        ProblemCode::TooManyPhotos,
        ProblemCode::PhotoInvalid,
    ],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
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

/// The compressed data of a photo is decompressed to find its end.
const PHOTO: u32 = 2;

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
