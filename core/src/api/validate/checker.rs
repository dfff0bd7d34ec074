//! Collects every invalid field of a body.

use crate::api::{
    problem::{FieldError, Problem, ProblemCode},
    read::malformed,
};
use crate::model::Text;

/// Where a value stands in the body: a chain of names and indices, written out only for a fault.
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
    /// The path of a member.
    pub fn member(&'a self, name: &'static str) -> Path<'a> {
        Path::Member(self, name)
    }

    /// The path of an item.
    pub fn item(&'a self, index: usize) -> Path<'a> {
        Path::Item(self, index)
    }

    /// The RFC 6901 pointer. The names are the API's own, which need no escape.
    pub fn pointer(&self) -> String {
        match self {
            Path::Root => String::new(),
            Path::Member(parent, name) => format!("{}/{name}", parent.pointer()),
            Path::Item(parent, index) => format!("{}/{index}", parent.pointer()),
        }
    }
}

/// Collects faults while a request becomes a command.
#[derive(Debug, Default)]
pub struct Checker {
    pub(super) wrong: Vec<FieldError>,
    pub(super) errors: Vec<FieldError>,
}

/// A code and both texts.
pub(super) type Violation = (&'static str, String, String);

impl Checker {
    /// A checker that knows which fields were of the wrong type: what is missing in their place is not named again.
    pub fn new(wrong: Vec<FieldError>) -> Checker {
        Checker { wrong, errors: Vec::new() }
    }

    /// Writes a fault down.
    pub fn reject(&mut self, path: &Path<'_>, code: &'static str, en: impl Into<String>, pt: impl Into<String>) {
        self.errors.push(FieldError { pointer: path.pointer(), code, detail: Text::new(en, pt) });
    }

    /// Gives the command where nothing was at fault.
    ///
    /// # Errors
    /// [`Code::MalformedRequest`] where a type was wrong, else [`Code::ValidationFailed`], with every fault.
    pub fn finish<T>(self, command: Option<T>) -> Result<T, Problem> {
        match command {
            Some(command) if self.wrong.is_empty() && self.errors.is_empty() => Ok(command),
            _ => Err(self.problem()),
        }
    }

    pub(super) fn problem(self) -> Problem {
        let Checker { wrong, errors } = self;
        if wrong.is_empty() {
            return Problem::new(
                ProblemCode::ValidationFailed,
                "Some fields are not valid; `errors` names each with what to send instead.",
                "Há campos inválidos; `errors` aponta cada um e o que enviar no lugar.",
            )
            .with_errors(errors);
        }
        // A field of the wrong type reads as absent: only what is wrong elsewhere is news.
        let hidden = |error: &FieldError| {
            let under = |wrong: &FieldError| {
                error.pointer.strip_prefix(&*wrong.pointer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            };
            wrong.iter().any(under)
        };
        let rest: Vec<_> = errors.into_iter().filter(|error| !hidden(error)).collect();
        malformed(wrong.into_iter().chain(rest).collect())
    }

    /// Names a required field that is absent.
    pub(super) fn required(&mut self, path: &Path<'_>) {
        self.reject(path, "required", "This field is required.", "Este campo é obrigatório.");
    }

    /// A text of at most so many characters without control characters, trimmed; a blank one is as good as absent. Both are
    /// asked of the text as it was sent, which is what a schema can say.
    pub(super) fn text(&mut self, path: &Path<'_>, value: Option<&String>, longest: usize) -> Option<String> {
        let text = value?;
        let length = text.chars().count();
        if length > longest {
            self.reject(
                path,
                "too_long",
                format!("At most {longest} characters; this has {length}."),
                format!("No máximo {longest} caracteres; este tem {length}."),
            );
            return None;
        }
        if let Some(control) = text.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t')) {
            let number = u32::from(control);
            self.reject(
                path,
                "invalid_characters",
                format!("Control characters are not allowed; this has U+{number:04X}."),
                format!("Caracteres de controle não são permitidos; este tem U+{number:04X}."),
            );
            return None;
        }
        let text = text.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// The same, and it must be there.
    pub(super) fn required_text(&mut self, path: &Path<'_>, value: Option<&String>, longest: usize) -> Option<String> {
        let errors = self.errors.len();
        let text = self.text(path, value, longest);
        if text.is_none() && self.errors.len() == errors {
            self.required(path);
        }
        text
    }

    /// What `parse` makes of a text, or its fault.
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

    /// A whole number within a range.
    pub(super) fn whole(&mut self, path: &Path<'_>, value: Option<f64>, min: u32, max: u32) -> Option<u32> {
        let number = value?;
        if number.fract() != 0.0 {
            self.reject(path, "not_whole", "Expected a whole number.", "Esperado um número inteiro.");
            return None;
        }
        if !(f64::from(min)..=f64::from(max)).contains(&number) {
            self.reject(
                path,
                "out_of_range",
                format!("Expected {min} to {max}."),
                format!("Esperado de {min} a {max}."),
            );
            return None;
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole and within the range above")]
        let whole = number as u32;
        Some(whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_are_written_from_the_root() {
        let root = Path::Root;
        let list = root.member("deliveries");
        let item = list.item(3);
        assert_eq!(item.member("phone").pointer(), "/deliveries/3/phone");
        assert_eq!(root.pointer(), "");
    }

    #[test]
    fn whole_numbers_have_a_range() {
        let mut checker = Checker::default();
        let root = Path::Root;
        for bad in [-1.0, 1441.0, 1.5, f64::MAX, f64::INFINITY, f64::NAN] {
            assert_eq!(checker.whole(&root, Some(bad), 0, 1440), None, "{bad}");
        }
        assert_eq!(checker.errors.len(), 6);
        assert_eq!(checker.whole(&root, Some(1440.0), 0, 1440), Some(1440));
        assert_eq!(checker.whole(&root, Some(-0.0), 0, 1440), Some(0));
    }
}
