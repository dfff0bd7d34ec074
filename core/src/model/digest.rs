//! Hashes and message authentication codes, by the crates that everybody uses.

use data_encoding::HEXLOWER;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

/// Lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    HEXLOWER.encode(bytes)
}

/// SHA-256 of the parts, each preceded by its length, so that no two lists of parts collide; in hexadecimal.
pub fn fingerprint(parts: &[&[u8]]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_be_bytes());
        hasher.update(part);
    }
    hex(&hasher.finalize())
}

/// HMAC-SHA256 of the parts laid end to end, the first of which names the purpose.
pub fn hmac_sha256(key: &[u8; 32], parts: &[&[u8]]) -> [u8; 32] {
    mac(key, parts).finalize().into_bytes().into()
}

/// Whether `tag` is the parts' HMAC-SHA256, compared in constant time.
pub fn hmac_sha256_matches(key: &[u8; 32], parts: &[&[u8]], tag: &[u8]) -> bool {
    mac(key, parts).verify_slice(tag).is_ok()
}

fn mac(key: &[u8; 32], parts: &[&[u8]]) -> Hmac<Sha256> {
    // HMAC fills a key up to the hash's block with zeros (RFC 2104); done here, no length can be wrong.
    let mut block = [0; 64];
    block[..32].copy_from_slice(key);
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
    fn parts_do_not_run_together() {
        assert_ne!(fingerprint(&[b"ab", b"c"]), fingerprint(&[b"a", b"bc"]));
    }

    #[test]
    fn a_changed_tag_is_no_match() {
        let tag = hmac_sha256(&[1; 32], &[b"purpose", b"text"]);
        assert!(hmac_sha256_matches(&[1; 32], &[b"purpose", b"text"], &tag));
        assert!(!hmac_sha256_matches(&[2; 32], &[b"purpose", b"text"], &tag));
        assert!(!hmac_sha256_matches(&[1; 32], &[b"purpose", b"text"], &tag[..31]));
    }
}
