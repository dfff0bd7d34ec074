//! Addresses in requests and responses.

use serde::{Deserialize, Serialize};

use crate::model::{Address, Located, Point, Precision};

/// An address. Orders and stores require `street`, `number`, `city` and `state`. A preview requires
/// only enough to locate the address: coordinates, `zipCode`, or `city` and `state`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Address))]
#[serde(rename_all = "camelCase", default)]
pub struct AddressBody {
    /// Street name with its type, at most 255 characters.
    #[cfg_attr(feature = "openapi", schema(example = "Avenida Paulista"))]
    pub street: Option<String>,
    /// House number, or `S/N` if there is none.
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
    /// Two-letter code of one of the 27 federative units, in upper or lower case.
    #[cfg_attr(feature = "openapi", schema(example = "SP"))]
    pub state: Option<String>,
    /// Postal code (CEP) of eight digits. Hyphens, dots and spaces are ignored.
    #[cfg_attr(feature = "openapi", schema(example = "01310-200"))]
    pub zip_code: Option<String>,
    /// Latitude in degrees, WGS 84. If sent together with `longitude`, it locates the address.
    #[cfg_attr(feature = "openapi", schema(example = -23.5614))]
    pub latitude: Option<f64>,
    /// Longitude in degrees, WGS 84.
    #[cfg_attr(feature = "openapi", schema(example = -46.6559))]
    pub longitude: Option<f64>,
}

/// The coordinates of an address and their precision.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Location))]
#[serde(rename_all = "camelCase")]
pub struct LocationView {
    /// Latitude in degrees, WGS 84.
    pub latitude: f64,
    /// Longitude in degrees, WGS 84.
    pub longitude: f64,
    /// The level of detail at which the address was located.
    #[cfg_attr(feature = "openapi", schema(value_type = Precision))]
    pub precision: Precision,
    /// Typical error of the coordinates in metres.
    pub radius_m: u32,
}

impl From<Located> for LocationView {
    fn from(located: Located) -> LocationView {
        let Located {
            point,
            precision,
            radius_m,
        } = located;
        LocationView {
            latitude: point.latitude(),
            longitude: point.longitude(),
            precision,
            radius_m,
        }
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
