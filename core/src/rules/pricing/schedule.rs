//! The times of an order: as early as possible, for a requested time, or within windows.

use super::{
    Tariff,
    request::{PlanError, Request},
};
use crate::model::{Duration, Leg, Timestamp};

/// The expected times of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// The time at which the goods must be ready.
    pub ready: Timestamp,
    /// Expected time of the pickup: when the goods are ready, plus the courier's approach.
    pub pickup: Timestamp,
    /// Expected time of the last delivery, including the handover.
    pub delivery: Timestamp,
}

/// Returns the times of a route. Without a requested time they are the earliest that reach every
/// window. A courier does not wait at a door, so the windows delay the pickup.
pub(super) fn times(
    tariff: &Tariff,
    request: &Request<'_>,
    order: &[usize],
    legs: &[Leg],
) -> Result<Times, PlanError> {
    // A courier cannot set out for the pickup before the search starts.
    let approach = Duration::minutes(
        tariff
            .approach_minutes
            .saturating_sub(request.lead_minutes)
            .into(),
    );
    let handover = Duration::minutes(tariff.handover_minutes.into());
    let ready = request
        .now
        .after(Duration::minutes(request.preparation_minutes.into()));
    let earliest = ready.after(approach);
    // The arrivals after a pickup at the earliest time.
    let mut next = earliest;
    let mut arrivals = Vec::with_capacity(legs.len());
    for leg in legs {
        arrivals.push(next.after(Duration::seconds(leg.seconds.into())));
        next = arrivals.last().map_or(next, |at| at.after(handover));
    }
    let windows = || {
        order
            .iter()
            .zip(&arrivals)
            .filter_map(|(stop, at)| Some((*stop, *at, request.stops.get(*stop)?.window?)))
    };
    let shift = match (request.deliver_at, arrivals.last()) {
        (Some(at), Some(last)) if at < *last => return Err(PlanError::TooSoon { earliest: *last }),
        (Some(at), Some(last)) => at.since(*last),
        _ => windows()
            .map(|(_, at, window)| window.from.since(at))
            .max()
            .unwrap_or_default(),
    };
    let shifted = windows().map(|(stop, at, window)| (stop, at.after(shift), window));
    let missed = shifted
        .filter(|(_, at, window)| !window.contains(*at))
        .map(|(stop, at, _)| (stop, at));
    let missed: Vec<_> = missed.collect();
    if !missed.is_empty() {
        return Err(PlanError::WindowUnreachable { stops: missed });
    }
    Ok(Times {
        ready: ready.after(shift),
        pickup: earliest.after(shift),
        delivery: next.after(shift),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        geo,
        model::{Located, Point, Precision, Zone, order::DeliveryWindow},
        rules::pricing::Stop,
    };

    fn after(minutes: i64) -> Timestamp {
        Timestamp::from_millis(1_795_262_400_000).after(Duration::minutes(minutes))
    }

    /// Returns the times of a route whose legs take ten minutes. The approach takes 5 minutes and a
    /// handover 3.
    fn planned(
        deliver_at: Option<i64>,
        windows: &[Option<(i64, i64)>],
    ) -> Result<Times, PlanError> {
        let point = Point::from_degrees(-23.55, -46.65).unwrap();
        let located = Located {
            point,
            precision: Precision::Coordinates,
            radius_m: 0,
        };
        let window = |(from, until): (i64, i64)| DeliveryWindow {
            from: after(from),
            until: after(until),
        };
        let stop = |sent: &Option<(i64, i64)>| Stop {
            located,
            returns: false,
            pin: None,
            window: sent.map(window),
        };
        let stops: Vec<_> = windows.iter().map(stop).collect();
        let order: Vec<usize> = (0..stops.len()).collect();
        let legs = vec![
            Leg {
                metres: 4_000,
                seconds: 600
            };
            stops.len()
        ];
        let request = Request {
            pickup: located,
            stops: &stops,
            matrix: &geo::matrix(&[located]),
            best_route: false,
            preparation_minutes: 20,
            lead_minutes: 0,
            deliver_at: deliver_at.map(after),
            now: after(0),
            zone: Zone::Brasilia,
            vehicle: None,
            estimates: crate::model::price::EstimatePolicy::Accept,
        };
        let tariff = Tariff {
            approach_minutes: 5,
            handover_minutes: 3,
            ..Tariff::default()
        };
        times(&tariff, &request, &order, &legs)
    }

    fn expected(ready: i64, stops: i64) -> Result<Times, PlanError> {
        Ok(Times {
            ready: after(ready),
            pickup: after(ready + 5),
            delivery: after(ready + 5 + stops * 13),
        })
    }

    #[test]
    fn order_without_time_is_planned_as_early_as_possible() {
        assert_eq!(planned(None, &[None, None]), expected(20, 2));
    }

    #[test]
    fn requested_time_is_the_arrival_at_the_last_stop() {
        // The arrival is 28 minutes after the ready time: 5 + 10 + 3 + 10.
        assert_eq!(planned(Some(200), &[None, None]), expected(172, 2));
        assert_eq!(planned(Some(48), &[None, None]), expected(20, 2));
        assert_eq!(
            planned(Some(47), &[None, None]),
            Err(PlanError::TooSoon {
                earliest: after(48)
            })
        );
    }

    #[test]
    fn windows_delay_the_pickup_as_little_as_possible() {
        // Without windows the arrivals are 35 and 48 minutes from now.
        assert_eq!(
            planned(None, &[Some((30, 35)), Some((0, 48))]),
            expected(20, 2)
        );
        assert_eq!(planned(None, &[None, Some((60, 90))]), expected(32, 2));
        assert_eq!(
            planned(None, &[Some((60, 90)), Some((60, 73))]),
            expected(45, 2)
        );
    }

    #[test]
    fn unreachable_windows_are_reported_with_the_arrivals() {
        let missed = |stops: &[(usize, i64)]| {
            let stops = stops.iter().map(|(stop, at)| (*stop, after(*at))).collect();
            Err(PlanError::WindowUnreachable { stops })
        };
        assert_eq!(planned(None, &[Some((0, 34)), None]), missed(&[(0, 35)]));
        assert_eq!(
            planned(None, &[Some((60, 90)), Some((60, 72))]),
            missed(&[(1, 73)])
        );
        assert_eq!(
            planned(Some(200), &[Some((188, 250)), Some((201, 250))]),
            missed(&[(0, 187), (1, 200)])
        );
    }
}
