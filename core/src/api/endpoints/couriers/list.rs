//! `GET /admin/couriers`

use crate::{
    api::{
        call::{Call, HandlerError},
        operation::Operation,
        paging,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Route},
    },
    drivers::fleet,
    host::{CourierQuery, Host},
    model::CourierId,
    wire::{CourierList, CourierRecord},
};

pub(crate) const ROUTE: Route = Route::new(Access::Operator, "GET /admin/couriers").heavy();

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "listCouriers",
    summary: "List couriers",
    description: "Returns couriers in the order of their IDs, including removed ones. For the next \
        page, send `nextCursor` as `cursor`, until it is null.",
    responses: &[(200, Some("CourierList"), "A page of couriers.")],
    parameters: &["cursor", "limit"],
    codes: &[ProblemCode::ValidationFailed],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let limit = paging::limit(call)?;
    let after = paging::cursor(call, CourierId::parse)?;
    let mut page = call
        .host
        .find_couriers(CourierQuery::All {
            after,
            limit: limit + 1,
        })
        .await?;
    let next_cursor = paging::truncate(&mut page, limit, |last| last.id.to_string());
    let states = fleet::states(call.host, call.settings, &page, call.context.now).await?;
    let couriers = page
        .iter()
        .zip(&states)
        .map(|(courier, status)| CourierRecord::of(courier, status))
        .collect();
    Ok(ApiResponse::json(
        200,
        &CourierList {
            couriers,
            next_cursor,
        },
    )?)
}
