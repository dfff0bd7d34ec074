//! Takes tables out of a compiled module, so that they can be a file of their own beside it.
//!
//! A module's data lies in its memory at addresses that the linker chose. A table that is found there is replaced by zeros, which
//! no compressed transfer pays for; whoever loads the module writes the table back to the address before the first call.

use std::ops::Range;

/// Number of a module's section of data segments.
const DATA: u8 = 11;
/// `i32.const`, what a segment's address begins with.
const I32_CONST: u8 = 0x41;
const END: u8 = 0x0b;
/// Bytes before the first section: the magic number and the version.
const PREAMBLE: usize = 8;

/// A data segment: where it lies in memory and in the file.
struct Segment {
    address: usize,
    bytes: Range<usize>,
}

/// Puts zeros in place of `table` and returns the address in memory that it is expected at.
///
/// # Errors
/// Why it could not be taken out: the module is not understood, or does not hold the table once.
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

/// The active segments of a module; `None` where it has others, or is no module.
fn segments(module: &[u8]) -> Option<Vec<Segment>> {
    let mut at = PREAMBLE;
    while at < module.len() {
        let section = *module.get(at)?;
        let (size, body) = number(module, at + 1)?;
        if section == DATA {
            return read(module, body);
        }
        at = body + size;
    }
    Some(Vec::new())
}

fn read(module: &[u8], body: usize) -> Option<Vec<Segment>> {
    let (count, mut at) = number(module, body)?;
    let mut segments = Vec::with_capacity(count);
    for _ in 0..count {
        // Zero: active, in the one memory, at a constant address.
        if module.get(at..at + 2)? != [0, I32_CONST] {
            return None;
        }
        let (address, end) = number(module, at + 2)?;
        if *module.get(end)? != END {
            return None;
        }
        let (size, start) = number(module, end + 1)?;
        segments.push(Segment { address, bytes: start..start + size });
        at = start + size;
    }
    Some(segments)
}

/// A number in LEB128, and where it ends. Addresses are signed, but none of a module that fits a page is negative.
fn number(module: &[u8], mut at: usize) -> Option<(usize, usize)> {
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

    /// A module of one type section and one data section with a segment of these bytes at 300.
    fn module(data: &[u8]) -> Vec<u8> {
        let mut segment = vec![1, 0, I32_CONST, 0xac, 0x02, END, u8::try_from(data.len()).expect("short")];
        segment.extend_from_slice(data);
        let mut module = b"\0asm\x01\0\0\0\x01\x01\0".to_vec();
        module.extend([DATA, u8::try_from(segment.len()).expect("short")]);
        module.extend(segment);
        module
    }

    #[test]
    fn a_table_becomes_zeros_and_its_address_is_told() {
        let mut whole = module(b"before TABLE after");
        assert_eq!(carve(&mut whole, b"TABLE"), Ok(307));
        assert_eq!(whole, module(b"before \0\0\0\0\0 after"));
    }

    #[test]
    fn what_is_not_there_once_is_refused() {
        assert!(carve(&mut module(b"nothing"), b"TABLE").is_err());
        assert!(carve(&mut module(b"TABLE TABLE"), b"TABLE").is_err());
        let mut passive = module(b"TABLE");
        passive[14] = 1;
        assert_eq!(carve(&mut passive, b"TABLE"), Err("the module's data cannot be read"));
        assert!(carve(&mut [0; 4], b"TABLE").is_err());
    }
}
