//! Secrets and signatures, byte for byte as the Standard Webhooks specification has them.

use base64::{Engine, engine::general_purpose::STANDARD};

use crate::model::{Timestamp, hmac_sha256, webhook::SigningSecret};

/// What every secret's text starts with.
pub const SECRET_PREFIX: &str = "whsec_";
const PURPOSE: &[u8] = b"despacho webhook secret";

fn bytes(deployment: &[u8; 32], nonce: &str) -> [u8; 32] {
    hmac_sha256(deployment, &[PURPOSE, nonce.as_bytes()])
}

/// The text of the secret that belongs to a nonce: `whsec_` and 32 bytes in base64. It is derived by HMAC-SHA256 from the deployment's
/// secret and stored nowhere.
pub fn secret_text(deployment: &[u8; 32], nonce: &str) -> String {
    format!("{SECRET_PREFIX}{}", STANDARD.encode(bytes(deployment, nonce)))
}

/// The `webhook-signature` header: `v1,` and base64 of HMAC-SHA256 over id, Unix seconds and body, one for each secret that is
/// good at `now`, the newest first, with a space between.
pub fn signature(deployment: &[u8; 32], secrets: &[SigningSecret], name: &str, now: Timestamp, body: &[u8]) -> String {
    let seconds = (now.millis() / 1_000).to_string();
    let good = secrets.iter().filter(|secret| secret.until.is_none_or(|until| now < until));
    let sign = |secret: &SigningSecret| {
        let parts: [&[u8]; 5] = [name.as_bytes(), b".", seconds.as_bytes(), b".", body];
        format!("v1,{}", STANDARD.encode(hmac_sha256(&bytes(deployment, &secret.nonce), &parts)))
    };
    good.map(sign).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_specifications_own_example_is_signed_so() {
        // The test vector of the reference libraries, whose secret has 24 bytes.
        let key = STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let mut block = [0; 32];
        block[..24].copy_from_slice(&key);
        let body = br#"{"test": 2432232314}"#;
        let parts: [&[u8]; 5] = [b"msg_p5jXN8AQM9LWM0D4loKWxJek", b".", b"1614265330", b".", body];
        // HMAC fills short keys up with zeros, so that 24 bytes and the same with zeros are one key.
        let wanted = "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
        assert_eq!(STANDARD.encode(hmac_sha256(&block, &parts)), wanted);
    }

    #[test]
    fn both_secrets_sign_until_the_older_one_ends() {
        let at = Timestamp::from_millis(1_000_000);
        let secret = |nonce: &str, until| SigningSecret { nonce: nonce.to_owned(), until };
        let secrets = [secret("b", None), secret("a", Some(at))];
        let before = Timestamp::from_millis(999_999);
        assert_eq!(signature(&[1; 32], &secrets, "m", before, b"{}").split(' ').count(), 2);
        assert_eq!(signature(&[1; 32], &secrets, "m", at, b"{}").split(' ').count(), 1);
        assert!(secret_text(&[1; 32], "a").starts_with("whsec_") && secret_text(&[1; 32], "a").len() == 50);
        assert_ne!(secret_text(&[1; 32], "a"), secret_text(&[2; 32], "a"));
    }
}
