//! Road files of one's own extracts.

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

use despacho_roads::Roads;

use super::{
    CommandError,
    coverage::{self, Place, degrees},
    plan::Planner,
};
use crate::{config::Config, geo::region::SUFFIX, server::print};

/// Builds the road file of an extract, and prints its contents.
pub(super) fn build(extract: &Path, output: Option<PathBuf>) -> Result<(), CommandError> {
    let output = output.unwrap_or_else(|| default_output(extract));
    if output == extract {
        return Err(CommandError::Usage(format!(
            "--output {} is the extract itself",
            extract.display()
        )));
    }
    let started = Instant::now();
    let roads = load(extract)?;
    roads
        .save(&output)
        .map_err(|error| CommandError::Failed(format!("{}: {error}", output.display())))?;
    let seconds = started.elapsed().as_secs_f64();
    Ok(print(&format!(
        "{}: built in {seconds:.1} s\n{}",
        output.display(),
        contents(&roads, Vec::new())
    ))?)
}

/// Verifies a file and prints its contents, and which stores in its box have roads.
pub(super) async fn info(file: &Path, config: &Config) -> Result<(), CommandError> {
    let started = Instant::now();
    let roads = load(file)?;
    let seconds = started.elapsed().as_secs_f64();
    let planner = Planner::new(config).await?;
    let (low, high) = roads.area();
    let is_inside = |place: &&Place| {
        let at = place.point;
        (low.lat_e7..=high.lat_e7).contains(&at.lat_e7)
            && (low.lon_e7..=high.lon_e7).contains(&at.lon_e7)
    };
    let stores = planner.stores().filter(is_inside).collect();
    Ok(print(&format!(
        "{}: loaded in {seconds:.1} s\n{}",
        file.display(),
        contents(&roads, stores)
    ))?)
}

fn load(file: &Path) -> Result<Roads, CommandError> {
    Roads::load(file).map_err(|error| CommandError::Failed(format!("{}: {error}", file.display())))
}

fn contents(roads: &Roads, stores: Vec<&Place>) -> String {
    let size = roads.size();
    format!(
        "box {}\n{}{} nodes, {} directed edges, {} turns, {} MB of memory",
        degrees(roads.area()),
        coverage::describe(roads, stores),
        size.nodes,
        size.edges,
        size.turns,
        size.bytes.div_ceil(1_000_000)
    )
}

/// Returns `sudeste.roads` for `sudeste.osm.pbf`.
fn default_output(extract: &Path) -> PathBuf {
    let name = extract.file_name().unwrap_or_default().to_string_lossy();
    let stem = name
        .strip_suffix(".osm.pbf")
        .or_else(|| name.strip_suffix(".pbf"))
        .unwrap_or(&name);
    extract.with_file_name(format!("{stem}{SUFFIX}"))
}
