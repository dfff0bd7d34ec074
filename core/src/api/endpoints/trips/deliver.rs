//! `POST /courier/orders/{platformOrderId}/deliver`

use super::{
    access::load_courier_order,
    step::{Sent, read_step, take_with},
};
use crate::{
    api::{
        call::{Call, HandlerError, retry},
        endpoints::orders::steps::known,
        operation::{Operation, RequestBody},
        problem::{Problem, ProblemCode},
        response::ApiResponse,
        route::{Access, Lasting, Route},
        validate::{self, HandedOver},
    },
    drivers::connection::check_request,
    host::Host,
    model::{Duration, order::Order, webhook::AttemptResult},
    rules::lifecycle::{Carry, CodeCheck},
};

pub(crate) const ROUTE: Route = Route::new(
    Access::Courier,
    "POST /courier/orders/{platformOrderId}/deliver",
)
.leaves(Lasting::Nothing);

pub(crate) const DOC: Operation = Operation {
    tag: "Couriers",
    id: "courierDeliver",
    summary: "Hand over a delivery",
    description: "From 330 to 500. If `codeRequired` is true, send the code that the recipient \
        gives. `payment` records what the recipient paid: the method, the amount and a reference.",
    request: RequestBody::Step("GiveDeliveryCode"),
    responses: &[(200, Some("CourierOrder"), "The updated order.")],
    parameters: &["platformOrderId"],
    codes: &[
        ProblemCode::OrderNotFound,
        ProblemCode::InvalidTransition,
        ProblemCode::ValidationFailed,
        ProblemCode::ProofRequired,
        ProblemCode::CodeIncorrect,
        ProblemCode::CodeLocked,
    ],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let loaded = load_courier_order(call).await?;
    let (handed, at) = read_step(call, validate::delivery_code)?;
    let HandedOver {
        stop,
        code,
        proof,
        receipt,
    } = handed;
    let check = match &code {
        Some(code) => check_code(call, &loaded.0, code).await?,
        None => CodeCheck::Own,
    };
    let stop = known(stop)?;
    let sent = Sent {
        act: Carry::Deliver { stop, code },
        proof,
        at,
        receipt,
    };
    let mut loaded = Some(loaded);
    // The merchant's system is asked once, whatever happens to the commit.
    retry!(call, async {
        let loaded = match loaded.take() {
            Some(loaded) => loaded,
            None => load_courier_order(call).await?,
        };
        take_with(call, loaded, &sent, check).await
    })
}

/// Asks the merchant's system about the recipient's code, if that checks it.
async fn check_code<H: Host>(
    call: &Call<'_, H>,
    order: &Order,
    code: &str,
) -> Result<CodeCheck, HandlerError> {
    let own = order.open_delivery.as_deref();
    let Some(own) = own.filter(|own| own.checks_code && !order.status.is_final()) else {
        return Ok(CodeCheck::Own);
    };
    let connection = call.host.webhook(own.connection).await?;
    let locked = order.tries.locked_until;
    if locked.is_some_and(|until| until > call.context.now) {
        return Ok(CodeCheck::Own);
    }
    let unavailable = || {
        Problem::new(
            ProblemCode::Unavailable,
            "The merchant's system, which checks the code, is unavailable. Retry later, or call the merchant.",
            "O sistema da loja, que confere o código, está indisponível. Tente novamente ou fale com a loja.",
        )
        .retry_after(Duration::seconds(5))
    };
    let request =
        connection.and_then(|webhook| check_request(call.settings, &webhook, &order.code, code));
    let result = call
        .host
        .send(request.ok_or_else(unavailable)?, &call.settings.webhooks)
        .await;
    match result.and_then(AttemptResult::status) {
        Some(200..=299) => Ok(CodeCheck::Confirmed),
        Some(400 | 404 | 409 | 422) => Ok(CodeCheck::Rejected),
        _ => Err(unavailable().into()),
    }
}
