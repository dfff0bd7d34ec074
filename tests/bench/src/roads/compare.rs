//! How far models of a leg are from OSRM on the same extract.

use std::fmt;
use std::time::Instant;

use despacho_core::{geo, model::Point};
use despacho_roads::{RoadLeg, Roads, SNAP_LIMIT_M};

use super::osrm;
use despacho_roads::testing::Rng;

/// Sources, and as many targets, of one question to OSRM: 100 pairs.
const SIDE: usize = 10;

/// Nearer points than this are left out, in great-circle metres: an error of their leg is mostly that of walking to a road.
const NEAREST_M: u32 = 300;

/// Errors of one model against OSRM.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Errors {
    /// What the model is.
    pub(super) model: String,
    /// Relative errors of the metres without sign, ascending.
    pub(super) metres: Vec<f64>,
    /// Mean of the errors with their sign.
    pub(super) bias: f64,
}

impl Errors {
    fn new(model: &str, signed: &[f64]) -> Errors {
        let mut metres: Vec<f64> = signed.iter().map(|error| error.abs()).collect();
        metres.sort_by(f64::total_cmp);
        let bias = signed.iter().sum::<f64>() / f64::from(u32::try_from(signed.len().max(1)).unwrap_or(u32::MAX));
        Errors { model: model.to_owned(), metres, bias }
    }

    /// The error that a share of all pairs does not exceed.
    #[must_use]
    pub(super) fn quantile(&self, thousandths: usize) -> f64 {
        let index = (self.metres.len() * thousandths / 1_000).min(self.metres.len().saturating_sub(1));
        self.metres.get(index).copied().unwrap_or(f64::NAN)
    }
}

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |share: f64| format!("{:.1} %", share * 100.0);
        let [median, p95, bias] = [self.quantile(500), self.quantile(950), self.bias].map(percent);
        write!(f, "| {} | {} | {median} | {p95} | {bias} |", self.model, self.metres.len())
    }
}

/// One pair, with what each side says of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    /// Where the leg begins.
    pub(super) from: Point,
    /// Where it ends.
    pub(super) to: Point,
    /// OSRM's metres.
    pub(super) metres: f64,
    /// OSRM's seconds.
    pub(super) seconds: f64,
    /// The leg found in process.
    pub(super) own: Option<RoadLeg>,
}

/// Draws pairs in the extract's area until there are enough that OSRM has a leg for and puts on a road within the limit.
///
/// # Errors
/// OSRM does not answer.
pub(super) fn pairs(url: &str, roads: &Roads, count: usize, seed: u64) -> Result<Vec<Pair>, String> {
    let mut rng = Rng::new(seed);
    let mut found = Vec::with_capacity(count);
    for _ in 0..count {
        let points: Vec<Point> = (0..SIDE * 2).filter_map(|_| rng.point(roads.area())).collect();
        let (table, own) = (osrm::table(url, &points, SIDE)?, roads.matrix(&points));
        for (row, column) in (0..SIDE).flat_map(|row| (0..SIDE).map(move |column| (row, column))) {
            let (from, to) = (points[row], points[SIDE + column]);
            let moved = table.moved[row].max(table.moved[SIDE + column]);
            let far = geo::great_circle_m(from, to) >= NEAREST_M && moved <= SNAP_LIMIT_M;
            let leg = table.metres[row][column].zip(table.seconds[row][column]).filter(|leg| far && leg.0 > 0.0);
            let own = own.leg(row, SIDE + column);
            found.extend(leg.map(|(metres, seconds)| Pair { from, to, metres, seconds, own }));
        }
        if found.len() >= count {
            break;
        }
    }
    found.truncate(count);
    Ok(found)
}

/// The errors of every model over the same pairs.
#[must_use]
pub(super) fn errors(roads: &Roads, pairs: &[Pair], seed: u64) -> Vec<Errors> {
    let of = |model: &str, metres: &mut dyn FnMut(&Pair) -> Option<f64>| {
        let signed: Vec<f64> =
            pairs.iter().filter_map(|pair| Some((metres(pair)? - pair.metres) / pair.metres)).collect();
        Errors::new(model, &signed)
    };
    let whole = |metres: u32| f64::from(metres);
    let seconds: Vec<f64> = pairs
        .iter()
        .filter_map(|pair| Some((f64::from(pair.own?.ms) / 1_000.0 - pair.seconds) / pair.seconds))
        .collect();
    let mut list = vec![
        of("roads in process", &mut |pair| Some(whole(pair.own?.metres))),
        Errors::new("roads in process, seconds", &seconds),
        of("detour model", &mut |pair| Some(whole(geo::leg(pair.from, pair.to).metres))),
    ];
    for (level, median_m) in [("CEP", 90.0), ("CEP5", 320.0)] {
        for on_roads in [true, false] {
            let mut rng = Rng::new(seed);
            let name = if on_roads { "roads in process" } else { "detour model" };
            list.push(of(
                &format!("{name}, places known by {level} (moved by {median_m} m in the median)"),
                &mut |pair| {
                    let (from, to) = (rng.moved(pair.from, median_m)?, rng.moved(pair.to, median_m)?);
                    if on_roads {
                        Some(whole(roads.matrix(&[from, to]).leg(0, 1)?.metres))
                    } else {
                        Some(whole(geo::leg(from, to).metres))
                    }
                },
            ));
        }
    }
    list
}

/// Times of loading and of a 50 × 50 matrix, the best and the median of several, in milliseconds.
///
/// # Errors
/// The extract cannot be loaded.
pub(super) fn speed(path: &std::path::Path) -> Result<String, String> {
    let mut loading = Vec::new();
    let mut roads = None;
    for _ in 0..5 {
        let start = Clock::now();
        roads = Some(Roads::load(path).map_err(|error| error.to_string())?);
        loading.push(start.elapsed());
    }
    let Some(roads) = roads else { return Err("nothing was loaded".to_owned()) };
    let mut matrices = Vec::new();
    let mut missing = 0;
    for seed in 0..15 {
        let mut rng = Rng::new(seed);
        let mut points = Vec::new();
        while points.len() < 50 {
            points.extend(rng.point(roads.area()).filter(|point| roads.matrix(&[*point]).is_snapped(0)));
        }
        let start = Clock::now();
        let legs = roads.matrix(&points);
        matrices.push(start.elapsed());
        missing += (0..2_500).filter(|cell| legs.leg(cell / 50, cell % 50).is_none()).count();
    }
    let (load, matrix, size) = (best_and_median(loading), best_and_median(matrices), roads.size());
    let (lanes, turns, kib) = (size.edges, size.turns, size.bytes / 1_024);
    Ok(format!("{lanes} lanes, {turns} turns, {kib} KiB\nloading: {load}\n50 x 50: {matrix}; {missing} legs missing"))
}

/// The time on the wall, and where the system tells it the time that this thread was running: on a busy machine the two differ.
struct Clock {
    wall: Instant,
    running_ms: Option<f64>,
}

impl Clock {
    fn now() -> Clock {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
        let nanoseconds = text.split(' ').next().and_then(|number| number.parse::<f64>().ok());
        Clock { wall: Instant::now(), running_ms: nanoseconds.map(|number| number / 1e6) }
    }

    /// Milliseconds since then: on the wall, and running.
    fn elapsed(&self) -> (f64, f64) {
        let wall = self.wall.elapsed().as_secs_f64() * 1_000.0;
        (wall, Clock::now().running_ms.zip(self.running_ms).map_or(wall, |(now, then)| now - then))
    }
}

fn best_and_median(times: Vec<(f64, f64)>) -> String {
    let (mut wall, mut running): (Vec<f64>, Vec<f64>) = times.into_iter().unzip();
    let text = |times: &mut Vec<f64>| {
        times.sort_by(f64::total_cmp);
        let [best, median] = [0, times.len() / 2].map(|index| times.get(index).copied().unwrap_or(f64::NAN));
        format!("best {best:.1} ms, median {median:.1} ms")
    };
    format!("{} (on the wall: {})", text(&mut running), text(&mut wall))
}
