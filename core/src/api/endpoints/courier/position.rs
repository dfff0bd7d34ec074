//! The stored position of a courier.

use crate::{
    api::{
        call::{Call, HandlerError},
        response::ApiResponse,
    },
    changes::Changes,
    drivers::trips,
    host::Host,
    model::courier::{Courier, Position},
};

/// Stores the calling courier's position, and updates the estimates of the trip.
pub(in crate::api) async fn store_position<H: Host>(
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
