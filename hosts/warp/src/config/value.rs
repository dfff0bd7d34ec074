//! Values of settings as text: how each kind is read, and what is said where it cannot be.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use despacho_core::{
    settings::{Secret, operator_token},
    store::KeyHash,
};

use despacho_postgres::Address;

use super::{Database, LogFormat};

pub(super) type Parsed<T> = Result<T, String>;

/// A whole number within a field's range.
pub(super) fn whole<T: TryFrom<u64>>(text: &str, (least, most): (u64, u64)) -> Parsed<T> {
    let error = || format!("must be a whole number from {least} to {most}");
    let number = text.trim().replace('_', "").parse::<u64>().ok().filter(|number| (least..=most).contains(number));
    T::try_from(number.ok_or_else(error)?).map_err(|_| error())
}

/// Whole seconds within a field's range.
pub(super) fn seconds(text: &str, range: (u64, u64)) -> Parsed<Duration> {
    whole(text, range).map(Duration::from_secs)
}

pub(super) fn switch(text: &str) -> Parsed<bool> {
    match text.trim() {
        "true" | "1" | "yes" => Ok(true),
        "false" | "0" | "no" => Ok(false),
        _ => Err("must be true or false".to_owned()),
    }
}

pub(super) fn address(text: &str) -> Parsed<SocketAddr> {
    let text = text.trim();
    let named = text.strip_prefix("localhost:").map(|port| format!("127.0.0.1:{port}"));
    named
        .as_deref()
        .unwrap_or(text)
        .parse()
        .map_err(|_| "must be ADDRESS:PORT, as 127.0.0.1:8080 or [::]:8080".to_owned())
}

pub(super) fn path(text: &str) -> Parsed<PathBuf> {
    if text.is_empty() || text.contains('\0') { Err("must be a path".to_owned()) } else { Ok(PathBuf::from(text)) }
}

pub(super) fn database(text: &str) -> Parsed<Database> {
    match text.trim() {
        "sqlite" => Ok(Database::Sqlite),
        address => {
            Address::parse(address).map(Database::Postgres).map_err(|error| format!("must be sqlite, or {error}"))
        }
    }
}

pub(super) fn secret(text: &str) -> Parsed<Secret> {
    Secret::parse(text)
}

pub(super) fn token(text: &str) -> Parsed<KeyHash> {
    operator_token(text)
}

/// Origins, separated by commas: scheme, host and port, without a path.
pub(super) fn origins(text: &str) -> Parsed<Vec<String>> {
    let split = text.split(',').map(str::trim).filter(|origin| !origin.is_empty());
    split.map(origin).collect()
}

fn origin(text: &str) -> Parsed<String> {
    let error = || format!("{text} is no origin; write scheme://host or scheme://host:port, and no path");
    let (scheme, host) = text.split_once("://").ok_or_else(error)?;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':' | '[' | ']');
    if matches!(scheme, "http" | "https") && !host.is_empty() && host.chars().all(plain) {
        // Browsers send origins in lower case.
        Ok(text.to_ascii_lowercase())
    } else {
        Err(error())
    }
}

pub(super) fn log_format(text: &str) -> Parsed<LogFormat> {
    match text.trim() {
        "text" => Ok(LogFormat::Text),
        "json" => Ok(LogFormat::Json),
        _ => Err("must be text or json".to_owned()),
    }
}

pub(super) fn log_level(text: &str) -> Parsed<tracing::Level> {
    match text.trim() {
        "error" => Ok(tracing::Level::ERROR),
        "warn" => Ok(tracing::Level::WARN),
        "info" => Ok(tracing::Level::INFO),
        "debug" => Ok(tracing::Level::DEBUG),
        _ => Err("must be error, warn, info or debug".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_within_their_range_and_type() {
        assert_eq!(whole::<u32>("1_440", (0, 1_440)), Ok(1_440));
        for text in ["", "-1", "1441", "1.5", "1e3", "99999999999999999999"] {
            assert!(whole::<u32>(text, (0, 1_440)).is_err(), "{text}");
        }
    }

    #[test]
    fn secrets_are_256_bits_and_tokens_hard_to_guess() {
        assert_eq!(secret(&"0f".repeat(32)).unwrap().0, [15; 32]);
        for text in ["", "0f", &"0g".repeat(32), &"é".repeat(32)] {
            assert!(secret(text).is_err(), "{text}");
        }
        assert!(token("short").is_err() && token("has a space in the middle").is_err());
        assert!(token("operator-token-0123456789").is_ok());
    }

    #[test]
    fn origins_have_no_path_and_no_wildcard() {
        assert_eq!(
            origins("https://A.example, http://localhost:5173").unwrap(),
            ["https://a.example", "http://localhost:5173"]
        );
        for text in ["*", "https://a.example/", "a.example", "ftp://a.example", "https://"] {
            assert!(origins(text).is_err(), "{text}");
        }
    }
}
