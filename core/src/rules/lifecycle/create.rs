//! The creation of an order, as a decision.

use serde::Serialize;

use crate::{
    changes::{Changes, Write},
    model::{
        DeliveryId, Distance, Duration, ExecContext, IdBlock, Located, Money, OrderId, Person, Phone, StoreId,
        fingerprint,
        order::{Confirmation, Delivery, DeliveryStatus, Erasure, Event, EventKind, Order, OrderStatus, Place},
        price::PriceLine,
        store::{EntryKind, LedgerEntry, Store},
    },
    rules::pricing::{Inquiry, Plan, total},
};

/// A valid new order.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NewOrder {
    /// The merchant's code.
    pub code: String,
    /// The merchant's full code.
    pub full_code: Option<String>,
    /// The pickup code that the merchant set.
    pub pickup_code: Option<String>,
    /// The quote that it refers to; no part of its content.
    #[serde(skip)]
    pub quote: Option<String>,
    /// Where it goes and how.
    pub inquiry: Inquiry,
    /// What a delivery has beyond its address, in the order sent.
    pub stops: Vec<NewStop>,
}

/// What a new delivery has beyond its address.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NewStop {
    /// The merchant's code.
    pub code: Option<String>,
    /// The merchant's full code.
    pub full_code: Option<String>,
    /// The recipient.
    pub name: Option<String>,
    /// The recipient's number.
    pub phone: Option<Phone>,
    /// What the courier should know.
    pub observation: Option<String>,
    /// What the goods are worth.
    pub product_value: Option<Money>,
    /// How its receipt is confirmed.
    pub confirmation: Option<Confirmation>,
}

impl NewOrder {
    /// SHA-256 of the content in hexadecimal: two submissions with the same one are the same order.
    pub fn fingerprint(&self) -> String {
        fingerprint(&[b"order", &serde_json::to_vec(self).unwrap_or_default()])
    }
}

/// What a new order is decided on.
#[derive(Clone, Debug)]
pub struct CreateOrderInput<'a> {
    /// Whose order it is.
    pub store: &'a Store,
    /// Who sent it.
    pub by: Person,
    /// Through what: `INTEGRATION` or `PANEL`.
    pub origin: &'static str,
    /// Where the courier collects.
    pub pickup: Place,
    /// Where the deliveries go, in the order sent.
    pub located: &'a [Located],
    /// The route.
    pub plan: &'a Plan,
    /// The fee's lines: the plan's, or a quote's.
    pub lines: Vec<PriceLine>,
    /// The tariff that they come from.
    pub tariff_version: String,
}

/// Why a valid order is not created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CreateOrderError {
    /// The fee would take the balance below its floor.
    InsufficientBalance {
        /// The store whose balance pays.
        account: StoreId,
        /// The balance now.
        balance: Money,
        /// The lowest balance that the fee may leave.
        floor: Money,
        /// The fee.
        fee: Money,
    },
    /// Fewer identifiers were reserved than the order has parts: one, and one for each delivery.
    TooFewIds,
}

/// Creates an order: the order itself, its first event, and the fee's debit.
///
/// # Errors
/// A [`CreateOrderError`] where the store cannot pay.
pub fn create(
    new: &NewOrder,
    facts: CreateOrderInput<'_>,
    ids: &mut IdBlock,
    context: &mut ExecContext,
) -> Result<(Order, Changes), CreateOrderError> {
    let fee = total(&facts.lines);
    let (balance, floor) = (facts.store.balance, facts.store.billing.floor());
    if let Some(floor) = floor.filter(|floor| balance.plus(fee.negated()) < *floor) {
        return Err(CreateOrderError::InsufficientBalance { account: facts.store.account(), balance, floor, fee });
    }
    let by = facts.by.clone();
    let mut order = compose(new, facts, ids, context).ok_or(CreateOrderError::TooFewIds)?;
    let event: Event = order.record(EventKind::Created, by, context.now);
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
        events: vec![event],
        ledger: vec![debit],
        ..Changes::default()
    };
    Ok((order, changes))
}

fn compose(new: &NewOrder, facts: CreateOrderInput<'_>, ids: &mut IdBlock, context: &mut ExecContext) -> Option<Order> {
    let CreateOrderInput { store, plan, pickup, lines, tariff_version, origin, located, .. } = facts;
    let (inquiry, now) = (&new.inquiry, context.now);
    let id = ids.take(OrderId::new)?;
    let pickup_code = new.pickup_code.clone().unwrap_or_else(|| context.entropy.code());
    let return_code = plan.back.map(|_| context.entropy.code());
    let mut deliveries = Vec::with_capacity(plan.order.len());
    for (sent, leg) in plan.order.iter().zip(&plan.legs) {
        let (stop, requested) = (new.stops.get(*sent)?, inquiry.stops.get(*sent)?);
        deliveries.push(Delivery {
            id: ids.take(DeliveryId::new)?,
            code: stop.code.clone(),
            full_code: stop.full_code.clone(),
            name: stop.name.clone(),
            phone: stop.phone.clone(),
            observation: stop.observation.clone(),
            online_payment: requested.online_payment,
            product_value: stop.product_value,
            status: DeliveryStatus::AwaitingPickup,
            place: Place { address: requested.address.clone(), located: *located.get(*sent)? },
            distance: Distance(leg.metres),
            delivery_code: context.entropy.code(),
            confirmation: stop.confirmation.clone(),
            erased: false,
        });
    }
    let times = inquiry.with_times.then_some(plan.times);
    Some(Order {
        id,
        version: 1,
        store: store.id,
        code: new.code.clone(),
        full_code: new.full_code.clone(),
        fingerprint: new.fingerprint(),
        origin: origin.to_owned(),
        status: if inquiry.preparation_minutes > 0 { OrderStatus::Preparing } else { OrderStatus::Ready },
        status_since: now,
        created_at: now,
        preparation_minutes: inquiry.preparation_minutes,
        ready_at: now.after(Duration::minutes(inquiry.preparation_minutes.into())),
        pickup,
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
        courier: None,
        attempt: 0,
        released: Vec::new(),
        first_allocated_at: None,
        sandbox: store.sandbox,
        tries: crate::model::order::CodeTries::default(),
        last_sequence: 0,
        erasure: Erasure::Nothing,
    })
}
