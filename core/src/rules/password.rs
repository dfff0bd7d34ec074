//! Passwords: argon2id with OWASP's second recommended cost (19 MiB, 2 passes, 1 lane), written in PHC form.

use argon2::{
    Argon2,
    password_hash::{PasswordHasher, PasswordVerifier, phc::PasswordHash},
};

/// Characters that a password has at least.
pub const SHORTEST: usize = 10;
/// Characters that a password has at most: the work to hash one must end.
pub const LONGEST: usize = 128;

/// Why a password could not be hashed or compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PasswordError(String);

impl std::fmt::Display for PasswordError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PasswordError {}

/// The PHC text of a password with a salt of the host's entropy. Takes tens of milliseconds by intent.
pub fn hash(password: &str, salt: [u8; 16]) -> Result<String, PasswordError> {
    let hash = Argon2::default().hash_password_with_salt(password.as_bytes(), &salt);
    hash.map(|hash| hash.to_string()).map_err(|error| PasswordError(format!("argon2: {error}")))
}

/// Whether the password belongs to the PHC text, compared in constant time.
pub fn verify(password: &str, phc: &str) -> Result<bool, PasswordError> {
    let parsed = PasswordHash::new(phc).map_err(|error| PasswordError(format!("stored hash: {error}")))?;
    Ok(Argon2::default().verify_password(password.as_bytes(), &parsed).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_told_from_another() {
        let phc = hash("correct horse battery", [3; 16]).unwrap();
        assert!(phc.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{phc}");
        assert_eq!(verify("correct horse battery", &phc), Ok(true));
        assert_eq!(verify("correct horse batterz", &phc), Ok(false));
        assert!(verify("x", "not a hash").is_err());
    }
}
