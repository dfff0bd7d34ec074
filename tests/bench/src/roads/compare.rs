//! Compares models of a leg with OSRM on the same extract.

use std::fmt;

use despacho_core::{geo, model::Point};
use despacho_roads::{RoadLeg, Roads, SNAP_LIMIT_M};

use super::osrm;
use despacho_roads::testing::Rng;

/// The number of sources, and of targets, of one OSRM request: 100 pairs.
const TABLE_SIDE: usize = 10;

/// The minimum great-circle distance of a pair in metres. In shorter legs, most of the error comes
/// from snapping.
const MIN_DISTANCE_M: u32 = 300;

/// The errors of one model compared with OSRM.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Errors {
    /// The name of the model.
    pub(super) model: String,
    /// The absolute relative errors of the distance, ascending.
    pub(super) metres: Vec<f64>,
    /// The mean of the signed errors.
    pub(super) bias: f64,
}

impl Errors {
    fn new(model: &str, signed: &[f64]) -> Errors {
        let mut metres: Vec<f64> = signed.iter().map(|error| error.abs()).collect();
        metres.sort_by(f64::total_cmp);
        let bias = signed.iter().sum::<f64>()
            / f64::from(u32::try_from(signed.len().max(1)).unwrap_or(u32::MAX));
        Errors {
            model: model.to_owned(),
            metres,
            bias,
        }
    }

    /// Returns the quantile of the errors, in thousandths.
    #[must_use]
    pub(super) fn quantile(&self, thousandths: usize) -> f64 {
        let index =
            (self.metres.len() * thousandths / 1_000).min(self.metres.len().saturating_sub(1));
        self.metres.get(index).copied().unwrap_or(f64::NAN)
    }
}

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |fraction: f64| format!("{:.1} %", fraction * 100.0);
        let [median, p95, bias] = [self.quantile(500), self.quantile(950), self.bias].map(percent);
        write!(
            f,
            "| {} | {} | {median} | {p95} | {bias} |",
            self.model,
            self.metres.len()
        )
    }
}

/// A pair of points with the result of each side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    /// The start of the leg.
    pub(super) from: Point,
    /// The end of the leg.
    pub(super) to: Point,
    /// OSRM's distance in metres.
    pub(super) metres: f64,
    /// OSRM's duration in seconds.
    pub(super) seconds: f64,
    /// The leg computed in process.
    pub(super) own: Option<RoadLeg>,
}

/// Returns random pairs in the extract's area for which OSRM has a leg and snaps both points within
/// the limit.
///
/// # Errors
///
/// Returns an error if OSRM is unavailable.
pub(super) fn pairs(
    url: &str,
    roads: &Roads,
    count: usize,
    seed: u64,
) -> Result<Vec<Pair>, String> {
    let mut rng = Rng::new(seed);
    let mut found = Vec::with_capacity(count);
    for _ in 0..count {
        let points: Vec<Point> = (0..TABLE_SIDE * 2)
            .filter_map(|_| rng.point(roads.area()))
            .collect();
        let (table, own) = (
            osrm::table(url, &points, TABLE_SIDE)?,
            roads.matrix(&points),
        );
        for (row, column) in
            (0..TABLE_SIDE).flat_map(|row| (0..TABLE_SIDE).map(move |column| (row, column)))
        {
            let (from, to) = (points[row], points[TABLE_SIDE + column]);
            let snap_distance =
                table.snap_distances[row].max(table.snap_distances[TABLE_SIDE + column]);
            let far =
                geo::great_circle_m(from, to) >= MIN_DISTANCE_M && snap_distance <= SNAP_LIMIT_M;
            let leg = table.metres[row][column]
                .zip(table.seconds[row][column])
                .filter(|leg| far && leg.0 > 0.0);
            let own = own.leg(row, TABLE_SIDE + column);
            found.extend(leg.map(|(metres, seconds)| Pair {
                from,
                to,
                metres,
                seconds,
                own,
            }));
        }
        if found.len() >= count {
            break;
        }
    }
    found.truncate(count);
    Ok(found)
}

/// Returns the errors of every model over the same pairs.
#[must_use]
pub(super) fn errors(roads: &Roads, pairs: &[Pair], seed: u64) -> Vec<Errors> {
    let errors_of = |model: &str, metres: &mut dyn FnMut(&Pair) -> Option<f64>| {
        let signed: Vec<f64> = pairs
            .iter()
            .filter_map(|pair| Some((metres(pair)? - pair.metres) / pair.metres))
            .collect();
        Errors::new(model, &signed)
    };
    let float = |metres: u32| f64::from(metres);
    let seconds: Vec<f64> = pairs
        .iter()
        .filter_map(|pair| Some((f64::from(pair.own?.ms) / 1_000.0 - pair.seconds) / pair.seconds))
        .collect();
    let mut list = vec![
        errors_of("roads in process", &mut |pair| {
            Some(float(pair.own?.metres))
        }),
        Errors::new("roads in process, seconds", &seconds),
        errors_of("detour model", &mut |pair| {
            Some(float(geo::leg(pair.from, pair.to).metres))
        }),
    ];
    for (level, median_m) in [("CEP", 90.0), ("CEP5", 320.0)] {
        for on_roads in [true, false] {
            let mut rng = Rng::new(seed);
            let name = if on_roads {
                "roads in process"
            } else {
                "detour model"
            };
            list.push(errors_of(
                &format!("{name}, locations by {level} (median displacement {median_m} m)"),
                &mut |pair| {
                    let (from, to) = (
                        rng.moved(pair.from, median_m)?,
                        rng.moved(pair.to, median_m)?,
                    );
                    if on_roads {
                        Some(float(roads.matrix(&[from, to]).leg(0, 1)?.metres))
                    } else {
                        Some(float(geo::leg(from, to).metres))
                    }
                },
            ));
        }
    }
    list
}
