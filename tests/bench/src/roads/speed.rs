//! Times and memory of an extract and of its road file, in one run.

use std::path::Path;
use std::time::Instant;

use despacho_bench::BoxError;
use despacho_core::model::Point;
use despacho_roads::{Roads, testing::Rng};

/// The repetitions of each load. Those of an extract end after a minute.
const LOADS: usize = 5;
/// The median distance of near points from the first one, as in the service area of a store.
const NEAR_M: f64 = 4_000.0;

/// Returns the times of loading and of matrices, the minimum and median in milliseconds, and the
/// highest memory of each load.
pub(super) fn measure(extract: &Path) -> Result<String, BoxError> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("region.roads");
    let (of_extract, roads) = load(extract)?;
    let saving = Clock::now();
    roads.save(&file)?;
    let saving = min_and_median(vec![saving.elapsed()]);
    drop(roads);
    let (of_file, roads) = load(&file)?;
    let bytes = [extract, &file].map(|path| std::fs::metadata(path).map_or(0, |found| found.len()));
    let size = roads.size();
    let [one, fifty] = [(2, 300), (50, 15)].map(|(count, repetitions)| {
        let [far, near] =
            [false, true].map(|are_near| matrices(&roads, count, are_near, repetitions));
        format!("{far}\n  near each other: {near}")
    });
    Ok(format!(
        "{} nodes, {} edges, {} turns, {} MB of memory\n\
         extract of {} MB: {of_extract}\nroad file of {} MB: {of_file}; written once in {saving}\n1 x 1 and back: {one}\n50 x 50: {fifty}",
        size.nodes,
        size.edges,
        size.turns,
        size.bytes.div_ceil(1_000_000),
        bytes[0].div_ceil(1_000_000),
        bytes[1].div_ceil(1_000_000)
    ))
}

/// Loads a file several times. Returns the times and the highest memory as text.
fn load(file: &Path) -> Result<(String, Roads), BoxError> {
    // After this, Linux counts only the highest memory that follows.
    std::fs::write("/proc/self/clear_refs", "5")?;
    let before = memory_mb("VmRSS:")?;
    let (mut times, started) = (Vec::new(), Instant::now());
    loop {
        let start = Clock::now();
        let roads = Roads::load(file)?;
        times.push(start.elapsed());
        if times.len() == LOADS || started.elapsed().as_secs() >= 60 {
            let peak = memory_mb("VmHWM:")? - before;
            return Ok((
                format!("{}, at most {peak:.0} MB of memory", min_and_median(times)),
                roads,
            ));
        }
    }
}

/// Returns the times of matrices between all pairs of random points near roads, anywhere or near
/// the first one.
fn matrices(roads: &Roads, count: usize, are_near: bool, repetitions: u64) -> String {
    let (mut times, mut missing) = (Vec::new(), 0);
    for seed in 0..repetitions {
        let (mut rng, mut points) = (Rng::new(seed), Vec::<Point>::new());
        while points.len() < count {
            let point = match points.first() {
                Some(first) if are_near => rng.moved(*first, NEAR_M),
                _ => rng.point(roads.area()),
            };
            points.extend(point.filter(|point| roads.has_road_near(*point)));
        }
        let start = Clock::now();
        let legs = roads.matrix(&points);
        times.push(start.elapsed());
        missing += (0..count * count)
            .filter(|cell| legs.leg(cell / count, cell % count).is_none())
            .count();
    }
    format!("{}; {missing} legs missing", min_and_median(times))
}

/// Returns a figure of this process in megabytes, from /proc.
fn memory_mb(name: &str) -> Result<f64, BoxError> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix(name))
        .ok_or("no such figure in /proc/self/status")?;
    let kib: f64 = line
        .split_whitespace()
        .next()
        .ok_or("no number in /proc/self/status")?
        .parse()?;
    Ok(kib * 1_024.0 / 1e6)
}

/// A clock of wall time and, if available, of the thread's CPU time. They differ on a busy machine.
struct Clock {
    wall: Instant,
    cpu_ms: Option<f64>,
}

impl Clock {
    fn now() -> Clock {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
        let nanoseconds = text
            .split(' ')
            .next()
            .and_then(|number| number.parse::<f64>().ok());
        Clock {
            wall: Instant::now(),
            cpu_ms: nanoseconds.map(|number| number / 1e6),
        }
    }

    /// Returns the elapsed wall and CPU time in milliseconds.
    fn elapsed(&self) -> (f64, f64) {
        let wall = self.wall.elapsed().as_secs_f64() * 1_000.0;
        (
            wall,
            Clock::now()
                .cpu_ms
                .zip(self.cpu_ms)
                .map_or(wall, |(now, then)| now - then),
        )
    }
}

fn min_and_median(times: Vec<(f64, f64)>) -> String {
    let (mut wall, mut cpu): (Vec<f64>, Vec<f64>) = times.into_iter().unzip();
    let text = |times: &mut Vec<f64>| {
        times.sort_by(f64::total_cmp);
        let [min, median] =
            [0, times.len() / 2].map(|index| times.get(index).copied().unwrap_or(f64::NAN));
        format!("min {min:.2} ms, median {median:.2} ms")
    };
    format!("{} (wall: {})", text(&mut cpu), text(&mut wall))
}
