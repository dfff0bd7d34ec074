//! A courier's state, position and availability.

use crate::{
    api::{
        call::{ApiResponse, Call, HandlerError},
        problem::{Problem, ProblemCode},
        validate,
    },
    changes::Changes,
    drivers::trips,
    geo::Gazetteer,
    host::Host,
    model::courier::{Courier, Position},
    rules::couriers,
    wire::{CourierSelf, PositionResult},
};

/// `GET /courier/me`
pub(super) async fn show<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    Ok(ApiResponse::json(200, &CourierSelf::of(call.courier()?))?)
}

/// `POST /courier/position`
pub(super) async fn report<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let now = call.context.now;
    let (point, taken) = validate::position(call.read()?, Gazetteer::embedded(), now)?;
    let noted = couriers::record_position(call.courier()?, point, taken, now, call.settings);
    let response = ApiResponse::json(200, &PositionResult::of(&noted))?;
    if let Some(position) = noted.stored {
        store(call, position, &response).await?;
    }
    Ok(response)
}

/// Returns the problem of a suspended courier who is to become available.
pub(super) fn suspended() -> Problem {
    Problem::new(
        ProblemCode::CourierSuspended,
        "The operator has suspended this courier: no new orders until the operator ends the suspension.",
        "O operador suspendeu este entregador: sem novos pedidos até que o operador encerre a suspensão.",
    )
}

/// Stores the calling courier's position, and updates the estimates of the trip.
pub(super) async fn store<H: Host>(
    call: &mut Call<'_, H>,
    position: Position,
    response: &ApiResponse,
) -> Result<(), HandlerError> {
    let now = call.context.now;
    call.commit(
        Changes {
            at: now,
            positions: vec![position],
            ..Changes::default()
        },
        response,
    )
    .await?;
    let courier = call.courier()?;
    if !courier.trip.is_empty() {
        let courier = Courier {
            position: Some(position.point),
            position_at: Some(position.at),
            ..courier.clone()
        };
        // The position is stored: an error here must not make the client send it again.
        let _ = trips::estimate(call.host, call.settings, &courier, now).await;
    }
    Ok(())
}

/// `POST /courier/availability`
pub(super) async fn set_available<H: Host>(
    call: &mut Call<'_, H>,
) -> Result<ApiResponse, HandlerError> {
    let (available, shift) = validate::availability(call.read()?, call.context.now)?;
    let courier = call.courier()?.clone();
    if available && courier.suspended_at.is_some() {
        return Err(suspended().into());
    }
    let changed = couriers::set_available(&courier, available, shift, call.context.now);
    let existing = changed.as_ref().map_or(&courier, |(changed, _)| changed);
    let response = ApiResponse::json(200, &CourierSelf::of(existing))?;
    if let Some((_, changes)) = changed {
        call.commit(changes, &response).await?;
    }
    Ok(response)
}
