//! `GET /admin/tariffs`. The configured tariff is an additional last row.

use std::sync::Arc;

use crate::{
    api::{
        call::{Call, HandlerError},
        operation::Operation,
        paging,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Route},
    },
    host::{Host, TariffQuery},
    model::{TariffId, Timestamp, tariff::StoredTariff},
    wire::{TariffList, TariffVersionView},
};

pub(crate) const ROUTE: Route = Route::new(Access::Operator, "GET /admin/tariffs");

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "listTariffs",
    summary: "List tariffs",
    description: "Returns the versions of the tariff, latest time of effect first. The configured \
        tariff of the deployment is the last entry of the last page; it applies until the first \
        stored version takes effect. For the next page, send `nextCursor` as `cursor`, until it is \
        null.",
    responses: &[(200, Some("TariffList"), "A page of versions.")],
    parameters: &["cursor", "limit"],
    codes: &[ProblemCode::ValidationFailed],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let limit = paging::limit(call)?;
    let before = paging::cursor(call, |text| {
        let (at, id) = text.split_once('-')?;
        Some((
            Timestamp::from_millis(at.parse().ok()?),
            TariffId::parse(id)?,
        ))
    })?;
    let schedule = call.host.tariff_schedule(None).await?;
    let rows = call
        .host
        .find_tariffs(TariffQuery::Before {
            before,
            limit: limit + 1,
        })
        .await?;
    let is_last = rows.len() <= limit as usize;
    let mut page: Vec<Option<StoredTariff>> = rows.into_iter().map(Some).collect();
    if is_last {
        page.push(None);
    }
    let next_cursor = paging::truncate(&mut page, limit, |row| {
        row.as_ref()
            .map(|row| format!("{}-{}", row.effective_from.millis(), row.id))
            .unwrap_or_default()
    });
    let now = call.context.now;
    let current = schedule.at(now).map(|current| current.id);
    let view = |row: Option<StoredTariff>| match row {
        Some(row) => stored_view(&row, current, now),
        None => TariffVersionView {
            id: None,
            state: if current.is_none() { "CURRENT" } else { "PAST" },
            effective_from: None,
            created_at: None,
            tariff: Arc::new(call.settings.tariff.clone()),
        },
    };
    let tariffs = page.into_iter().map(view).collect();
    Ok(ApiResponse::json(
        200,
        &TariffList {
            tariffs,
            next_cursor,
        },
    )?)
}

pub(super) fn stored_view(
    row: &StoredTariff,
    current: Option<TariffId>,
    now: Timestamp,
) -> TariffVersionView {
    let state = match current {
        _ if row.effective_from > now => "SCHEDULED",
        Some(id) if id == row.id => "CURRENT",
        _ => "PAST",
    };
    TariffVersionView {
        id: Some(row.id.get()),
        state,
        effective_from: Some(row.effective_from.to_string()),
        created_at: Some(row.created_at.to_string()),
        tariff: Arc::clone(&row.tariff),
    }
}
