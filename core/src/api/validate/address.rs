//! Addresses.

use std::ops::RangeInclusive;

use super::checker::{Checker, Path};
use crate::{
    api::{
        bounds,
        problem::{FieldError, Problem},
        read::Body,
    },
    model::{Address, Cep, Point, Uf},
    wire::AddressBody,
};

/// The purpose of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// A courier travels there: street, number, city and state are required.
    Visit,
    /// It only has to be located: coordinates, or a CEP, or city and state are required.
    Locate,
}

/// Validates an address outside an order.
///
/// # Errors
/// Every invalid field.
pub fn address(body: Body<AddressBody>) -> Result<Address, Problem> {
    let mut checker = Checker::new(body.wrong);
    let address = checker.address(&Path::Root, &body.value, Need::Locate);
    checker.finish(Some(address))
}

impl Checker {
    /// Reads an address and records every invalid field.
    pub(in crate::api) fn address(
        &mut self,
        path: &Path<'_>,
        body: &AddressBody,
        need: Need,
    ) -> Address {
        let address = Address {
            street: self.text(&path.member("street"), body.street.as_ref(), bounds::NAME),
            number: self.text(&path.member("number"), body.number.as_ref(), bounds::NAME),
            complement: self.text(
                &path.member("complement"),
                body.complement.as_ref(),
                bounds::NAME,
            ),
            neighborhood: self.text(
                &path.member("neighborhood"),
                body.neighborhood.as_ref(),
                bounds::NAME,
            ),
            city: self.text(&path.member("city"), body.city.as_ref(), bounds::NAME),
            state: self.state(path, body.state.as_ref()),
            zip_code: self.zip_code(path, body.zip_code.as_ref()),
            point: self.coordinates(path, body),
        };
        match need {
            Need::Visit => self.require_visitable(path, body, &address),
            Need::Locate => self.require_locatable(path, body, &address),
        }
        address
    }

    fn state(&mut self, path: &Path<'_>, value: Option<&String>) -> Option<String> {
        let path = path.member("state");
        let text = self.text(&path, value, bounds::NAME)?;
        if Uf::parse(&text).is_none() {
            self.reject(
                &path,
                "invalid_state",
                "Expected the two-letter code of a Brazilian state or the Federal District, such as SP.",
                "Esperada a sigla de um estado ou do Distrito Federal, como SP.",
            );
            return None;
        }
        Some(text)
    }

    fn zip_code(&mut self, path: &Path<'_>, value: Option<&String>) -> Option<String> {
        let path = path.member("zipCode");
        let text = self.text(&path, value, bounds::NAME)?;
        if Cep::parse(&text).is_none() {
            self.reject(
                &path,
                "invalid_zip_code",
                "Expected a CEP of eight digits, such as 01310-100.",
                "Esperado um CEP de oito dígitos, como 01310-100.",
            );
            return None;
        }
        Some(text)
    }

    fn coordinates(&mut self, path: &Path<'_>, body: &AddressBody) -> Option<Point> {
        let missing = match (body.latitude, body.longitude) {
            (None, None) => return None,
            (Some(latitude), Some(longitude)) => return self.point(path, latitude, longitude),
            (None, Some(_)) => "latitude",
            (Some(_), None) => "longitude",
        };
        self.reject(
            &path.member(missing),
            "incomplete_coordinates",
            "Only one coordinate was sent. Send both latitude and longitude, or neither.",
            "Só uma coordenada foi enviada. Envie latitude e longitude, ou nenhuma das duas.",
        );
        None
    }

    pub(super) fn point(
        &mut self,
        path: &Path<'_>,
        latitude: f64,
        longitude: f64,
    ) -> Option<Point> {
        let point = Point::from_degrees(latitude, longitude);
        for (name, value, limit) in [
            ("latitude", latitude, bounds::LATITUDE),
            ("longitude", longitude, bounds::LONGITUDE),
        ] {
            self.degrees(&path.member(name), value, limit);
        }
        point
    }

    /// Whether an angle is within its limit.
    pub(super) fn degrees(
        &mut self,
        path: &Path<'_>,
        value: f64,
        bounds: RangeInclusive<i32>,
    ) -> bool {
        let (min, max) = bounds.into_inner();
        let is_valid = (f64::from(min)..=f64::from(max)).contains(&value);
        if !is_valid {
            self.reject(
                path,
                "out_of_range",
                format!("Expected {min} to {max} degrees."),
                format!("Esperado de {min} a {max} graus."),
            );
        }
        is_valid
    }

    /// Reports the missing fields of an address that a courier visits. A field that was sent with
    /// an invalid value is not missing.
    fn require_visitable(&mut self, path: &Path<'_>, body: &AddressBody, address: &Address) {
        let fields = [
            ("street", &body.street, &address.street),
            ("number", &body.number, &address.number),
            ("city", &body.city, &address.city),
            ("state", &body.state, &address.state),
        ];
        for (name, sent, read) in fields {
            if read.is_none() && sent.as_deref().is_none_or(|text| text.trim().is_empty()) {
                self.required(&path.member(name));
            }
        }
    }

    fn require_locatable(&mut self, path: &Path<'_>, body: &AddressBody, address: &Address) {
        let named = address.city.is_some() && address.state.is_some();
        let sent = body.zip_code.is_some()
            || body.state.is_some()
            || body.latitude.or(body.longitude).is_some();
        if address.point.is_some() || address.zip_code.is_some() || named {
            return;
        }
        // If a sufficient field was sent but is invalid, its own error is enough.
        let prefix = format!("{}/", path.pointer());
        let under = |error: &FieldError| error.pointer.starts_with(&prefix);
        let is_invalid = (sent && self.errors.iter().any(under)) || self.wrong.iter().any(under);
        if !is_invalid {
            self.reject(
                path,
                "not_locatable",
                "The address cannot be located. Send latitude and longitude, or zipCode, or city and state.",
                "O endereço não pode ser localizado. Envie latitude e longitude, ou zipCode, ou city e state.",
            );
        }
    }
}
