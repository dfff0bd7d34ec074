//! Passwords of logins.

use super::checker::{Checker, Path};
use crate::{
    api::{problem::Problem, read::Body},
    wire::ChangePassword,
};

/// Validates a change of a password. Returns the current and the new password.
///
/// # Errors
/// Every invalid field.
pub fn password_change(body: Body<ChangePassword>) -> Result<(String, String), Problem> {
    let Body { value: sent, wrong } = body;
    let mut checker = Checker::new(wrong);
    let root = Path::Root;
    let current = sent.current_password.filter(|password| !password.is_empty());
    if current.is_none() {
        checker.required(&root.member("currentPassword"));
    }
    let new = checker.password(&root.member("newPassword"), sent.new_password);
    checker.finish(current.zip(new))
}
