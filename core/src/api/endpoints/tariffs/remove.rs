//! `DELETE /admin/tariffs/{tariffId}`

use crate::{
    api::{
        call::{Call, HandlerError, plain},
        operation::Operation,
        problem::{Problem, ProblemCode},
        response::ApiResponse,
        route::{Access, Lasting, Route, Subject},
    },
    changes::{Changes, TariffChange, TariffWrite},
    host::{Host, TariffQuery},
    model::TariffId,
};

pub(crate) const ROUTE: Route = Route::new(Access::Operator, "DELETE /admin/tariffs/{tariffId}")
    .leaves(Lasting::Nothing)
    .audit("tariff.removed", Subject::Tariff);

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "removeTariff",
    summary: "Remove a scheduled tariff",
    description: "Removes a version before its time of effect. Its name can be used again.",
    responses: &[(204, None, "The version was removed.")],
    parameters: &["tariffId"],
    codes: &[ProblemCode::TariffNotFound, ProblemCode::TariffInEffect],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let not_found = || plain(ProblemCode::TariffNotFound);
    let id = TariffId::parse(call.id).ok_or_else(not_found)?;
    let schedule = call.host.tariff_schedule(None).await?;
    let row = call
        .host
        .find_tariffs(TariffQuery::Id(id))
        .await?
        .pop()
        .ok_or_else(not_found)?;
    let now = call.context.now;
    if row.effective_from <= now {
        let at = row.effective_from;
        return Err(HandlerError::Problem(Problem::new(
            ProblemCode::TariffInEffect,
            format!(
                "This tariff took effect at {at}, so it cannot be removed. Create another tariff to replace it."
            ),
            format!(
                "Esta tarifa entrou em vigor em {at} e não pode ser removida. Crie outra tarifa para substituí-la."
            ),
        )));
    }
    let response = ApiResponse::empty(204);
    let write = TariffWrite {
        revision: schedule.revision,
        change: TariffChange::Remove(id),
    };
    call.commit(
        Changes {
            at: now,
            tariffs: Some(write),
            ..Changes::default()
        },
        &response,
    )
    .await?;
    Ok(response)
}
