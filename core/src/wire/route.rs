//! The route of an order on a map.

use serde::Serialize;

#[cfg(feature = "openapi")]
use super::schema::RouteSource;
use crate::model::Point;

/// The legs of an order's route.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = OrderRoute))]
pub struct RouteView {
    /// The legs, in route order.
    pub legs: Vec<RouteLegView>,
}

/// A leg of a route.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = RouteLeg))]
pub struct RouteLegView {
    /// The points of the leg, each as latitude and longitude in degrees, WGS 84.
    #[cfg_attr(feature = "openapi", schema(min_items = 2, max_items = 2000))]
    pub path: Vec<[f64; 2]>,
    /// `roads` if the path follows the roads, `straight` if it is a straight line.
    #[cfg_attr(feature = "openapi", schema(value_type = RouteSource))]
    pub source: &'static str,
}

impl RouteLegView {
    /// Builds the API representation of a path along the roads.
    pub fn roads(path: &[Point]) -> RouteLegView {
        RouteLegView {
            path: path.iter().copied().map(degrees).collect(),
            source: "roads",
        }
    }

    /// Builds the API representation of a straight line.
    pub fn straight(from: Point, to: Point) -> RouteLegView {
        RouteLegView {
            path: vec![degrees(from), degrees(to)],
            source: "straight",
        }
    }
}

fn degrees(point: Point) -> [f64; 2] {
    [point.latitude(), point.longitude()]
}
