//! Client of OSRM: `GET /table/v1/PROFILE/…`, in metres and seconds.

use despacho_core::model::Point;
use serde::Deserialize;

use crate::{
    distances::{Distances, RoadDistance, metres, milliseconds, parts},
    runtime::{self, Runtime},
    service::{Service, ServiceError},
};

/// Maximum points off the roads. With more of them, the service's map does not cover the area.
const MAX_OFF_ROAD: usize = 12;

/// An OSRM server.
#[derive(Debug)]
pub struct Osrm {
    pub(crate) service: Service,
    /// The profile in its URLs, for example `driving`.
    pub(crate) profile: String,
    /// Maximum distance between a point and a road, in metres.
    pub(crate) snap_m: u32,
    /// Maximum points of one request.
    pub(crate) max_points: usize,
}

/// All cells, and which points are off the roads.
struct Table {
    distances: Distances,
    off_road: Vec<bool>,
}

/// The result of one request.
enum TableResult {
    /// The cells.
    Table(Cells),
    /// No road is near the coordinate with this index in the request.
    OffRoad(usize),
    /// No road connects the points.
    Unreachable,
}

impl Osrm {
    /// Returns the distances between all points.
    pub(crate) async fn fetch_distances<W: Runtime>(
        &self,
        runtime: &W,
        points: &[Point],
    ) -> Result<Distances, ServiceError> {
        let mut table = Table {
            distances: vec![None; points.len() * points.len()],
            off_road: vec![false; points.len()],
        };
        if points.len() <= self.max_points {
            let all: Vec<usize> = (0..points.len()).collect();
            self.fill(runtime, &mut table, points, &all, &all).await?;
            return Ok(table.distances);
        }
        // Half of a request's points are sources and half are destinations, so that it has at most
        // `max_points`.
        let blocks = parts(points.len(), self.max_points / 2);
        for rows in &blocks {
            for columns in &blocks {
                let (from, to): (Vec<_>, Vec<_>) =
                    (rows.clone().collect(), columns.clone().collect());
                self.fill(runtime, &mut table, points, &from, &to).await?;
            }
        }
        Ok(table.distances)
    }

    /// Fills a block of the table. If a point is off the roads, repeats the request without it.
    async fn fill<W: Runtime>(
        &self,
        runtime: &W,
        table: &mut Table,
        points: &[Point],
        from: &[usize],
        to: &[usize],
    ) -> Result<(), ServiceError> {
        loop {
            let on_road = |indices: &[usize]| -> Vec<usize> {
                indices
                    .iter()
                    .copied()
                    .filter(|index| !table.off_road[*index])
                    .collect()
            };
            let (rows, columns) = (on_road(from), on_road(to));
            if rows.is_empty() || columns.is_empty() || (rows.len() == 1 && rows == columns) {
                return Ok(());
            }
            let request = TableQuery {
                rows: &rows,
                columns: &columns,
            };
            let response = self
                .service
                .query(runtime, None, &self.request(points, &request))
                .await?;
            match table_result(&response)
                .map_err(|detail| self.service.malformed(runtime, detail))?
            {
                TableResult::Table(cells) => {
                    let written = self.write(table, points.len(), &request, &cells);
                    return written.map_err(|detail| self.service.malformed(runtime, detail));
                }
                TableResult::OffRoad(coordinate) => {
                    let Some(index) = request.coordinates().get(coordinate).copied() else {
                        return Err(self
                            .service
                            .malformed(runtime, "NoSegment for a coordinate that was not sent"));
                    };
                    table.off_road[index] = true;
                    if table.off_road.iter().filter(|off| **off).count() > MAX_OFF_ROAD {
                        return Ok(());
                    }
                }
                TableResult::Unreachable => return Ok(()),
            }
        }
    }

    /// Returns the request for a block. It has a radius for each coordinate, because OSRM otherwise
    /// snaps points from any distance.
    fn request(&self, points: &[Point], request: &TableQuery<'_>) -> runtime::ServiceRequest {
        let coordinates = request.coordinates();
        let places = coordinates.iter().map(|index| {
            let point = points[*index];
            format!("{},{}", degrees(point.lon_e7), degrees(point.lat_e7))
        });
        let radiuses = vec![self.snap_m.to_string(); coordinates.len()].join(";");
        let mut target = format!(
            "/table/v1/{}/{}?annotations=duration,distance&radiuses={radiuses}",
            self.profile,
            places.collect::<Vec<_>>().join(";")
        );
        if !request.is_square() {
            let listed = |range: std::ops::Range<usize>| {
                range.map(|n| n.to_string()).collect::<Vec<_>>().join(";")
            };
            let rows = request.rows.len();
            target.push_str(&format!(
                "&sources={}&destinations={}",
                listed(0..rows),
                listed(rows..coordinates.len())
            ));
        }
        runtime::ServiceRequest { target, json: None }
    }

    fn write(
        &self,
        table: &mut Table,
        size: usize,
        request: &TableQuery<'_>,
        cells: &Cells,
    ) -> Result<(), &'static str> {
        let (rows, columns) = (request.rows.len(), request.columns.len());
        let fits = |grid: &Vec<Vec<Option<f64>>>| {
            grid.len() == rows && grid.iter().all(|row| row.len() == columns)
        };
        if !fits(&cells.distances) || !fits(&cells.durations) {
            return Err("a table of the wrong size");
        }
        let snapped_far = |ends: &[Waypoint], at: usize| {
            ends.get(at)
                .and_then(|end| end.distance)
                .is_some_and(|metres| metres > f64::from(self.snap_m) * 1.01 + 1.0)
        };
        for (row, from) in request.rows.iter().enumerate() {
            for (column, to) in request.columns.iter().enumerate() {
                // Services that ignore the radiuses of the request are detected here.
                if snapped_far(&cells.sources, row) || snapped_far(&cells.destinations, column) {
                    continue;
                }
                let found = cells.distances[row][column]
                    .and_then(metres)
                    .zip(cells.durations[row][column].and_then(milliseconds));
                table.distances[from * size + to] =
                    found.map(|(metres, milliseconds)| RoadDistance {
                        metres,
                        milliseconds,
                    });
            }
        }
        Ok(())
    }
}

fn table_result(response: &runtime::ServiceResponse) -> Result<TableResult, &'static str> {
    if response.status == 200 {
        return response
            .json()
            .map(TableResult::Table)
            .ok_or("not an OSRM table");
    }
    let error_body: ErrorBody = response.json().ok_or("not an OSRM error")?;
    match error_body.code.as_str() {
        // `Could not find a matching segment for coordinate 0`
        "NoSegment" => {
            let coordinate = error_body
                .message
                .rsplit(' ')
                .next()
                .and_then(|word| word.parse().ok());
            coordinate
                .map(TableResult::OffRoad)
                .ok_or("NoSegment without a coordinate")
        }
        "NoTable" => Ok(TableResult::Unreachable),
        "TooBig" => Err("TooBig: set routing.osrm-points to the service's --max-table-size"),
        _ => Err("an unexpected OSRM error"),
    }
}

/// The sources and destinations of a request, by their index among all points.
struct TableQuery<'a> {
    rows: &'a [usize],
    columns: &'a [usize],
}

impl TableQuery<'_> {
    fn is_square(&self) -> bool {
        self.rows == self.columns
    }

    /// Returns the points in the order of the request. A square block lists each point once.
    fn coordinates(&self) -> Vec<usize> {
        if self.is_square() {
            self.rows.to_vec()
        } else {
            [self.rows, self.columns].concat()
        }
    }
}

#[derive(Deserialize)]
struct Cells {
    distances: Vec<Vec<Option<f64>>>,
    durations: Vec<Vec<Option<f64>>>,
    #[serde(default)]
    sources: Vec<Waypoint>,
    #[serde(default)]
    destinations: Vec<Waypoint>,
}

#[derive(Deserialize)]
struct Waypoint {
    /// Metres from the point to the road that it was snapped to.
    distance: Option<f64>,
}

#[derive(Deserialize)]
struct ErrorBody {
    code: String,
    #[serde(default)]
    message: String,
}

/// Formats degrees with seven decimals, without floating-point formatting, which would enlarge the
/// component.
fn degrees(e7: i32) -> String {
    let (sign, units) = (if e7 < 0 { "-" } else { "" }, e7.unsigned_abs());
    format!("{sign}{}.{:07}", units / 10_000_000, units % 10_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degrees_have_seven_decimals() {
        for (e7, text) in [
            (0, "0.0000000"),
            (-1, "-0.0000001"),
            (-465_000_000, "-46.5000000"),
            (1_800_000_000, "180.0000000"),
        ] {
            assert_eq!(degrees(e7), text);
        }
    }
}
