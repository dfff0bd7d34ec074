//! Client of Photon: `GET /structured`, which returns GeoJSON with the longitude first.

use despacho_core::{
    geo::{candidate::Candidate, great_circle_m, street_number},
    model::{Address, Point},
};
use serde::Deserialize;

use crate::runtime::{ServiceRequest, ServiceResponse};

/// Requested candidates: several, because Photon's search is fuzzy.
const LIMIT: &str = "5";

/// Returns the candidates in a response.
///
/// # Errors
/// The response does not follow the protocol.
pub(crate) fn candidates(response: &ServiceResponse) -> Result<Vec<Candidate>, &'static str> {
    if response.is_client_error() {
        // The service rejects some addresses, and a retry would not help.
        return Ok(Vec::new());
    }
    let found = response
        .json::<Features>()
        .filter(|_| response.is_success());
    let found = found.ok_or("not a Photon feature collection")?;
    Ok(found.features.into_iter().map(candidate).collect())
}

/// Returns the request, with a parameter for each part of the address.
pub(crate) fn request(address: &Address) -> ServiceRequest {
    let number = address
        .number
        .as_deref()
        .and_then(street_number)
        .map(|number| number.to_string());
    let cep = address
        .cep()
        .map(|cep| format!("{:05}-{:03}", cep.number() / 1_000, cep.number() % 1_000));
    let sent = [
        ("street", address.street.as_deref()),
        ("housenumber", number.as_deref()),
        ("district", address.neighborhood.as_deref()),
        ("city", address.city.as_deref()),
        ("state", address.uf().map(|uf| uf.name())),
        ("postcode", cep.as_deref()),
        ("countrycode", Some("BR")),
        ("limit", Some(LIMIT)),
    ];
    ServiceRequest::get(
        "/structured",
        sent.into_iter()
            .filter_map(|(name, value)| Some((name, value?))),
    )
}

#[derive(Deserialize)]
struct Features {
    features: Vec<Feature>,
}

#[derive(Deserialize)]
struct Feature {
    geometry: Geometry,
    properties: Properties,
}

#[derive(Deserialize)]
struct Geometry {
    /// Longitude, then latitude.
    coordinates: (f64, f64),
}

#[derive(Deserialize)]
struct Properties {
    /// `house`, `street`, `city` and others.
    #[serde(rename = "type", default)]
    kind: String,
    name: Option<String>,
    street: Option<String>,
    housenumber: Option<String>,
    city: Option<String>,
    state: Option<String>,
    postcode: Option<String>,
    /// West, north, east, south.
    extent: Option<[f64; 4]>,
}

fn candidate(feature: Feature) -> Candidate {
    let (longitude, latitude) = feature.geometry.coordinates;
    let properties = feature.properties;
    let reach_m = properties.extent.and_then(|[west, north, east, south]| {
        let ends = Point::from_degrees(south, west).zip(Point::from_degrees(north, east));
        ends.map(|(one, other)| great_circle_m(one, other) / 2)
    });
    // The name of a street's feature is the street.
    let street_name = if properties.kind == "street" {
        properties.name
    } else {
        None
    };
    Candidate {
        point: Point::from_degrees(latitude, longitude),
        cities: properties.city.into_iter().collect(),
        state: properties.state,
        postcode: properties.postcode,
        street: properties.street.or(street_name),
        number: properties.housenumber,
        reach_m,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_names_each_part_of_the_address() {
        let text = |text: &str| Some(text.to_owned());
        let address = Address {
            street: text("Rua Augusta"),
            number: text("1508"),
            neighborhood: text("Consolação"),
            city: text("São Paulo"),
            state: text("sp"),
            zip_code: text("01304001"),
            ..Address::default()
        };
        let requests = "/structured?street=Rua+Augusta&housenumber=1508&district=Consola%C3%A7%C3%A3o&city=S%C3%A3o+Paulo\
                     &state=S%C3%A3o+Paulo&postcode=01304-001&countrycode=BR&limit=5";
        assert_eq!(request(&address).target, requests);
    }
}
