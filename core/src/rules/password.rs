//! Password hashing: argon2id with OWASP's second recommended cost (19 MiB, 2 passes, 1 lane), in
//! PHC format.

use argon2::{
    Argon2,
    password_hash::{PasswordHasher, PasswordVerifier, phc::PasswordHash},
};

/// The reason a password could not be hashed or verified.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PasswordError(String);

/// Hashes a password with a salt from the host's entropy and returns the PHC string. Takes tens of
/// milliseconds by design.
pub fn hash(password: &str, salt: [u8; 16]) -> Result<String, PasswordError> {
    let hash = Argon2::default().hash_password_with_salt(password.as_bytes(), &salt);
    hash.map(|hash| hash.to_string())
        .map_err(|error| PasswordError(format!("argon2: {error}")))
}

/// Returns whether the password matches the PHC string, comparing in constant time.
pub fn verify(password: &str, phc: &str) -> Result<bool, PasswordError> {
    let parsed =
        PasswordHash::new(phc).map_err(|error| PasswordError(format!("stored hash: {error}")))?;
    Ok(Argon2::default()
        .verify_password(password.as_bytes(), &parsed)
        .is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_password_does_not_match() {
        let phc = hash("correct horse battery", [3; 16]).unwrap();
        assert!(phc.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{phc}");
        assert_eq!(verify("correct horse battery", &phc), Ok(true));
        assert_eq!(verify("correct horse batterz", &phc), Ok(false));
        assert!(verify("x", "not a hash").is_err());
    }
}
