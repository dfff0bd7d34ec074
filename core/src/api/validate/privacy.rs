//! Recipients whose data is exported or erased.

use super::checker::{Checker, Path};
use crate::{
    api::{bounds, problem::Problem, read::Body},
    model::{Phone, Timestamp},
    wire::NameRecipient,
};

/// Validates the phone and the cursor: the time when the run started, and the last order ID; `None`
/// in the first request.
///
/// # Errors
/// Every invalid field.
pub fn recipient(body: Body<NameRecipient>) -> Result<(Phone, Option<(Timestamp, u64)>), Problem> {
    let Body { value: sent, wrong } = body;
    let mut checker = Checker::new(wrong);
    let phone = Path::Root.member("phone");
    let text = checker.required_text(&phone, sent.phone.as_ref(), bounds::NAME);
    let number = checker.phone(&phone, text);
    let after = checker.cursor(sent.cursor.as_deref());
    checker.finish(number.map(|number| (number, after)))
}
