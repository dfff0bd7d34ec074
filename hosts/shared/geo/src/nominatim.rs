//! Client of Nominatim: structured `GET /search` with `format=jsonv2`.

use despacho_core::{
    geo::{candidate::Candidate, great_circle_m, street_number},
    json,
    model::{Address, Point},
};
use serde::Deserialize;

use crate::runtime::{ServiceRequest, ServiceResponse};

/// Requested candidates: several, because streets have namesakes.
const LIMIT: &str = "5";

/// Returns the candidates in a response.
///
/// # Errors
/// The response does not follow the protocol.
pub(crate) fn candidates(response: &ServiceResponse) -> Result<Vec<Candidate>, &'static str> {
    if response.is_success() {
        let places: Vec<Place> = response.json().ok_or("not a Nominatim list of places")?;
        Ok(places.into_iter().map(candidate).collect())
    } else if response.is_client_error() {
        // The service rejects some addresses, and a retry would not help.
        Ok(Vec::new())
    } else {
        Err("a redirection")
    }
}

/// Returns the request. It has no neighbourhood, because Nominatim has no parameter for it. Missing
/// parts are omitted: an empty parameter would be a condition.
pub(crate) fn request(address: &Address) -> ServiceRequest {
    let number = address
        .number
        .as_deref()
        .and_then(street_number)
        .map(|number| format!("{number} "));
    let street = format!(
        "{}{}",
        number.unwrap_or_default(),
        address.street.as_deref().unwrap_or_default()
    );
    let cep = address
        .cep()
        .map(|cep| format!("{:05}-{:03}", cep.number() / 1_000, cep.number() % 1_000));
    let sent = [
        ("street", Some(street.as_str())),
        ("city", address.city.as_deref()),
        ("state", address.state.as_deref()),
        ("postalcode", cep.as_deref()),
        ("countrycodes", Some("br")),
        ("format", Some("jsonv2")),
        ("addressdetails", Some("1")),
        ("limit", Some(LIMIT)),
    ];
    ServiceRequest::get(
        "/search",
        sent.into_iter()
            .filter_map(|(name, value)| Some((name, value?))),
    )
}

#[derive(Deserialize)]
struct Place {
    lat: String,
    lon: String,
    #[serde(default)]
    address: Parts,
    /// South, north, west, east.
    #[serde(default)]
    boundingbox: Vec<String>,
}

#[derive(Default, Deserialize)]
struct Parts {
    house_number: Option<String>,
    road: Option<String>,
    city: Option<String>,
    town: Option<String>,
    village: Option<String>,
    municipality: Option<String>,
    postcode: Option<String>,
    state: Option<String>,
    #[serde(rename = "ISO3166-2-lvl4")]
    iso: Option<String>,
}

fn candidate(place: Place) -> Candidate {
    // Parsed as JSON, because the standard library's float parser would add its tables to the
    // component.
    let degrees = |text: &str| json::from_str::<f64>(text.trim()).ok();
    let sides: Vec<f64> = place
        .boundingbox
        .iter()
        .filter_map(|side| degrees(side))
        .collect();
    let reach_m = match sides.as_slice() {
        [south, north, west, east] => Point::from_degrees(*south, *west)
            .zip(Point::from_degrees(*north, *east))
            .map(|(one, other)| great_circle_m(one, other) / 2),
        _ => None,
    };
    let parts = place.address;
    Candidate {
        point: degrees(&place.lat)
            .zip(degrees(&place.lon))
            .and_then(|(lat, lon)| Point::from_degrees(lat, lon)),
        cities: [parts.city, parts.town, parts.village, parts.municipality]
            .into_iter()
            .flatten()
            .collect(),
        state: parts.iso.or(parts.state),
        postcode: parts.postcode,
        street: parts.road,
        number: parts.house_number,
        reach_m,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_has_number_before_street_and_no_neighbourhood() {
        let text = |text: &str| Some(text.to_owned());
        let address = Address {
            street: text("Rua Martiniano de Carvalho"),
            number: text("438 A"),
            neighborhood: text("Bela Vista"),
            city: text("São Paulo"),
            state: text("SP"),
            zip_code: text("01321000"),
            ..Address::default()
        };
        let requests = "/search?street=438+Rua+Martiniano+de+Carvalho&city=S%C3%A3o+Paulo&state=SP&postalcode=01321-000\
                     &countrycodes=br&format=jsonv2&addressdetails=1&limit=5";
        assert_eq!(request(&address).target, requests);
        let bare = Address {
            street: text("Rua A"),
            number: text("S/N"),
            ..Address::default()
        };
        assert_eq!(
            request(&bare).target,
            "/search?street=Rua+A&countrycodes=br&format=jsonv2&addressdetails=1&limit=5"
        );
    }
}
