//! Photon: `GET /structured`, answered in GeoJSON, longitude first.

use despacho_core::{
    geo::{candidate::Candidate, great_circle_m, street_number},
    model::{Address, Point},
};
use serde::Deserialize;

use crate::runtime::{ServiceRequest, ServiceResponse};

/// Answers that are asked for: more than one, since it searches loosely.
const LIMIT: &str = "5";

/// The places that an answer offers.
///
/// # Errors
/// What the answer is instead.
pub(crate) fn offers(response: &ServiceResponse) -> Result<Vec<Candidate>, &'static str> {
    if response.is_client_error() {
        // It refuses what it cannot make a question of, and asking again would not help.
        return Ok(Vec::new());
    }
    let found = response.json::<Features>().filter(|_| response.is_success());
    let found = found.ok_or("not Photon's collection of features")?;
    Ok(found.features.into_iter().map(candidate).collect())
}

/// The question, part by part.
pub(crate) fn request(address: &Address) -> ServiceRequest {
    let number = address.number.as_deref().and_then(street_number).map(|number| number.to_string());
    let cep = address.cep().map(|cep| format!("{:05}-{:03}", cep.number() / 1_000, cep.number() % 1_000));
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
    ServiceRequest::get("/structured", sent.into_iter().filter_map(|(name, value)| Some((name, value?))))
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
    // A street is its own name.
    let own = if properties.kind == "street" { properties.name } else { None };
    Candidate {
        point: Point::from_degrees(latitude, longitude),
        cities: properties.city.into_iter().collect(),
        state: properties.state,
        postcode: properties.postcode,
        street: properties.street.or(own),
        number: properties.housenumber,
        reach_m,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_question_names_each_part() {
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
