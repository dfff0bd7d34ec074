//! Creation of orders.
//!
//! The code of a new order is not looked up first. Nearly every code is new, and the unique index
//! detects the others; the code is looked up only if the commit or a rule rejects the order.
//! Repeating the creation of an existing order therefore always returns that order.
//!
//! A missing `onlinePayment` means paid: the courier collects money only if the merchant requests
//! it. The courier brings it back to the pickup unless it is a Pix, or the store settles at the end
//! of the shift.

use serde::Serialize;

use crate::{
    changes::{Changes, Write},
    model::{
        DeliveryId, Distance, Duration, Email, ExecContext, IdBlock, Located, Money, OrderId,
        Person, Phone, Requirements, StoreId, fingerprint,
        order::{
            Confirmation, Delivery, DeliveryStatus, Erasure, Event, EventKind, Notice,
            OpenDelivery, Order, OrderDispatch, OrderProof, OrderSchedule, OrderStatus, Payment,
            PaymentMethod, Place,
        },
        price::PriceLine,
        store::{EntryKind, LedgerEntry, NotifyAt, Store},
    },
    rules::{
        pricing::{Inquiry, Plan, total},
        settings::Secret,
        tracking,
    },
};

/// A valid new order.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NewOrder {
    /// The merchant's code.
    pub code: String,
    /// The merchant's full code.
    pub full_code: Option<String>,
    /// The pickup code, if the merchant set it.
    pub pickup_code: Option<String>,
    /// The quote that the request refers to. It is not part of the content.
    #[serde(skip)]
    pub quote: Option<String>,
    /// The addresses and route options.
    pub inquiry: Inquiry,
    /// Whether the order can share a trip. It is part of the content only if it is false.
    #[serde(skip_serializing_if = "is_true")]
    pub combinable: bool,
    /// What the order requires of its courier's vehicle. It is part of the content only if it is
    /// set.
    #[serde(skip_serializing_if = "is_empty")]
    pub requirements: Requirements,
    /// Instructions for the courier at the pickup. They are part of the content only if they are
    /// set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pickup_instructions: Option<String>,
    /// The highest acceptable fee. It is part of the content only if it is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_fee: Option<Money>,
    /// The data of Open Delivery. It is not part of the content.
    #[serde(skip)]
    pub open_delivery: Option<Box<OpenDelivery>>,
    /// What the merchant should know about the request. It is not part of the content.
    #[serde(skip)]
    pub notices: Vec<Notice>,
    /// The latest acceptable times. They are not part of the content.
    #[serde(skip)]
    pub limits: TimeLimits,
    /// The deliveries' data besides their addresses, in the order sent.
    pub stops: Vec<NewStop>,
}

/// The latest acceptable times of an order, from its creation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeLimits {
    /// The time until the pickup.
    pub pickup: Option<Duration>,
    /// The time until the delivery.
    pub delivery: Option<Duration>,
}

fn is_true(value: &bool) -> bool {
    *value
}

fn is_empty(requirements: &Requirements) -> bool {
    *requirements == Requirements::default()
}

/// The data of a new delivery besides its address.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NewStop {
    /// The merchant's code.
    pub code: Option<String>,
    /// The merchant's full code.
    pub full_code: Option<String>,
    /// The recipient's name.
    pub name: Option<String>,
    /// The recipient's phone number.
    pub phone: Option<Phone>,
    /// The recipient's email address. It is part of the content only if it is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<Email>,
    /// Instructions for the courier.
    pub observation: Option<String>,
    /// Value of the goods.
    pub product_value: Option<Money>,
    /// How the recipient pays at the door. It is part of the content only if it is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payment: Option<Payment>,
    /// How the receipt is confirmed.
    pub confirmation: Option<Confirmation>,
}

impl NewStop {
    /// Returns whether the courier must bring a card machine.
    pub fn needs_card_machine(&self) -> bool {
        self.payment
            .as_ref()
            .is_some_and(|payment| payment.includes(PaymentMethod::CardMachine))
    }
}

impl NewOrder {
    /// Returns the SHA-256 of the content in hexadecimal, which detects repeated requests.
    pub fn fingerprint(&self) -> String {
        fingerprint(&[b"order", &serde_json::to_vec(self).unwrap_or_default()])
    }
}

/// The data from which an order is created.
#[derive(Clone, Debug)]
pub struct CreateOrderInput<'a> {
    /// The order's store.
    pub store: &'a Store,
    /// The sender of the request.
    pub by: Person,
    /// The origin: `INTEGRATION` or `PANEL`.
    pub origin: &'static str,
    /// The pickup.
    pub pickup: Place,
    /// Coordinates of the deliveries, in the order sent.
    pub located: &'a [Located],
    /// Whether the courier brings something back after each delivery, in the order sent.
    pub returns: &'a [bool],
    /// The route.
    pub plan: &'a Plan,
    /// The price lines of the plan or of a quote.
    pub lines: Vec<PriceLine>,
    /// Version of the tariff that was applied.
    pub tariff_version: String,
    /// Minutes before the ready time from which a courier is searched.
    pub lead_minutes: u32,
    /// What the merchant should know about the price.
    pub notices: Vec<Notice>,
    /// The deployment's secret, if the deliveries get links.
    pub link_secret: Option<&'a Secret>,
}

/// The reason a valid order cannot be created.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CreateOrderError {
    /// The fee would reduce the balance below its floor.
    #[error("the fee of {fee} would reduce the balance of {balance} below {floor}")]
    InsufficientBalance {
        /// The store that owns the balance.
        account: StoreId,
        /// The current balance.
        balance: Money,
        /// Minimum balance after the debit.
        floor: Money,
        /// The fee.
        fee: Money,
    },
    /// The fee is above the highest that the client accepts.
    #[error("the fee of {fee} is above {max}")]
    FeeAboveMaximum {
        /// The fee.
        fee: Money,
        /// The highest acceptable fee.
        max: Money,
    },
    /// Too few identifiers were reserved. An order needs one, plus one for each delivery.
    #[error("too few identifiers were reserved")]
    TooFewIds,
}

/// Creates an order with its first event and the debit of the fee.
///
/// # Errors
/// [`CreateOrderError`] if the balance is insufficient or too few identifiers were reserved.
pub fn create(
    new: &NewOrder,
    input: CreateOrderInput<'_>,
    ids: &mut IdBlock,
    context: &mut ExecContext,
) -> Result<(Order, Changes), CreateOrderError> {
    let fee = total(&input.lines);
    if let Some(max) = new.max_fee.filter(|max| fee > *max) {
        return Err(CreateOrderError::FeeAboveMaximum { fee, max });
    }
    let (balance, floor) = (input.store.balance, input.store.billing.floor());
    if let Some(floor) = floor.filter(|floor| balance.plus(fee.negated()) < *floor) {
        return Err(CreateOrderError::InsufficientBalance {
            account: input.store.account(),
            balance,
            floor,
            fee,
        });
    }
    let by = input.by.clone();
    let mut order = compose(new, input, ids, context).ok_or(CreateOrderError::TooFewIds)?;
    let mut events: Vec<Event> = vec![order.record(EventKind::Created, by, context.now)];
    events.extend(order.notify_recipients(NotifyAt::Created, None, context.now));
    let debit = LedgerEntry {
        store: order.store,
        account: None,
        order: Some(order.id),
        kind: EntryKind::Fee,
        amount: fee.negated(),
        at: context.now,
        floor,
    };
    let changes = Changes {
        at: context.now,
        orders: vec![Write::insert(order.clone())],
        events,
        links: order.tracking_links(),
        ledger: vec![debit],
        ..Changes::default()
    };
    Ok((order, changes))
}

fn compose(
    new: &NewOrder,
    input: CreateOrderInput<'_>,
    ids: &mut IdBlock,
    context: &mut ExecContext,
) -> Option<Order> {
    let (inquiry, now) = (&new.inquiry, context.now);
    let id = ids.take(OrderId::new)?;
    let pickup_code = new
        .pickup_code
        .clone()
        .unwrap_or_else(|| context.entropy.code());
    let deliver_until = new.limits.delivery.map(|limit| now.after(limit));
    let own = new.open_delivery.as_deref().map(|own| {
        Box::new(OpenDelivery {
            deliver_until,
            ..own.clone()
        })
    });
    let return_code = input.plan.back.map(|_| context.entropy.code());
    let deliveries = compose_deliveries(new, &input, ids, context)?;
    let CreateOrderInput {
        store,
        plan,
        pickup,
        lines,
        tariff_version,
        origin,
        lead_minutes,
        notices,
        ..
    } = input;
    let is_scheduled = inquiry.is_scheduled();
    let times = (inquiry.with_times || is_scheduled).then_some(plan.times);
    let schedule = OrderSchedule {
        deliver_at: inquiry.deliver_at,
        priced_at: plan.times.pickup,
    };
    let dispatch = OrderDispatch {
        lead_minutes,
        combinable: new.combinable,
        orders_per_trip: store.dispatch.orders_per_trip,
    };
    let order = Order {
        id,
        version: 1,
        store: store.id,
        code: new.code.clone(),
        full_code: new.full_code.clone(),
        fingerprint: new.fingerprint(),
        origin: origin.to_owned(),
        status: if plan.times.ready > now {
            OrderStatus::Preparing
        } else {
            OrderStatus::Ready
        },
        status_since: now,
        status_received_at: None,
        created_at: now,
        preparation_minutes: inquiry.preparation_minutes,
        ready_at: plan.times.ready,
        schedule: is_scheduled.then_some(schedule),
        pickup,
        pickup_instructions: new.pickup_instructions.clone(),
        pickup_code,
        own_pickup_code: new.pickup_code.is_some(),
        return_code,
        deliveries,
        total_distance: plan.total_distance,
        return_leg: plan.back.map(|leg| Distance(leg.metres)),
        fee: total(&lines),
        cancellation_fee: Money::ZERO,
        cancelled_late: Money::ZERO,
        price_breakdown: lines,
        tariff_version,
        estimated: plan.estimated,
        expected_pickup: times.map(|times| times.pickup),
        expected_delivery: times.map(|times| times.delivery),
        delivered_at: None,
        last_step: None,
        courier: None,
        eta: None,
        dispatch,
        requirements: new.requirements.clone(),
        notices: new.notices.iter().cloned().chain(notices).collect(),
        open_delivery: own,
        assignments: Vec::new(),
        pay: None,
        attempt: 0,
        released: Vec::new(),
        first_allocated_at: None,
        sandbox: store.sandbox,
        proof: OrderProof {
            rules: store.proofs.clone(),
            ..OrderProof::default()
        },
        tries: crate::model::order::CodeTries::default(),
        last_sequence: 0,
        last_event_at: None,
        erasure: Erasure::NotErased,
    };
    let status = if order.starts_at() > now {
        OrderStatus::Scheduled
    } else {
        order.status
    };
    Some(Order { status, ..order })
}

fn compose_deliveries(
    new: &NewOrder,
    input: &CreateOrderInput<'_>,
    ids: &mut IdBlock,
    context: &mut ExecContext,
) -> Option<Vec<Delivery>> {
    let CreateOrderInput {
        store,
        plan,
        located,
        returns,
        link_secret,
        ..
    } = input;
    let checks_code = new
        .open_delivery
        .as_deref()
        .is_some_and(|own| own.checks_code);
    let mut deliveries = Vec::with_capacity(plan.order.len());
    for (sent, leg) in plan.order.iter().zip(&plan.legs) {
        let (stop, requested) = (new.stops.get(*sent)?, new.inquiry.stops.get(*sent)?);
        let returns = *returns.get(*sent)?;
        deliveries.push(Delivery {
            id: ids.take(DeliveryId::new)?,
            code: stop.code.clone(),
            full_code: stop.full_code.clone(),
            name: stop.name.clone(),
            phone: stop.phone.clone(),
            email: stop.email.clone(),
            observation: stop.observation.clone(),
            online_payment: requested.online_payment,
            product_value: stop.product_value,
            payment: stop.payment.clone().map(|payment| Payment {
                returns: (!returns).then_some(false),
                pix: payment
                    .includes(PaymentMethod::Pix)
                    .then(|| store.payments.pix.clone().map(Box::new))
                    .flatten(),
                ..payment
            }),
            received: Vec::new(),
            cash: None,
            window: requested.window,
            status: DeliveryStatus::AwaitingPickup,
            place: Place {
                address: requested.address.clone(),
                located: *located.get(*sent)?,
            },
            distance: Distance(leg.metres),
            // The merchant's system has the code if it checks it.
            delivery_code: if checks_code {
                String::new()
            } else {
                context.entropy.code()
            },
            confirmation: stop.confirmation.clone(),
            erased: false,
            tracking: link_secret.map(|secret| tracking::start(&store.tracking, secret, context)),
        });
    }
    Some(deliveries)
}
