//! The encoding of the subset of Protocol Buffers used by extracts, and of blobs.

use std::io::Write as _;

/// Encodes a blob with its header.
pub(crate) fn blob(kind: &str, content: &[u8], compress: bool) -> Vec<u8> {
    let mut data = Vec::new();
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    let compressed = encoder.write_all(content).and_then(|()| encoder.finish());
    match compressed.ok().filter(|_| compress) {
        Some(compressed) => {
            number(&mut data, 2, content.len() as u64);
            bytes(&mut data, 3, &compressed);
        }
        None => bytes(&mut data, 1, content),
    }
    let mut header = Vec::new();
    bytes(&mut header, 1, kind.as_bytes());
    number(&mut header, 3, data.len() as u64);
    let length = u32::try_from(header.len()).unwrap_or(u32::MAX);
    [&length.to_be_bytes()[..], &header, &data].concat()
}

/// Encodes the differences of successive values.
pub(crate) fn deltas(values: impl Iterator<Item = i64>) -> Vec<u8> {
    let mut last = 0i64;
    packed(values.map(|value| zigzag(value.wrapping_sub(std::mem::replace(&mut last, value)))))
}

/// Encodes a packed repeated field.
pub(crate) fn packed(values: impl Iterator<Item = u64>) -> Vec<u8> {
    let mut all = Vec::new();
    values.for_each(|value| varint(&mut all, value));
    all
}

/// Encodes a signed number.
pub(crate) fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)).cast_unsigned()
}

/// Appends a field with a number.
pub(crate) fn number(message: &mut Vec<u8>, field: u64, value: u64) {
    varint(message, field << 3);
    varint(message, value);
}

/// Appends a field with bytes.
pub(crate) fn bytes(message: &mut Vec<u8>, field: u64, value: &[u8]) {
    varint(message, field << 3 | 2);
    varint(message, value.len() as u64);
    message.extend_from_slice(value);
}

fn varint(message: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        message.push(u8::try_from(value & 0x7f).unwrap_or_default() | 0x80);
        value >>= 7;
    }
    message.push(u8::try_from(value).unwrap_or_default());
}
