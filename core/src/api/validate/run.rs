//! Runs over many rows that a client continues with `cursor`.

use super::checker::{Checker, Path};
use crate::model::Timestamp;

/// Returns the cursor that continues a run: the time when it started, and the last ID.
pub fn cursor((started, last): (Timestamp, u64)) -> String {
    format!("{}-{last}", started.millis())
}

impl Checker {
    /// Checks the field `cursor`; `None` is the first request of a run.
    pub(super) fn cursor(&mut self, sent: Option<&str>) -> Option<(Timestamp, u64)> {
        let run = parse(sent?);
        if run.is_none() {
            let en = "Invalid cursor. Send the `nextCursor` of the previous response, or omit it to start.";
            let pt = "Cursor inválido. Envie o `nextCursor` da resposta anterior ou omita o campo para começar.";
            self.reject(&Path::Root.member("cursor"), "invalid_cursor", en, pt);
        }
        run
    }
}

fn parse(text: &str) -> Option<(Timestamp, u64)> {
    let (started, last) = text.split_once('-')?;
    let number = |text: &str| -> Option<u64> {
        let digits =
            !text.is_empty() && text.len() <= 16 && text.bytes().all(|byte| byte.is_ascii_digit());
        if digits { text.parse().ok() } else { None }
    };
    Some((
        Timestamp::from_millis(i64::try_from(number(started)?).ok()?),
        number(last)?,
    ))
}
