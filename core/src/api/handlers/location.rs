//! The location of an address.

use crate::{
    api::{
        call::{ApiResponse, Call, HandlerError},
        places, validate,
    },
    host::Host,
    model::Precision,
    wire::LocationView,
};

/// `POST /delivery/location`
pub(super) async fn locate<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let address = [&validate::address(call.read()?)?];
    let results = call.host.locate(call.merchant(), &address).await?;
    // The caller sees the precision, so the deployment's minimum for orders does not apply.
    let located = places::every_place(
        &address,
        results,
        Precision::Municipality,
        |_| String::new(),
        None,
    )?;
    let view = located.first().map(|located| LocationView::from(*located));
    Ok(ApiResponse {
        recomputable: true,
        ..ApiResponse::json(200, &view)?
    })
}
