//! The key that identifies the deployment to push services (VAPID, RFC 8292).

use base64ct::{Base64UrlUnpadded, Encoding};
use serde::{Deserialize, Serialize};

use crate::{
    json::Tree,
    model::{Duration, Timestamp, p256_public_key, p256_sign},
};

/// Validity of a token. Push services permit at most 24 hours; half of it tolerates wrong clocks.
const TOKEN_TTL: Duration = Duration::minutes(12 * 60);

/// A private key on the curve P-256 with its public key.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct VapidKey {
    private: [u8; 32],
    public: [u8; 65],
}

impl VapidKey {
    /// Creates a key from random bytes. Returns `None` for bytes outside the range of private keys.
    pub fn new(private: [u8; 32]) -> Option<VapidKey> {
        Some(VapidKey {
            private,
            public: p256_public_key(&private)?,
        })
    }

    /// Parses a private key.
    ///
    /// # Errors
    /// The expected format, if the string is not a private key.
    pub fn parse(text: &str) -> Result<VapidKey, String> {
        let bytes = Base64UrlUnpadded::decode_vec(text.trim())
            .ok()
            .and_then(|bytes| bytes.try_into().ok());
        let key = bytes.and_then(VapidKey::new);
        key.ok_or_else(|| {
            "must be a private key of 32 bytes in base64url, as `despacho push key` prints it"
                .to_owned()
        })
    }

    /// Returns the private key in base64url.
    pub fn private_key(&self) -> String {
        Base64UrlUnpadded::encode_string(&self.private)
    }

    /// Returns the public key in base64url: an uncompressed point.
    pub fn public_key(&self) -> String {
        Base64UrlUnpadded::encode_string(&self.public)
    }

    /// Returns the `Authorization` header for a push service, which is identified by the origin of
    /// its endpoints.
    pub fn authorization(&self, contact: &str, origin: &str, now: Timestamp) -> Option<String> {
        let claims = [
            ("aud", Tree::Text(origin.into())),
            (
                "exp",
                Tree::Whole(u64::try_from(now.after(TOKEN_TTL).millis() / 1_000).ok()?),
            ),
            ("sub", Tree::Text(contact.into())),
        ];
        let claims =
            Tree::Object(claims.map(|(name, value)| (name.into(), value)).into()).to_json();
        let encode = Base64UrlUnpadded::encode_string;
        let signed = format!(
            "{}.{}",
            encode(br#"{"typ":"JWT","alg":"ES256"}"#),
            encode(claims.as_bytes())
        );
        let signature = encode(&p256_sign(&self.private, signed.as_bytes())?);
        Some(format!(
            "vapid t={signed}.{signature}, k={}",
            self.public_key()
        ))
    }
}

impl TryFrom<String> for VapidKey {
    type Error = String;

    fn try_from(text: String) -> Result<VapidKey, String> {
        VapidKey::parse(&text)
    }
}

impl From<VapidKey> for String {
    fn from(key: VapidKey) -> String {
        key.private_key()
    }
}

impl std::fmt::Debug for VapidKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "VapidKey({})", self.public_key())
    }
}

/// Returns scheme and authority of a URL, without the default port. Returns `None` if the URL has
/// none.
pub fn origin(url: &str) -> Option<String> {
    let uri: http::Uri = url.parse().ok()?;
    let (scheme, authority) = (uri.scheme_str()?, uri.authority()?.as_str());
    let authority = if scheme == "https" {
        authority.strip_suffix(":443").unwrap_or(authority)
    } else {
        authority
    };
    Some(format!("{scheme}://{}", authority.to_ascii_lowercase()))
}

/// Validates the operator's contact, which push services use if pushes cause problems.
///
/// # Errors
/// The expected format, if the string is not a contact.
pub fn contact(text: &str) -> Result<String, String> {
    let text = text.trim();
    let is_plain = text.len() <= 255 && text.bytes().all(|byte| byte.is_ascii_graphic());
    let is_mail = text
        .strip_prefix("mailto:")
        .is_some_and(|mail| mail.contains('@'));
    let is_page = text.starts_with("https://") && origin(text).is_some();
    if is_plain && (is_mail || is_page) {
        return Ok(text.to_owned());
    }
    Err(
        "must be mailto:ADDRESS or an https URL, for example mailto:suporte@entregas.example"
            .to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    fn key() -> VapidKey {
        VapidKey::new([7; 32]).unwrap()
    }

    #[test]
    fn token_names_push_service_expiry_and_contact() {
        let now = Timestamp::from_millis(1_795_262_400_000);
        let service = origin("https://Push.example:443/send/abc?x=1").unwrap();
        let header = key()
            .authorization("mailto:ana@entregas.example", &service, now)
            .unwrap();
        let token = header.strip_prefix("vapid t=").unwrap();
        let (token, public) = token.split_once(", k=").unwrap();
        assert_eq!(public, key().public_key());
        let parts: Vec<&str> = token.split('.').collect();
        let decoded =
            |part: &str| String::from_utf8(Base64UrlUnpadded::decode_vec(part).unwrap()).unwrap();
        assert_eq!(
            (parts.len(), decoded(parts[0]).as_str()),
            (3, r#"{"typ":"JWT","alg":"ES256"}"#)
        );
        let claims = decoded(parts[1]);
        assert_eq!(
            claims,
            r#"{"aud":"https://push.example","exp":1795305600,"sub":"mailto:ana@entregas.example"}"#
        );
        assert_eq!(Base64UrlUnpadded::decode_vec(parts[2]).unwrap().len(), 64);
        assert_eq!(
            origin("https://push.example:8443/a").as_deref(),
            Some("https://push.example:8443")
        );
        assert_eq!(origin("/send"), None);
    }

    #[test]
    fn keys_are_read_and_hidden_in_logs() {
        let text = key().private_key();
        assert_eq!(VapidKey::parse(&text), Ok(key()));
        assert_eq!(
            json::from_str::<VapidKey>(&format!("\"{text}\"")).unwrap(),
            key()
        );
        assert!(!format!("{:?}", key()).contains(&text));
        for text in ["", "x", &"A".repeat(43), &text[1..], &format!("{text}=")] {
            assert!(VapidKey::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn contact_is_a_mail_address_or_a_page() {
        for text in [
            "mailto:a@entregas.example",
            " https://entregas.example/ajuda ",
        ] {
            assert_eq!(contact(text).as_deref(), Ok(text.trim()));
        }
        for text in [
            "",
            "a@entregas.example",
            "mailto:",
            "http://entregas.example",
            "https://",
            "mailto:a@b c",
        ] {
            assert!(contact(text).is_err(), "{text}");
        }
    }
}
