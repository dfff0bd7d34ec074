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
            0,
            Dispatch::MAX_LEAD_MINUTES,
            ProblemCode::LeadOutOfRange,
        ),
        (
            "ordersPerTrip",
            sent.orders_per_trip,
            1,
            Dispatch::MAX_ORDERS_PER_TRIP,
            ProblemCode::TripLimitOutOfRange,
        ),
    ];
    let mut checker = Checker::new(wrong);
    let mut first = None;
    let mut terms = [None; 2];
    for (term, (name, value, min, max, code)) in terms.iter_mut().zip(ranges) {
        *term = checker.integer(&Path::Root.member(name), value, min, max);
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
    for (name, value, (min, max), target) in [
        (
            "radiusKm",
            sent.radius_km,
            (1, Dispatch::MAX_RADIUS_KM),
            &mut draft.radius_km,
        ),
        (
            "maxPositionAgeMinutes",
            sent.max_position_age_minutes,
            (1, 60),
            &mut draft.max_position_age_minutes,
        ),
        (
            "stuckAfterMinutes",
            sent.stuck_after_minutes,
            (1, 120),
            &mut draft.stuck_after_minutes,
        ),
        (
            "waitLimitMinutes",
            sent.wait_limit_minutes,
            (1, 60),
            &mut draft.wait_limit_minutes,
        ),
        (
            "reofferAfterMinutes",
            sent.reoffer_after_minutes,
            (0, 60),
            &mut draft.reoffer_after_minutes,
        ),
        (
            "horizonMinutes",
            sent.horizon_minutes,
            (0, 120),
            &mut draft.horizon_minutes,
        ),
        (
            "ordersPerTrip",
            sent.orders_per_trip,
            (1, Dispatch::MAX_ORDERS_PER_TRIP),
            &mut draft.orders_per_trip,
        ),
        (
            "detourMinutes",
            sent.detour_minutes,
            (0, 120),
            &mut draft.detour_minutes,
        ),
        (
            "readySpreadMinutes",
            sent.ready_spread_minutes,
            (0, 120),
            &mut draft.ready_spread_minutes,
        ),
        (
            "marginSeconds",
            sent.margin_seconds,
            (0, 1_800),
            &mut draft.margin_seconds,
        ),
    ] {
        *target = checker
            .integer(&Path::Root.member(name), value, min, max)
            .unwrap_or(*target);
    }
    checker.finish(Some(draft))
}
