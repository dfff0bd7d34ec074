//! Recipients whose data is exported or erased.

use super::checker::{Checker, Path};
use crate::{
    api::{problem::Problem, read::Body},
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
    let (phone, cursor) = (Path::Root.member("phone"), Path::Root.member("cursor"));
    let text = checker.required_text(&phone, sent.phone.as_ref(), 255);
    let number = checker.phone(&phone, text);
    let after = sent.cursor.as_deref().map(parse_cursor);
    if after == Some(None) {
        let en =
            "Invalid cursor. Send the `nextCursor` of the previous response, or omit it to start.";
        let pt = "Cursor inválido. Envie o `nextCursor` da resposta anterior ou omita o campo para começar.";
        checker.reject(&cursor, "invalid_cursor", en, pt);
    }
    checker.finish(number.map(|number| (number, after.flatten())))
}

/// Returns the cursor that continues a run.
pub fn cursor((started, after): (Timestamp, u64)) -> String {
    format!("{}-{after}", started.millis())
}

fn parse_cursor(text: &str) -> Option<(Timestamp, u64)> {
    let (started, after) = text.split_once('-')?;
    let number = |text: &str| -> Option<u64> {
        let digits =
            !text.is_empty() && text.len() <= 16 && text.bytes().all(|byte| byte.is_ascii_digit());
        if digits { text.parse().ok() } else { None }
    };
    Some((
        Timestamp::from_millis(i64::try_from(number(started)?).ok()?),
        number(after)?,
    ))
}
