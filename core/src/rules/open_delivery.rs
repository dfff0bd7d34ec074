//! Access tokens, identifiers and signatures of Open Delivery.

use base64ct::{Base64UrlUnpadded, Encoding};

use super::settings::Secret;
use crate::model::{
    Duration, KeyId, Timestamp, WebhookId, hex, hmac_sha256, hmac_sha256_matches,
    hmac_sha256_of_text,
    store::{Key, KeyHash},
    unhex,
    webhook::{SigningSecret, Webhook},
};

/// Validity of an access token.
pub const TOKEN_VALIDITY: Duration = Duration::minutes(60);

const TOKEN_PURPOSE: &[u8] = b"despacho open delivery token";
const APP_PURPOSE: &[u8] = b"despacho open delivery app";

/// An access token of a connection. Nothing is stored: the token contains its key, its connection
/// and its expiry, signed with the deployment's secret. It ends with its key and with its
/// connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessToken {
    /// The key with which it was requested.
    pub key: KeyId,
    /// The connection.
    pub connection: WebhookId,
    /// Time at which it expires.
    pub expires_at: Timestamp,
}

impl AccessToken {
    /// Returns the token's text.
    pub fn seal(&self, secret: &Secret) -> String {
        let signed = format!(
            "{}.{}.{}",
            self.key,
            self.connection,
            self.expires_at.millis()
        );
        let tag = hmac_sha256(&secret.0, &[TOKEN_PURPOSE, signed.as_bytes()]);
        format!("{signed}.{}", Base64UrlUnpadded::encode_string(&tag))
    }

    /// Returns the token with this text, also if it has expired, or `None` if this deployment did
    /// not issue it.
    pub fn open(text: &str, secret: &Secret) -> Option<AccessToken> {
        let (signed, tag) = text.rsplit_once('.')?;
        let tag = Base64UrlUnpadded::decode_vec(tag).ok()?;
        if !hmac_sha256_matches(&secret.0, &[TOKEN_PURPOSE, signed.as_bytes()], &tag) {
            return None;
        }
        let (key, rest) = signed.split_once('.')?;
        let (connection, expires_at) = rest.split_once('.')?;
        Some(AccessToken {
            key: KeyId::parse(key)?,
            connection: WebhookId::parse(connection)?,
            expires_at: Timestamp::from_millis(expires_at.parse().ok()?),
        })
    }
}

/// Returns the deployment's `X-App-Id`: a UUID of version 8, the same for all connections.
pub fn app_id(secret: &Secret) -> String {
    let mut bytes = hmac_sha256(&secret.0, &[APP_PURPOSE]);
    bytes[6] = 0x80 | (bytes[6] & 0x0f);
    bytes[8] = 0x80 | (bytes[8] & 0x3f);
    let text = hex(&bytes);
    [
        &text[..8],
        &text[8..12],
        &text[12..16],
        &text[16..20],
        &text[20..32],
    ]
    .join("-")
}

/// Returns the client secret of a connection's signing secret, or `None` if its nonce is corrupt. A
/// key that is limited to the connection has this value.
pub fn client_secret(deployment: &Secret, secret: &SigningSecret) -> Option<String> {
    Some(Key::text(&deployment.0, &unhex(&secret.nonce)?))
}

/// Returns whether a key is a client secret of a connection.
pub fn accepts_key(deployment: &Secret, webhook: &Webhook, key: &KeyHash) -> bool {
    let mut secrets = webhook
        .secrets
        .iter()
        .filter_map(|secret| client_secret(deployment, secret));
    webhook.open_delivery.is_some() && secrets.any(|secret| KeyHash::of(&secret) == *key)
}

/// Returns the value of `X-App-Signature`: the HMAC-SHA256 of the body with the newest client
/// secret, in lower-case hexadecimal.
pub fn signature(deployment: &Secret, webhook: &Webhook, body: &[u8]) -> Option<String> {
    let secret = client_secret(deployment, webhook.secrets.first()?)?;
    Some(hex(&hmac_sha256_of_text(&secret, body)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_is_accepted_only_unchanged_and_by_its_deployment() {
        let (secret, expires_at) = (Secret([1; 32]), Timestamp::from_millis(1_795_262_400_000));
        let token = AccessToken {
            key: KeyId::new(7).unwrap(),
            connection: WebhookId::new(9).unwrap(),
            expires_at,
        };
        let text = token.seal(&secret);
        assert_eq!(AccessToken::open(&text, &secret), Some(token));
        assert_eq!(AccessToken::open(&text, &Secret([2; 32])), None);
        let changed = [
            text.replacen('7', "8", 1),
            text.replacen('9', "8", 1),
            text[1..].to_owned(),
            format!("{text}A"),
        ];
        for text in changed
            .iter()
            .map(String::as_str)
            .chain(["", "...", "7.9.1795262400000."])
        {
            assert_eq!(AccessToken::open(text, &secret), None, "{text}");
        }
    }

    #[test]
    fn app_id_is_a_uuid_of_version_8() {
        let id = app_id(&Secret([1; 32]));
        assert_eq!(id, app_id(&Secret([1; 32])));
        assert_ne!(id, app_id(&Secret([2; 32])));
        assert_eq!((id.len(), &id[14..15]), (36, "8"));
        assert!("89ab".contains(&id[19..20]), "{id}");
    }
}
