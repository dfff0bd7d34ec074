//! A distance matrix that road networks fill one after the other.

use despacho_core::{
    geo,
    model::{DistanceMatrix, Leg, Located, Point},
};

use crate::{
    distances::{Distances, leg},
    roads::Network,
    runtime::{Runtime, ServiceEvent},
};

/// The legs between all locations, filled by road networks.
#[derive(Clone, Debug)]
pub struct Legs {
    points: Vec<Point>,
    cells: Vec<Option<Leg>>,
    percent: u32,
}

impl Legs {
    /// Creates an empty matrix for couriers who take `percent` of the free-flow time.
    pub fn between(places: &[Located], percent: u32) -> Legs {
        let points: Vec<Point> = places.iter().map(|place| place.point).collect();
        Legs {
            cells: vec![None; points.len() * points.len()],
            points,
            percent,
        }
    }

    /// Returns the points whose distances a network must return.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// Fills empty cells from a network's distances and returns the number of cells filled.
    pub fn fill(&mut self, ways: Distances) -> u64 {
        let (size, percent, mut filled) = (self.points.len(), self.percent, 0);
        for (cell, way) in ways
            .into_iter()
            .enumerate()
            .filter(|(cell, _)| cell / size != cell % size)
        {
            if let (Some(open @ None), Some(way)) = (self.cells.get_mut(cell), way) {
                *open = Some(leg(way, percent));
                filled += 1;
            }
        }
        filled
    }

    /// Queries services in turn until all cells are filled.
    pub async fn query<W: Runtime>(&mut self, runtime: &W, services: &[Network]) {
        for service in services {
            if self.is_complete() {
                return;
            }
            if let Ok(ways) = service.fetch_distances(runtime, &self.points).await {
                let legs = self.fill(ways);
                runtime.record(ServiceEvent::Measured {
                    source: service.name(),
                    legs,
                });
            }
        }
    }

    /// Whether every cell is filled.
    pub fn is_complete(&self) -> bool {
        let size = self.points.len();
        self.cells
            .iter()
            .enumerate()
            .all(|(cell, leg)| leg.is_some() || cell / size == cell % size)
    }

    /// Returns the matrix, with estimates in the empty cells, and the number of estimated legs.
    pub fn finish(self, places: &[Located]) -> (DistanceMatrix, u64) {
        let size = places.len();
        let matrix = geo::matrix_with_roads(places, &self.cells);
        let pairs = (0..size).flat_map(|from| (0..size).map(move |to| (from, to)));
        let estimated = pairs
            .filter(|(from, to)| matrix.is_estimated(*from, *to))
            .count();
        (matrix, estimated as u64)
    }
}

#[cfg(test)]
mod tests {
    use despacho_core::model::Precision;

    use super::*;
    use crate::distances::RoadDistance;

    #[test]
    fn first_network_fills_cells_and_estimate_fills_the_rest() {
        let place = |lat_e7| Located {
            point: Point {
                lat_e7,
                lon_e7: -466_000_000,
            },
            precision: Precision::Coordinates,
            radius_m: 0,
        };
        let places = [place(-235_000_000), place(-235_100_000)];
        let way = |metres| {
            Some(RoadDistance {
                metres,
                milliseconds: 60_000,
            })
        };
        let mut legs = Legs::between(&places, 150);
        assert_eq!(
            legs.fill(vec![way(1), way(1_500), None, way(1)]),
            1,
            "no leg from a point to itself"
        );
        assert!(!legs.is_complete());
        assert_eq!(legs.clone().finish(&places).1, 1);
        assert_eq!(legs.fill(vec![None, way(9), way(1_600), None]), 1);
        assert!(legs.is_complete());
        let (matrix, estimated) = legs.finish(&places);
        let filled = |from, to| matrix.leg(from, to).map(|leg| (leg.metres, leg.seconds));
        assert_eq!(
            (filled(0, 1), filled(1, 0), estimated),
            (Some((1_500, 90)), Some((1_600, 90)), 0)
        );
    }
}
