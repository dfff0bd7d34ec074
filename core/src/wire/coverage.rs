//! When and where a store delivers.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

#[cfg(feature = "openapi")]
use super::schema::AreaCoordinates;
use super::{Kilometres, Reais, numbers::write_whole, objects};
use crate::model::{
    Point, Precision,
    store::{Ring, ServiceArea, StoreHours, TimeSpan},
};

/// The opening hours of a store. In a request, they replace the previous hours.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = StoreHours))]
#[serde(default)]
pub struct StoreHoursBody {
    /// The periods of a week, which must not overlap. Empty means open all day on every day.
    #[serde(deserialize_with = "objects")]
    pub hours: Option<Vec<OpeningPeriodBody>>,
    /// The dates that have their own hours, such as holidays. They replace the periods that start
    /// on the date.
    #[serde(deserialize_with = "objects")]
    pub exceptions: Option<Vec<HoursExceptionBody>>,
    /// Usual preparation time in minutes; fractions are rounded up. The panel suggests it for new
    /// orders. An order without `preparationTime` is ready at once, whatever this value is. Absent
    /// if the store has none.
    #[serde(
        rename = "preparationTime",
        skip_serializing_if = "Option::is_none",
        serialize_with = "write_whole"
    )]
    #[cfg_attr(feature = "openapi", schema(example = 15))]
    pub preparation_time: Option<f64>,
}

/// A period of the week in which a store is open.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = OpeningPeriod))]
#[serde(default)]
pub struct OpeningPeriodBody {
    /// Days of the week on which it starts, such as `mon` or `monday`, in upper or lower case.
    /// Empty means every day.
    #[cfg_attr(feature = "openapi", schema(example = json!(["mon", "tue"])))]
    pub days: Option<Vec<String>>,
    /// Local time of the start, `HH:MM`.
    #[cfg_attr(
        feature = "openapi",
        schema(
            required = true,
            nullable = false,
            format = "local-time",
            example = "18:00"
        )
    )]
    pub from: Option<String>,
    /// Local time of the end, exclusive, at most `24:00`. If it is before `from`, it is on the next
    /// day.
    #[cfg_attr(
        feature = "openapi",
        schema(
            required = true,
            nullable = false,
            format = "end-time",
            example = "02:00"
        )
    )]
    pub until: Option<String>,
}

/// The hours of a date: closed, or open from `from` until `until`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = HoursException))]
#[serde(default)]
pub struct HoursExceptionBody {
    /// The date, `YYYY-MM-DD`.
    #[cfg_attr(
        feature = "openapi",
        schema(
            required = true,
            nullable = false,
            format = "local-date",
            example = "2026-12-25"
        )
    )]
    pub date: Option<String>,
    /// Whether the store is closed. If true, `from` and `until` are null; otherwise they are
    /// required.
    pub closed: Option<bool>,
    /// Local time of the start, `HH:MM`.
    #[cfg_attr(feature = "openapi", schema(format = "local-time", example = json!(null)))]
    pub from: Option<String>,
    /// Local time of the end, exclusive, at most `24:00`. If it is before `from`, it is on the next
    /// day.
    #[cfg_attr(feature = "openapi", schema(format = "end-time", example = json!(null)))]
    pub until: Option<String>,
    /// Name of the date.
    #[cfg_attr(feature = "openapi", schema(example = "Natal"))]
    pub name: Option<String>,
}

/// The area in which a store delivers. In a request, it replaces the previous area.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = StoreArea))]
#[serde(rename_all = "camelCase", default)]
pub struct StoreAreaBody {
    /// The area. Null if only the tariff's service radius applies.
    pub service_area: Option<AreaGeometry>,
}

/// A GeoJSON geometry (RFC 7946) of the type `Polygon` or `MultiPolygon`, in degrees, longitude
/// before latitude. It has at most 20 rings with 500 positions in all. The first ring of a polygon
/// is its outline; the others are holes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct AreaGeometry {
    /// `Polygon` or `MultiPolygon`.
    #[serde(rename = "type")]
    #[cfg_attr(
        feature = "openapi",
        schema(
            required = true,
            nullable = false,
            format = "area-type",
            example = "Polygon"
        )
    )]
    pub kind: Option<String>,
    /// The rings, or a list of rings for each polygon of a `MultiPolygon`. A ring has at least four
    /// positions, its last position equals the first, and its edges do not cross.
    #[cfg_attr(feature = "openapi", schema(required = true, value_type = AreaCoordinates))]
    pub coordinates: Option<Coordinates>,
}

/// A number, or a list of numbers or lists.
#[derive(Clone, Debug)]
pub enum Coordinates {
    /// A number.
    Number(f64),
    /// A list.
    List(Vec<Coordinates>),
}

/// Whether a store delivers to an address.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Coverage))]
#[serde(rename_all = "camelCase")]
pub struct CoverageView {
    /// Whether a preview and an order with one paid delivery to this address are accepted now.
    pub covered: bool,
    /// The problem codes with which they are rejected. Empty if `covered` is true.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<super::schema::ProblemCodeSchema>))]
    pub reasons: Vec<&'static str>,
    /// Length of the route in kilometres. Null if there is no route.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<f64>, minimum = 0))]
    pub distance: Option<Kilometres>,
    /// Delivery fee in BRL. Null if there is no route.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<f64>, minimum = 0))]
    pub delivery_fee: Option<Reais>,
    /// Precision of the address's location. Null if there is no route.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Precision>))]
    pub precision: Option<Precision>,
    /// Whether the distance is an estimate, as in a preview. Null if there is no route.
    pub estimated: Option<bool>,
    /// Whether the store is open at the time of the request.
    pub open_now: bool,
    /// If the store is closed when the goods are ready: the time at which it opens next.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub next_opening: Option<String>,
    /// The earliest time at which the goods can be ready for an order that the store's hours
    /// permit.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub next_slot: Option<String>,
}

impl StoreHoursBody {
    /// Builds the representation of a store's hours.
    pub fn of(hours: &StoreHours) -> StoreHoursBody {
        let times = |span: TimeSpan| (Some(span.from.to_string()), Some(span.until.to_string()));
        let periods = hours.weekly.iter().map(|period| {
            let (from, until) = times(period.span);
            let days = period
                .days
                .iter()
                .map(|day| day.to_string().to_ascii_lowercase());
            OpeningPeriodBody {
                days: Some(days.collect()),
                from,
                until,
            }
        });
        let exceptions = hours.exceptions.iter().map(|exception| {
            let (from, until) = exception.open.map_or((None, None), times);
            HoursExceptionBody {
                date: Some(exception.date.to_string()),
                closed: Some(exception.open.is_none()),
                from,
                until,
                name: exception.name.clone(),
            }
        });
        StoreHoursBody {
            hours: Some(periods.collect()),
            exceptions: Some(exceptions.collect()),
            preparation_time: None,
        }
    }
}

impl StoreAreaBody {
    /// Builds the representation of a store's area.
    pub fn of(area: Option<&ServiceArea>) -> StoreAreaBody {
        StoreAreaBody {
            service_area: area.map(AreaGeometry::of),
        }
    }
}

impl AreaGeometry {
    /// Builds the geometry of an area. A single polygon is a `Polygon`.
    pub fn of(ServiceArea(polygons): &ServiceArea) -> AreaGeometry {
        let polygon =
            |rings: &Vec<Ring>| Coordinates::List(rings.iter().map(Coordinates::of).collect());
        let (kind, coordinates) = match &polygons[..] {
            [one] => ("Polygon", polygon(one)),
            all => (
                "MultiPolygon",
                Coordinates::List(all.iter().map(polygon).collect()),
            ),
        };
        AreaGeometry {
            kind: Some(kind.to_owned()),
            coordinates: Some(coordinates),
        }
    }
}

impl Coordinates {
    fn of(Ring(points): &Ring) -> Coordinates {
        let position = |point: &Point| {
            Coordinates::List(
                [point.longitude(), point.latitude()]
                    .map(Coordinates::Number)
                    .to_vec(),
            )
        };
        Coordinates::List(points.iter().map(position).collect())
    }

    /// Returns the items of a list.
    pub fn items(&self) -> Option<&[Coordinates]> {
        if let Coordinates::List(items) = self {
            Some(items)
        } else {
            None
        }
    }
}

impl Serialize for Coordinates {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Coordinates::Number(number) => serializer.serialize_f64(*number),
            Coordinates::List(items) => serializer.collect_seq(items),
        }
    }
}

impl<'de> Deserialize<'de> for Coordinates {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Coordinates, D::Error> {
        struct Node;
        impl<'de> de::Visitor<'de> for Node {
            type Value = Coordinates;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a list")
            }

            fn visit_f64<E>(self, number: f64) -> Result<Coordinates, E> {
                Ok(Coordinates::Number(number))
            }

            #[expect(
                clippy::cast_precision_loss,
                reason = "degrees are small; larger numbers are rejected"
            )]
            fn visit_u64<E>(self, number: u64) -> Result<Coordinates, E> {
                Ok(Coordinates::Number(number as f64))
            }

            #[expect(
                clippy::cast_precision_loss,
                reason = "degrees are small; larger numbers are rejected"
            )]
            fn visit_i64<E>(self, number: i64) -> Result<Coordinates, E> {
                Ok(Coordinates::Number(number as f64))
            }

            fn visit_seq<A: de::SeqAccess<'de>>(
                self,
                mut items: A,
            ) -> Result<Coordinates, A::Error> {
                let mut list = Vec::new();
                while let Some(item) = items.next_element()? {
                    list.push(item);
                }
                Ok(Coordinates::List(list))
            }

            /// Reads an object as an empty list, which no geometry contains.
            fn visit_map<A: de::MapAccess<'de>>(
                self,
                mut members: A,
            ) -> Result<Coordinates, A::Error> {
                while members
                    .next_entry::<de::IgnoredAny, de::IgnoredAny>()?
                    .is_some()
                {}
                Ok(Coordinates::List(Vec::new()))
            }
        }
        deserializer.deserialize_any(Node)
    }
}
