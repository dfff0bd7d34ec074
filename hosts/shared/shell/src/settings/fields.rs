//! Functions for `#[serde(deserialize_with)]`, which convert values of the table to the types of a
//! configuration.

use std::{fmt::Display, str::FromStr, time::Duration};

use despacho_core::{
    model::store::KeyHash,
    rules::{
        pricing::Tariff,
        settings::{Secret, operator_token},
    },
};
use http::{HeaderName, HeaderValue};
use serde::{Deserialize, Deserializer, de::Error};

use super::value::split_header;

/// Reads a number of seconds.
pub fn seconds<'de, D: Deserializer<'de>>(value: D) -> Result<Duration, D::Error> {
    u64::deserialize(value).map(Duration::from_secs)
}

/// Reads a number of milliseconds.
pub fn milliseconds<'de, D: Deserializer<'de>>(value: D) -> Result<Duration, D::Error> {
    u64::deserialize(value).map(Duration::from_millis)
}

/// Reads a string with its type's `FromStr`.
pub fn parsed<'de, D: Deserializer<'de>, T: FromStr<Err: Display>>(
    value: D,
) -> Result<T, D::Error> {
    String::deserialize(value)?
        .parse()
        .map_err(D::Error::custom)
}

/// Reads an optional string with its type's `FromStr`.
pub fn optional<'de, D: Deserializer<'de>, T: FromStr<Err: Display>>(
    value: D,
) -> Result<Option<T>, D::Error> {
    parsed(value).map(Some)
}

/// Reads a list of strings with a function.
pub fn list<'de, D: Deserializer<'de>, T, E: Display>(
    value: D,
    parse: fn(&str) -> Result<T, E>,
) -> Result<Vec<T>, D::Error> {
    Vec::<String>::deserialize(value)?
        .iter()
        .map(|text| parse(text).map_err(D::Error::custom))
        .collect()
}

/// Reads the deployment's secret.
pub fn secret<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Secret>, D::Error> {
    Secret::parse(&String::deserialize(value)?)
        .map(Some)
        .map_err(D::Error::custom)
}

/// Reads a token and returns its hash.
pub fn token<'de, D: Deserializer<'de>>(value: D) -> Result<Option<KeyHash>, D::Error> {
    operator_token(&String::deserialize(value)?)
        .map(Some)
        .map_err(D::Error::custom)
}

/// Reads a tariff from JSON.
pub fn tariff<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Tariff>, D::Error> {
    super::tariff(&String::deserialize(value)?)
        .map(Some)
        .map_err(D::Error::custom)
}

/// Reads headers from `NAME=VALUE`.
pub fn headers<'de, D: Deserializer<'de>>(
    value: D,
) -> Result<Vec<(HeaderName, HeaderValue)>, D::Error> {
    list(value, split_header)
}
