//! The confirmation of a person before a request that leaves access behind.

use super::{
    call::Call,
    cookie, credentials, guards,
    problem::{FieldError, Problem, ProblemCode},
};
use crate::{
    host::Host,
    json::Tree,
    model::{Duration, Text, store::KeyKind},
    rules::operator,
};

/// How long a confirmation of the person counts.
pub(super) const CONFIRMED: Duration = Duration::minutes(5);

/// Confirms a request that leaves access behind: the person of the calling session was confirmed a
/// short time ago, or `currentPassword` in the body is the password of the session's login.
/// Requests with a key pass. [`Call::commit`] rejects such a request that was not confirmed.
pub(super) async fn confirm<H: Host>(call: &mut Call<'_, H>) -> Result<(), Problem> {
    match &call.caller {
        Some(caller)
            if caller.key.kind == KeyKind::Panel && !caller.key.is_confirmed(call.context.now) =>
        {
            credentials::confirm_password(call, sent_password(call.body).as_deref()).await?;
        }
        Some(_) => {}
        // Sessions of the operator are not stored, and another sign-in confirms the person.
        None => {
            let started =
                guards::session(call.parts, &cookie::OPERATOR).and_then(operator::session_start);
            if started.is_some_and(|at| at.after(CONFIRMED) <= call.context.now) {
                return Err(sign_in_again());
            }
        }
    }
    call.is_confirmed = true;
    Ok(())
}

/// Returns `currentPassword` of a body. A body that cannot be read has none.
fn sent_password(body: &[u8]) -> Option<String> {
    let body = Tree::parse(std::str::from_utf8(body).ok()?).ok()?;
    Some(body.get("currentPassword")?.as_str()?.to_owned())
}

fn sign_in_again() -> Problem {
    let (en, pt) = (
        "This request leaves access that outlives the session, and the sign-in was more than five minutes ago. Sign in again with \
         POST /admin/session and the operator token, then repeat it.",
        "Esta requisição cria um acesso que dura mais que a sessão, e o login foi há mais de cinco minutos. Entre de novo com \
         POST /admin/session e o token de operador e repita-a.",
    );
    let error = FieldError {
        pointer: String::new(),
        code: "sign_in_required",
        detail: Text::new(en, pt),
    };
    Problem::new(ProblemCode::PasswordRequired, en, pt).with_errors(vec![error])
}
