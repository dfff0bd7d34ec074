//! OSRM: `GET /table/v1/PROFILE/…`, metres and seconds.

use despacho_core::model::Point;
use serde::Deserialize;

use crate::{
    service::{Service, Unanswered},
    ways::{Way, Ways, metres, milliseconds, parts},
    world::{self, World},
};

/// Points of one question that may turn out to lie off the roads; with more, this extract is not for them.
const MOST_OFF_ROAD: usize = 12;

/// An OSRM.
#[derive(Debug)]
pub struct Osrm {
    pub(crate) service: Service,
    /// In its addresses: `driving`.
    pub(crate) profile: String,
    /// How far from a road a point may lie, in metres.
    pub(crate) snap_m: u32,
    /// Points that it takes at once.
    pub(crate) most_points: usize,
}

/// All cells, and the points that have turned out to lie off the roads.
struct Table {
    ways: Ways,
    off_road: Vec<bool>,
}

/// What one question came to.
enum Said {
    /// Its cells.
    Table(Cells),
    /// This coordinate of it has no road near.
    OffRoad(usize),
    /// Nothing of it can be answered.
    Nothing,
}

impl Osrm {
    /// The ways between all points.
    pub(crate) async fn ways<W: World>(&self, world: &W, points: &[Point]) -> Result<Ways, Unanswered> {
        let mut table = Table { ways: vec![None; points.len() * points.len()], off_road: vec![false; points.len()] };
        if points.len() <= self.most_points {
            let all: Vec<usize> = (0..points.len()).collect();
            self.fill(world, &mut table, points, &all, &all).await?;
            return Ok(table.ways);
        }
        // Half of the points leave and half arrive, so that no question has more points than the service takes.
        let blocks = parts(points.len(), self.most_points / 2);
        for rows in &blocks {
            for columns in &blocks {
                let (from, to): (Vec<_>, Vec<_>) = (rows.clone().collect(), columns.clone().collect());
                self.fill(world, &mut table, points, &from, &to).await?;
            }
        }
        Ok(table.ways)
    }

    /// Fills a block of the table; a point off the roads is taken out, and the rest asked again.
    async fn fill<W: World>(
        &self,
        world: &W,
        table: &mut Table,
        points: &[Point],
        from: &[usize],
        to: &[usize],
    ) -> Result<(), Unanswered> {
        loop {
            let on_road = |indices: &[usize]| -> Vec<usize> {
                indices.iter().copied().filter(|index| !table.off_road[*index]).collect()
            };
            let (rows, columns) = (on_road(from), on_road(to));
            if rows.is_empty() || columns.is_empty() || (rows.len() == 1 && rows == columns) {
                return Ok(());
            }
            let question = Question { rows: &rows, columns: &columns };
            let answer = self.service.ask(world, &self.question(points, &question)).await?;
            match said(&answer).map_err(|what| self.service.strange(world, what))? {
                Said::Table(cells) => {
                    let written = self.write(table, points.len(), &question, &cells);
                    return written.map_err(|what| self.service.strange(world, what));
                }
                Said::OffRoad(coordinate) => {
                    let Some(index) = question.coordinates().get(coordinate).copied() else {
                        return Err(self.service.strange(world, "NoSegment for a coordinate that was not sent"));
                    };
                    table.off_road[index] = true;
                    if table.off_road.iter().filter(|off| **off).count() > MOST_OFF_ROAD {
                        return Ok(());
                    }
                }
                Said::Nothing => return Ok(()),
            }
        }
    }

    /// Coordinates, radiuses for every one of them (without, a point is snapped from any distance), and who leaves and arrives.
    fn question(&self, points: &[Point], question: &Question<'_>) -> world::Question {
        let coordinates = question.coordinates();
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
        if !question.is_square() {
            let listed = |range: std::ops::Range<usize>| range.map(|n| n.to_string()).collect::<Vec<_>>().join(";");
            let rows = question.rows.len();
            target.push_str(&format!("&sources={}&destinations={}", listed(0..rows), listed(rows..coordinates.len())));
        }
        world::Question { target, json: None }
    }

    fn write(
        &self,
        table: &mut Table,
        size: usize,
        question: &Question<'_>,
        cells: &Cells,
    ) -> Result<(), &'static str> {
        let (rows, columns) = (question.rows.len(), question.columns.len());
        let fits = |grid: &Vec<Vec<Option<f64>>>| grid.len() == rows && grid.iter().all(|row| row.len() == columns);
        if !fits(&cells.distances) || !fits(&cells.durations) {
            return Err("a table of another size than was asked for");
        }
        let snapped_far = |ends: &[Waypoint], at: usize| {
            ends.get(at).and_then(|end| end.distance).is_some_and(|metres| metres > f64::from(self.snap_m) * 1.01 + 1.0)
        };
        for (row, from) in question.rows.iter().enumerate() {
            for (column, to) in question.columns.iter().enumerate() {
                // Radiuses were sent; who ignores them is found out here.
                if snapped_far(&cells.sources, row) || snapped_far(&cells.destinations, column) {
                    continue;
                }
                let way = cells.distances[row][column]
                    .and_then(metres)
                    .zip(cells.durations[row][column].and_then(milliseconds));
                table.ways[from * size + to] = way.map(|(metres, milliseconds)| Way { metres, milliseconds });
            }
        }
        Ok(())
    }
}

fn said(answer: &world::Answer) -> Result<Said, &'static str> {
    if answer.status == 200 {
        return answer.json().map(Said::Table).ok_or("not OSRM's table");
    }
    let refusal: Refusal = answer.json().ok_or("not OSRM's refusal")?;
    match refusal.code.as_str() {
        // `Could not find a matching segment for coordinate 0`
        "NoSegment" => {
            let coordinate = refusal.message.rsplit(' ').next().and_then(|word| word.parse().ok());
            coordinate.map(Said::OffRoad).ok_or("NoSegment without a coordinate")
        }
        "NoTable" => Ok(Said::Nothing),
        "TooBig" => Err("TooBig: set routing.osrm-points to the service's --max-table-size"),
        _ => Err("a refusal"),
    }
}

/// Which points leave and which arrive, by their index among all.
struct Question<'a> {
    rows: &'a [usize],
    columns: &'a [usize],
}

impl Question<'_> {
    fn is_square(&self) -> bool {
        self.rows == self.columns
    }

    /// The points in the order they are sent in: once where the same leave and arrive.
    fn coordinates(&self) -> Vec<usize> {
        if self.is_square() { self.rows.to_vec() } else { [self.rows, self.columns].concat() }
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
    /// Metres from the point to the road that it was moved to.
    distance: Option<f64>,
}

#[derive(Deserialize)]
struct Refusal {
    code: String,
    #[serde(default)]
    message: String,
}
/// Degrees with their seven decimals, without a detour over floating-point numbers and what formats them.
fn degrees(e7: i32) -> String {
    let (sign, units) = (if e7 < 0 { "-" } else { "" }, e7.unsigned_abs());
    format!("{sign}{}.{:07}", units / 10_000_000, units % 10_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degrees_have_seven_decimals() {
        for (e7, text) in
            [(0, "0.0000000"), (-1, "-0.0000001"), (-465_000_000, "-46.5000000"), (1_800_000_000, "180.0000000")]
        {
            assert_eq!(degrees(e7), text);
        }
    }
}
