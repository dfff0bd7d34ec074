//! The settings of geocoders and road services.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How geocoders are called: the section `geocoder`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct GeocoderConfig {
    /// Timeout of one attempt in milliseconds; there are at most three.
    pub timeout_ms: u64,
    /// Maximum requests per second to each geocoder.
    pub per_second: u32,
    /// Days that a location is cached; 0 disables the cache.
    pub cache_days: u32,
    /// Maximum number of cached results.
    pub cache_entries: u32,
}

/// How road services are called: the section `routing`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct RoutingConfig {
    /// Timeout of one attempt in milliseconds; there are at most two.
    pub timeout_ms: u64,
    /// Maximum distance between a location and a road, in metres.
    pub snap_m: u32,
    /// Time of a courier in traffic as a percentage of the free-flow time.
    pub duration_percent: u32,
    /// Maximum points of one OSRM request, its `--max-table-size`.
    pub osrm_points: usize,
    /// Maximum pairs of one Valhalla request, its `max_matrix_location_pairs`.
    pub valhalla_pairs: usize,
    /// Profile in the URLs of OSRM requests: see [`profile`].
    pub osrm_profile: String,
    /// Costing model of Valhalla requests.
    pub valhalla_costing: Costing,
}

/// A costing model of Valhalla.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Costing {
    /// A car.
    Auto,
    /// A motorcycle.
    Motorcycle,
    /// A scooter.
    MotorScooter,
    /// A bicycle.
    Bicycle,
}

impl Default for GeocoderConfig {
    fn default() -> GeocoderConfig {
        GeocoderConfig {
            timeout_ms: 2_000,
            per_second: 10,
            cache_days: 90,
            cache_entries: 200_000,
        }
    }
}

impl Default for RoutingConfig {
    fn default() -> RoutingConfig {
        RoutingConfig {
            timeout_ms: 2_000,
            snap_m: 500,
            duration_percent: 150,
            osrm_points: 100,
            valhalla_pairs: 2_500,
            osrm_profile: "driving".to_owned(),
            valhalla_costing: Costing::Auto,
        }
    }
}

impl Costing {
    /// All costing models.
    pub const ALL: [Costing; 4] = [
        Costing::Auto,
        Costing::Motorcycle,
        Costing::MotorScooter,
        Costing::Bicycle,
    ];

    /// Returns the name in a request.
    pub fn name(self) -> &'static str {
        match self {
            Costing::Auto => "auto",
            Costing::Motorcycle => "motorcycle",
            Costing::MotorScooter => "motor_scooter",
            Costing::Bicycle => "bicycle",
        }
    }
}

/// The reason that a setting of a service is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServiceConfigError {
    /// The text is not a URL.
    Url,
    /// The URL has another scheme, credentials or a query.
    BaseUrl,
    /// The text is not a profile's name.
    Profile,
}

impl fmt::Display for ServiceConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ServiceConfigError::Url => "must be a URL, for example http://127.0.0.1:8081",
            ServiceConfigError::BaseUrl => {
                "must be http://HOST or https://HOST, with an optional port and path, and without credentials or a query"
            }
            ServiceConfigError::Profile => "must be 1 to 40 letters, digits, hyphens and underscores",
        })
    }
}

impl std::error::Error for ServiceConfigError {}

/// Checks a base URL and removes its trailing slash. It must not contain credentials, because it is
/// logged.
///
/// # Errors
/// The URL has another form.
pub fn base_url(text: &str) -> Result<String, ServiceConfigError> {
    let text = text.trim().trim_end_matches('/');
    let uri: http::Uri = text.parse().map_err(|_| ServiceConfigError::Url)?;
    let is_plain = matches!(uri.scheme_str(), Some("http" | "https")) && uri.query().is_none();
    match uri.authority() {
        Some(authority) if is_plain && !authority.as_str().contains('@') => Ok(text.to_owned()),
        _ => Err(ServiceConfigError::BaseUrl),
    }
}

/// Checks a profile's name, which becomes a path segment of a URL.
///
/// # Errors
/// The name is empty, too long or has other characters.
pub fn profile(text: &str) -> Result<String, ServiceConfigError> {
    let text = text.trim();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if (1..=40).contains(&text.len()) && text.chars().all(is_plain) {
        Ok(text.to_owned())
    } else {
        Err(ServiceConfigError::Profile)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_urls_have_no_credentials_or_query() {
        assert_eq!(
            base_url("http://127.0.0.1:5000/").as_deref(),
            Ok("http://127.0.0.1:5000")
        );
        assert_eq!(
            base_url(" https://maps.example/osrm/ ").as_deref(),
            Ok("https://maps.example/osrm")
        );
        for text in [
            "",
            "127.0.0.1:5000",
            "ftp://a",
            "http://user:pass@a",
            "http://a/?key=1",
            "http://",
        ] {
            assert!(base_url(text).is_err(), "{text}");
        }
        assert!(profile("car/../x").is_err() && profile("bike-2").is_ok());
    }

    #[test]
    fn costings_have_the_same_name_in_requests_and_configuration() {
        for costing in Costing::ALL {
            assert_eq!(serde_json::to_value(costing).unwrap(), costing.name());
        }
        let config: RoutingConfig =
            serde_json::from_str(r#"{"snap-m": 50, "valhalla-costing": "bicycle"}"#).unwrap();
        assert_eq!(
            (config.snap_m, config.valhalla_costing, config.osrm_points),
            (50, Costing::Bicycle, 100)
        );
        assert!(serde_json::from_str::<GeocoderConfig>(r#"{"per-minute": 1}"#).is_err());
    }
}
