//! The end of an order's steps: their response, and the problems of rejected steps.

use crate::{
    api::{
        call::{Call, HandlerError, plain, too_few},
        problem::{FieldError, Problem, ProblemCode},
        response::ApiResponse,
        validate,
    },
    changes::Write,
    host::Host,
    model::{
        DeliveryId, Language, OrderId, Text, Timestamp,
        order::{EventKind, Order, OrderStatus, ProofPart},
    },
    rules::lifecycle::{MAX_WRONG_CODES, StepError, StepOutcome},
    wire::OrderView,
};

/// Commits the result of a step and responds with the order. A step that was taken before returns
/// the same response and changes nothing.
pub(in crate::api) async fn conclude<H: Host>(
    call: &mut Call<'_, H>,
    order: &Order,
    result: Result<StepOutcome, StepError>,
    response: fn(&Order, Language) -> Result<ApiResponse, Problem>,
) -> Result<ApiResponse, HandlerError> {
    match result {
        Ok(StepOutcome::Already) => Ok(response(order, call.language)?),
        Ok(StepOutcome::Now(moved)) => {
            let (order, changes) = *moved;
            debug_assert!(
                changes
                    .orders
                    .iter()
                    .all(|Write { value, .. }| value.id == order.id)
            );
            let response = response(&order, call.language)?;
            call.commit(changes, &response).await?;
            Ok(response)
        }
        Err(error) => Err(step_problem(&error, call.context.now).into()),
    }
}

/// Returns the delivery's ID, or the problem of an unknown delivery if the number is not a valid
/// ID.
pub(in crate::api) fn known(stop: Option<DeliveryId>) -> Result<DeliveryId, Problem> {
    stop.ok_or_else(|| step_problem(&StepError::UnknownStop, Timestamp::default()))
}

/// Converts the error of a step to a problem.
pub(in crate::api) fn step_problem(error: &StepError, now: Timestamp) -> Problem {
    match error {
        StepError::Invalid { status, possible } => invalid(*status, possible),
        StepError::ReturnRequired => Problem::new(
            ProblemCode::ReturnRequired,
            "The courier has the goods. Start a return, or wait for the delivery.",
            "O entregador está com a mercadoria. Inicie uma devolução ou aguarde a entrega.",
        ),
        StepError::UnknownStop => field(
            plain(ProblemCode::ValidationFailed),
            "/deliveryId",
            "unknown_delivery",
            Text::new(
                "The order has no delivery with this ID. Check deliveryId.",
                "O pedido não tem uma entrega com este ID. Confira deliveryId.",
            ),
        ),
        StepError::LastStop => Problem::new(
            ProblemCode::InvalidTransition,
            "This is the last remaining delivery. Cancel the order: send orderId without deliveryId.",
            "Esta é a última entrega restante. Cancele o pedido: envie orderId sem deliveryId.",
        ),
        StepError::TooLate { max } => field(
            plain(ProblemCode::ValidationFailed),
            "/minutes",
            "out_of_range",
            Text::new(
                format!("The delay is too long. Send at most {max} minutes."),
                format!("O atraso é longo demais. Envie no máximo {max} minutos."),
            ),
        ),
        StepError::CodeNeeded => field(
            plain(ProblemCode::ValidationFailed),
            "/code",
            "required",
            Text::new(
                "This delivery requires the recipient's code. Send it as code.",
                "Esta entrega exige o código do destinatário. Envie-o em code.",
            ),
        ),
        StepError::CodeWrong { remaining } => wrong_code(*remaining),
        StepError::NotNext { next } => {
            let problem = Problem::new(
                ProblemCode::NotNextInTrip,
                format!("Order {next} comes first in this trip. Complete its step; GET /courier/trip returns the sequence."),
                format!("O pedido {next} vem antes nesta viagem. Conclua a etapa dele; GET /courier/trip retorna a sequência."),
            );
            Problem { existing_order: Some(next.get()), ..problem }
        }
        StepError::CodeOfOther { other } => code_of_other(*other),
        StepError::CodeLocked { until } => Problem::new(
            ProblemCode::CodeLocked,
            format!("Codes are locked after {MAX_WRONG_CODES} incorrect codes. Retry from {until}."),
            format!(
                "Os códigos estão bloqueados após {MAX_WRONG_CODES} códigos incorretos. Tente novamente a partir de {until}."
            ),
        )
        .retry_after(until.since(now)),
        StepError::ProofRequired { missing } => proof_required(missing),
        StepError::MerchantConfirmationRequired => merchant_confirmation_required(),
        StepError::UnknownPhoto { index } => validate::unknown_photo(*index),
        StepError::NothingDue => field(
            plain(ProblemCode::ValidationFailed),
            "/deliveryId",
            "not_applicable",
            Text::new(
                "This delivery is already paid, so there is no payment at the door to record.",
                "Esta entrega já está paga, então não há pagamento na entrega a registrar.",
            ),
        ),
        StepError::PaymentMethodNeeded => field(
            plain(ProblemCode::ValidationFailed),
            "/method",
            "required",
            Text::new(
                "The delivery has no method of payment, or several. Send the method.",
                "A entrega não tem forma de pagamento ou tem várias. Envie a forma.",
            ),
        ),
        StepError::PaymentExceedsDue { sum, due } => field(
            plain(ProblemCode::ValidationFailed),
            "/received",
            "out_of_range",
            Text::new(
                format!("The payments sum to R$ {sum}, above the amount due, R$ {due}. Send what was received of it."),
                format!(
                    "Os pagamentos somam R$ {}, acima do valor a pagar, R$ {}. Envie o que foi recebido dele.",
                    sum.in_portuguese(),
                    due.in_portuguese()
                ),
            ),
        ),
        StepError::TooFewIds => too_few().into(),
    }
}

fn merchant_confirmation_required() -> Problem {
    Problem::new(
        ProblemCode::InvalidTransition,
        "The merchant's system must first confirm that the goods are ready, or the pickup. Call the merchant.",
        "O sistema da loja precisa confirmar antes que o pedido está pronto ou a coleta. Peça à loja.",
    )
}

fn code_of_other(other: OrderId) -> Problem {
    let (en, pt) = (
        format!(
            "This is the code of order {other}, which is in the same trip. Send the code of this order."
        ),
        format!(
            "Este é o código do pedido {other}, que está na mesma viagem. Envie o código deste pedido."
        ),
    );
    let code = ProblemCode::CodeOfOtherOrder;
    let problem = Problem::new(code, en.clone(), pt.clone());
    let problem = Problem {
        existing_order: Some(other.get()),
        ..problem
    };
    field(problem, "/code", code.name(), Text::new(en, pt))
}

fn invalid(status: OrderStatus, possible: &[EventKind]) -> Problem {
    let names: Vec<&'static str> = possible.iter().map(|kind| kind.name()).collect();
    let (number, name) = (status.number(), status.name());
    let (en, pt) = if names.is_empty() {
        (
            "No further event is possible.".to_owned(),
            "Nenhum outro evento é possível.".to_owned(),
        )
    } else {
        let names = names.join(", ");
        (
            format!("Possible events: {names}."),
            format!("Eventos possíveis: {names}."),
        )
    };
    let problem = Problem::new(
        ProblemCode::InvalidTransition,
        format!("The order has the status {number} {name}, which does not allow this step. {en}"),
        format!("O pedido está na situação {number} {name}, que não permite esta etapa. {pt}"),
    );
    Problem {
        possible: Some(names),
        ..problem
    }
}

/// Returns the problem of a proof without required parts, with an error for each.
fn proof_required(missing: &[ProofPart]) -> Problem {
    let error = |part: &ProofPart| {
        let (pointer, en, pt) = match part {
            ProofPart::Photo => (
                "/proof/photoIds",
                "Send at least one photo.",
                "Envie pelo menos uma foto.",
            ),
            ProofPart::Name => (
                "/proof/receivedBy",
                "Send the name of the person who received the goods.",
                "Envie o nome de quem recebeu a mercadoria.",
            ),
            ProofPart::Note => ("/proof/note", "Send a note.", "Envie uma observação."),
            ProofPart::Position => (
                "/proof/latitude",
                "Send the position: latitude and longitude.",
                "Envie a posição: latitude e longitude.",
            ),
        };
        FieldError {
            pointer: pointer.to_owned(),
            code: "required",
            detail: Text::new(en, pt),
        }
    };
    Problem::new(
        ProblemCode::ProofRequired,
        "The store requires a proof of this step; `errors` lists each missing part.",
        "A loja exige um comprovante desta etapa; `errors` lista cada parte que falta.",
    )
    .with_errors(missing.iter().map(error).collect())
}

fn wrong_code(remaining: u32) -> Problem {
    let (en, pt) = match remaining {
        0 => (
            "Incorrect code. Codes are locked for 10 minutes.".to_owned(),
            "Código incorreto. Os códigos estão bloqueados por 10 minutos.".to_owned(),
        ),
        1 => (
            "Incorrect code. 1 attempt left before codes are locked for 10 minutes.".to_owned(),
            "Código incorreto. Resta 1 tentativa antes do bloqueio de 10 minutos.".to_owned(),
        ),
        tries => (
            format!(
                "Incorrect code. {tries} attempts left before codes are locked for 10 minutes."
            ),
            format!("Código incorreto. Restam {tries} tentativas antes do bloqueio de 10 minutos."),
        ),
    };
    let problem = Problem::new(ProblemCode::CodeIncorrect, en.clone(), pt.clone());
    let problem = Problem {
        tries_left: Some(remaining),
        ..problem
    };
    field(
        problem,
        "/code",
        ProblemCode::CodeIncorrect.name(),
        Text::new(en, pt),
    )
}

fn field(problem: Problem, pointer: &str, code: &'static str, detail: Text) -> Problem {
    let is_plain = problem.code == ProblemCode::ValidationFailed;
    let errors = vec![FieldError {
        pointer: pointer.to_owned(),
        code,
        detail: detail.clone(),
    }];
    let problem = if is_plain {
        Problem { detail, ..problem }
    } else {
        problem
    };
    problem.with_errors(errors)
}

pub(super) fn order_view(order: &Order, language: Language) -> Result<ApiResponse, Problem> {
    ApiResponse::json(200, &OrderView::of(order, language))
}
