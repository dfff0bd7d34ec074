//! Creates orders, also for connections of Open Delivery.

use std::borrow::Cow;

use crate::{
    api::{
        call::{Call, HandlerError, plain, retry, too_few},
        endpoints::recipients::links,
        planning::{Planned, acting_store, fee_above_maximum, planned},
        problem::{FieldError, Problem, ProblemCode},
        response::ApiResponse,
    },
    drivers::clock,
    host::{Host, OrderQuery},
    model::{
        Duration, Language, NotificationId, Person, Text, Timestamp,
        order::{Notice, NoticeCode, Order},
        price::PriceLine,
        store::{FailureReason, Notification, NotificationKind, Role, Store},
    },
    rules::{
        lifecycle::{self, CreateOrderError, CreateOrderInput, NewOrder, TimeLimits},
        pricing::{Inquiry, Quote, SealError},
        settings::Settings,
    },
};

/// A response with a created or existing order, with this status.
type OrderResponse = fn(&Settings, Language, u16, &Order) -> Result<ApiResponse, Problem>;

/// Creates an order of a store, or returns the existing order with the same code and content.
pub(in crate::api) async fn create_for<H: Host>(
    call: &mut Call<'_, H>,
    new: &NewOrder,
    store: Store,
    to_response: OrderResponse,
) -> Result<ApiResponse, HandlerError> {
    let prepared = prepare(call, new, &store).await;
    let mut loaded = Some(store);
    retry!(call, async {
        let store = match loaded.take() {
            Some(store) => store,
            None => acting_store(call, &new.inquiry).await?.into_owned(),
        };
        let error = match decide(call, new, &store, &prepared, to_response).await {
            Ok(response) => return Ok(response),
            Err(HandlerError::Problem(problem)) if problem.code.status() >= 500 => {
                return Err(problem.into());
            }
            Err(error) => error,
        };
        // Nearly every code is new, so it is looked up only after a failure: an order that exists
        // is returned, whatever holds today.
        if let Some(existing) = call
            .host
            .find_orders(OrderQuery::Code(store.id, &new.code))
            .await?
            .pop()
        {
            // Without a scheduler, an order whose time is over may still hold its code.
            let existing =
                clock::advance(call.host, call.settings, existing, call.context.now).await?;
            if existing.status.holds_code() {
                return Ok(replay(call, new, &existing, to_response)?);
            }
        }
        Err(error)
    })
}

/// A new order with its route and its price.
struct Prepared {
    planned: Planned,
    lines: Vec<PriceLine>,
    tariff_version: String,
}

async fn prepare<H: Host>(
    call: &Call<'_, H>,
    new: &NewOrder,
    store: &Store,
) -> Result<Prepared, Problem> {
    let inquiry = quoted(call, new);
    let planned = planned(call, store, &inquiry).await?;
    check_limits(
        &new.limits,
        planned.plan.times.pickup,
        planned.plan.times.delivery,
        call.context.now,
    )?;
    let (lines, tariff_version) = priced(call, new, store, &planned)?;
    Ok(Prepared {
        planned,
        lines,
        tariff_version,
    })
}

/// Returns the inquiry of an order, completed by what its quote assumes. Previews of earlier
/// versions do not name the payment, and their fee contains the way back.
fn quoted<'n, H: Host>(call: &Call<'_, H>, new: &'n NewOrder) -> Cow<'n, Inquiry> {
    let basis = new.quote.as_deref();
    let basis = basis.and_then(|text| Quote::signed_basis(text, &call.settings.secret));
    let Some(basis) = basis else {
        return Cow::Borrowed(&new.inquiry);
    };
    let says = |stop: usize| {
        let payment = new.stops.get(stop).and_then(|stop| stop.payment.as_ref());
        payment.is_some_and(|payment| payment.returns.is_some())
    };
    let mut inquiry = new.inquiry.clone();
    basis.complete(&mut inquiry, says);
    Cow::Owned(inquiry)
}

/// Rejects expected times after the latest acceptable ones.
pub(in crate::api) fn check_limits(
    limits: &TimeLimits,
    pickup: Timestamp,
    delivery: Timestamp,
    now: Timestamp,
) -> Result<(), Problem> {
    let times = [
        ("pickupLimit", limits.pickup, pickup),
        ("deliveryLimit", limits.delivery, delivery),
    ];
    let late = times
        .iter()
        .filter(|(_, limit, at)| limit.is_some_and(|limit| now.after(limit) < *at));
    let errors: Vec<FieldError> = late
        .map(|(name, _, at)| FieldError {
            pointer: format!("/limitTimes/{name}"),
            code: ProblemCode::WindowUnreachable.name(),
            detail: Text::new(
                format!("The expected time is {at}. Send a later limit."),
                format!("O horário previsto é {at}. Envie um limite posterior."),
            ),
        })
        .collect();
    if errors.is_empty() {
        return Ok(());
    }
    Err(plain(ProblemCode::WindowUnreachable).with_errors(errors))
}

async fn decide<H: Host>(
    call: &mut Call<'_, H>,
    new: &NewOrder,
    store: &Store,
    prepared: &Result<Prepared, Problem>,
    to_response: OrderResponse,
) -> Result<ApiResponse, HandlerError> {
    let Prepared {
        planned,
        lines,
        tariff_version,
    } = prepared.as_ref().map_err(Problem::clone)?;
    let caller = call.caller()?;
    let role = caller.key.role();
    let facts = CreateOrderInput {
        store,
        by: Person {
            name: caller.store.name.clone(),
            phone: caller.store.responsible.phone.clone(),
        },
        origin: caller.key.kind.origin(),
        pickup: planned.pickup.clone(),
        located: &planned.located,
        returns: &planned.returns,
        plan: &planned.plan,
        lines: lines.clone(),
        tariff_version: tariff_version.clone(),
        lead_minutes: call.settings.dispatch.lead(store),
        notices: planned.notices.clone(),
        link_secret: links::has_links(call.settings, store).then_some(&call.settings.secret),
    };
    let mut ids = call.ids(1 + new.stops.len()).await?;
    let (order, mut changes) = lifecycle::create(new, facts, &mut ids, &mut call.context)
        .map_err(|error| rejected(error, role))?;
    changes
        .notifications
        .extend(estimates_notification(call, store, &order).await?);
    let response = to_response(call.settings, call.language, 201, &order)?;
    call.commit(changes, &response).await?;
    Ok(response)
}

/// Notifications that are searched for the last one about estimates.
const RECENT_NOTIFICATIONS: u32 = 100;

/// Returns the notification to a store that its prices are estimates, unless it got one within a
/// day.
async fn estimates_notification<H: Host>(
    call: &Call<'_, H>,
    store: &Store,
    order: &Order,
) -> Result<Option<Notification>, HandlerError> {
    let is_estimate = |notice: &&Notice| {
        matches!(
            notice.code,
            NoticeCode::PriceEstimated | NoticeCode::PriceLowered
        )
    };
    let Some(notice) = order.notices.iter().find(is_estimate) else {
        return Ok(None);
    };
    let kind = NotificationKind::PricesEstimated;
    let day_ago = call.context.now.before(Duration::minutes(24 * 60));
    let recent = call
        .host
        .notifications(store.id, None, RECENT_NOTIFICATIONS)
        .await?;
    if recent
        .iter()
        .any(|known| known.kind == kind && known.created_at > day_ago)
    {
        return Ok(None);
    }
    let id = call
        .ids(1)
        .await?
        .take(NotificationId::new)
        .ok_or_else(too_few)?;
    let code = ProblemCode::AddressImprecise.name().to_owned();
    let reason = FailureReason {
        code,
        detail: notice.detail.clone(),
        fields: Vec::new(),
    };
    Ok(Some(Notification {
        id,
        store: store.id,
        kind,
        created_at: call.context.now,
        read_at: None,
        order: Some(order.id),
        order_code: Some(order.code.clone()),
        reason: Some(reason),
    }))
}

/// Returns the existing order if the content is the same, else the problem of a conflicting code.
fn replay<H: Host>(
    call: &Call<'_, H>,
    new: &NewOrder,
    existing: &Order,
    to_response: OrderResponse,
) -> Result<ApiResponse, Problem> {
    if existing.has_content(&new.fingerprint(), &call.settings.secret) {
        return Ok(ApiResponse {
            replayed: true,
            ..to_response(call.settings, call.language, 200, existing)?
        });
    }
    let id = existing.id;
    let problem = Problem::new(
        ProblemCode::OrderCodeConflict,
        format!(
            "Order {id} has the same code but other content. Send a new code, or read the existing order."
        ),
        format!(
            "O pedido {id} tem o mesmo código, mas outro conteúdo. Envie um código novo ou consulte o pedido existente."
        ),
    );
    Err(Problem {
        existing_order: Some(id.get()),
        ..problem
    })
}

/// Returns the fee's lines and the version of their tariff: from the quote if the caller sent one,
/// else from the plan.
fn priced<H: Host>(
    call: &Call<'_, H>,
    new: &NewOrder,
    store: &Store,
    planned: &Planned,
) -> Result<(Vec<PriceLine>, String), Problem> {
    let Some(text) = &new.quote else {
        return Ok((planned.plan.lines.clone(), planned.tariff_version.clone()));
    };
    match Quote::open(
        text,
        &call.settings.secret,
        store.id,
        (&planned.basis, planned.plan.total_distance),
        call.context.now,
    ) {
        Ok(quote) => Ok((quote.lines, quote.tariff_version)),
        Err(error) => Err(quote_problem(&error)),
    }
}

fn quote_problem(error: &SealError) -> Problem {
    let code = ProblemCode::QuoteMismatch;
    match error {
        SealError::Expired => Problem::new(
            ProblemCode::QuoteExpired,
            "The quote has expired; it is valid for 15 minutes. Request a new preview, or create the order without quoteId.",
            "A cotação expirou; ela vale por 15 minutos. Peça uma nova prévia ou crie o pedido sem quoteId.",
        ),
        SealError::Invalid => {
            let en = "This is not a quote of this service. Send the `quote.id` of a preview, or omit quoteId.";
            let pt = "Isto não é uma cotação deste serviço. Envie o `quote.id` de uma prévia ou omita quoteId.";
            let detail = Text::new(en, pt);
            let error = FieldError {
                pointer: "/quoteId".to_owned(),
                code: code.name(),
                detail,
            };
            Problem::new(code, en, pt).with_errors(vec![error])
        }
        SealError::Mismatch(differences) => {
            let errors = differences.iter().map(|difference| FieldError {
                pointer: difference.pointer(),
                code: code.name(),
                detail: difference.detail(),
            });
            Problem::new(
                code,
                "The quote is not for this order; `errors` lists what differs. Request a new preview of the order.",
                "A cotação não é deste pedido; `errors` lista o que difere. Peça uma nova prévia do pedido.",
            )
            .with_errors(errors.collect())
        }
    }
}

fn rejected(rejection: CreateOrderError, role: Role) -> HandlerError {
    match rejection {
        CreateOrderError::InsufficientBalance { .. } if role == Role::Clerk => {
            plain(ProblemCode::InsufficientBalance).into()
        }
        CreateOrderError::InsufficientBalance {
            account,
            balance,
            floor,
            fee,
        } => HandlerError::Problem(Problem::new(
            ProblemCode::InsufficientBalance,
            format!(
                "The fee is R$ {fee}. The balance of store {account}, which pays it, is R$ {balance} and must not fall below \
                 R$ {floor}. Request a top-up from the operator."
            ),
            format!(
                "A taxa é de R$ {}. O saldo da loja {account}, que a paga, é de R$ {} e não pode ficar abaixo de R$ {}. \
                 Peça uma recarga ao operador.",
                fee.in_portuguese(),
                balance.in_portuguese(),
                floor.in_portuguese()
            ),
        )),
        CreateOrderError::FeeAboveMaximum { fee, max } => fee_above_maximum(fee, max).into(),
        CreateOrderError::TooFewIds => too_few().into(),
    }
}
