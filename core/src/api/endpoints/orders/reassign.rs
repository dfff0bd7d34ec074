//! `POST /admin/orders/{platformOrderId}/reassign`

use super::{
    access::{any_order, carrier},
    steps::{order_view, step_problem},
};
use crate::{
    api::{
        call::{Call, HandlerError, plain},
        operation::{Operation, RequestBody},
        problem::{Problem, ProblemCode},
        response::ApiResponse,
        route::{Access, Lasting, Route},
        validate,
    },
    changes::Write,
    drivers::{clock, dispatch, trips},
    host::Host,
    model::{Misfit, order::Order},
    rules::lifecycle::{self, ChosenCourier, ReassignError},
};

pub(crate) const ROUTE: Route = Route::new(
    Access::Operator,
    "POST /admin/orders/{platformOrderId}/reassign",
)
.leaves(Lasting::Nothing);

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "reassignOrder",
    summary: "Reassign an order",
    description: "Before the pickup. Takes the order from its courier, who gets it again only if \
        no other is free, and searches for another courier, or assigns the one in `courierId`. An \
        order that is searching can be assigned in the same way.",
    request: RequestBody::Required("ReassignOrder"),
    responses: &[(200, Some("Order"), "The updated order.")],
    parameters: &["platformOrderId"],
    codes: &[
        ProblemCode::OrderNotFound,
        ProblemCode::CourierNotFound,
        ProblemCode::InvalidTransition,
        ProblemCode::CourierUnavailable,
    ],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let order = any_order(call).await?;
    let (reason, chosen) = validate::reassignment(call.read()?)?;
    let order = clock::advance(call.host, call.settings, order, call.context.now).await?;
    let courier = carrier(call, &order).await?;
    let not_found = || plain(ProblemCode::CourierNotFound);
    let chosen = match chosen {
        Some(id) => Some(
            call.host
                .courier(id.ok_or_else(not_found)?)
                .await?
                .ok_or_else(not_found)?,
        ),
        None => None,
    };
    let trip = match &chosen {
        Some(chosen) => trips::trip_orders(call.host, chosen).await?,
        None => Vec::new(),
    };
    let plans = dispatch::pay_plans(call.host, chosen.iter(), call.context.now).await?;
    let orders_per_trip = call.settings.dispatch.orders_per_trip;
    let chosen = chosen.as_ref().map(|courier| ChosenCourier {
        courier,
        trip: &trip,
        orders_per_trip,
        plans: &plans,
    });
    let result = lifecycle::reassign(&order, courier.as_ref(), chosen, reason, &mut call.context);
    let (mut moved, mut changes) = result.map_err(|error| match error {
        ReassignError::Step(error) => step_problem(&error, call.context.now),
        ReassignError::Misfit(misfit) => misfit_problem(misfit),
        ReassignError::Unavailable => Problem::new(
            ProblemCode::CourierUnavailable,
            "This courier cannot take the order now: not available, off shift, of another kind (sandbox), on a trip that cannot take it, or \
             already assigned. Choose another courier, or omit courierId to search again.",
            "Este entregador não pode receber o pedido agora: está indisponível, fora do turno, é de outro tipo (sandbox), está em uma \
             viagem que não o comporta ou já está com ele. Escolha outro entregador ou omita courierId para buscar novamente.",
        ),
    })?;
    let next = changes.couriers.iter().find(|write| {
        moved
            .courier
            .as_ref()
            .is_some_and(|one| one.id == write.value.id)
    });
    if let Some(Write { value: courier, .. }) = next.filter(|_| moved.has_estimate()) {
        let orders: Vec<Order> = trip.into_iter().chain([moved.clone()]).collect();
        let plan = trips::plan_trip(call.host, call.settings, courier, &orders, call.context.now);
        moved.eta = plan.eta(moved.id, call.context.now);
        changes
            .orders
            .iter_mut()
            .for_each(|write| write.value.eta = moved.eta);
    }
    let response = order_view(&moved, call.language)?;
    call.commit(changes, &response).await?;
    Ok(response)
}

/// Returns the problem of a courier whose vehicle cannot carry the order.
fn misfit_problem(misfit: Misfit) -> Problem {
    let (en, pt) = match misfit {
        Misfit::Vehicle => (
            "the order does not permit its kind",
            "o pedido não permite esse tipo",
        ),
        Misfit::Weight => ("it is too heavy", "o peso excede o limite"),
        Misfit::Volume => ("it is too large", "o volume excede o limite"),
        Misfit::Container => ("there is no thermic container", "não há recipiente térmico"),
        Misfit::CardMachine => ("there is no card machine", "não há maquininha de cartão"),
    };
    Problem::new(
        ProblemCode::CourierUnavailable,
        format!(
            "This courier's vehicle cannot carry the order with the orders of the trip: {en}. Choose another courier."
        ),
        format!(
            "O veículo deste entregador não comporta o pedido junto com os da viagem: {pt}. Escolha outro entregador."
        ),
    )
}
