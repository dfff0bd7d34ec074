//! The codes that the courier is told, and the lock against guessing them.
//!
//! A code has four digits, so that nobody may try often: after [`TRIES`] wrong ones no code of the order is looked at for ten
//! minutes. The count is kept in the order, so that it holds on every instance and after a restart.

use super::StepError;
use crate::model::{Duration, Timestamp, hmac_sha256, hmac_sha256_matches, order::CodeTries};

/// Wrong codes until the lock.
pub const TRIES: u32 = 5;
/// How long the lock holds.
pub const LOCK: Duration = Duration::minutes(10);

impl CodeTries {
    /// Compares a code, and counts it where it is wrong. The fifth wrong one still says that it was wrong; the next meets the lock.
    ///
    /// # Errors
    /// [`StepError::CodeLocked`], or [`StepError::CodeWrong`] once the wrong try was counted: the count must be committed.
    pub(super) fn check(&mut self, code: &str, given: &str, now: Timestamp) -> Result<(), StepError> {
        if let Some(until) = self.locked_until.filter(|until| *until > now) {
            return Err(StepError::CodeLocked { until });
        }
        self.locked_until = None;
        if same(code, given) {
            self.wrong = 0;
            return Ok(());
        }
        self.wrong += 1;
        let remaining = TRIES.saturating_sub(self.wrong);
        if remaining == 0 {
            *self = CodeTries { wrong: 0, locked_until: Some(now.after(LOCK)) };
        }
        Err(StepError::CodeWrong { remaining })
    }
}

/// Whether two codes are the same but for blanks around them and the case of their letters, which are told over a counter. How long
/// the comparison takes says nothing of where they differ: their authentication codes are compared, in constant time.
fn same(code: &str, given: &str) -> bool {
    let plain = |text: &str| text.trim().to_ascii_uppercase();
    let tag = hmac_sha256(&[0; 32], &[b"code", plain(code).as_bytes()]);
    hmac_sha256_matches(&[0; 32], &[b"code", plain(given).as_bytes()], &tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fifth_wrong_code_locks_for_ten_minutes() {
        let (mut tries, now) = (CodeTries::default(), Timestamp::from_millis(1_000_000));
        for remaining in (0..5).rev() {
            assert_eq!(tries.check("1234", "1235", now), Err(StepError::CodeWrong { remaining }));
        }
        let until = now.after(LOCK);
        assert_eq!(tries.check("1234", "1234", now), Err(StepError::CodeLocked { until }));
        let before = Timestamp::from_millis(until.millis() - 1);
        assert_eq!(tries.check("1234", "1234", before), Err(StepError::CodeLocked { until }));
        assert_eq!(tries.check("1234", "0000", until), Err(StepError::CodeWrong { remaining: 4 }));
        assert_eq!(tries.check("1234", "1234", until), Ok(()));
        assert_eq!(tries, CodeTries::default());
    }

    #[test]
    fn a_code_is_the_same_in_any_case_and_between_blanks() {
        assert!(same("7K2P", " 7k2p "));
        assert!(!same("7K2P", "7K2") && !same("7K2P", ""));
    }
}
