//! Web Push subscriptions.

use super::checker::{Checker, Path};
use crate::{
    api::{bounds, problem::Problem, read::Body},
    wire::PushEndpoint,
};

/// Validates the endpoint of a new subscription. `available` is false if the deployment sends no
/// pushes. With `loopback`, the push service can be on this machine.
///
/// # Errors
/// Every invalid field.
pub fn push_endpoint(
    body: Body<PushEndpoint>,
    available: bool,
    loopback: bool,
) -> Result<String, Problem> {
    let Body { value: sent, wrong } = body;
    let mut checker = Checker::new(wrong);
    let root = Path::Root;
    let path = root.member("endpoint");
    let url = checker.required_text(&path, sent.endpoint.as_ref(), bounds::URL);
    let url = checker.https_url(&path, url, loopback);
    if url.is_some() && !available {
        checker.reject(
            &path,
            "push_unavailable",
            "This deployment sends no pushes: `GET /courier/push` returns no key.",
            "Esta instalação não envia notificações push: `GET /courier/push` não retorna chave.",
        );
    }
    checker.finish(url)
}

/// Validates the endpoint of a subscription to remove.
///
/// # Errors
/// It is missing or too long.
pub fn stored_push_endpoint(body: Body<PushEndpoint>) -> Result<String, Problem> {
    let Body { value: sent, wrong } = body;
    let mut checker = Checker::new(wrong);
    let root = Path::Root;
    let url = checker.required_text(
        &root.member("endpoint"),
        sent.endpoint.as_ref(),
        bounds::URL,
    );
    checker.finish(url)
}
