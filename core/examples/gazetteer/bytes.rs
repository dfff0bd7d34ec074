//! Little-endian encoding with range checks.

/// Appends the low three bytes of a number.
pub(crate) fn push_u24(table: &mut Vec<u8>, value: u32) {
    table.extend_from_slice(&value.to_le_bytes()[..3]);
}

/// Converts a number to 16 bits. The error names the value that does not fit.
pub(crate) fn to_u16(value: usize, name: &str) -> Result<u16, String> {
    u16::try_from(value).map_err(|_| format!("{name}: {value} does not fit in 16 bits"))
}
