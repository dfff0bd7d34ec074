//! `POST /admin/tariffs`

use std::sync::Arc;

use super::list::stored_view;
use crate::{
    api::{
        call::{Call, HandlerError, plain, too_few},
        operation::{Operation, RequestBody},
        problem::{FieldError, Problem, ProblemCode},
        response::ApiResponse,
        route::{Access, Lasting, Route, Subject},
        validate,
    },
    changes::{Changes, TariffChange, TariffWrite},
    host::{Host, TariffQuery},
    model::{
        TariffId, Text,
        tariff::{StoredTariff, TariffSchedule},
    },
};

pub(crate) const ROUTE: Route = Route::new(Access::Operator, "POST /admin/tariffs")
    .leaves(Lasting::Nothing)
    .audit("tariff.created", Subject::Tariff);

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "createTariff",
    summary: "Create a tariff",
    description: "Stores a version of the tariff and the time from which prices use it. It applies \
        to requests that begin at or after that time: at once on the instance that stores it, and \
        within one second on all others. Quotes keep their price. A version is never changed; \
        create another one to replace it. At most 32 versions can be scheduled.",
    request: RequestBody::Required("CreateTariff"),
    responses: &[(201, Some("TariffVersion"), "The new version.")],
    codes: &[ProblemCode::TooManyTariffs],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let now = call.context.now;
    let (tariff, effective_from) = validate::new_tariff(call.read()?, now)?;
    let schedule = call.host.tariff_schedule(None).await?;
    let is_taken = tariff.version == call.settings.tariff.version
        || !call
            .host
            .find_tariffs(TariffQuery::Version(&tariff.version))
            .await?
            .is_empty();
    let same_time = schedule
        .scheduled(now)
        .any(|other| other.effective_from == effective_from);
    let mut errors = Vec::new();
    if is_taken {
        let en = "A tariff with this version exists. Send a new version.";
        errors.push(duplicate(
            "/tariff/version",
            en,
            "Já existe uma tarifa com esta versão. Envie uma nova versão.",
        ));
    }
    if same_time {
        let en = "Another tariff takes effect at this time. Send another time.";
        let pt = "Outra tarifa entra em vigor neste horário. Envie outro horário.";
        errors.push(duplicate("/effectiveFrom", en, pt));
    }
    if !errors.is_empty() {
        return Err(plain(ProblemCode::ValidationFailed)
            .with_errors(errors)
            .into());
    }
    if effective_from > now && schedule.scheduled(now).count() >= TariffSchedule::MAX_SCHEDULED {
        return Err(too_many().into());
    }
    let id = call.ids(1).await?.take(TariffId::new).ok_or_else(too_few)?;
    let row = StoredTariff {
        id,
        effective_from,
        created_at: now,
        tariff: Arc::new(tariff),
    };
    let response = ApiResponse::json(201, &stored_view(&row, Some(id), now))?;
    let write = TariffWrite {
        revision: schedule.revision,
        change: TariffChange::Insert(row),
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

fn duplicate(pointer: &str, en: &str, pt: &str) -> FieldError {
    FieldError {
        pointer: pointer.to_owned(),
        code: "duplicate",
        detail: Text::new(en, pt),
    }
}

fn too_many() -> Problem {
    let max = TariffSchedule::MAX_SCHEDULED;
    Problem::new(
        ProblemCode::TooManyTariffs,
        format!("{max} tariffs are scheduled, the maximum. Remove one of them first."),
        format!("Há {max} tarifas agendadas, o máximo. Remova uma delas antes."),
    )
}
