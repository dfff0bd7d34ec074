//! Little-endian writing, and integers that must fit.

/// Appends a number's low three bytes.
pub(crate) fn push_u24(table: &mut Vec<u8>, value: u32) {
    table.extend_from_slice(&value.to_le_bytes()[..3]);
}

/// The number in two bytes, or a message that names what did not fit.
pub(crate) fn to_u16(value: usize, what: &str) -> Result<u16, String> {
    u16::try_from(value).map_err(|_| format!("{what}: {value} does not fit two bytes"))
}
