//! Instants and spans in whole milliseconds.

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Serialize};

/// An instant: milliseconds since 1970 in UTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(i64);

/// A span of time in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Duration(i64);

impl Timestamp {
    /// The instant of these milliseconds since 1970, kept within the years 1970 to 9999.
    pub fn from_millis(millis: i64) -> Timestamp {
        Timestamp(millis.clamp(0, 253_402_300_799_999))
    }

    /// Milliseconds since 1970.
    pub fn millis(self) -> i64 {
        self.0
    }

    /// The instant a span later.
    #[must_use]
    pub fn after(self, span: Duration) -> Timestamp {
        Timestamp::from_millis(self.0.saturating_add(span.0))
    }

    /// The instant a span earlier, not before 1970.
    #[must_use]
    pub fn before(self, span: Duration) -> Timestamp {
        Timestamp::from_millis(self.0.saturating_sub(span.0))
    }

    /// The span from an earlier instant to this one; zero where it is not earlier.
    pub fn since(self, earlier: Timestamp) -> Duration {
        Duration((self.0 - earlier.0).max(0))
    }

    /// The instant in the calendar, in UTC.
    pub fn utc(self) -> DateTime<Utc> {
        DateTime::from_timestamp_millis(self.0).unwrap_or_default()
    }

    /// The instant of an RFC 3339 text.
    pub fn parse(text: &str) -> Option<Timestamp> {
        let millis = DateTime::parse_from_rfc3339(text).ok()?.timestamp_millis();
        (millis >= 0).then(|| Timestamp::from_millis(millis))
    }
}

impl std::fmt::Display for Timestamp {
    /// RFC 3339 in UTC with milliseconds: `2026-11-21T14:30:00.000Z`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.utc().to_rfc3339_opts(SecondsFormat::Millis, true))
    }
}

impl Duration {
    /// A span of milliseconds.
    pub const fn millis(millis: i64) -> Duration {
        Duration(millis)
    }

    /// A span of seconds.
    pub const fn seconds(seconds: i64) -> Duration {
        Duration(seconds.saturating_mul(1_000))
    }

    /// A span of minutes.
    pub const fn minutes(minutes: i64) -> Duration {
        Duration(minutes.saturating_mul(60_000))
    }

    /// The span in milliseconds.
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// The span in whole seconds, rounded up, as `Retry-After` wants it.
    pub fn seconds_ceil(self) -> u64 {
        u64::try_from(self.0).unwrap_or_default().div_ceil(1000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_written_with_milliseconds_and_z() {
        assert_eq!(Timestamp::from_millis(1_795_271_400_007).to_string(), "2026-11-21T14:30:00.007Z");
        let text = "2026-11-21T11:30:00.007-03:00";
        assert_eq!(Timestamp::parse(text), Some(Timestamp::from_millis(1_795_271_400_007)));
    }

    #[test]
    fn the_calendar_has_ends() {
        assert_eq!(Timestamp::from_millis(i64::MAX).to_string(), "9999-12-31T23:59:59.999Z");
        assert_eq!(Timestamp::from_millis(-1).millis(), 0);
    }
}
