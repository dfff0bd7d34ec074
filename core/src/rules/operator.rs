//! Sessions of the operator's panel. Nothing is stored: the session is its expiry and a nonce,
//! signed with the deployment's secret and the hash of the operator's token, so that a new token or
//! secret ends all sessions.
//!
//! The token is sent in `x-api-token`, like every other key. One session cannot be ended before its
//! twelve hours.

use super::settings::Secret;
use crate::model::{Duration, ExecContext, Timestamp, hex, hmac_sha256, store::KeyHash};

/// Validity of a session.
pub const SESSION_VALIDITY: Duration = Duration::minutes(12 * 60);

/// Starts a session and returns its value.
pub fn start_session(secret: &Secret, operator: &KeyHash, context: &mut ExecContext) -> String {
    let signed = format!(
        "{}.{}",
        context.now.after(SESSION_VALIDITY).millis(),
        context.entropy.hex()
    );
    let signature = signature(&signed, secret, operator);
    format!("{signed}.{signature}")
}

/// Returns whether a session is valid at `now`.
pub fn accepts_session(text: &str, secret: &Secret, operator: &KeyHash, now: Timestamp) -> bool {
    let Some((signed, sent)) = text.rsplit_once('.') else {
        return false;
    };
    let expires_at = signed
        .split_once('.')
        .and_then(|(expires_at, _)| expires_at.parse().ok());
    // Comparing hashes leaks nothing about the signature through timing.
    let is_signed = KeyHash::of(sent) == KeyHash::of(&signature(signed, secret, operator));
    is_signed && expires_at.is_some_and(|at| now < Timestamp::from_millis(at))
}

/// Returns the time at which a session started. The caller has verified the session.
pub fn session_start(text: &str) -> Option<Timestamp> {
    let expires_at = text.split_once('.')?.0.parse().ok()?;
    Some(Timestamp::from_millis(expires_at).before(SESSION_VALIDITY))
}

fn signature(signed: &str, secret: &Secret, operator: &KeyHash) -> String {
    let parts: [&[u8]; 3] = [
        b"despacho operator session",
        operator.as_str().as_bytes(),
        signed.as_bytes(),
    ];
    hex(&hmac_sha256(&secret.0, &parts))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Entropy;

    #[test]
    fn session_ends_with_its_time_token_and_secret() {
        let (secret, operator) = (Secret([1; 32]), KeyHash::of("token"));
        let start = Timestamp::from_millis(1_795_262_400_000);
        let mut context = ExecContext {
            now: start,
            entropy: Entropy::new([2; 32]),
        };
        let session = start_session(&secret, &operator, &mut context);
        let accepts = |text: &str, minutes| {
            accepts_session(
                text,
                &secret,
                &operator,
                start.after(Duration::minutes(minutes)),
            )
        };
        assert!(accepts(&session, 0) && accepts(&session, 719));
        assert_eq!(session_start(&session), Some(start));
        assert!(!accepts(&session, 720), "expired");
        assert!(
            !accepts_session(&session, &secret, &KeyHash::of("new"), start),
            "another token"
        );
        assert!(
            !accepts_session(&session, &Secret([3; 32]), &operator, start),
            "another secret"
        );
        assert_ne!(
            session,
            start_session(&secret, &operator, &mut context),
            "another nonce"
        );
        let later = session.replacen("1795305600000", "1795305600001", 1);
        assert_ne!(later, session);
        for text in [
            later.as_str(),
            &session[1..],
            &session[..session.len() - 1],
            "",
            ".",
            "..",
            "1795305600000..",
        ] {
            assert!(!accepts(text, 0), "{text}");
        }
    }
}
