//! Trips, dispatch terms and the reasons of dispatch decisions.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{AddressBody, CourierOrderView, ExcludedView, TripPay};
use crate::{
    model::{
        OrderId, Timestamp,
        order::{AssignmentCost, ConsideredCourier, Order, OrderStatus},
        pay::TripPosition,
        store::Store,
    },
    rules::{
        matching::{Decision, Dispatch, OpenReason},
        pay::estimate,
        trips::{StopKind, TripPlan, TripStop},
    },
};

/// The courier's current trip.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CurrentTrip {
    /// The trip, or null.
    pub trip: Option<TripView>,
}

/// The orders that a courier carries together, and their stops.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Trip))]
#[serde(rename_all = "camelCase")]
pub struct TripView {
    /// The orders, in the order of their assignment.
    pub orders: Vec<CourierOrderView>,
    /// The remaining stops, in visiting order.
    pub stops: Vec<TripStopView>,
    /// Estimated time at which the courier is free again.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub free_at: String,
    /// What the trip pays. Null if no order has pay.
    pub pay: Option<TripPay>,
}

/// The purpose of a stop. `RETURN` brings back goods or a payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "UPPERCASE")]
pub enum TripStopType {
    /// The courier picks up an order.
    Pickup,
    /// The courier delivers.
    Delivery,
    /// The courier brings back goods or a payment.
    Return,
}

/// A stop of a trip.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = TripStop))]
#[serde(rename_all = "camelCase")]
pub struct TripStopView {
    /// The purpose.
    #[serde(rename = "type")]
    pub kind: TripStopType,
    /// The order's ID.
    pub order_id: u64,
    /// The delivery's ID. Null for pickups and returns.
    pub delivery_id: Option<u64>,
    /// The address.
    pub address: AddressBody,
    /// Latitude in degrees.
    pub latitude: f64,
    /// Longitude in degrees.
    pub longitude: f64,
    /// Estimated time of the pickup, the delivery or the return.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub eta: String,
}

/// Dispatch terms of a store. Absent and null terms are those of the deployment.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct SetStoreDispatch {
    /// Whole minutes before the ready time from which a courier is searched.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u32>, example = 15))]
    pub lead_minutes: Option<f64>,
    /// Maximum number of orders in a trip.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u32>, example = 3))]
    pub orders_per_trip: Option<f64>,
}

/// Dispatch terms of a store. They apply to orders that are created from now on.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = StoreDispatch))]
#[serde(rename_all = "camelCase")]
pub struct StoreDispatchView {
    /// The store's own lead time in minutes, or null.
    pub lead_minutes: Option<u32>,
    /// The store's own limit of orders in a trip, or null.
    pub orders_per_trip: Option<u32>,
    /// The terms that apply.
    pub effective: EffectiveDispatch,
}

/// The dispatch terms that apply to a store.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct EffectiveDispatch {
    /// Minutes before the ready time from which a courier is searched.
    pub lead_minutes: u32,
    /// Maximum number of orders in a trip.
    pub orders_per_trip: u32,
}

/// The components of an assignment's cost in whole seconds. One second is one second of lateness of
/// one order.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = AssignmentCost))]
pub struct CostView {
    /// Deliveries later than the earliest possible ones.
    pub lateness: i64,
    /// Waiting of the goods between the ready time and the pickup.
    pub wait: i64,
    /// Time until the courier can start.
    pub start: i64,
    /// Travel to the pickup.
    pub travel: i64,
    /// Duration of the trip from the pickup on.
    pub length: i64,
    /// Advantage of a courier far from the present pickups: zero or negative.
    pub remoteness: i64,
    /// Orders beyond those that the courier's hourly guarantee pays.
    pub guarantee: i64,
    /// Another offer to a courier that was released before.
    pub reoffer: i64,
    /// The sum. It can differ from the sum of the rounded components.
    pub total: i64,
}

/// A courier that a pass considered for an order by itself.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = ConsideredCourier))]
#[serde(rename_all = "camelCase")]
pub struct ConsideredView {
    /// The courier's ID.
    pub courier_id: u64,
    /// The cost by component.
    pub cost: CostView,
}

/// The decision of a dispatch pass about an order.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = DispatchDecision))]
#[serde(rename_all = "camelCase")]
pub struct DecisionView {
    /// The order's ID.
    pub order_id: u64,
    /// Time of the pass.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub at: String,
    /// `ASSIGNED`, or the reason why the order stays open: `CAN_WAIT` for a later pass without
    /// loss, `COURIER_BUSY` until the planned courier is free, `OTHERS_FIRST` because the couriers
    /// in reach are planned for other orders, `NO_COURIER` in reach, or `NOT_SEARCHING`.
    #[cfg_attr(
        feature = "openapi",
        schema(
            pattern = "^(ASSIGNED|CAN_WAIT|COURIER_BUSY|OTHERS_FIRST|NO_COURIER|NOT_SEARCHING)$",
            example = "ASSIGNED"
        )
    )]
    pub outcome: &'static str,
    /// The assigned or planned courier. Null if there is none.
    pub courier_id: Option<u64>,
    /// Number of orders in the courier's trip, with this one.
    pub orders: u32,
    /// Cost of the order in this trip. Null without a courier.
    pub cost: Option<CostView>,
    /// The couriers with the lowest costs for the order by itself, cheapest first, at most 5.
    pub considered: Vec<ConsideredView>,
    /// The nearest couriers in reach who cannot carry the order or are stuck, at most 5. Absent
    /// without any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "openapi", schema(required = false))]
    pub excluded: Vec<ExcludedView>,
}

/// The last decisions about an order.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = OrderDispatch))]
pub struct OrderDispatchView {
    /// The last assignments, oldest first, at most 5. While the order is searching, the decision
    /// that a pass would take now follows.
    pub passes: Vec<DecisionView>,
}

/// Dispatch settings of a draft. Absent and null values are those of the deployment.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct SetDispatch {
    /// Maximum great-circle distance between a courier and a pickup in whole kilometres.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u32>, example = 5))]
    pub radius_km: Option<f64>,
    /// Maximum age of a courier's position in whole minutes.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u32>))]
    pub max_position_age_minutes: Option<f64>,
    /// Whole minutes by which a courier's step is overdue, after which the courier is stuck and not
    /// counted on.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u32>))]
    pub stuck_after_minutes: Option<f64>,
    /// Maximum whole minutes that a ready order waits for a better courier while an idle one is in
    /// reach.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u32>))]
    pub wait_limit_minutes: Option<f64>,
    /// Whole minutes of searching after which a courier who released the order can get it again.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u32>))]
    pub reoffer_after_minutes: Option<f64>,
    /// Whole minutes within which a courier must be free to be considered.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u32>))]
    pub horizon_minutes: Option<f64>,
    /// Maximum number of orders in a trip of a store without its own limit.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u32>, example = 2))]
    pub orders_per_trip: Option<f64>,
    /// Maximum whole minutes by which the other orders of a trip can delay a delivery.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u32>))]
    pub detour_minutes: Option<f64>,
    /// Maximum whole minutes between the ready times of a trip's orders.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u32>))]
    pub ready_spread_minutes: Option<f64>,
    /// Whole seconds by which couriers are sent earlier than the travel time requires.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u32>))]
    pub margin_seconds: Option<f64>,
}

/// Dispatch settings of a deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct DispatchSettings {
    /// Maximum great-circle distance between a courier and a pickup in kilometres.
    pub radius_km: u32,
    /// Maximum age of a courier's position in minutes.
    pub max_position_age_minutes: u32,
    /// Minutes by which a courier's step is overdue, after which the courier is stuck and not
    /// counted on.
    pub stuck_after_minutes: u32,
    /// Maximum minutes that a ready order waits for a better courier while an idle one is in reach.
    pub wait_limit_minutes: u32,
    /// Minutes of searching after which a courier who released the order can get it again.
    pub reoffer_after_minutes: u32,
    /// Minutes within which a courier must be free to be considered.
    pub horizon_minutes: u32,
    /// Maximum number of orders in a trip of a store without its own limit.
    pub orders_per_trip: u32,
    /// Maximum minutes by which the other orders of a trip can delay a delivery.
    pub detour_minutes: u32,
    /// Maximum minutes between the ready times of a trip's orders.
    pub ready_spread_minutes: u32,
    /// Seconds by which couriers are sent earlier than the travel time requires.
    pub margin_seconds: u32,
}

/// The decisions of a dispatch pass with the deployment's settings and with a draft. Neither pass
/// changes anything.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct DispatchComparison {
    /// The complete settings of the draft.
    pub settings: DispatchSettings,
    /// The pass with the deployment's settings.
    pub current: DispatchSummary,
    /// The pass with the draft.
    pub draft: DispatchSummary,
    /// The number of orders about which the two passes decide differently.
    pub changed_orders: u32,
    /// These decisions, in the order of the passes, at most 100.
    pub changed: Vec<ChangedDecision>,
}

/// The size of a simulated dispatch pass.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct DispatchSummary {
    /// Searching orders with a courier in reach.
    pub orders: u32,
    /// Orders that the pass would assign.
    pub assigned: u32,
    /// Orders for which a courier is planned, including the assigned ones.
    pub planned: u32,
}

/// An order about which the two passes decide differently.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChangedDecision {
    /// The order's ID.
    pub order_id: u64,
    /// The decision with the deployment's settings. Null if the pass would not match the order.
    pub current: Option<DecisionView>,
    /// The decision with the draft. Null if the pass would not match the order.
    pub draft: Option<DecisionView>,
}

impl TripView {
    /// Builds the representation of a trip. `orders` are those of the plan whose stores were read,
    /// each with its store.
    pub fn of(orders: &[(Order, Store)], plan: &TripPlan, now: Timestamp) -> TripView {
        let stop = |stop: &TripStop| {
            let (order, _) = orders.iter().find(|(order, _)| order.id == stop.order)?;
            TripStopView::of(order, stop)
        };
        TripView {
            orders: orders
                .iter()
                .map(|(order, store)| CourierOrderView::of(order, store))
                .collect(),
            stops: plan.stops.iter().filter_map(stop).collect(),
            free_at: plan.free_at.to_string(),
            pay: trip_pay(orders, plan, now),
        }
    }
}

/// Returns the pay of a trip. Before the pickup, the first order counts as picked up first.
fn trip_pay(orders: &[(Order, Store)], plan: &TripPlan, now: Timestamp) -> Option<TripPay> {
    let is_started = orders
        .iter()
        .any(|(order, _)| order.status >= OrderStatus::OutForDelivery);
    let lines = orders.iter().enumerate().filter_map(|(at, (order, _))| {
        let expected = if at == 0 && !is_started {
            TripPosition::First
        } else {
            TripPosition::Further
        };
        Some((order, estimate(order, expected)?))
    });
    let minutes = plan.free_at.since(now).as_millis().max(0) / 60_000;
    TripPay::of(
        &lines.collect::<Vec<_>>(),
        u32::try_from(minutes).unwrap_or(u32::MAX),
    )
}

impl TripStopView {
    fn of(order: &Order, stop: &TripStop) -> Option<TripStopView> {
        let (kind, delivery) = match stop.kind {
            StopKind::Pickup => (TripStopType::Pickup, None),
            StopKind::Delivery(id) => (
                TripStopType::Delivery,
                Some(order.deliveries.iter().find(|delivery| delivery.id == id)?),
            ),
            StopKind::Return => (TripStopType::Return, None),
        };
        Some(TripStopView {
            kind,
            order_id: order.id.get(),
            delivery_id: delivery.map(|delivery| delivery.id.get()),
            address: (&delivery
                .map_or(&order.pickup, |delivery| &delivery.place)
                .address)
                .into(),
            latitude: stop.point.latitude(),
            longitude: stop.point.longitude(),
            eta: stop.at.to_string(),
        })
    }
}

impl StoreDispatchView {
    /// Builds the representation of a store's terms.
    pub fn of(store: &Store, config: &Dispatch) -> StoreDispatchView {
        StoreDispatchView {
            lead_minutes: store.dispatch.lead_minutes,
            orders_per_trip: store.dispatch.orders_per_trip,
            effective: EffectiveDispatch {
                lead_minutes: config.lead(store),
                orders_per_trip: store
                    .dispatch
                    .orders_per_trip
                    .unwrap_or(config.orders_per_trip),
            },
        }
    }
}

impl DispatchSettings {
    /// Returns the settings that a draft can change.
    pub fn of(config: &Dispatch) -> DispatchSettings {
        DispatchSettings {
            radius_km: config.radius_km,
            max_position_age_minutes: config.max_position_age_minutes,
            stuck_after_minutes: config.stuck_after_minutes,
            wait_limit_minutes: config.wait_limit_minutes,
            reoffer_after_minutes: config.reoffer_after_minutes,
            horizon_minutes: config.horizon_minutes,
            orders_per_trip: config.orders_per_trip,
            detour_minutes: config.detour_minutes,
            ready_spread_minutes: config.ready_spread_minutes,
            margin_seconds: config.margin_seconds,
        }
    }
}

/// An order with the decision about it.
type Decided = (Order, Decision);

impl DispatchSummary {
    fn of(decided: &[Decided]) -> DispatchSummary {
        let count = |is_counted: fn(&Decided) -> bool| {
            u32::try_from(decided.iter().filter(|one| is_counted(one)).count()).unwrap_or(u32::MAX)
        };
        DispatchSummary {
            orders: count(|_| true),
            assigned: count(|(_, decision)| decision.open.is_none()),
            planned: count(|(_, decision)| decision.assignment.is_some()),
        }
    }
}

impl DispatchComparison {
    /// Maximum number of listed orders.
    pub const MAX_CHANGED: usize = 100;

    /// Compares the decisions of two passes. Two decisions differ in their outcome or their
    /// courier.
    pub fn of(
        settings: DispatchSettings,
        current: &[Decided],
        draft: &[Decided],
        at: Timestamp,
    ) -> DispatchComparison {
        let views = |decided: &[Decided]| -> BTreeMap<u64, DecisionView> {
            let views = decided
                .iter()
                .map(|(order, decision)| DecisionView::of(order.id, Some(decision), at));
            views.map(|view| (view.order_id, view)).collect()
        };
        let (summary, drafted) = (DispatchSummary::of(current), DispatchSummary::of(draft));
        let (mut before, mut after) = (views(current), views(draft));
        let outcome = |view: &DecisionView| (view.outcome, view.courier_id);
        let mut ids: Vec<u64> = current.iter().map(|(order, _)| order.id.get()).collect();
        ids.extend(after.keys().filter(|id| !before.contains_key(id)));
        ids.retain(|id| before.get(id).map(outcome) != after.get(id).map(outcome));
        let changed_orders = u32::try_from(ids.len()).unwrap_or(u32::MAX);
        ids.truncate(DispatchComparison::MAX_CHANGED);
        let change = |order_id| ChangedDecision {
            order_id,
            current: before.remove(&order_id),
            draft: after.remove(&order_id),
        };
        let changed = ids.into_iter().map(change).collect();
        DispatchComparison {
            settings,
            current: summary,
            draft: drafted,
            changed_orders,
            changed,
        }
    }
}

impl CostView {
    fn of(cost: &AssignmentCost) -> CostView {
        let seconds = |hundredths: i64| (hundredths + 50).div_euclid(100);
        CostView {
            lateness: seconds(cost.lateness),
            wait: seconds(cost.wait),
            start: seconds(cost.start),
            travel: seconds(cost.travel),
            length: seconds(cost.length),
            remoteness: seconds(cost.remoteness),
            guarantee: seconds(cost.guarantee),
            reoffer: seconds(cost.reoffer),
            total: seconds(cost.total()),
        }
    }
}

impl ConsideredView {
    fn of(considered: &ConsideredCourier) -> ConsideredView {
        ConsideredView {
            courier_id: considered.courier.get(),
            cost: CostView::of(&considered.cost),
        }
    }
}

impl DecisionView {
    /// Builds the representation of a decision. A `None` is the decision about an order that is not
    /// searching.
    pub fn of(order: OrderId, decision: Option<&Decision>, at: Timestamp) -> DecisionView {
        let (outcome, assignment) = match decision {
            None => ("NOT_SEARCHING", None),
            Some(Decision {
                open: None,
                assignment,
                ..
            }) => ("ASSIGNED", assignment.as_ref()),
            Some(Decision {
                open: Some(reason),
                assignment,
                ..
            }) => {
                let outcome = match reason {
                    OpenReason::CanWait => "CAN_WAIT",
                    OpenReason::CourierBusy => "COURIER_BUSY",
                    OpenReason::OthersFirst => "OTHERS_FIRST",
                    OpenReason::NoCourier => "NO_COURIER",
                };
                (outcome, assignment.as_ref())
            }
        };
        DecisionView {
            order_id: order.get(),
            at: at.to_string(),
            outcome,
            courier_id: assignment.map(|planned| planned.courier.get()),
            orders: assignment.map_or(0, |planned| planned.orders),
            cost: assignment.map(|planned| CostView::of(&planned.cost)),
            considered: decision
                .map(|decision| decision.considered.iter().map(ConsideredView::of).collect())
                .unwrap_or_default(),
            excluded: decision
                .map(|decision| decision.excluded.iter().map(ExcludedView::of).collect())
                .unwrap_or_default(),
        }
    }

    /// Builds the representation of a stored assignment.
    pub fn stored(order: &Order) -> Vec<DecisionView> {
        let view = |stored: &crate::model::order::Assignment| DecisionView {
            order_id: order.id.get(),
            at: stored.at.to_string(),
            outcome: "ASSIGNED",
            courier_id: Some(stored.courier.get()),
            orders: stored.orders,
            cost: Some(CostView::of(&stored.cost)),
            considered: stored.considered.iter().map(ConsideredView::of).collect(),
            excluded: Vec::new(),
        };
        order.assignments.iter().map(view).collect()
    }
}
