//! What a courier says and asks between the steps of an order.

use crate::{
    api::{
        call::{Answer, Call, Stop},
        read::read,
        validate,
    },
    changes::Changes,
    host::Host,
    rules::couriers,
    wire::{CourierSelf, PositionNoted},
};

/// `GET /courier/me`
pub(super) async fn show<H: Host>(call: &mut Call<'_, H>) -> Result<Answer, Stop> {
    Ok(Answer::json(200, &CourierSelf::of(call.courier()?))?)
}

/// `POST /courier/position`
pub(super) async fn report<H: Host>(call: &mut Call<'_, H>) -> Result<Answer, Stop> {
    let now = call.moment.now;
    let (point, taken) = validate::position(read(call.body)?, now)?;
    let noted = couriers::note(call.courier()?, point, taken, now, call.settings);
    let answer = Answer::json(200, &PositionNoted::of(&noted))?;
    if let Some(position) = noted.stored {
        call.commit(Changes { at: now, positions: vec![position], ..Changes::default() }, &answer).await?;
    }
    Ok(answer)
}

/// `POST /courier/availability`
pub(super) async fn set_available<H: Host>(call: &mut Call<'_, H>) -> Result<Answer, Stop> {
    let available = validate::availability(read(call.body)?)?;
    let courier = call.courier()?.clone();
    let changed = couriers::set_available(&courier, available, call.moment.now);
    let standing = changed.as_ref().map_or(&courier, |(changed, _)| changed);
    let answer = Answer::json(200, &CourierSelf::of(standing))?;
    if let Some((_, changes)) = changed {
        call.commit(changes, &answer).await?;
    }
    Ok(answer)
}
