//! The operator's endpoints for couriers.

use super::{pages, presence::suspended};
use crate::{
    api::{
        call::{ApiResponse, Call, HandlerError, OneTimeSecret, plain, too_few},
        confirmation,
        problem::{Problem, ProblemCode},
        validate,
    },
    drivers::{fleet, trips},
    host::{CourierQuery, Host},
    model::{CourierId, OrderId, courier::Courier},
    rules::{
        couriers::{self, CourierKeyParams, CourierStatus},
        settings::Settings,
    },
    wire::{CourierKeyView, CourierList, CourierRecord},
};

/// `POST /admin/couriers`
pub(super) async fn register<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let (new, days) = validate::new_courier(call.read()?)?;
    confirmation::confirm(call).await?;
    let mut ids = call.ids(1).await?;
    let terms = terms(call.settings, days);
    let (courier, nonce, changes) =
        couriers::register(new, terms, &mut ids, &mut call.context).ok_or_else(too_few)?;
    let status = status(call, &courier).await?;
    let response = courier_response(call.settings, 201, (&courier, &status), Some(nonce))?;
    call.commit(changes, &response).await?;
    Ok(response)
}

/// `GET /admin/couriers?cursor=&limit=`
pub(super) async fn list<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let limit = pages::limit(call)?;
    let after = pages::cursor(call, CourierId::parse)?;
    let mut page = call
        .host
        .find_couriers(CourierQuery::All {
            after,
            limit: limit + 1,
        })
        .await?;
    let next_cursor = pages::truncate(&mut page, limit, |last| last.id.to_string());
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

/// `GET /admin/couriers/{courierId}`
pub(super) async fn get<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let courier = find(call).await?;
    let status = status(call, &courier).await?;
    Ok(ApiResponse::json(
        200,
        &CourierRecord::of(&courier, &status),
    )?)
}

/// `PATCH /admin/couriers/{courierId}`
pub(super) async fn alter<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let (alteration, days) = validate::altered_courier(call.read()?)?;
    let existing = find(call).await?;
    if alteration.new_key {
        confirmation::confirm(call).await?;
    }
    if alteration.available == Some(true)
        && alteration
            .suspended
            .unwrap_or(existing.suspended_at.is_some())
    {
        return Err(suspended().into());
    }
    let orders = trips::trip_orders(call.host, &existing).await?;
    let terms = terms(call.settings, days);
    let altered = couriers::alter(&existing, &orders, alteration, terms, &mut call.context)
        .map_err(has_goods)?;
    let status = status(call, &altered.courier).await?;
    let response = courier_response(
        call.settings,
        200,
        (&altered.courier, &status),
        altered.nonce,
    )?;
    if let Some(changes) = altered.changes {
        call.commit(changes, &response).await?;
    }
    Ok(response)
}

/// Returns what a courier does now.
async fn status<H: Host>(
    call: &Call<'_, H>,
    courier: &Courier,
) -> Result<CourierStatus, HandlerError> {
    let states = fleet::states(
        call.host,
        call.settings,
        core::slice::from_ref(courier),
        call.context.now,
    )
    .await?;
    let none = || CourierStatus::of(courier, None, &call.settings.dispatch, call.context.now);
    Ok(states.into_iter().next().unwrap_or_else(none))
}

/// The courier in the path.
pub(super) async fn find<H: Host>(call: &Call<'_, H>) -> Result<Courier, HandlerError> {
    let courier = match CourierId::parse(call.id) {
        Some(id) => call.host.courier(id).await?,
        None => None,
    };
    courier.ok_or_else(|| plain(ProblemCode::CourierNotFound).into())
}

fn terms(settings: &Settings, days: Option<u32>) -> CourierKeyParams<'_> {
    CourierKeyParams {
        days: days.unwrap_or(settings.keys.days),
        secret: &settings.secret,
    }
}

/// Returns the response with the courier and, if one was issued, the value of the new key.
fn courier_response(
    settings: &Settings,
    status: u16,
    (courier, state): (&Courier, &CourierStatus),
    nonce: Option<[u8; 32]>,
) -> Result<ApiResponse, Problem> {
    let secret = nonce.map(|nonce| OneTimeSecret::of_key(settings, nonce));
    let text = secret.as_ref().map(|secret| secret.text.clone());
    Ok(ApiResponse {
        secret,
        ..ApiResponse::json(status, &CourierKeyView::of(courier, state, text))?
    })
}

fn has_goods(order: OrderId) -> Problem {
    Problem::new(
        ProblemCode::InvalidTransition,
        format!(
            "The courier has the goods of order {order}. Remove the courier after the order has ended."
        ),
        format!(
            "O entregador está com a mercadoria do pedido {order}. Remova-o depois que o pedido terminar."
        ),
    )
}
