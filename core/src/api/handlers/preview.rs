//! Previews, and the context for previews in a page.

use super::pages;
use crate::{
    api::{
        call::{ApiResponse, Call, HandlerError},
        page,
        planning::{acting_store, planned, preview_view},
        tariff, validate,
    },
    host::Host,
    rules::pricing::Quote,
    wire::{CreateOrder, QuoteView},
};

/// `POST /delivery/orders/preview`
pub(super) async fn preview<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let inquiry = validate::preview(call.read_with::<_, CreateOrder>()?, &call.settings.limits)?;
    let store = acting_store(call, &inquiry).await?;
    let planned = planned(call, &store, &inquiry).await?;
    let (lines, version) = (planned.plan.lines.clone(), planned.tariff_version.clone());
    let quote = Quote::new(
        store.id,
        planned.basis.clone(),
        version,
        lines,
        call.context.now,
    );
    let quote = QuoteView {
        id: quote.seal(&call.settings.secret),
        expires_at: quote.expires_at.to_string(),
        tariff_version: quote.tariff_version,
    };
    let response = ApiResponse::json(
        200,
        &preview_view(&inquiry, &planned, Some(quote), call.language)?,
    )?;
    Ok(ApiResponse {
        recomputable: true,
        ..response
    })
}

/// `GET /delivery/preview-context?storeId=`
pub(super) async fn context<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let store = pages::named_store(call).await?;
    let exact = call.host.is_embedded();
    let tariff = tariff::effective(call).await?;
    Ok(ApiResponse::json(
        200,
        &page::context(&store, call.settings, &tariff, exact, call.context.now),
    )?)
}
