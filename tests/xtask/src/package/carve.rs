//! Moves tables out of a compiled module into a separate file.
//!
//! A module's data is in its memory at addresses that the linker assigned. The table is replaced by zeros, which compress to
//! almost nothing. The loader writes the table back to its address before the first call.

use std::ops::Range;

/// The ID of a module's section of data segments.
const DATA: u8 = 11;
/// The opcode `i32.const`, which precedes a segment's address.
const I32_CONST: u8 = 0x41;
const END: u8 = 0x0b;
/// The number of bytes before the first section: the magic number and the version.
const PREAMBLE: usize = 8;

/// A data segment: its address in memory and its range in the file.
struct Segment {
    address: usize,
    bytes: Range<usize>,
}

/// Replaces `table` with zeros and returns its address in memory.
///
/// # Errors
/// If the module cannot be parsed or does not contain the table exactly once.
pub(crate) fn carve(module: &mut [u8], table: &[u8]) -> Result<usize, &'static str> {
    let segments = segments(module).ok_or("the module's data cannot be read")?;
    let mut found = None;
    for segment in segments {
        let data = module.get(segment.bytes.clone()).unwrap_or_default();
        for (at, window) in data.windows(table.len()).enumerate() {
            if window.first() == table.first() && window == table {
                let existing = found.replace((segment.address + at, segment.bytes.start + at));
                if existing.is_some() {
                    return Err("the module holds the table more than once");
                }
            }
        }
    }
    let (address, start) = found.ok_or("the module does not hold the table")?;
    module.get_mut(start..start + table.len()).ok_or("the module ends early")?.fill(0);
    Ok(address)
}

/// Returns the active segments of a module, or `None` if it has other segments or is not a module.
fn segments(module: &[u8]) -> Option<Vec<Segment>> {
    let mut at = PREAMBLE;
    while at < module.len() {
        let section = *module.get(at)?;
        let (size, body) = decode_number(module, at + 1)?;
        if section == DATA {
            return parse_segments(module, body);
        }
        at = body + size;
    }
    Some(Vec::new())
}

fn parse_segments(module: &[u8], body: usize) -> Option<Vec<Segment>> {
    let (count, mut at) = decode_number(module, body)?;
    let mut segments = Vec::with_capacity(count);
    for _ in 0..count {
        // Zero marks an active segment of the default memory.
        if module.get(at..at + 2)? != [0, I32_CONST] {
            return None;
        }
        let (address, end) = decode_number(module, at + 2)?;
        if *module.get(end)? != END {
            return None;
        }
        let (size, start) = decode_number(module, end + 1)?;
        segments.push(Segment { address, bytes: start..start + size });
        at = start + size;
    }
    Some(segments)
}

/// Returns an LEB128 number and the offset after it. Addresses are signed, but those of a module of this size are not
/// negative.
fn decode_number(module: &[u8], mut at: usize) -> Option<(usize, usize)> {
    let mut value = 0;
    for shift in (0..35).step_by(7) {
        let byte = *module.get(at)?;
        at += 1;
        value |= usize::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some((value, at));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a module with one type section and one data section, whose only segment has these bytes at address 300.
    fn module(data: &[u8]) -> Vec<u8> {
        let mut segment = vec![1, 0, I32_CONST, 0xac, 0x02, END, u8::try_from(data.len()).expect("short")];
        segment.extend_from_slice(data);
        let mut module = b"\0asm\x01\0\0\0\x01\x01\0".to_vec();
        module.extend([DATA, u8::try_from(segment.len()).expect("short")]);
        module.extend(segment);
        module
    }

    #[test]
    fn table_is_zeroed_and_its_address_returned() {
        let mut whole = module(b"before TABLE after");
        assert_eq!(carve(&mut whole, b"TABLE"), Ok(307));
        assert_eq!(whole, module(b"before \0\0\0\0\0 after"));
    }

    #[test]
    fn missing_or_duplicate_table_is_rejected() {
        assert!(carve(&mut module(b"nothing"), b"TABLE").is_err());
        assert!(carve(&mut module(b"TABLE TABLE"), b"TABLE").is_err());
        let mut passive = module(b"TABLE");
        passive[14] = 1;
        assert_eq!(carve(&mut passive, b"TABLE"), Err("the module's data cannot be read"));
        assert!(carve(&mut [0; 4], b"TABLE").is_err());
    }
}
