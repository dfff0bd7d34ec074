//! Compares texts of two runs, which must be byte-identical except for generated values: IDs, keys,
//! codes and times.
//!
//! Generated values must have the same form and must correspond: an ID of one host always maps to
//! the same ID of the other host, in bodies, headers and paths.

use std::{collections::BTreeMap, sync::OnceLock};

use regex_lite::{Captures, Match, Regex};

use crate::compare::MAX_CLOCK_DIFFERENCE;

/// The generated values of two runs that correspond.
#[derive(Default)]
pub(crate) struct Pairing {
    to_second: BTreeMap<String, String>,
    to_first: BTreeMap<String, String>,
}

/// Matches values that can differ: times; the reference and checksum of a Pix code, which contains an
/// ID; members that contain an ID, a key, a token or a cursor;
/// codes of links that set passwords; codes of four digits; costs of dispatch, which grow with the
/// clock; orders that a pass moved, because a server also moves due orders by itself; and words with
/// a digit, if they repeat such a value.
const GENERATED_VALUES: &str = concat!(
    // Files for spreadsheets in Brazil have local times.
    r#"(?P<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|-\d\d:\d\d)|\d\d/\d\d/\d{4} \d\d:\d\d:\d\d)"#,
    r#"|"brCode":"[^"]*62\d\d05\d\d(?P<pix>[DT]\d+(?:N\d+)?6304[0-9A-F]{4})""#,
    r#"|"(?:id|[A-Za-z]*Id|txid|value|secret|access_token|cursor|nextCursor|next|trackingUrl)":"?(?P<named>[A-Za-z0-9._:+/=-]+)"#,
    r#"|"code":"(?P<link>pw[su]_[A-Za-z0-9_-]+)"#,
    r#"|"(?:pickupCode|deliveryCode|returnCode)":"(?P<code>\d{4})""#,
    r#"|"(?:lateness|wait|start|total|moved)":(?P<cost>-?\d+)"#,
    r"|(?P<word>[A-Za-z0-9_.-]*[0-9][A-Za-z0-9_-]*)",
);

/// The maximum number of characters in an ID or key.
const MAX_KEY_CHARS: usize = 64;

/// The kind of a value that can differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Time,
    Named,
    Code,
    Cost,
    Word,
}

/// A value that can differ, and the text before it.
struct Piece<'a> {
    before: &'a str,
    kind: Kind,
    value: &'a str,
}

impl Pairing {
    /// Compares the values of a header. `ratelimit` and `retry-after` count down, and each request
    /// and session has its own ID.
    pub(crate) fn header(&mut self, name: &str, first: &str, second: &str) -> Result<(), String> {
        self.texts(first, second, |pairing, one, other| match name {
            "ratelimit" | "retry-after" => true,
            "x-request-id" | "set-cookie" => pairing.pair(one, other),
            _ => pairing.corresponds(one, other),
        })
    }

    /// Compares two bodies. In JSON, the name of a member determines whether its value can differ;
    /// in other text, every word with a digit can.
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
            let is_equal = one.kind == other.kind
                && one.before == other.before
                && match one.kind {
                    Kind::Time => a.len() == b.len() && is_close(a, b),
                    // The ID of a quote and a token are signed strings; those of the same
                    // millisecond are equal.
                    Kind::Named if a.len() > MAX_KEY_CHARS => a.len() == b.len(),
                    Kind::Named => self.pair(a, b),
                    Kind::Cost => is_close_cost(a, b),
                    // Two random codes can be equal.
                    Kind::Code => true,
                    Kind::Word => a == b || word(self, a, b),
                };
            if !is_equal {
                return Err(format!(
                    "first host `{}{a}`, second host `{}{b}`",
                    tail(one.before),
                    tail(other.before)
                ));
            }
        }
        if ones.len() != others.len() || end != other_end {
            return Err(format!("first host\n{first}\nsecond host\n{second}"));
        }
        Ok(())
    }

    /// Returns whether the two values are already paired.
    fn corresponds(&self, one: &str, other: &str) -> bool {
        self.to_second.get(one).is_some_and(|known| known == other)
    }

    /// Pairs two values if neither is paired yet, and returns whether they are paired with each
    /// other.
    fn pair(&mut self, one: &str, other: &str) -> bool {
        let to_second = self
            .to_second
            .entry(one.to_owned())
            .or_insert_with(|| other.to_owned())
            == other;
        let to_first = self
            .to_first
            .entry(other.to_owned())
            .or_insert_with(|| one.to_owned())
            == one;
        to_second && to_first
    }
}

/// Returns every value that can differ, and the text after the last one.
fn pieces(text: &str) -> (Vec<Piece<'_>>, &str) {
    static REGEX: OnceLock<Option<Regex>> = OnceLock::new();
    let Some(regex) = REGEX.get_or_init(|| Regex::new(GENERATED_VALUES).ok()) else {
        return (Vec::new(), text);
    };
    let (mut pieces, mut from) = (Vec::new(), 0);
    for captures in regex.captures_iter(text) {
        let Some((kind, found)) = classify(&captures) else {
            continue;
        };
        pieces.push(Piece {
            before: &text[from..found.start()],
            kind,
            value: found.as_str(),
        });
        from = found.end();
    }
    (pieces, &text[from..])
}

fn classify<'a>(captures: &Captures<'a>) -> Option<(Kind, Match<'a>)> {
    let kinds = [
        ("time", Kind::Time),
        ("named", Kind::Named),
        ("pix", Kind::Named),
        ("link", Kind::Named),
        ("code", Kind::Code),
        ("cost", Kind::Cost),
        ("word", Kind::Word),
    ];
    kinds
        .into_iter()
        .find_map(|(name, kind)| Some((kind, captures.name(name)?)))
}

/// Returns whether the interval between the runs explains the difference of two costs in seconds.
fn is_close_cost(one: &str, other: &str) -> bool {
    let costs = one.parse::<i64>().ok().zip(other.parse::<i64>().ok());
    costs.is_some_and(|(one, other)| one.abs_diff(other) <= MAX_CLOCK_DIFFERENCE.as_secs())
}

/// Returns whether the interval between the runs explains the difference of two times.
fn is_close(one: &str, other: &str) -> bool {
    let parse = despacho_core::model::Timestamp::parse;
    let seconds = |text: &str| {
        Some(
            parse(text)
                .or_else(|| parse(&local(text)?))?
                .millis()
                .div_euclid(1_000),
        )
    };
    match (seconds(one), seconds(other)) {
        (Some(one), Some(other)) => one.abs_diff(other) <= MAX_CLOCK_DIFFERENCE.as_secs(),
        _ => false,
    }
}

/// Returns a local time such as `21/11/2026 14:30:00` in RFC 3339 format, as if it were in UTC:
/// both runs have the same time zone.
fn local(text: &str) -> Option<String> {
    let (date, time) = text.split_once(' ')?;
    let mut parts = date.split('/');
    let (day, month, year) = (parts.next()?, parts.next()?, parts.next()?);
    Some(format!("{year}-{month}-{day}T{time}Z"))
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
        pairs
            .iter()
            .try_for_each(|(first, second)| pairing.body(first, second, true))
    }

    #[test]
    fn generated_values_differ_but_correspond() {
        let created = (
            r#"{"id":1003,"pickupCode":"1111"}"#,
            r#"{"id":1016,"pickupCode":"2222"}"#,
        );
        assert_eq!(
            bodies(&[
                created,
                (
                    r#"{"instance":"/orders/1003"}"#,
                    r#"{"instance":"/orders/1016"}"#
                )
            ]),
            Ok(())
        );
        assert!(
            bodies(&[
                created,
                (
                    r#"{"instance":"/orders/1003"}"#,
                    r#"{"instance":"/orders/1017"}"#
                )
            ])
            .is_err()
        );
        assert!(bodies(&[created, (r#"{"id":1003}"#, r#"{"id":1017}"#)]).is_err());
        assert!(bodies(&[created, (r#"{"id":1004}"#, r#"{"id":1016}"#)]).is_err());
    }

    #[test]
    fn pix_codes_differ_in_their_reference_and_checksum() {
        let pix = |name: &str, txid: &str, crc: &str| {
            format!(
                r#"{{"brCode":"00020126PADARIA {name}62090505{txid}6304{crc}","txid":"{txid}"}}"#
            )
        };
        let one = pix("1", "D1005", "2CE2");
        assert_eq!(bodies(&[(&one, &pix("1", "D1017", "2DC1"))]), Ok(()));
        assert!(bodies(&[(&one, &pix("2", "D1017", "2DC1"))]).is_err());
        assert!(
            bodies(&[
                (&one, &pix("1", "D1017", "2DC1")),
                (&one, &pix("1", "D1018", "2DC1"))
            ])
            .is_err()
        );
    }

    #[test]
    fn other_values_must_be_identical() {
        assert!(bodies(&[(r#"{"fee":12.5}"#, r#"{"fee":12.50}"#)]).is_err());
        assert!(bodies(&[(r#"{"id":1,"a":2}"#, r#"{"a":2,"id":1}"#)]).is_err());
        assert!(bodies(&[(r#"{"a": 1}"#, r#"{"a":1}"#)]).is_err());
        assert!(bodies(&[(r#"{"a":[1]}"#, r#"{"a":[1,2]}"#)]).is_err());
        assert!(bodies(&[("{}", "{} ")]).is_err());
    }

    #[test]
    fn times_must_be_close_and_have_the_same_form() {
        let at = |text: &str| format!(r#"{{"createdAt":"{text}"}}"#);
        let near =
            |one: &str, other: &str| bodies(&[(at(one).as_str(), at(other).as_str())]).is_ok();
        assert!(near("2026-11-21T14:30:00.000Z", "2026-11-21T14:33:00.123Z"));
        assert!(!near(
            "2026-11-21T14:30:00.000Z",
            "2026-11-21T15:33:00.123Z"
        ));
        assert!(!near("2026-11-21T14:30:00.000Z", "2026-11-21T14:30:00Z"));
        assert!(near("21/11/2026 23:59:58", "22/11/2026 00:00:07"));
        assert!(!near("21/11/2026 14:30:00", "21/11/2026 15:33:00"));
    }

    #[test]
    fn remaining_quota_and_request_id_differ_in_headers() {
        let mut pairing = Pairing::default();
        assert_eq!(
            pairing.header(
                "ratelimit",
                "\"preview\";r=599;t=1",
                "\"preview\";r=598;t=2"
            ),
            Ok(())
        );
        assert!(
            pairing
                .header(
                    "ratelimit-policy",
                    "\"preview\";q=600;w=60",
                    "\"preview\";q=601;w=60"
                )
                .is_err()
        );
        assert_eq!(pairing.header("x-request-id", "a1b2", "c3d4"), Ok(()));
        assert!(pairing.header("x-request-id", "a1b2", "c3d5").is_err());
        let cookie = |session: &str| {
            format!("despacho-courier={session}; Path=/courier; HttpOnly; Max-Age=60")
        };
        assert_eq!(
            pairing.header(
                "set-cookie",
                &cookie("ses_1_dsp_a1"),
                &cookie("ses_1_dsp_b2")
            ),
            Ok(())
        );
        assert!(
            pairing
                .header(
                    "set-cookie",
                    &cookie("ses_1_dsp_a1"),
                    &cookie("ses_1_dsp_c3")
                )
                .is_err()
        );
        assert!(
            pairing
                .header(
                    "set-cookie",
                    &cookie("ses_1_dsp_a1"),
                    "despacho-courier=ses_1_dsp_b2"
                )
                .is_err()
        );
    }
}
