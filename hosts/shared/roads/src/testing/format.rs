//! Road files of earlier programs.

use crc::{CRC_32_ISO_HDLC, Crc};

/// Parts of format 2.
const PARTS: usize = 17;

/// Returns a road file in the earlier format 2, which has neither of the last two parts.
///
/// # Panics
///
/// Panics if the bytes are not a road file.
#[must_use]
pub fn in_format_2(file: &[u8]) -> Vec<u8> {
    let records = |part: usize| {
        let at = 12 + part * 12;
        u64::from_le_bytes(file[at..at + 8].try_into().expect("eight bytes"))
    };
    let removed =
        usize::try_from(records(PARTS) * 4 + records(PARTS + 1) * 28).expect("a small file");
    let mut header = file[..12 + PARTS * 12].to_vec();
    header[8..12].copy_from_slice(&2u32.to_le_bytes());
    let checksum = Crc::<u32>::new(&CRC_32_ISO_HDLC).checksum(&header);
    let content = &file[12 + (PARTS + 2) * 12 + 4..file.len() - removed];
    [&header[..], &checksum.to_le_bytes(), content].concat()
}
