//! Exports and erases the data of a recipient, for the operator.

use super::pages;
use crate::{
    api::{
        call::{ApiResponse, Call, HandlerError},
        validate,
    },
    drivers::erasure,
    host::Host,
    model::privacy::PersonalQuery,
    rules::erasure::subject,
    wire::{ErasureList, ErasureResult, ErasureView, RecipientExport},
};

/// `POST /admin/privacy/export`
pub(super) async fn export<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let (phone, cursor) = validate::recipient(call.read()?)?;
    let (started, after) = cursor.unwrap_or((call.context.now, 0));
    let found = erasure::find(call.host, &phone, after).await?;
    let next = found
        .next
        .map(|next| validate::recipient_cursor((started, next)));
    call.log("recipient.exported", None).await?;
    Ok(ApiResponse::json(
        200,
        &RecipientExport::of(phone.as_str(), &found, next),
    )?)
}

/// `POST /admin/privacy/erase`
pub(super) async fn erase<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let (phone, cursor) = validate::recipient(call.read()?)?;
    let from = cursor.unwrap_or((call.context.now, 0));
    let erased = erasure::erase(call.host, call.settings, &phone, from, call.context.now).await?;
    let next = erased
        .next
        .map(|next| validate::recipient_cursor((from.0, next)));
    Ok(ApiResponse::json(
        200,
        &ErasureResult::of(subject(&phone, &call.settings.secret), erased, next),
    )?)
}

/// `GET /admin/privacy/erasures?cursor=&limit=`
pub(super) async fn records<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let limit = pages::limit(call)?;
    let before = pages::cursor(call, |text| {
        text.parse()
            .ok()
            .filter(|number| (1..1 << 53).contains(number))
    })?;
    let query = PersonalQuery::Records {
        before,
        limit: limit + 1,
    };
    let mut page = call.host.personal_data(&query).await?.records;
    let next_cursor = pages::truncate(&mut page, limit, |last| last.id.to_string());
    Ok(ApiResponse::json(
        200,
        &ErasureList {
            erasures: page.iter().map(ErasureView::of).collect(),
            next_cursor,
        },
    )?)
}
