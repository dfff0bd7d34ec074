//! Tag values.

pub(super) fn is_allowed(value: &str) -> bool {
    matches!(
        value,
        "yes" | "motorcar" | "motor_vehicle" | "vehicle" | "permissive" | "designated" | "hov"
    )
}

pub(super) fn is_forbidden(value: &str) -> bool {
    matches!(
        value,
        "no" | "agricultural"
            | "forestry"
            | "emergency"
            | "psv"
            | "taxi"
            | "share_taxi"
            | "minibus"
            | "bus"
            | "foot"
            | "emergency_vehicle"
            | "restricted"
            | "military"
            | "official"
            | "customers"
            | "private"
            | "delivery"
            | "destination"
            | "permit"
            | "residents"
    )
}

/// Parses a length in metres. Returns infinity, which limits nothing, if the value is not a number.
pub(super) fn metres(value: &str) -> f64 {
    let start = value
        .find(|letter: char| letter.is_ascii_digit())
        .unwrap_or(value.len());
    let Some(number) = leading_number(&value[start..]) else {
        return f64::INFINITY;
    };
    match value.split_once('\'') {
        Some((_, inches)) => (number * 12.0 + leading_number(inches).unwrap_or(0.0)) * 0.0254,
        None => number,
    }
}

/// Parses the number at the start of a string. A comma is a decimal point.
pub(super) fn leading_number(text: &str) -> Option<f64> {
    let end = text
        .find(|letter: char| !matches!(letter, '0'..='9' | '.' | ','))
        .unwrap_or(text.len());
    let digits = text[..end].replace(',', ".");
    digits
        .parse()
        .ok()
        .filter(|_| digits.starts_with(|letter: char| letter.is_ascii_digit()))
}
