//! Legs between places, while road networks tell them one after the other.

use despacho_core::{
    geo,
    model::{DistanceMatrix, Leg, Located, Point},
};

use crate::{
    roads::Network,
    runtime::{Runtime, ServiceEvent},
    ways::{Ways, leg},
};

/// A matrix that networks fill.
#[derive(Clone, Debug)]
pub struct Legs {
    points: Vec<Point>,
    cells: Vec<Option<Leg>>,
    percent: u32,
}

impl Legs {
    /// A matrix without a cell, for couriers who take so many per cent of the free-flow time.
    pub fn between(places: &[Located], percent: u32) -> Legs {
        let points: Vec<Point> = places.iter().map(|place| place.point).collect();
        Legs { cells: vec![None; points.len() * points.len()], points, percent }
    }

    /// What to ask a network for.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// Takes a network's ways where no network before it told one, and says how many that were.
    pub fn fill(&mut self, ways: Ways) -> u64 {
        let (size, percent, mut filled) = (self.points.len(), self.percent, 0);
        for (cell, way) in ways.into_iter().enumerate().filter(|(cell, _)| cell / size != cell % size) {
            if let (Some(open @ None), Some(way)) = (self.cells.get_mut(cell), way) {
                *open = Some(leg(way, percent));
                filled += 1;
            }
        }
        filled
    }

    /// Asks services in turn, each only while cells are open.
    pub async fn query<W: Runtime>(&mut self, runtime: &W, services: &[Network]) {
        for service in services {
            if self.is_whole() {
                return;
            }
            if let Ok(ways) = service.fetch_distances(runtime, &self.points).await {
                let legs = self.fill(ways);
                runtime.record(ServiceEvent::Measured { source: service.name(), legs });
            }
        }
    }

    /// Whether another network has nothing to add.
    pub fn is_whole(&self) -> bool {
        let size = self.points.len();
        self.cells.iter().enumerate().all(|(cell, leg)| leg.is_some() || cell / size == cell % size)
    }

    /// The matrix, with the embedded model where no network could tell, and how many legs that are.
    pub fn finish(self, places: &[Located]) -> (DistanceMatrix, u64) {
        let size = places.len();
        let matrix = geo::matrix_with_roads(places, &self.cells);
        let pairs = (0..size).flat_map(|from| (0..size).map(move |to| (from, to)));
        let estimated = pairs.filter(|(from, to)| matrix.is_estimated(*from, *to)).count();
        (matrix, estimated as u64)
    }
}

#[cfg(test)]
mod tests {
    use despacho_core::model::Precision;

    use super::*;
    use crate::ways::Way;

    #[test]
    fn who_comes_first_tells_and_the_model_stands_in() {
        let place = |lat_e7| Located {
            point: Point { lat_e7, lon_e7: -466_000_000 },
            precision: Precision::Coordinates,
            radius_m: 0,
        };
        let places = [place(-235_000_000), place(-235_100_000)];
        let way = |metres| Some(Way { metres, milliseconds: 60_000 });
        let mut legs = Legs::between(&places, 150);
        assert_eq!(legs.fill(vec![way(1), way(1_500), None, way(1)]), 1, "no way to itself");
        assert!(!legs.is_whole());
        assert_eq!(legs.clone().finish(&places).1, 1);
        assert_eq!(legs.fill(vec![None, way(9), way(1_600), None]), 1);
        assert!(legs.is_whole());
        let (matrix, estimated) = legs.finish(&places);
        let filled = |from, to| matrix.leg(from, to).map(|leg| (leg.metres, leg.seconds));
        assert_eq!((filled(0, 1), filled(1, 0), estimated), (Some((1_500, 90)), Some((1_600, 90)), 0));
    }
}
