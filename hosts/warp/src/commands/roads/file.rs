//! Road files of one's own extracts.

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

use despacho_core::model::Point;
use despacho_roads::Roads;

use super::CommandError;
use crate::{geo::region::SUFFIX, server::print};

/// Builds the road file of an extract, and prints its contents.
pub(super) fn build(extract: &Path, output: Option<PathBuf>) -> Result<(), CommandError> {
    let output = output.unwrap_or_else(|| default_output(extract));
    if output == extract {
        return Err(CommandError::Usage(format!("--output {} is the extract itself", extract.display())));
    }
    let started = Instant::now();
    let roads = load(extract)?;
    roads.save(&output).map_err(|error| CommandError::Failed(format!("{}: {error}", output.display())))?;
    let seconds = started.elapsed().as_secs_f64();
    Ok(print(&format!("{}: built in {seconds:.1} s\n{}", output.display(), contents(&roads)))?)
}

/// Verifies a file and prints its contents.
pub(super) fn info(file: &Path) -> Result<(), CommandError> {
    let started = Instant::now();
    let roads = load(file)?;
    let seconds = started.elapsed().as_secs_f64();
    Ok(print(&format!("{}: loaded in {seconds:.1} s\n{}", file.display(), contents(&roads)))?)
}

fn load(file: &Path) -> Result<Roads, CommandError> {
    Roads::load(file).map_err(|error| CommandError::Failed(format!("{}: {error}", file.display())))
}

fn contents(roads: &Roads) -> String {
    let ((low, high), size) = (roads.area(), roads.size());
    let degrees = |point: Point| format!("{:.4},{:.4}", point.latitude(), point.longitude());
    format!(
        "box {},{}\n{} nodes, {} directed edges, {} turns, {} MB of memory",
        degrees(low),
        degrees(high),
        size.nodes,
        size.edges,
        size.turns,
        size.bytes.div_ceil(1_000_000)
    )
}

/// Returns `sudeste.roads` for `sudeste.osm.pbf`.
fn default_output(extract: &Path) -> PathBuf {
    let name = extract.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.strip_suffix(".osm.pbf").or_else(|| name.strip_suffix(".pbf")).unwrap_or(&name);
    extract.with_file_name(format!("{stem}{SUFFIX}"))
}
