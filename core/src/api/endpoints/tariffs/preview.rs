//! `POST /admin/tariffs/preview`

use crate::{
    api::{
        call::{Call, HandlerError},
        operation::{Operation, RequestBody},
        response::ApiResponse,
        route::{Access, Lasting, Route},
        validate,
    },
    host::Host,
    rules::{
        limits::Usage,
        pricing::{price, total},
    },
    wire::{PriceLineView, Reais, SamplePrice, TariffPreview},
};

pub(crate) const ROUTE: Route = Route::new(Access::Operator, "POST /admin/tariffs/preview")
    .quota(Usage::Read)
    .leaves(Lasting::Nothing)
    .heavy();

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "previewTariff",
    summary: "Price routes by a draft",
    description: "Calculates the fees of routes by a tariff that is not stored. The limits of the \
        distance are not applied.",
    request: RequestBody::Required("PreviewTariff"),
    responses: &[(200, Some("TariffPreview"), "The prices.")],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let (tariff, inputs) = validate::tariff_preview(call.read()?, call.context.now)?;
    let samples = inputs.iter().map(|input| {
        let lines = price(&tariff, input);
        SamplePrice {
            delivery_fee: Reais(total(&lines)),
            lines: lines.iter().map(PriceLineView::of).collect(),
        }
    });
    Ok(ApiResponse::json(
        200,
        &TariffPreview {
            samples: samples.collect(),
        },
    )?)
}
