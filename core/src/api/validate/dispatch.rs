//! Terms and settings of dispatch.

use super::checker::{Checker, Path};
use crate::{
    api::{
        problem::{Problem, ProblemCode},
        read::Body,
    },
    model::store::StoreDispatch,
    rules::matching::Dispatch,
    wire::{SetDispatch, SetStoreDispatch},
};

/// Validates the dispatch terms of a store.
///
/// # Errors
/// The lead time, then the trip limit, if it is out of range.
pub fn store_dispatch(body: Body<SetStoreDispatch>) -> Result<StoreDispatch, Problem> {
    let Body { value: sent, wrong } = body;
    let ranges = [
        (
            "leadMinutes",
            sent.lead_minutes,
            Dispatch::LEAD_MINUTES,
            ProblemCode::LeadOutOfRange,
        ),
        (
            "ordersPerTrip",
            sent.orders_per_trip,
            Dispatch::ORDERS_PER_TRIP,
            ProblemCode::TripLimitOutOfRange,
        ),
    ];
    let mut checker = Checker::new(wrong);
    let mut first = None;
    let mut terms = [None; 2];
    for (term, (name, value, bounds, code)) in terms.iter_mut().zip(ranges) {
        *term = checker.integer(&Path::Root.member(name), value, bounds);
        if value.is_some() && term.is_none() {
            first.get_or_insert(code);
        }
    }
    let [lead_minutes, orders_per_trip] = terms;
    let finished = checker.finish(Some(StoreDispatch {
        lead_minutes,
        orders_per_trip,
    }));
    finished.map_err(|problem| {
        match first.filter(|_| problem.code == ProblemCode::ValidationFailed) {
            Some(code) => Problem { code, ..problem },
            None => problem,
        }
    })
}

/// Validates a draft of the dispatch settings. Absent values are those of `current`.
///
/// # Errors
/// Every invalid field.
pub fn dispatch_draft(body: Body<SetDispatch>, current: &Dispatch) -> Result<Dispatch, Problem> {
    let Body { value: sent, wrong } = body;
    let mut checker = Checker::new(wrong);
    let mut draft = current.clone();
    let mut set = |name, value, bounds, target: &mut u32| {
        if let Some(value) = checker.integer(&Path::Root.member(name), value, bounds) {
            *target = value;
        }
    };
    set(
        "radiusKm",
        sent.radius_km,
        Dispatch::RADIUS_KM,
        &mut draft.radius_km,
    );
    set(
        "maxPositionAgeMinutes",
        sent.max_position_age_minutes,
        Dispatch::POSITION_AGE_MINUTES,
        &mut draft.max_position_age_minutes,
    );
    set(
        "stuckAfterMinutes",
        sent.stuck_after_minutes,
        Dispatch::STUCK_AFTER_MINUTES,
        &mut draft.stuck_after_minutes,
    );
    set(
        "waitLimitMinutes",
        sent.wait_limit_minutes,
        Dispatch::WAIT_LIMIT_MINUTES,
        &mut draft.wait_limit_minutes,
    );
    set(
        "reofferAfterMinutes",
        sent.reoffer_after_minutes,
        Dispatch::REOFFER_AFTER_MINUTES,
        &mut draft.reoffer_after_minutes,
    );
    set(
        "horizonMinutes",
        sent.horizon_minutes,
        Dispatch::HORIZON_MINUTES,
        &mut draft.horizon_minutes,
    );
    set(
        "ordersPerTrip",
        sent.orders_per_trip,
        Dispatch::ORDERS_PER_TRIP,
        &mut draft.orders_per_trip,
    );
    set(
        "detourMinutes",
        sent.detour_minutes,
        Dispatch::DETOUR_MINUTES,
        &mut draft.detour_minutes,
    );
    set(
        "readySpreadMinutes",
        sent.ready_spread_minutes,
        Dispatch::READY_SPREAD_MINUTES,
        &mut draft.ready_spread_minutes,
    );
    set(
        "marginSeconds",
        sent.margin_seconds,
        Dispatch::MARGIN_SECONDS,
        &mut draft.margin_seconds,
    );
    checker.finish(Some(draft))
}
