//! Two texts of two runs: equal byte for byte, but for identifiers, keys, codes and times.
//!
//! What is fresh must still be of one form, and must correspond: the identifier that one host names here, there, and in a path, is
//! always the same one on the other host.

use std::{collections::BTreeMap, sync::OnceLock};

use regex_lite::{Captures, Match, Regex};

use crate::compare::MAX_CLOCK_DIFFERENCE;

/// What of two runs corresponds.
#[derive(Default)]
pub(crate) struct Pairing {
    there: BTreeMap<String, String>,
    back: BTreeMap<String, String>,
}

/// What may differ: an instant; the value of a member that is an identifier, a key or a cursor; a code of four digits; and any word
/// with a digit in it, where it stands for such a value that was seen before.
const FRESH: &str = concat!(
    r#"(?P<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)"#,
    r#"|"(?:id|[A-Za-z]*Id|value|secret|cursor|nextCursor|next)":"?(?P<named>[A-Za-z0-9._:+/=-]+)"#,
    r#"|"(?:pickupCode|deliveryCode|returnCode)":"(?P<code>\d{4})""#,
    r"|(?P<word>[A-Za-z0-9_.-]*[0-9][A-Za-z0-9_-]*)",
);

/// Characters that an identifier or a key has at most.
const LONGEST_KEY: usize = 64;

/// What a piece that may differ is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Time,
    Named,
    Code,
    Word,
}

/// What stands before a piece that may differ, and the piece.
struct Piece<'a> {
    before: &'a str,
    kind: Kind,
    value: &'a str,
}

impl Pairing {
    /// Compares the values of a header. Some count seconds and what is left, one names the request.
    pub(crate) fn header(&mut self, name: &str, first: &str, second: &str) -> Result<(), String> {
        self.texts(first, second, |pairing, one, other| match name {
            "ratelimit" | "retry-after" => true,
            "x-request-id" => pairing.pair(one, other),
            _ => pairing.corresponds(one, other),
        })
    }

    /// Compares two bodies. In JSON a word is fresh by the name of its member; in other texts any word with a digit may be.
    pub(crate) fn body(&mut self, first: &str, second: &str, is_json: bool) -> Result<(), String> {
        self.texts(first, second, |pairing, one, other| match is_json {
            true => pairing.corresponds(one, other),
            false => pairing.pair(one, other),
        })
    }

    fn texts(
        &mut self,
        first: &str,
        second: &str,
        word: impl Fn(&mut Pairing, &str, &str) -> bool,
    ) -> Result<(), String> {
        let ((ones, end), (others, other_end)) = (pieces(first), pieces(second));
        for (one, other) in ones.iter().zip(&others) {
            let (a, b) = (one.value, other.value);
            let fits = one.kind == other.kind
                && one.before == other.before
                && match one.kind {
                    Kind::Time => a.len() == b.len() && close(a, b),
                    // A quote's is a signed text, the same one where two are made in one millisecond.
                    Kind::Named if a.len() > LONGEST_KEY => a.len() == b.len(),
                    Kind::Named => self.pair(a, b),
                    // Four digits may be the same by chance.
                    Kind::Code => true,
                    Kind::Word => a == b || word(self, a, b),
                };
            if !fits {
                return Err(format!("here `{}{a}`, there `{}{b}`", tail(one.before), tail(other.before)));
            }
        }
        if ones.len() != others.len() || end != other_end {
            return Err(format!("here\n{first}\nthere\n{second}"));
        }
        Ok(())
    }

    /// Whether the two were seen to stand for each other.
    fn corresponds(&self, one: &str, other: &str) -> bool {
        self.there.get(one).is_some_and(|known| known == other)
    }

    /// Whether the two stand for each other, from now on if neither stood for anything.
    fn pair(&mut self, one: &str, other: &str) -> bool {
        let there = self.there.entry(one.to_owned()).or_insert_with(|| other.to_owned()) == other;
        let back = self.back.entry(other.to_owned()).or_insert_with(|| one.to_owned()) == one;
        there && back
    }
}

/// Every piece that may differ, and what stands after the last.
fn pieces(text: &str) -> (Vec<Piece<'_>>, &str) {
    static REGEX: OnceLock<Option<Regex>> = OnceLock::new();
    let Some(regex) = REGEX.get_or_init(|| Regex::new(FRESH).ok()) else { return (Vec::new(), text) };
    let (mut pieces, mut from) = (Vec::new(), 0);
    for captures in regex.captures_iter(text) {
        let Some((kind, found)) = found(&captures) else { continue };
        pieces.push(Piece { before: &text[from..found.start()], kind, value: found.as_str() });
        from = found.end();
    }
    (pieces, &text[from..])
}

fn found<'a>(captures: &Captures<'a>) -> Option<(Kind, Match<'a>)> {
    let kinds = [("time", Kind::Time), ("named", Kind::Named), ("code", Kind::Code), ("word", Kind::Word)];
    kinds.into_iter().find_map(|(name, kind)| Some((kind, captures.name(name)?)))
}

/// Whether two instants are so close that the time between the runs explains it.
fn close(one: &str, other: &str) -> bool {
    let seconds = |text: &str| despacho_core::model::Timestamp::parse(text).map(|at| at.millis().div_euclid(1_000));
    match (seconds(one), seconds(other)) {
        (Some(one), Some(other)) => one.abs_diff(other) <= MAX_CLOCK_DIFFERENCE.as_secs(),
        _ => false,
    }
}

fn tail(text: &str) -> String {
    let skipped = text.chars().count().saturating_sub(80);
    text.chars().skip(skipped).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bodies(pairs: &[(&str, &str)]) -> Result<(), String> {
        let mut pairing = Pairing::default();
        pairs.iter().try_for_each(|(first, second)| pairing.body(first, second, true))
    }

    #[test]
    fn what_is_fresh_may_differ_and_must_correspond() {
        let made = (r#"{"id":1003,"pickupCode":"1111"}"#, r#"{"id":1016,"pickupCode":"2222"}"#);
        assert_eq!(bodies(&[made, (r#"{"instance":"/orders/1003"}"#, r#"{"instance":"/orders/1016"}"#)]), Ok(()));
        assert!(bodies(&[made, (r#"{"instance":"/orders/1003"}"#, r#"{"instance":"/orders/1017"}"#)]).is_err());
        assert!(bodies(&[made, (r#"{"id":1003}"#, r#"{"id":1017}"#)]).is_err());
        assert!(bodies(&[made, (r#"{"id":1004}"#, r#"{"id":1016}"#)]).is_err());
    }

    #[test]
    fn what_is_not_fresh_must_be_equal() {
        assert!(bodies(&[(r#"{"fee":12.5}"#, r#"{"fee":12.50}"#)]).is_err());
        assert!(bodies(&[(r#"{"id":1,"a":2}"#, r#"{"a":2,"id":1}"#)]).is_err());
        assert!(bodies(&[(r#"{"a": 1}"#, r#"{"a":1}"#)]).is_err());
        assert!(bodies(&[(r#"{"a":[1]}"#, r#"{"a":[1,2]}"#)]).is_err());
        assert!(bodies(&[("{}", "{} ")]).is_err());
    }

    #[test]
    fn times_are_close_and_of_one_form() {
        let at = |text: &str| format!(r#"{{"createdAt":"{text}"}}"#);
        let near = |one: &str, other: &str| bodies(&[(at(one).as_str(), at(other).as_str())]).is_ok();
        assert!(near("2026-11-21T14:30:00.000Z", "2026-11-21T14:33:00.123Z"));
        assert!(!near("2026-11-21T14:30:00.000Z", "2026-11-21T15:33:00.123Z"));
        assert!(!near("2026-11-21T14:30:00.000Z", "2026-11-21T14:30:00Z"));
    }

    #[test]
    fn headers_count_what_is_left_and_name_requests() {
        let mut pairing = Pairing::default();
        assert_eq!(pairing.header("ratelimit", "\"preview\";r=599;t=1", "\"preview\";r=598;t=2"), Ok(()));
        assert!(pairing.header("ratelimit-policy", "\"preview\";q=600;w=60", "\"preview\";q=601;w=60").is_err());
        assert_eq!(pairing.header("x-request-id", "a1b2", "c3d4"), Ok(()));
        assert!(pairing.header("x-request-id", "a1b2", "c3d5").is_err());
    }
}
