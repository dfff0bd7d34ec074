//! Signatures with ECDSA on the curve P-256 and SHA-256.

use p256::ecdsa::{Signature, SigningKey, signature::Signer};

/// Returns the public key of a private key as an uncompressed point. Returns `None` if the number
/// is outside the range of private keys.
pub fn p256_public_key(private: &[u8; 32]) -> Option<[u8; 65]> {
    let key = SigningKey::from_slice(private).ok()?;
    key.verifying_key()
        .to_sec1_point(false)
        .as_bytes()
        .try_into()
        .ok()
}

/// Signs a message deterministically (RFC 6979) and returns `r` and `s`. Returns `None` if the
/// number is outside the range of private keys.
pub fn p256_sign(private: &[u8; 32], message: &[u8]) -> Option<[u8; 64]> {
    let key = SigningKey::from_slice(private).ok()?;
    let signature: Signature = key.sign(message);
    Some(signature.to_bytes().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Private key, public key and signature of `sample` in RFC 6979, A.2.5.
    const PRIVATE: &str = "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721";
    const PUBLIC: &str = "0460fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb67903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299";
    const SIGNATURE: &str = "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8";

    #[test]
    fn signature_equals_the_test_vector_of_rfc_6979() {
        let private = base16ct::lower::decode_vec(PRIVATE)
            .unwrap()
            .try_into()
            .unwrap();
        assert_eq!(
            super::super::hex(&p256_public_key(&private).unwrap()),
            PUBLIC
        );
        assert_eq!(
            super::super::hex(&p256_sign(&private, b"sample").unwrap()),
            SIGNATURE
        );
    }

    #[test]
    fn number_outside_the_group_has_no_public_key() {
        for bytes in [[0; 32], [0xff; 32]] {
            assert_eq!(
                (p256_public_key(&bytes), p256_sign(&bytes, b"x")),
                (None, None)
            );
        }
    }
}
