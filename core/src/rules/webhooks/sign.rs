//! Secrets and signatures of the Standard Webhooks specification.

use base64ct::{Base64, Encoding};

use crate::model::{Timestamp, hmac_sha256, webhook::SigningSecret};

/// Prefix of all secrets.
pub const SECRET_PREFIX: &str = "whsec_";
const PURPOSE: &[u8] = b"despacho webhook secret";

fn bytes(deployment: &[u8; 32], nonce: &str) -> [u8; 32] {
    hmac_sha256(deployment, &[PURPOSE, nonce.as_bytes()])
}

/// Derives the secret of a nonce: `whsec_` and 32 bytes in base64. It is an HMAC-SHA256 with the
/// deployment's secret and is not stored.
pub fn secret_text(deployment: &[u8; 32], nonce: &str) -> String {
    format!(
        "{SECRET_PREFIX}{}",
        Base64::encode_string(&bytes(deployment, nonce))
    )
}

/// Returns the value of the `webhook-signature` header: `v1,` and the base64 of the HMAC-SHA256 of
/// the ID, the Unix time in seconds and the body. There is one signature for each secret that is
/// valid at `now`, newest first, separated by spaces.
pub fn signature(
    deployment: &[u8; 32],
    secrets: &[SigningSecret],
    name: &str,
    now: Timestamp,
    body: &[u8],
) -> String {
    let seconds = (now.millis() / 1_000).to_string();
    let valid = secrets
        .iter()
        .filter(|secret| secret.until.is_none_or(|until| now < until));
    let sign = |secret: &SigningSecret| {
        let parts: [&[u8]; 5] = [name.as_bytes(), b".", seconds.as_bytes(), b".", body];
        format!(
            "v1,{}",
            Base64::encode_string(&hmac_sha256(&bytes(deployment, &secret.nonce), &parts))
        )
    };
    valid.map(sign).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signature_equals_the_reference_test_vector() {
        // Test vector of the reference libraries, whose secret has 24 bytes.
        let key = Base64::decode_vec("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let mut block = [0; 32];
        block[..24].copy_from_slice(&key);
        let body = br#"{"test": 2432232314}"#;
        let parts: [&[u8]; 5] = [
            b"msg_p5jXN8AQM9LWM0D4loKWxJek",
            b".",
            b"1614265330",
            b".",
            body,
        ];
        // HMAC pads short keys with zeros, so padding the 24 bytes does not change the key.
        let expected = "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
        assert_eq!(
            Base64::encode_string(&hmac_sha256(&block, &parts)),
            expected
        );
    }

    #[test]
    fn both_secrets_sign_until_the_older_expires() {
        let at = Timestamp::from_millis(1_000_000);
        let secret = |nonce: &str, until| SigningSecret {
            nonce: nonce.to_owned(),
            until,
        };
        let secrets = [secret("b", None), secret("a", Some(at))];
        let before = Timestamp::from_millis(999_999);
        assert_eq!(
            signature(&[1; 32], &secrets, "m", before, b"{}")
                .split(' ')
                .count(),
            2
        );
        assert_eq!(
            signature(&[1; 32], &secrets, "m", at, b"{}")
                .split(' ')
                .count(),
            1
        );
        assert!(
            secret_text(&[1; 32], "a").starts_with("whsec_")
                && secret_text(&[1; 32], "a").len() == 50
        );
        assert_ne!(secret_text(&[1; 32], "a"), secret_text(&[2; 32], "a"));
    }
}
