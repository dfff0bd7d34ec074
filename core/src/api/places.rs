//! Locates the addresses of a request, and reports those that cannot be located or are not precise
//! enough.

use rust_decimal::Decimal;

use super::{
    call::{Call, plain},
    problem::{FieldError, Problem, ProblemCode},
    read::read,
    validate,
};
use crate::{
    geo::{LocateError, Municipality},
    host::Host,
    model::{Address, Located, Precision, Text},
};

/// Reads an address from a JSON object with the API's fields.
///
/// # Errors
/// Every invalid field.
pub fn address(json: &[u8]) -> Result<Address, Problem> {
    validate::address(read(json)?)
}

/// Locates addresses with the host. See [`every_place`].
pub(super) async fn locate<H: Host>(
    call: &Call<'_, H>,
    addresses: &[&Address],
    pointer: impl Fn(usize) -> String,
    own: Option<FieldError>,
) -> Result<Vec<Located>, Problem> {
    let results = call.host.locate(call.merchant(), addresses).await?;
    every_place(
        addresses,
        results,
        call.settings.places.min_precision,
        pointer,
        own,
    )
}

/// Returns the locations of addresses, or one problem that lists `own` and every address that
/// cannot be located precisely enough.
pub(super) fn every_place(
    addresses: &[&Address],
    responses: Vec<Result<Located, LocateError>>,
    min: Precision,
    pointer: impl Fn(usize) -> String,
    own: Option<FieldError>,
) -> Result<Vec<Located>, Problem> {
    let mut located = Vec::with_capacity(responses.len());
    let mut first = None;
    let mut errors: Vec<FieldError> = own.into_iter().collect();
    for (index, (response, address)) in responses.into_iter().zip(addresses).enumerate() {
        match response {
            Ok(place) => {
                let error = imprecise(address, &place, min);
                errors.extend(error.map(|(code, detail)| FieldError {
                    pointer: pointer(index),
                    code,
                    detail,
                }));
                located.push(place);
            }
            Err(error) => {
                let (code, field, detail) = locate_problem(&error);
                first = first.or(Some(code));
                errors.push(FieldError {
                    pointer: pointer(index),
                    code: field,
                    detail,
                });
            }
        }
    }
    if errors.is_empty() {
        return Ok(located);
    }
    let code = first.unwrap_or(ProblemCode::AddressImprecise);
    Err(plain(code).with_errors(errors))
}

/// Returns the field code and detail if a location is less precise than the operator accepts, else
/// `None`.
pub fn imprecise(
    address: &Address,
    located: &Located,
    min: Precision,
) -> Option<(&'static str, Text)> {
    let known = located.precision;
    if known <= min {
        return None;
    }
    let code = if known > Precision::Street && address.street.is_some() {
        "street_unknown"
    } else if known == Precision::Street && min == Precision::Number && address.number.is_some() {
        "number_unknown"
    } else {
        ProblemCode::AddressImprecise.name()
    };
    let (en, pt) = match code {
        "street_unknown" => ("Unknown street. ", "Rua desconhecida. "),
        "number_unknown" => ("Unknown street number. ", "Número desconhecido. "),
        _ => ("", ""),
    };
    let zip_code = address.cep().is_none() && min > Precision::Number;
    let (help_en, help_pt) = match (min, zip_code) {
        (Precision::Coordinates, _) => (
            "Send latitude and longitude.",
            "Envie latitude e longitude.",
        ),
        (_, true) => (
            "Send latitude and longitude, or zipCode. The operator can load a gazetteer of addresses.",
            "Envie latitude e longitude, ou zipCode. O operador pode carregar uma base de endereços.",
        ),
        (_, false) => (
            "Check the address, or send latitude and longitude. The operator can load a gazetteer of addresses.",
            "Confira o endereço ou envie latitude e longitude. O operador pode carregar uma base de endereços.",
        ),
    };
    let (known, min, radius_m) = (level(known), level(min), located.radius_m);
    Some((
        code,
        Text::new(
            format!(
                "{en}The address was located only by {}, within about {radius_m} m; {} is required. {help_en}",
                known.0, min.0
            ),
            format!(
                "{pt}O endereço foi localizado somente por {}, com erro de cerca de {radius_m} m; exigência: {}. {help_pt}",
                known.1, min.1
            ),
        ),
    ))
}

/// Returns a precision in English and Portuguese words, with its name in the API.
fn level(precision: Precision) -> (&'static str, &'static str) {
    match precision {
        Precision::Coordinates => ("its coordinates (coordinates)", "coordenadas (coordinates)"),
        Precision::Number => ("its street number (number)", "número na rua (number)"),
        Precision::Street => ("its street (street)", "rua (street)"),
        Precision::Cep => ("its CEP (cep)", "CEP (cep)"),
        Precision::Cep5 => (
            "the first five digits of its CEP (cep5)",
            "cinco primeiros dígitos do CEP (cep5)",
        ),
        Precision::Neighbourhood => (
            "its neighbourhood (neighbourhood)",
            "bairro (neighbourhood)",
        ),
        Precision::Municipality => (
            "its municipality (municipality)",
            "município (municipality)",
        ),
    }
}

/// Returns the problem code, the field code and the detail for an address that cannot be located.
pub fn locate_problem(error: &LocateError) -> (ProblemCode, &'static str, Text) {
    let code = match error {
        LocateError::CoordinatesMismatch { .. } | LocateError::CoordinatesOutside { .. } => {
            ProblemCode::CoordinatesMismatch
        }
        _ => ProblemCode::AddressNotFound,
    };
    let field = match error {
        LocateError::NoLocation => "not_locatable",
        LocateError::NotFound => "city_unknown",
        LocateError::CepUnknown => "zip_code_unknown",
        LocateError::CityNotInState { .. } => "city_not_in_state",
        LocateError::CepElsewhere { .. } => "zip_code_mismatch",
        LocateError::CoordinatesMismatch { .. } => "coordinates_mismatch",
        LocateError::CoordinatesOutside { .. } => "coordinates_outside",
    };
    (code, field, detail(error))
}

fn detail(error: &LocateError) -> Text {
    let name = |town: &Municipality| format!("{} ({})", town.name(), town.uf().code());
    match error {
        LocateError::NoLocation => Text::new(
            "The address cannot be located. Send latitude and longitude, or zipCode, or city and state.",
            "O endereço não pode ser localizado. Envie latitude e longitude, ou zipCode, ou city e state.",
        ),
        LocateError::NotFound => Text::new(
            "Unknown municipality. Check city and state; the name of a neighbourhood is not a city. Or send zipCode or latitude and longitude.",
            "Município desconhecido. Confira city e state; o nome de um bairro não é uma cidade. Ou envie zipCode ou latitude e longitude.",
        ),
        LocateError::CepUnknown => Text::new(
            "Unknown CEP. Check zipCode, or send city and state or latitude and longitude.",
            "CEP desconhecido. Confira zipCode, ou envie city e state ou latitude e longitude.",
        ),
        LocateError::CityNotInState { elsewhere } => Text::new(
            format!(
                "The city is not in this state. Did you mean {}? For a neighbourhood, send its city or zipCode.",
                name(elsewhere)
            ),
            format!(
                "A cidade não fica neste estado. Você quis dizer {}? Se for um bairro, envie a cidade dele ou zipCode.",
                name(elsewhere)
            ),
        ),
        LocateError::CepElsewhere { belongs_to } => Text::new(
            format!(
                "This CEP belongs to {}. Check zipCode and city.",
                name(belongs_to)
            ),
            format!(
                "Este CEP é de {}. Confira zipCode e city.",
                name(belongs_to)
            ),
        ),
        LocateError::CoordinatesMismatch {
            municipality,
            distance_m,
        } => {
            let (km, name) = (distance_m / 1_000, name(municipality));
            Text::new(
                format!(
                    "The coordinates are {km} km from {name}. Check latitude and longitude, or city, state and zipCode."
                ),
                format!(
                    "As coordenadas ficam a {km} km de {name}. Confira latitude e longitude, ou city, state e zipCode."
                ),
            )
        }
        LocateError::CoordinatesOutside {
            swapped: Some(point),
            ..
        } => {
            let degrees = |e7: i32| Decimal::new(e7.into(), 7).normalize();
            let (latitude, longitude) = (degrees(point.lat_e7), degrees(point.lon_e7));
            Text::new(
                format!(
                    "The coordinates are outside Brazil. Are they swapped? Latitude {latitude}, longitude {longitude} is in Brazil."
                ),
                format!(
                    "As coordenadas ficam fora do Brasil. Estão trocadas? Latitude {latitude}, longitude {longitude} fica no Brasil."
                ),
            )
        }
        LocateError::CoordinatesOutside {
            sign_lost: true, ..
        } => Text::new(
            "The coordinates are outside Brazil. Is a minus sign missing?",
            "As coordenadas ficam fora do Brasil. Falta um sinal de menos?",
        ),
        LocateError::CoordinatesOutside { .. } => Text::new(
            "The coordinates are outside Brazil or in the sea. Check latitude and longitude.",
            "As coordenadas ficam fora do Brasil ou no mar. Confira latitude e longitude.",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Point;

    fn checked(known: Precision, min: Precision, json: &str) -> Option<(&'static str, Text)> {
        let located = Located {
            point: Point {
                lat_e7: 0,
                lon_e7: 0,
            },
            precision: known,
            radius_m: 90,
        };
        imprecise(
            &address(json.as_bytes()).expect("an address"),
            &located,
            min,
        )
    }

    #[test]
    fn location_of_required_precision_is_accepted() {
        let street = r#"{"street": "Rua A", "number": "1", "city": "Manaus", "state": "AM"}"#;
        for (index, known) in Precision::ALL.into_iter().enumerate() {
            for (other, min) in Precision::ALL.into_iter().enumerate() {
                assert_eq!(
                    checked(known, min, street).is_none(),
                    index <= other,
                    "{known:?} {min:?}"
                );
            }
        }
    }

    #[test]
    fn imprecise_location_is_rejected_with_a_remedy() {
        let street = r#"{"street": "Rua A", "number": "1", "city": "Manaus", "state": "AM"}"#;
        let town = r#"{"city": "Manaus", "state": "AM"}"#;
        let cep = r#"{"street": "Rua A", "number": "1", "zipCode": "69005-070"}"#;
        for (known, min, json, code, expected_text) in [
            (
                Precision::Municipality,
                Precision::Cep,
                street,
                "street_unknown",
                "zipCode",
            ),
            (
                Precision::Cep,
                Precision::Street,
                cep,
                "street_unknown",
                "(cep)",
            ),
            (
                Precision::Street,
                Precision::Number,
                cep,
                "number_unknown",
                "90 m",
            ),
            (
                Precision::Municipality,
                Precision::Cep5,
                town,
                "address_imprecise",
                "(cep5)",
            ),
            (
                Precision::Number,
                Precision::Coordinates,
                cep,
                "address_imprecise",
                "Send latitude and longitude.",
            ),
        ] {
            let (found, text) = checked(known, min, json).expect("too imprecise");
            assert!(
                found == code && text.en.contains(expected_text) && text.en != text.pt,
                "{found} {text:?}"
            );
        }
    }

    #[test]
    fn invalid_address_reports_every_invalid_field() {
        let problem = address(br#"{"city": "Manaus", "zipCode": "1", "latitude": 1}"#)
            .expect_err("invalid fields");
        let pointers: Vec<&str> = problem
            .errors
            .iter()
            .map(|error| error.pointer.as_str())
            .collect();
        assert_eq!(pointers, ["/zipCode", "/longitude"]);
        assert!(address(b"[]").is_err());
    }
}
