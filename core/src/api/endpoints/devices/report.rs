//! The position in the report of a device.

use crate::{
    api::{call::Call, problem::Problem, reports::Report, validate},
    geo::Gazetteer,
    host::Host,
    model::courier::Position,
    rules::couriers,
    wire::{ReportResult, SkipReason},
};

/// The result of a report, and the position to store.
pub(super) struct Reported {
    pub result: ReportResult,
    pub position: Option<Position>,
}

/// Decides on the report of a device.
pub(super) fn decide<H: Host>(call: &Call<'_, H>, sent: &Report<'_>) -> Result<Reported, Problem> {
    let now = call.context.now;
    let sent = validate::device_position(sent, Gazetteer::embedded(), now)?;
    let mut result = ReportResult {
        stored: false,
        reason: sent.and_then(|sent| sent.skip),
    };
    let mut position = None;
    if let Some(sent) = sent.filter(|sent| sent.skip.is_none()) {
        let courier = call.courier()?;
        position =
            couriers::record_position(courier, sent.point, sent.taken, now, call.settings).stored;
        result.stored = position.is_some();
        let is_older = courier.position_at.is_some_and(|last| sent.taken <= last);
        let reason = if is_older {
            SkipReason::Older
        } else {
            SkipReason::TooSoon
        };
        result.reason = position.is_none().then_some(reason);
    }
    Ok(Reported { result, position })
}
