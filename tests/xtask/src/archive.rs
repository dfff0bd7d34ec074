//! Writes ZIP archives with the same bytes for the same files: entries in the given order, without
//! compression, with a fixed time.

use despacho_xtask::run::Failure;

/// 1 January 1980, the first day that the format can express.
const DATE: u16 = 0x0021;
/// Version 1.0 of the format, which has no compression.
const VERSION: u16 = 10;
/// The names are UTF-8.
const FLAGS: u16 = 0x0800;
/// Made on Unix, so that the permissions below apply.
const MADE_BY: u16 = 0x0300 | VERSION;
/// A regular file with the permissions 644.
const ATTRIBUTES: u32 = 0o100_644 << 16;

/// Returns an archive with the named files.
pub(crate) fn zip(files: &[(String, Vec<u8>)]) -> Result<Vec<u8>, Failure> {
    let too_large = |_| Failure::new("the archive exceeds the limits of the ZIP format");
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in files {
        let offset = u32::try_from(archive.len()).map_err(too_large)?;
        let size = u32::try_from(content.len()).map_err(too_large)?;
        let length = u16::try_from(name.len()).map_err(too_large)?;
        let mut common = Vec::new();
        for field in [VERSION, FLAGS, 0, 0, DATE] {
            common.extend(field.to_le_bytes());
        }
        for field in [crc32(content), size, size] {
            common.extend(field.to_le_bytes());
        }
        for field in [length, 0] {
            common.extend(field.to_le_bytes());
        }
        archive.extend(b"PK\x03\x04");
        archive.extend(&common);
        archive.extend(name.as_bytes());
        archive.extend(content);
        directory.extend(b"PK\x01\x02");
        directory.extend(MADE_BY.to_le_bytes());
        directory.extend(&common);
        // No comment, the first disk, no internal attributes.
        directory.extend([0; 6]);
        directory.extend(ATTRIBUTES.to_le_bytes());
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let start = u32::try_from(archive.len()).map_err(too_large)?;
    let length = u32::try_from(directory.len()).map_err(too_large)?;
    let count = u16::try_from(files.len()).map_err(too_large)?;
    archive.extend(directory);
    archive.extend(b"PK\x05\x06\0\0\0\0");
    archive.extend(count.to_le_bytes());
    archive.extend(count.to_le_bytes());
    archive.extend(length.to_le_bytes());
    archive.extend(start.to_le_bytes());
    archive.extend([0; 2]);
    Ok(archive)
}

/// Returns the CRC-32 of ISO 3309, which the format requires.
fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 {
                (crc >> 1) ^ 0xedb8_8320
            } else {
                crc >> 1
            };
        }
    }
    !crc
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksum_equals_the_standard_check_value() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn archive_contains_entries_and_directory() {
        let files = [
            ("a/b.txt".to_owned(), b"one".to_vec()),
            ("c".to_owned(), Vec::new()),
        ];
        let archive = zip(&files).expect("it is small");
        assert!(
            archive.starts_with(b"PK\x03\x04")
                && archive.windows(10).any(|part| part == b"a/b.txtone")
        );
        assert_eq!(
            archive
                .windows(4)
                .filter(|part| part == b"PK\x01\x02")
                .count(),
            2
        );
        assert_eq!(
            archive.get(archive.len() - 14..archive.len() - 10),
            Some(&[2, 0, 2, 0][..])
        );
    }
}
