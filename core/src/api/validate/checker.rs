//! Collects every invalid field of a body.
//!
//! Control characters are rejected in every string, except line breaks and tabs, to protect
//! databases and terminals.

use std::ops::RangeInclusive;

use crate::api::{
    call::plain,
    problem::{FieldError, Problem, ProblemCode},
    read::malformed,
};
use crate::model::{Text, order::Notice};

/// The position of a value in the body, as a chain of names and indices. It becomes a string only
/// for an error.
#[derive(Clone, Copy, Debug)]
pub enum Path<'a> {
    /// The body.
    Root,
    /// A member of an object.
    Member(&'a Path<'a>, &'static str),
    /// An item of a list.
    Item(&'a Path<'a>, usize),
}

impl<'a> Path<'a> {
    /// Returns the path of a member.
    pub fn member(&'a self, name: &'static str) -> Path<'a> {
        Path::Member(self, name)
    }

    /// Returns the path of an item.
    pub fn item(&'a self, index: usize) -> Path<'a> {
        Path::Item(self, index)
    }

    /// Returns the RFC 6901 pointer. The API's field names need no escaping.
    pub fn pointer(&self) -> String {
        match self {
            Path::Root => String::new(),
            Path::Member(parent, name) => format!("{}/{name}", parent.pointer()),
            Path::Item(parent, index) => format!("{}/{index}", parent.pointer()),
        }
    }
}

/// The code of a field that is unknown. Unlike a wrong type it does not hide other errors, and the
/// problem is 422.
pub const UNKNOWN_FIELD: &str = "unknown_field";

/// Collects errors while a request is converted to a command.
#[derive(Debug, Default)]
pub struct Checker {
    pub(super) wrong: Vec<FieldError>,
    pub(super) errors: Vec<FieldError>,
    pub(super) notices: Vec<Notice>,
}

/// An error's code, and its detail in English and Portuguese.
pub(super) type Violation = (&'static str, String, String);

impl Checker {
    /// Creates a checker. `wrong` lists the fields of a wrong type, which are not reported again as
    /// missing, and unknown fields.
    pub fn new(wrong: Vec<FieldError>) -> Checker {
        let (errors, wrong) = wrong
            .into_iter()
            .partition(|error| error.code == UNKNOWN_FIELD);
        Checker {
            wrong,
            errors,
            notices: Vec::new(),
        }
    }

    /// Records an error.
    pub fn reject(
        &mut self,
        path: &Path<'_>,
        code: &'static str,
        en: impl Into<String>,
        pt: impl Into<String>,
    ) {
        self.errors.push(FieldError {
            pointer: path.pointer(),
            code,
            detail: Text::new(en, pt),
        });
    }

    /// Returns the command if there are no errors.
    ///
    /// # Errors
    /// [`ProblemCode::MalformedRequest`] if a field has a wrong type, else
    /// [`ProblemCode::ValidationFailed`], with all errors.
    pub fn finish<T>(self, command: Option<T>) -> Result<T, Problem> {
        match command {
            Some(command) if self.wrong.is_empty() && self.errors.is_empty() => Ok(command),
            _ => Err(self.problem()),
        }
    }

    pub(super) fn problem(self) -> Problem {
        let Checker { wrong, errors, .. } = self;
        if wrong.is_empty() {
            return plain(ProblemCode::ValidationFailed).with_errors(errors);
        }
        // A field of a wrong type is read as absent, so errors at or below it are omitted.
        let hidden = |error: &FieldError| {
            let under = |wrong: &FieldError| {
                error
                    .pointer
                    .strip_prefix(&*wrong.pointer)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            };
            wrong.iter().any(under)
        };
        let rest: Vec<_> = errors.into_iter().filter(|error| !hidden(error)).collect();
        malformed(wrong.into_iter().chain(rest).collect())
    }

    /// Reports a required field that is absent.
    pub(super) fn required(&mut self, path: &Path<'_>) {
        self.reject(
            path,
            "required",
            "This field is required.",
            "Este campo é obrigatório.",
        );
    }

    /// Reads a string whose length does not exceed `bounds` and that has no control characters.
    /// Both checks apply before trimming, as in the OpenAPI schema. Returns the trimmed string, or
    /// `None` if it is blank.
    pub(super) fn text(
        &mut self,
        path: &Path<'_>,
        value: Option<&String>,
        bounds: RangeInclusive<usize>,
    ) -> Option<String> {
        let text = value?;
        let (length, max) = (text.chars().count(), *bounds.end());
        if length > max {
            self.reject(
                path,
                "too_long",
                format!("Too long: {length} characters. Send at most {max}."),
                format!("Texto longo demais: {length} caracteres. Envie no máximo {max}."),
            );
            return None;
        }
        if let Some(control) = text
            .chars()
            .find(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t'))
        {
            let number = u32::from(control);
            self.reject(
                path,
                "invalid_characters",
                format!("Control characters are not allowed. Remove U+{number:04X}."),
                format!("Caracteres de controle não são permitidos. Remova U+{number:04X}."),
            );
            return None;
        }
        let text = text.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// Like [`Checker::text`], but reports a blank or absent string.
    pub(super) fn required_text(
        &mut self,
        path: &Path<'_>,
        value: Option<&String>,
        bounds: RangeInclusive<usize>,
    ) -> Option<String> {
        let errors = self.errors.len();
        let text = self.text(path, value, bounds);
        if text.is_none() && self.errors.len() == errors {
            self.required(path);
        }
        text
    }

    /// Rejects a list with more than the permitted number of items.
    pub(super) fn has_at_most(
        &mut self,
        path: &Path<'_>,
        length: usize,
        bounds: RangeInclusive<usize>,
    ) -> bool {
        let max = *bounds.end();
        if length > max {
            let en = format!("Too many entries. Send at most {max}.");
            let pt = format!("Há itens demais. Envie no máximo {max}.");
            self.reject(path, "out_of_range", en, pt);
        }
        length <= max
    }

    /// Parses a string and records its error.
    pub(super) fn parsed<T>(
        &mut self,
        path: &Path<'_>,
        text: Option<String>,
        parse: impl FnOnce(&str) -> Result<T, Violation>,
    ) -> Option<T> {
        match parse(&text?) {
            Ok(value) => Some(value),
            Err((code, en, pt)) => {
                self.reject(path, code, en, pt);
                None
            }
        }
    }

    /// Reads a number of minutes within a range. Fractions are rounded up.
    pub(super) fn minutes(
        &mut self,
        path: &Path<'_>,
        value: Option<f64>,
        bounds: RangeInclusive<u32>,
    ) -> Option<u32> {
        let number = value?;
        let (min, max) = (*bounds.start(), *bounds.end());
        if !(f64::from(min)..=f64::from(max)).contains(&number) {
            self.reject(
                path,
                "out_of_range",
                format!("Expected a number of minutes from {min} to {max}."),
                format!("Esperado um número de minutos de {min} a {max}."),
            );
            return None;
        }
        self.integer(path, Some(libm::ceil(number)), bounds)
    }

    /// Reads an integer within a range.
    pub(super) fn integer(
        &mut self,
        path: &Path<'_>,
        value: Option<f64>,
        bounds: RangeInclusive<u32>,
    ) -> Option<u32> {
        let number = value?;
        let (min, max) = (*bounds.start(), *bounds.end());
        if number.fract() != 0.0 {
            self.reject(
                path,
                "not_whole",
                "Expected an integer.",
                "Esperado um número inteiro.",
            );
            return None;
        }
        if !(f64::from(min)..=f64::from(max)).contains(&number) {
            self.reject(
                path,
                "out_of_range",
                format!("Expected an integer from {min} to {max}."),
                format!("Esperado um número inteiro de {min} a {max}."),
            );
            return None;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "an integer within the range above"
        )]
        let whole = number as u32;
        Some(whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointer_starts_at_the_root() {
        let root = Path::Root;
        let list = root.member("deliveries");
        let item = list.item(3);
        assert_eq!(item.member("phone").pointer(), "/deliveries/3/phone");
        assert_eq!(root.pointer(), "");
    }

    #[test]
    fn fractions_of_minutes_are_rounded_up() {
        let mut checker = Checker::default();
        let root = Path::Root;
        let read = |checker: &mut Checker, number| checker.minutes(&root, Some(number), 0..=1440);
        let found = [0.0, -0.0, 0.1, 30.0, 29.000_001, 1439.5, 1440.0]
            .map(|number| read(&mut checker, number));
        assert_eq!(
            found,
            [
                Some(0),
                Some(0),
                Some(1),
                Some(30),
                Some(30),
                Some(1440),
                Some(1440)
            ]
        );
        assert!(checker.errors.is_empty());
        for bad in [-1.0, -0.1, 1440.1, f64::MAX, f64::NAN] {
            assert_eq!(read(&mut checker, bad), None, "{bad}");
        }
        assert_eq!(checker.errors.len(), 5);
    }

    #[test]
    fn integer_outside_its_range_is_rejected() {
        let mut checker = Checker::default();
        let root = Path::Root;
        for bad in [-1.0, 1441.0, 1.5, f64::MAX, f64::INFINITY, f64::NAN] {
            assert_eq!(checker.integer(&root, Some(bad), 0..=1440), None, "{bad}");
        }
        assert_eq!(checker.errors.len(), 6);
        assert_eq!(checker.integer(&root, Some(1440.0), 0..=1440), Some(1440));
        assert_eq!(checker.integer(&root, Some(-0.0), 0..=1440), Some(0));
    }
}
