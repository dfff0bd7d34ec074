//! From an address to a place.

use crate::domain::{Address, Located, Precision};

/// Why an address has no place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LocateFault {
    /// Nothing in the address is known here; coordinates would help.
    NotFound,
}

/// The place of an address: its coordinates.
pub fn locate(address: &Address) -> Result<Located, LocateFault> {
    let point = address.point.ok_or(LocateFault::NotFound)?;
    Ok(Located { point, precision: Precision::Coordinates, radius_m: 0 })
}
