//! Verification of the courier's codes, with a lockout against guessing.
//!
//! Codes have four digits, so the number of attempts is limited: after [`MAX_WRONG_CODES`] wrong
//! codes, no code of the order is accepted for ten minutes. The count is stored in the order, so it
//! applies to all instances and survives restarts.
//!
//! Every delivery has a `deliveryCode`. It is required at the door if `confirmation.platform` is
//! true.

use super::StepError;
use crate::model::{Duration, Timestamp, hmac_sha256, hmac_sha256_matches, order::CodeTries};

/// Number of wrong codes that starts the lockout.
pub const MAX_WRONG_CODES: u32 = 5;
/// Duration of the lockout.
pub const LOCKOUT: Duration = Duration::minutes(10);

impl CodeTries {
    /// Verifies a code, unless codes are locked, and counts it if it is wrong. The last wrong code before the lockout is
    /// still reported as wrong.
    ///
    /// # Errors
    /// [`StepError::CodeLocked`], or [`StepError::CodeWrong`] after counting. The count must be
    /// committed.
    pub(super) fn check(
        &mut self,
        is_right: impl FnOnce() -> bool,
        now: Timestamp,
    ) -> Result<(), StepError> {
        if let Some(until) = self.locked_until.filter(|until| *until > now) {
            return Err(StepError::CodeLocked { until });
        }
        self.locked_until = None;
        if is_right() {
            self.wrong = 0;
            return Ok(());
        }
        self.wrong += 1;
        let remaining = MAX_WRONG_CODES.saturating_sub(self.wrong);
        if remaining == 0 {
            *self = CodeTries {
                wrong: 0,
                locked_until: Some(now.after(LOCKOUT)),
            };
        }
        Err(StepError::CodeWrong { remaining })
    }
}

/// Returns whether two codes are equal, ignoring surrounding blanks and the case of letters,
/// because codes are spoken. The authentication codes are compared in constant time, so the
/// duration does not reveal the position of a difference.
pub(super) fn is_same_code(code: &str, given: &str) -> bool {
    let plain = |text: &str| text.trim().to_ascii_uppercase();
    let tag = hmac_sha256(&[0; 32], &[b"code", plain(code).as_bytes()]);
    hmac_sha256_matches(&[0; 32], &[b"code", plain(given).as_bytes()], &tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(
        tries: &mut CodeTries,
        code: &str,
        given: &str,
        now: Timestamp,
    ) -> Result<(), StepError> {
        tries.check(|| is_same_code(code, given), now)
    }

    #[test]
    fn fifth_wrong_code_locks_out_for_ten_minutes() {
        let (mut tries, now) = (CodeTries::default(), Timestamp::from_millis(1_000_000));
        for remaining in (0..5).rev() {
            assert_eq!(
                check(&mut tries, "1234", "1235", now),
                Err(StepError::CodeWrong { remaining })
            );
        }
        let until = now.after(LOCKOUT);
        assert_eq!(
            check(&mut tries, "1234", "1234", now),
            Err(StepError::CodeLocked { until })
        );
        let before = Timestamp::from_millis(until.millis() - 1);
        assert_eq!(
            check(&mut tries, "1234", "1234", before),
            Err(StepError::CodeLocked { until })
        );
        assert_eq!(
            check(&mut tries, "1234", "0000", until),
            Err(StepError::CodeWrong { remaining: 4 })
        );
        assert_eq!(check(&mut tries, "1234", "1234", until), Ok(()));
        assert_eq!(tries, CodeTries::default());
    }

    #[test]
    fn code_comparison_ignores_case_and_surrounding_blanks() {
        assert!(is_same_code("7K2P", " 7k2p "));
        assert!(!is_same_code("7K2P", "7K2") && !is_same_code("7K2P", ""));
    }
}
