//! Hashes and message authentication codes.

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

/// Encodes bytes in lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    base16ct::lower::encode_string(bytes)
}

/// Decodes 64 hexadecimal digits.
pub fn unhex(text: &str) -> Option<[u8; 32]> {
    base16ct::mixed::decode_vec(text).ok()?.try_into().ok()
}

/// Returns the SHA-256 of the parts in hexadecimal. The length of each part is hashed before it, so
/// different lists of parts have different inputs.
pub fn fingerprint(parts: &[&[u8]]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_be_bytes());
        hasher.update(part);
    }
    hex(&hasher.finalize())
}

/// Returns the SHA-256 of these bytes.
pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// Returns the HMAC-SHA256 of the concatenated parts. The first part names the purpose.
pub fn hmac_sha256(key: &[u8; 32], parts: &[&[u8]]) -> [u8; 32] {
    mac(key, parts).finalize().into_bytes().into()
}

/// Returns whether `tag` is the HMAC-SHA256 of the parts, comparing in constant time.
pub fn hmac_sha256_matches(key: &[u8; 32], parts: &[&[u8]], tag: &[u8]) -> bool {
    mac(key, parts).verify_slice(tag).is_ok()
}

/// Returns the HMAC-SHA256 of a text under a key of at most 64 bytes. Longer keys are cut.
pub fn hmac_sha256_of_text(key: &str, text: &[u8]) -> [u8; 32] {
    mac(key.as_bytes(), &[text]).finalize().into_bytes().into()
}

fn mac(key: &[u8], parts: &[&[u8]]) -> Hmac<Sha256> {
    // HMAC pads keys with zeros to the block size (RFC 2104). Padding here avoids a fallible
    // constructor.
    let mut block = [0; 64];
    for (byte, own) in block.iter_mut().zip(key) {
        *byte = *own;
    }
    let mut mac = <Hmac<Sha256> as KeyInit>::new(&block.into());
    for part in parts {
        mac.update(part);
    }
    mac
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn part_boundaries_change_the_fingerprint() {
        assert_ne!(fingerprint(&[b"ab", b"c"]), fingerprint(&[b"a", b"bc"]));
    }

    #[test]
    fn wrong_key_or_truncated_tag_does_not_match() {
        let tag = hmac_sha256(&[1; 32], &[b"purpose", b"text"]);
        assert!(hmac_sha256_matches(&[1; 32], &[b"purpose", b"text"], &tag));
        assert!(!hmac_sha256_matches(&[2; 32], &[b"purpose", b"text"], &tag));
        assert!(!hmac_sha256_matches(
            &[1; 32],
            &[b"purpose", b"text"],
            &tag[..31]
        ));
    }
}
