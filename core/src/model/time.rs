//! Timestamps and durations in milliseconds.

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Serialize};

/// A point in time: milliseconds since 1970 in UTC.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Timestamp(i64);

/// A duration in milliseconds.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Duration(i64);

impl Timestamp {
    /// Creates a timestamp from milliseconds since 1970, limited to the years 1970 to 9999.
    pub fn from_millis(millis: i64) -> Timestamp {
        Timestamp(millis.clamp(0, 253_402_300_799_999))
    }

    /// Returns the milliseconds since 1970.
    pub fn millis(self) -> i64 {
        self.0
    }

    /// Returns the timestamp a duration later.
    #[must_use]
    pub fn after(self, span: Duration) -> Timestamp {
        Timestamp::from_millis(self.0.saturating_add(span.0))
    }

    /// Returns the timestamp a duration earlier, but not before 1970.
    #[must_use]
    pub fn before(self, span: Duration) -> Timestamp {
        Timestamp::from_millis(self.0.saturating_sub(span.0))
    }

    /// Returns the duration since an earlier timestamp, or zero if it is not earlier.
    pub fn since(self, earlier: Timestamp) -> Duration {
        Duration((self.0 - earlier.0).max(0))
    }

    /// Returns the date and time in UTC.
    pub fn utc(self) -> DateTime<Utc> {
        DateTime::from_timestamp_millis(self.0).unwrap_or_default()
    }

    /// Parses a timestamp in RFC 3339 format.
    pub fn parse(text: &str) -> Option<Timestamp> {
        let millis = DateTime::parse_from_rfc3339(text).ok()?.timestamp_millis();
        (millis >= 0).then(|| Timestamp::from_millis(millis))
    }
}

impl std::fmt::Display for Timestamp {
    /// Formats the timestamp in RFC 3339 format, in UTC with milliseconds:
    /// `2026-11-21T14:30:00.000Z`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.utc().to_rfc3339_opts(SecondsFormat::Millis, true))
    }
}

impl Duration {
    /// Creates a duration from milliseconds.
    pub const fn millis(millis: i64) -> Duration {
        Duration(millis)
    }

    /// Creates a duration from seconds.
    pub const fn seconds(seconds: i64) -> Duration {
        Duration(seconds.saturating_mul(1_000))
    }

    /// Creates a duration from minutes.
    pub const fn minutes(minutes: i64) -> Duration {
        Duration(minutes.saturating_mul(60_000))
    }

    /// Returns the duration in milliseconds.
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// Returns the duration in seconds, rounded up, as for `Retry-After`.
    pub fn seconds_ceil(self) -> u64 {
        u64::try_from(self.0).unwrap_or_default().div_ceil(1000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_format_with_milliseconds_in_utc() {
        assert_eq!(
            Timestamp::from_millis(1_795_271_400_007).to_string(),
            "2026-11-21T14:30:00.007Z"
        );
        let text = "2026-11-21T11:30:00.007-03:00";
        assert_eq!(
            Timestamp::parse(text),
            Some(Timestamp::from_millis(1_795_271_400_007))
        );
    }

    #[test]
    fn timestamps_are_limited_to_1970_through_9999() {
        assert_eq!(
            Timestamp::from_millis(i64::MAX).to_string(),
            "9999-12-31T23:59:59.999Z"
        );
        assert_eq!(Timestamp::from_millis(-1).millis(), 0);
    }
}
