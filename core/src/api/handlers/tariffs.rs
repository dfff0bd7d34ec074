//! The operator's endpoints for tariffs.

use std::{cmp::Reverse, collections::BTreeMap, sync::Arc};

use super::pages;
use crate::{
    api::{
        call::{ApiResponse, Call, HandlerError, plain, too_few},
        problem::{FieldError, Problem, ProblemCode},
        routes::Endpoint,
        validate,
    },
    changes::{Changes, TariffChange, TariffWrite},
    geo,
    host::{Host, PriceQuery, StoreQuery, TariffQuery},
    model::{
        Duration, StoreId, TariffId, Text, Timestamp, Zone,
        order::PricedOrder,
        tariff::{StoredTariff, TariffSchedule},
    },
    rules::pricing::{Comparison, FeeSums, price, total},
    wire::{
        FeeComparison, PriceLineView, Reais, SamplePrice, StoreComparison, TariffComparison,
        TariffList, TariffPreview, TariffVersionView,
    },
};

/// Maximum number of orders that a comparison reads.
const MAX_ORDERS: u32 = 200_000;
/// Maximum number of stores that a comparison lists.
const MAX_STORES: usize = 500;
/// The time by which concurrent commits can swap entries of the ledger.
const MAX_DISORDER: Duration = Duration::minutes(60);

/// The endpoints under `/admin/tariffs`.
pub(super) async fn run<H: Host>(
    call: &mut Call<'_, H>,
    endpoint: Endpoint,
) -> Result<ApiResponse, HandlerError> {
    match endpoint {
        Endpoint::CreateTariff => create(call).await,
        Endpoint::RemoveTariff => remove(call).await,
        Endpoint::PreviewTariff => preview(call),
        Endpoint::CompareTariff => compare(call).await,
        _ => list(call).await,
    }
}

/// `GET /admin/tariffs?cursor=&limit=`. The configured tariff is an additional last row.
async fn list<H: Host>(call: &Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let limit = pages::limit(call)?;
    let before = pages::cursor(call, |text| {
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
    let next_cursor = pages::truncate(&mut page, limit, |row| {
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

fn stored_view(row: &StoredTariff, current: Option<TariffId>, now: Timestamp) -> TariffVersionView {
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

/// `POST /admin/tariffs`
async fn create<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
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

/// `DELETE /admin/tariffs/{tariffId}`
async fn remove<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
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

/// `POST /admin/tariffs/preview`
fn preview<H: Host>(call: &Call<'_, H>) -> Result<ApiResponse, HandlerError> {
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

/// `POST /admin/tariffs/what-if`
async fn compare<H: Host>(call: &Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let (tariff, days, store) = validate::tariff_comparison(call.read()?)?;
    let store = match store {
        Some(id) => Some(known_store(call, id).await?),
        None => None,
    };
    let until = call.context.now;
    let from = until.before(Duration::minutes(i64::from(days) * 24 * 60));
    let (mut comparison, mut zones, mut partial) = (Comparison::default(), BTreeMap::new(), false);
    let mut query = PriceQuery {
        store,
        before: None,
    };
    while !partial {
        let page = call.host.order_prices(query).await?;
        let orders: Vec<PricedOrder> = page
            .orders
            .into_iter()
            .filter(|order| order.created_at > from && order.created_at <= until)
            .collect();
        load_zones(call, &orders, &mut zones).await?;
        for order in &orders {
            partial = comparison.total.orders >= MAX_ORDERS;
            if partial {
                break;
            }
            comparison.add(&tariff, order, zones.get(&order.store).copied().flatten());
        }
        match page.next {
            Some((entry, at)) if at >= from.before(MAX_DISORDER) => query.before = Some(entry),
            _ => break,
        }
    }
    let stores = listed(call, &comparison).await?;
    let (from, until) = (from.to_string(), until.to_string());
    let total = sums(&comparison.total);
    Ok(ApiResponse::json(
        200,
        &TariffComparison {
            from,
            until,
            total,
            partial,
            stores,
        },
    )?)
}

async fn known_store<H: Host>(
    call: &Call<'_, H>,
    id: Option<StoreId>,
) -> Result<StoreId, HandlerError> {
    let store = match id {
        Some(id) => call
            .host
            .find_stores(StoreQuery::IdOrRemoved(id))
            .await?
            .pop(),
        None => None,
    };
    Ok(store.ok_or_else(|| plain(ProblemCode::StoreNotFound))?.id)
}

/// Loads the time zones of stores of orders whose pickup has none.
async fn load_zones<H: Host>(
    call: &Call<'_, H>,
    orders: &[PricedOrder],
    zones: &mut BTreeMap<StoreId, Option<Zone>>,
) -> Result<(), HandlerError> {
    let mut missing: Vec<StoreId> = Vec::new();
    for order in orders
        .iter()
        .filter(|order| geo::zone(&order.locality).is_none() && !zones.contains_key(&order.store))
    {
        if !missing.contains(&order.store) {
            missing.push(order.store);
        }
    }
    if !missing.is_empty() {
        let stores = call.host.find_stores(StoreQuery::Ids(&missing)).await?;
        zones.extend(
            stores
                .iter()
                .map(|store| (store.id, geo::zone(&store.address))),
        );
    }
    Ok(())
}

/// Returns the stores with the largest differences.
async fn listed<H: Host>(
    call: &Call<'_, H>,
    comparison: &Comparison,
) -> Result<Vec<StoreComparison>, HandlerError> {
    let mut stores: Vec<(StoreId, FeeSums)> = comparison
        .stores
        .iter()
        .map(|(id, sums)| (*id, *sums))
        .collect();
    let size = |sums: &FeeSums| (sums.draft.centavos() - sums.current.centavos()).abs();
    stores.sort_unstable_by_key(|(id, sums)| (Reverse(size(sums)), *id));
    stores.truncate(MAX_STORES);
    let ids: Vec<StoreId> = stores.iter().map(|(id, _)| *id).collect();
    let names = super::life::store_names(call, &ids).await?;
    let name = |id: StoreId| {
        names
            .iter()
            .find(|(other, _)| *other == id)
            .map(|(_, name)| name.clone())
    };
    let views = stores.iter().map(|(id, fees)| StoreComparison {
        store_id: id.get(),
        store_name: name(*id).unwrap_or_default(),
        fees: sums(fees),
    });
    Ok(views.collect())
}

fn sums(sums: &FeeSums) -> FeeComparison {
    FeeComparison::of(sums.orders, sums.current, sums.draft, sums.out_of_range)
}
