//! An address in a request and in a response.

use serde::{Deserialize, Serialize};

use crate::model::{Address, Located, Point, Precision};

/// An address. To create an order or a store `street`, `number`, `city` and `state` are required; for a preview it is enough that
/// the address can be located: by coordinates, by `zipCode`, or by `city` and `state`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Address))]
#[serde(rename_all = "camelCase", default)]
pub struct AddressBody {
    /// Street with its kind, at most 255 characters.
    #[cfg_attr(feature = "openapi", schema(example = "Avenida Paulista"))]
    pub street: Option<String>,
    /// Number in the street; `S/N` where there is none.
    #[cfg_attr(feature = "openapi", schema(example = "1578"))]
    pub number: Option<String>,
    /// Flat, floor, block.
    pub complement: Option<String>,
    /// Neighbourhood.
    #[cfg_attr(feature = "openapi", schema(example = "Bela Vista"))]
    pub neighborhood: Option<String>,
    /// Municipality.
    #[cfg_attr(feature = "openapi", schema(example = "São Paulo"))]
    pub city: Option<String>,
    /// One of the 27 federative units' codes, in any case.
    #[cfg_attr(feature = "openapi", schema(example = "SP"))]
    pub state: Option<String>,
    /// Postal code of eight digits; hyphens, dots and spaces are tolerated.
    #[cfg_attr(feature = "openapi", schema(example = "01310-200"))]
    pub zip_code: Option<String>,
    /// Degrees north, WGS 84; with `longitude` it locates the address.
    #[cfg_attr(feature = "openapi", schema(minimum = -90, maximum = 90, example = -23.5614))]
    pub latitude: Option<f64>,
    /// Degrees east, WGS 84.
    #[cfg_attr(feature = "openapi", schema(minimum = -180, maximum = 180, example = -46.6559))]
    pub longitude: Option<f64>,
}

/// Where an address was found, and how well it is known.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Location))]
#[serde(rename_all = "camelCase")]
pub struct LocationView {
    /// Degrees north, WGS 84.
    pub latitude: f64,
    /// Degrees east, WGS 84.
    pub longitude: f64,
    /// The level that it was found at.
    #[cfg_attr(feature = "openapi", schema(value_type = Precision))]
    pub precision: Precision,
    /// Typical error in metres.
    pub radius_m: u32,
}

impl From<Located> for LocationView {
    fn from(located: Located) -> LocationView {
        let Located { point, precision, radius_m } = located;
        LocationView { latitude: point.latitude(), longitude: point.longitude(), precision, radius_m }
    }
}

impl From<&Address> for AddressBody {
    fn from(address: &Address) -> AddressBody {
        AddressBody {
            street: address.street.clone(),
            number: address.number.clone(),
            complement: address.complement.clone(),
            neighborhood: address.neighborhood.clone(),
            city: address.city.clone(),
            state: address.state.clone(),
            zip_code: address.zip_code.clone(),
            latitude: address.point.map(Point::latitude),
            longitude: address.point.map(Point::longitude),
        }
    }
}
