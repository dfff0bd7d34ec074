//! Converts Brazil's outline from Natural Earth (1:10,000,000) to rings on the grid of the embedded
//! table.

use std::error::Error;
use std::path::Path;

use despacho_core::{geo::tables::to_grid, model::Point};
use serde::Deserialize;

use crate::bytes::to_u16;

/// Maximum deviation of the simplified line from the source in degrees: about 1.3 km.
const TOLERANCE: f64 = 0.012;
/// Edges in a strip. Short strips let a lookup skip most of them by latitude.
const STRIP: usize = 16;
const BRAZIL: &str = "076";

#[derive(Deserialize)]
struct Topology {
    transform: Transform,
    arcs: Vec<Vec<(i64, i64)>>,
    objects: Objects,
}

#[derive(Deserialize)]
struct Transform {
    scale: (f64, f64),
    translate: (f64, f64),
}

#[derive(Deserialize)]
struct Objects {
    countries: Countries,
}

#[derive(Deserialize)]
struct Countries {
    geometries: Vec<serde_json::Value>,
}

/// Returns the bytes of `outline.bin`: strips of each ring's edges; see `core/src/geo/tables.rs`.
#[expect(
    clippy::print_stdout,
    reason = "a command-line tool that prints a report"
)]
pub(crate) fn table(path: &Path) -> Result<Vec<u8>, Box<dyn Error>> {
    let topology: Topology = serde_json::from_slice(&std::fs::read(path)?)?;
    let brazil = topology
        .objects
        .countries
        .geometries
        .iter()
        .find(|country| country["id"] == BRAZIL);
    let brazil = brazil.ok_or("the file has no outline of Brazil")?;
    let polygons: Vec<Vec<Vec<i64>>> = serde_json::from_value(brazil["arcs"].clone())?;
    let mut table = b"DGO1".to_vec();
    let mut points = 0;
    for arcs in polygons.iter().flatten() {
        let ring = simplify(&ring(&topology, arcs)?);
        let mut cells: Vec<(u16, u16)> = ring
            .iter()
            .filter_map(|(lon, lat)| Point::from_degrees(*lat, *lon).and_then(to_grid))
            .collect();
        cells.dedup();
        // Skips islands that are smaller than the tolerance or outside the grid. They are
        // uninhabited.
        if cells.len() < 3 || cells.len() < ring.len().saturating_sub(2) {
            continue;
        }
        points += cells.len();
        cells.extend(cells.first().copied());
        for start in (0..cells.len() - 1).step_by(STRIP) {
            push_strip(
                &mut table,
                &cells[start..cells.len().min(start + STRIP + 1)],
            )?;
        }
    }
    println!("{points} points of Brazil's outline");
    Ok(table)
}

/// Appends a strip: number of points, minimum and maximum latitude, points.
fn push_strip(table: &mut Vec<u8>, cells: &[(u16, u16)]) -> Result<(), String> {
    let latitudes = || cells.iter().map(|cell| cell.0);
    let (min, max) = (
        latitudes().min().unwrap_or(0),
        latitudes().max().unwrap_or(0),
    );
    for number in [to_u16(cells.len(), "strip")?, min, max] {
        table.extend_from_slice(&number.to_le_bytes());
    }
    for (lat, lon) in cells {
        table.extend_from_slice(&lat.to_le_bytes());
        table.extend_from_slice(&lon.to_le_bytes());
    }
    Ok(())
}

/// Joins the arcs of a ring and returns its points. A negative arc is reversed. Each arc starts at
/// the end of the previous one.
fn ring(topology: &Topology, arcs: &[i64]) -> Result<Vec<(f64, f64)>, Box<dyn Error>> {
    let mut ring: Vec<(f64, f64)> = Vec::new();
    for &arc in arcs {
        let index = usize::try_from(if arc < 0 { !arc } else { arc })?;
        let (mut x, mut y) = (0, 0);
        let Transform { scale, translate } = &topology.transform;
        let mut points: Vec<(f64, f64)> = topology.arcs[index]
            .iter()
            .map(|(dx, dy)| {
                (x, y) = (x + dx, y + dy);
                #[expect(
                    clippy::cast_precision_loss,
                    reason = "grid coordinates have five digits"
                )]
                let place = (
                    x as f64 * scale.0 + translate.0,
                    y as f64 * scale.1 + translate.1,
                );
                place
            })
            .collect();
        if arc < 0 {
            points.reverse();
        }
        ring.extend(points.into_iter().skip(usize::from(!ring.is_empty())));
    }
    ring.pop();
    Ok(ring)
}

/// Applies the Douglas–Peucker algorithm to the two halves of the ring, split at its first point
/// and the point farthest from it.
fn simplify(ring: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let Some(&first) = ring.first() else {
        return Vec::new();
    };
    let far = (0..ring.len())
        .max_by(|a, b| {
            distance(ring[*a], first, first).total_cmp(&distance(ring[*b], first, first))
        })
        .unwrap_or(0);
    let mut kept = thin(&ring[..=far]);
    kept.pop();
    let mut back = ring[far..].to_vec();
    back.push(first);
    kept.extend(thin(&back));
    kept.pop();
    kept
}

fn thin(line: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let (Some(&start), Some(&end)) = (line.first(), line.last()) else {
        return Vec::new();
    };
    let farthest = (1..line.len().saturating_sub(1))
        .map(|index| (index, distance(line[index], start, end)))
        .max_by(|a, b| a.1.total_cmp(&b.1));
    match farthest {
        Some((index, off)) if off > TOLERANCE => {
            let mut kept = thin(&line[..=index]);
            kept.pop();
            kept.extend(thin(&line[index..]));
            kept
        }
        _ => vec![start, end],
    }
}

/// Returns the distance of a point from a segment in degrees.
fn distance(point: (f64, f64), start: (f64, f64), end: (f64, f64)) -> f64 {
    let (dx, dy) = (end.0 - start.0, end.1 - start.1);
    let length = dx * dx + dy * dy;
    let along = ((point.0 - start.0) * dx + (point.1 - start.1) * dy) / length;
    let along = if length > 0.0 {
        along.clamp(0.0, 1.0)
    } else {
        0.0
    };
    (point.0 - start.0 - along * dx).hypot(point.1 - start.1 - along * dy)
}
