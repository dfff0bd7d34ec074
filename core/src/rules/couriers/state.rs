//! What a courier does now, with one meaning for dispatch, health and the operator's pages.

use crate::{
    model::{Timestamp, courier::Courier},
    rules::{matching::Dispatch, trips::CurrentStep},
};

/// The state of a courier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CourierState {
    /// Without a trip, and dispatch can assign orders now.
    Available,
    /// On a trip that makes progress.
    OnTrip,
    /// On a trip whose next step is overdue by more than the limit.
    Stuck,
    /// On duty or on a trip, without a report or a step for longer than dispatch accepts.
    Unresponsive,
    /// Not on duty.
    Off,
    /// Suspended by the operator, without a trip.
    Suspended,
    /// Removed by the operator.
    Removed,
}

/// A courier's state, and what the courier's trip waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CourierStatus {
    /// The state.
    pub state: CourierState,
    /// The step that the trip waits for. `None` without a trip.
    pub step: Option<CurrentStep>,
}

impl CourierStatus {
    /// Returns the status of a courier whose trip waits for this step.
    pub fn of(
        courier: &Courier,
        step: Option<CurrentStep>,
        config: &Dispatch,
        now: Timestamp,
    ) -> CourierStatus {
        CourierStatus {
            state: CourierState::of(courier, step.as_ref(), config, now),
            step,
        }
    }
}

impl CourierState {
    /// Returns a courier's state. `step` is the step that the courier's trip waits for.
    pub fn of(
        courier: &Courier,
        step: Option<&CurrentStep>,
        config: &Dispatch,
        now: Timestamp,
    ) -> CourierState {
        if courier.removed_at.is_some() {
            return CourierState::Removed;
        }
        if courier.trip.is_empty() && courier.suspended_at.is_some() {
            return CourierState::Suspended;
        }
        if courier.trip.is_empty() && !courier.is_on_duty(now) {
            return CourierState::Off;
        }
        let reported = courier
            .position_at
            .into_iter()
            .chain(step.map(|step| step.reported_at))
            .max();
        let is_silent = reported.is_none_or(|at| at < now.before(config.seen()));
        match (is_silent, step) {
            (true, _) => CourierState::Unresponsive,
            (false, Some(step)) if step.is_stuck(config) => CourierState::Stuck,
            (false, _) if courier.trip.is_empty() => CourierState::Available,
            (false, _) => CourierState::OnTrip,
        }
    }

    /// Returns the name in responses.
    pub fn name(self) -> &'static str {
        match self {
            CourierState::Available => "AVAILABLE",
            CourierState::OnTrip => "ON_TRIP",
            CourierState::Stuck => "STUCK",
            CourierState::Unresponsive => "UNRESPONSIVE",
            CourierState::Off => "OFF",
            CourierState::Suspended => "SUSPENDED",
            CourierState::Removed => "REMOVED",
        }
    }
}
