//! What an operator chooses about services, with the names that every host's configuration has.

use serde::{Deserialize, Serialize};

/// How geocoders are asked: the section `geocoder`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct GeocoderTerms {
    /// For one attempt, of which there are three.
    pub timeout_ms: u64,
    /// Questions a second for each geocoder.
    pub per_second: u32,
    /// Days that a found place is kept; 0 keeps nothing.
    pub cache_days: u32,
    /// Answers that are kept.
    pub cache_entries: u32,
}

/// How road networks are asked: the section `routing`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct RoutingTerms {
    /// For one attempt, of which there are two.
    pub timeout_ms: u64,
    /// How far from a road a place may lie.
    pub snap_m: u32,
    /// What a courier in traffic takes of a network's free-flow time.
    pub duration_percent: u32,
    /// Points that an OSRM takes at once, its `--max-table-size`.
    pub osrm_points: usize,
    /// Pairs that a Valhalla takes at once, its `max_matrix_location_pairs`.
    pub valhalla_pairs: usize,
    /// The profile in an OSRM's addresses: see [`profile`].
    pub osrm_profile: String,
    /// What a Valhalla rides with.
    pub valhalla_costing: Costing,
}

/// What a Valhalla rides with.
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

impl Default for GeocoderTerms {
    fn default() -> GeocoderTerms {
        GeocoderTerms { timeout_ms: 2_000, per_second: 10, cache_days: 90, cache_entries: 200_000 }
    }
}

impl Default for RoutingTerms {
    fn default() -> RoutingTerms {
        RoutingTerms {
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
    /// Every one there is.
    pub const ALL: [Costing; 4] = [Costing::Auto, Costing::Motorcycle, Costing::MotorScooter, Costing::Bicycle];

    /// Its name in a question.
    pub fn name(self) -> &'static str {
        match self {
            Costing::Auto => "auto",
            Costing::Motorcycle => "motorcycle",
            Costing::MotorScooter => "motor_scooter",
            Costing::Bicycle => "bicycle",
        }
    }
}

/// A base address without its last slash. Credentials do not belong in it: it is shown.
///
/// # Errors
/// What it must be.
pub fn base_address(text: &str) -> Result<String, String> {
    let text = text.trim().trim_end_matches('/');
    let uri: http::Uri = text.parse().map_err(|_| "must be a URL, as http://127.0.0.1:8081".to_owned())?;
    let plain = matches!(uri.scheme_str(), Some("http" | "https")) && uri.query().is_none();
    match uri.authority() {
        Some(authority) if plain && !authority.as_str().contains('@') => Ok(text.to_owned()),
        _ => Err("must be http://HOST or https://HOST with a port and a path if need be, and nothing else".to_owned()),
    }
}

/// A profile's name, which becomes a part of an address.
///
/// # Errors
/// What it must be.
pub fn profile(text: &str) -> Result<String, String> {
    let text = text.trim();
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if (1..=40).contains(&text.len()) && text.chars().all(plain) {
        Ok(text.to_owned())
    } else {
        Err("must be a name of letters, digits, hyphens and underscores".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_addresses_are_plain() {
        assert_eq!(base_address("http://127.0.0.1:5000/").as_deref(), Ok("http://127.0.0.1:5000"));
        assert_eq!(base_address(" https://maps.example/osrm/ ").as_deref(), Ok("https://maps.example/osrm"));
        for text in ["", "127.0.0.1:5000", "ftp://a", "http://user:pass@a", "http://a/?key=1", "http://"] {
            assert!(base_address(text).is_err(), "{text}");
        }
        assert!(profile("car/../x").is_err() && profile("bike-2").is_ok());
    }

    #[test]
    fn names_are_those_of_questions_and_of_configurations() {
        for costing in Costing::ALL {
            assert_eq!(serde_json::to_value(costing).unwrap(), costing.name());
        }
        let terms: RoutingTerms = serde_json::from_str(r#"{"snap-m": 50, "valhalla-costing": "bicycle"}"#).unwrap();
        assert_eq!((terms.snap_m, terms.valhalla_costing, terms.osrm_points), (50, Costing::Bicycle, 100));
        assert!(serde_json::from_str::<GeocoderTerms>(r#"{"per-minute": 1}"#).is_err());
    }
}
