//! The kinds of features, and the tags that they have.

use mvt::GeomType;

use crate::pbf::Tags;

/// The keys of the ways that can be a feature.
pub(super) const KEYS: [&str; 5] = ["highway", "waterway", "natural", "leisure", "landuse"];

/// A kind of feature. Tiles contain features in this order, and maps draw later ones over earlier
/// ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Park,
    Water,
    River,
    Path,
    Service,
    Minor,
    Medium,
    Major,
    Motorway,
}

impl Kind {
    /// Returns the kind of a way; `None` if the map does not show it.
    pub(super) fn of(tags: &Tags<'_>, is_closed: bool) -> Option<Kind> {
        if let Some(highway) = tags.get("highway") {
            return Kind::of_road(highway, tags);
        }
        let is_water = tags.is("natural", "water") || tags.is("waterway", "riverbank");
        let is_park = matches!(
            tags.get("leisure"),
            Some("park" | "garden" | "golf_course" | "nature_reserve")
        ) || matches!(
            tags.get("landuse"),
            Some("grass" | "forest" | "cemetery" | "recreation_ground")
        ) || tags.is("natural", "wood");
        match tags.get("waterway") {
            Some("river" | "canal") if tags.get("tunnel").is_none() => Some(Kind::River),
            _ if is_water && is_closed => Some(Kind::Water),
            _ if is_park && is_closed => Some(Kind::Park),
            _ => None,
        }
    }

    fn of_road(highway: &str, tags: &Tags<'_>) -> Option<Kind> {
        Some(match highway.strip_suffix("_link").unwrap_or(highway) {
            "motorway" | "trunk" => Kind::Motorway,
            "primary" | "secondary" => Kind::Major,
            "tertiary" => Kind::Medium,
            "residential" | "unclassified" | "living_street" | "road" | "pedestrian" => Kind::Minor,
            "service"
                if !matches!(tags.get("service"), Some("parking_aisle" | "drive-through")) =>
            {
                Kind::Service
            }
            // A street's sidewalks and crossings are part of the street.
            "footway" | "path" | "cycleway" | "steps" | "track"
                if !matches!(
                    tags.get("footway"),
                    Some("sidewalk" | "crossing" | "traffic_island")
                ) =>
            {
                Kind::Path
            }
            _ => return None,
        })
    }

    /// Returns the layer of a tile.
    pub(super) fn layer(self) -> &'static str {
        match self {
            Kind::Park => "parks",
            Kind::Water | Kind::River => "water",
            _ => "roads",
        }
    }

    /// Returns the tag `class`.
    pub(super) fn class(self) -> &'static str {
        match self {
            Kind::Park => "park",
            Kind::Water => "water",
            Kind::River => "river",
            Kind::Path => "path",
            Kind::Service => "service",
            Kind::Minor => "minor",
            Kind::Medium => "medium",
            Kind::Major => "major",
            Kind::Motorway => "motorway",
        }
    }

    pub(super) fn geometry(self) -> GeomType {
        if matches!(self, Kind::Park | Kind::Water) {
            GeomType::Polygon
        } else {
            GeomType::Linestring
        }
    }

    /// Returns the first zoom that shows the kind.
    pub(super) fn min_zoom(self) -> u8 {
        match self {
            Kind::Motorway | Kind::Major | Kind::Water => 10,
            Kind::Medium | Kind::River | Kind::Park => 12,
            Kind::Minor => 13,
            Kind::Service | Kind::Path => 14,
        }
    }
}
