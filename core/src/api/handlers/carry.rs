//! A courier's endpoints: the order that the courier has, and the steps with it.

use super::life::{known, refused};
use crate::{
    api::{
        call::{Answer, Call, Stop, plain, too_few},
        problem::{Code, Problem},
        read::read,
        routes::Endpoint,
        validate,
    },
    host::Host,
    model::{OrderId, courier::Courier, order::Order},
    rules::lifecycle::{self, Carry, Taken},
    wire::{CourierOrderView, CurrentOrder},
};

/// `GET /courier/order`
pub(super) async fn current<H: Host>(call: &mut Call<'_, H>) -> Result<Answer, Stop> {
    let order = match call.courier()?.order {
        Some(id) => call.host.order(id).await?,
        None => None,
    };
    Ok(Answer::json(200, &CurrentOrder { order: order.as_ref().map(CourierOrderView::of) })?)
}

/// `POST /courier/orders/{orderId}/…`
pub(super) async fn step<H: Host>(call: &mut Call<'_, H>, endpoint: Endpoint) -> Result<Answer, Stop> {
    let (order, courier) = theirs(call).await?;
    let act = asked(call, endpoint)?;
    let mut ids = call.ids(1).await?;
    match lifecycle::carry(&order, &courier, &act, &mut ids, &mut call.moment) {
        Ok(Taken::Already) => Ok(view(&order)?),
        Ok(Taken::Now(moved)) => {
            let (order, changes) = *moved;
            let answer = view(&order)?;
            call.commit(changes, &answer).await?;
            Ok(answer)
        }
        Err(lifecycle::Refused { refusal, counted }) => {
            // A wrong code counts though the step is refused; where it cannot be counted, nothing is said of the code.
            if let Some(counted) = counted {
                call.host.commit(&counted).await?;
            }
            Err(refused(&refusal, call.moment.now).into())
        }
    }
}

/// `POST /courier/orders/{orderId}/decline`
pub(super) async fn decline<H: Host>(call: &mut Call<'_, H>) -> Result<Answer, Stop> {
    let reason = validate::reason(read(call.body)?)?;
    let courier = call.courier()?.id;
    if let Some(id) = OrderId::parse(call.id)
        && let Some(order) = call.host.order(id).await?
        && order.released.contains(&courier)
        && order.courier.as_ref().is_none_or(|assigned| assigned.id != courier)
    {
        return Ok(Answer::empty(204));
    }
    let (order, courier) = theirs(call).await?;
    let Some((_, changes)) = lifecycle::decline(&order, &courier, reason, &mut call.moment) else {
        let refusal = lifecycle::Refusal::Invalid {
            situation: order.situation,
            possible: lifecycle::next_steps(&order).into_iter().map(|step| step.row().event).collect(),
        };
        return Err(refused(&refusal, call.moment.now).into());
    };
    let answer = Answer::empty(204);
    call.commit(changes, &answer).await?;
    Ok(answer)
}

/// The order in the path, where this courier has it or had it to its end.
async fn theirs<H: Host>(call: &Call<'_, H>) -> Result<(Order, Courier), Stop> {
    let courier = call.courier()?.clone();
    let order = match OrderId::parse(call.id) {
        Some(id) => call.host.order(id).await?,
        None => None,
    };
    let own = |order: &Order| order.courier.as_ref().is_some_and(|assigned| assigned.id == courier.id);
    let order = order.filter(own).ok_or_else(|| plain(Code::OrderNotFound))?;
    // The courier was read before the order: between the two somebody may have given or taken the order.
    if !order.situation.is_final() && courier.order != Some(order.id) {
        return Err(Stop::Conflict);
    }
    Ok((order, courier))
}

fn asked<H: Host>(call: &Call<'_, H>, endpoint: Endpoint) -> Result<Carry, Problem> {
    let stop = || known(validate::delivery(read(call.body)?)?);
    Ok(match endpoint {
        Endpoint::CourierPickUp => Carry::PickUp { code: validate::handover_code(read(call.body)?)? },
        Endpoint::CourierSetOut => Carry::SetOut(stop()?),
        Endpoint::CourierResequence => Carry::Resequence(stop()?),
        Endpoint::CourierReachDoor => Carry::ReachDoor(stop()?),
        Endpoint::CourierDeliver => {
            let (stop, code) = validate::delivery_code(read(call.body)?)?;
            Carry::Deliver { stop: known(stop)?, code }
        }
        Endpoint::CourierFail => {
            let (stop, reason) = validate::delivery_reason(read(call.body)?)?;
            Carry::Fail { stop: known(stop)?, reason }
        }
        Endpoint::CourierReachReturn => Carry::ReachReturn,
        Endpoint::CourierHandBack => Carry::HandBack { code: validate::handover_code(read(call.body)?)? },
        Endpoint::CourierReachPickup => Carry::ReachPickup,
        _ => return Err(too_few().into()),
    })
}

fn view(order: &Order) -> Result<Answer, Problem> {
    Answer::json(200, &CourierOrderView::of(order))
}
