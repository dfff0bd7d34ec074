//! What the steps of an order's life share: whose order it is, who has it, and what a refused step is told.

use crate::{
    api::{
        call::{ApiResponse, Call, HandlerError, plain, too_few},
        problem::{FieldError, Problem, ProblemCode},
    },
    changes::Write,
    host::{Host, StoreQuery},
    model::{
        DeliveryId, OrderId, Text, Timestamp,
        courier::Courier,
        order::{EventKind, Order, OrderStatus},
    },
    rules::lifecycle::{MAX_WRONG_CODES, StepError, StepOutcome},
};

/// An order that is the caller's or one of its branches'.
pub(super) async fn visible<H: Host>(call: &Call<'_, H>, id: Option<OrderId>) -> Result<Order, HandlerError> {
    let not_found = || HandlerError::from(plain(ProblemCode::OrderNotFound));
    let caller = &call.caller()?.store;
    let order = call.host.order(id.ok_or_else(not_found)?).await?.ok_or_else(not_found)?;
    if order.store == caller.id {
        return Ok(order);
    }
    // Also if the branch was removed: its parent store paid for the order.
    let owner = call.host.find_stores(StoreQuery::IdOrRemoved(order.store)).await?.pop();
    owner.filter(|owner| caller.oversees(owner)).map(|_| order).ok_or_else(not_found)
}

/// Who has an order that has not ended. A courier who was read before or after another write is read again.
pub(super) async fn carrier<H: Host>(call: &Call<'_, H>, order: &Order) -> Result<Option<Courier>, HandlerError> {
    let Some(assigned) = order.courier.as_ref().filter(|_| !order.status.is_final()) else { return Ok(None) };
    let courier = call.host.courier(assigned.id).await?;
    match courier.filter(|courier| courier.order == Some(order.id)) {
        Some(courier) => Ok(Some(courier)),
        None => Err(HandlerError::Conflict),
    }
}

/// Commits what a step came to and answers with the order; a step that was taken before answers alike and changes nothing.
pub(super) async fn conclude<H: Host>(
    call: &mut Call<'_, H>,
    order: &Order,
    result: Result<StepOutcome, StepError>,
    view: fn(&Order) -> Result<ApiResponse, Problem>,
) -> Result<ApiResponse, HandlerError> {
    match result {
        Ok(StepOutcome::Already) => Ok(view(order)?),
        Ok(StepOutcome::Now(moved)) => {
            let (order, changes) = *moved;
            debug_assert!(changes.orders.iter().all(|Write { value, .. }| value.id == order.id));
            let response = view(&order)?;
            call.commit(changes, &response).await?;
            Ok(response)
        }
        Err(error) => Err(step_problem(&error, call.context.now).into()),
    }
}

/// A delivery that the order may have; a number that none can have is as unknown as any other.
pub(super) fn known(stop: Option<DeliveryId>) -> Result<DeliveryId, Problem> {
    stop.ok_or_else(|| step_problem(&StepError::UnknownStop, Timestamp::default()))
}

/// What a refused step is told.
pub(super) fn step_problem(error: &StepError, now: Timestamp) -> Problem {
    match error {
        StepError::Invalid { status, possible } => invalid(*status, possible),
        StepError::ReturnRequired => Problem::new(
            ProblemCode::ReturnRequired,
            "The courier has the goods. Start a return, or let them be delivered.",
            "O entregador está com a mercadoria. Inicie uma devolução ou deixe que seja entregue.",
        ),
        StepError::UnknownStop => field(
            plain(ProblemCode::ValidationFailed),
            "/deliveryId",
            "unknown_delivery",
            Text::new("The order has no such delivery.", "O pedido não tem esta entrega."),
        ),
        StepError::LastStop => Problem::new(
            ProblemCode::InvalidTransition,
            "This is the only stop that is left. Cancel the order: send orderId without deliveryId.",
            "Esta é a única entrega que resta. Cancele o pedido: envie orderId sem deliveryId.",
        ),
        StepError::TooLate { max } => field(
            plain(ProblemCode::ValidationFailed),
            "/minutes",
            "out_of_range",
            Text::new(
                format!("The goods would be ready too late; at most {max} more minutes are possible."),
                format!("A mercadoria ficaria pronta tarde demais; são possíveis no máximo mais {max} minutos."),
            ),
        ),
        StepError::CodeNeeded => field(
            plain(ProblemCode::ValidationFailed),
            "/code",
            "required",
            Text::new("This delivery asks for its code.", "Esta entrega exige o código."),
        ),
        StepError::CodeWrong { remaining } => wrong_code(*remaining),
        StepError::CodeLocked { until } => Problem::new(
            ProblemCode::CodeLocked,
            format!("{MAX_WRONG_CODES} codes were wrong. Codes are looked at again from {until} on."),
            format!("{MAX_WRONG_CODES} códigos estavam incorretos. Novos códigos são aceitos a partir de {until}."),
        )
        .retry_after(until.since(now)),
        StepError::TooFewIds => too_few().into(),
    }
}

fn invalid(status: OrderStatus, possible: &[EventKind]) -> Problem {
    let names: Vec<&'static str> = possible.iter().map(|kind| kind.name()).collect();
    let (number, name) = (status.number(), status.name());
    let (en, pt) = if names.is_empty() {
        ("nothing is possible from there".to_owned(), "nada é possível a partir daí".to_owned())
    } else {
        (format!("possible from there: {}", names.join(", ")), format!("possível a partir daí: {}", names.join(", ")))
    };
    let problem = Problem::new(
        ProblemCode::InvalidTransition,
        format!("The order stands at {number} {name}; {en}."),
        format!("O pedido está em {number} {name}; {pt}."),
    );
    Problem { possible: Some(names), ..problem }
}

fn wrong_code(remaining: u32) -> Problem {
    let (en, pt) = match remaining {
        0 => (
            "The code is wrong. No code is looked at for the next 10 minutes.".to_owned(),
            "Código incorreto. Nenhum código será aceito pelos próximos 10 minutos.".to_owned(),
        ),
        1 => (
            "The code is wrong; 1 more try before codes are locked for 10 minutes.".to_owned(),
            "Código incorreto; resta 1 tentativa antes do bloqueio de 10 minutos.".to_owned(),
        ),
        tries => (
            format!("The code is wrong; {tries} more tries before codes are locked for 10 minutes."),
            format!("Código incorreto; restam {tries} tentativas antes do bloqueio de 10 minutos."),
        ),
    };
    let problem = Problem::new(ProblemCode::CodeIncorrect, en.clone(), pt.clone());
    let problem = Problem { tries_left: Some(remaining), ..problem };
    field(problem, "/code", ProblemCode::CodeIncorrect.name(), Text::new(en, pt))
}

fn field(problem: Problem, pointer: &str, code: &'static str, detail: Text) -> Problem {
    let detail_too = problem.code == ProblemCode::ValidationFailed;
    let errors = vec![FieldError { pointer: pointer.to_owned(), code, detail: detail.clone() }];
    let problem = if detail_too { Problem { detail, ..problem } } else { problem };
    problem.with_errors(errors)
}
