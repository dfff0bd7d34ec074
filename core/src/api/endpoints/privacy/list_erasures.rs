//! `GET /admin/privacy/erasures`

use crate::{
    api::{
        call::{Call, HandlerError},
        operation::Operation,
        paging,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Route},
    },
    host::Host,
    model::privacy::PersonalQuery,
    wire::{ErasureList, ErasureView},
};

pub(crate) const ROUTE: Route = Route::new(Access::Operator, "GET /admin/privacy/erasures").heavy();

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "listErasures",
    summary: "List erasures",
    description: "Returns the records of erasures, newest first: time, reason and amount, without \
        personal data. For the next page, send `nextCursor` as `cursor`, until it is null.",
    responses: &[(200, Some("ErasureList"), "A page of records.")],
    parameters: &["cursor", "limit"],
    codes: &[ProblemCode::ValidationFailed],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let limit = paging::limit(call)?;
    let before = paging::cursor(call, |text| {
        text.parse()
            .ok()
            .filter(|number| (1..1 << 53).contains(number))
    })?;
    let query = PersonalQuery::Records {
        before,
        limit: limit + 1,
    };
    let mut page = call.host.personal_data(&query).await?.records;
    let next_cursor = paging::truncate(&mut page, limit, |last| last.id.to_string());
    Ok(ApiResponse::json(
        200,
        &ErasureList {
            erasures: page.iter().map(ErasureView::of).collect(),
            next_cursor,
        },
    )?)
}
