//! Links that set the password of a login.

use crate::{
    api::{
        call::{Call, HandlerError},
        confirmation,
        response::{ApiResponse, OneTimeSecret},
    },
    drivers::mail,
    host::Host,
    model::store::User,
    rules::accounts::{Account, link_mail},
    wire::PasswordLinkView,
};

/// Issues a link for a login, and mails it.
pub(super) async fn issue_link<H: Host>(
    call: &mut Call<'_, H>,
    mut account: Account,
) -> Result<ApiResponse, HandlerError> {
    confirmation::confirm(call).await?;
    let (mut view, secret) = link(call, &mut account);
    let response = ApiResponse {
        secret: Some(secret),
        ..ApiResponse::json(201, &view)?
    };
    call.commit(account.write(call.context.now), &response)
        .await?;
    mail_link(call, &account, &mut view).await?;
    Ok(ApiResponse {
        secret: response.secret,
        ..ApiResponse::json(201, &view)?
    })
}

/// Issues a link for a login, which the caller writes.
fn link<H: Host>(
    call: &mut Call<'_, H>,
    account: &mut Account,
) -> (PasswordLinkView, OneTimeSecret) {
    let settings = call.settings;
    let (prefix, nonce, expires_at) = account.issue_link(
        settings.accounts.link_minutes,
        &settings.secret,
        &mut call.context,
    );
    let secret = OneTimeSecret::of_key(settings, nonce);
    let code = format!("{prefix}{}", secret.text);
    // Browsers do not send the part after `#` to any server, so no log contains the code.
    let url = settings
        .public_url
        .as_deref()
        .map(|url| format!("{url}/#/password/{code}"));
    (
        PasswordLinkView {
            code,
            url,
            expires_at: expires_at.to_string(),
            mailed: None,
        },
        secret,
    )
}

/// Mails a link that was committed. A sandbox store sends no mail, because anyone may have its key,
/// and a merchant only within its quota.
pub(in crate::api) async fn mail_link<H: Host>(
    call: &Call<'_, H>,
    account: &Account,
    view: &mut PasswordLinkView,
) -> Result<(), HandlerError> {
    let (Some(url), true) = (&view.url, call.settings.mail) else {
        return Ok(());
    };
    let store = call
        .host
        .store(account.store())
        .await?
        .filter(|store| !store.sandbox);
    let Some(store) = store else { return Ok(()) };
    let is_admitted = call.caller.is_none()
        || mail::admit(
            call.host,
            call.settings,
            store.merchant(),
            account.email(),
            call.context.now,
        )
        .await?;
    view.mailed = if is_admitted {
        let mail = link_mail(
            account,
            url,
            call.settings.accounts.link_minutes,
            call.language,
        );
        call.host.send_mail(&mail).await
    } else {
        Some(false)
    };
    Ok(())
}

/// Issues a link for a new user. Returns the user with it.
pub(in crate::api) fn link_of_user<H: Host>(
    call: &mut Call<'_, H>,
    user: User,
) -> (User, PasswordLinkView, OneTimeSecret) {
    let mut account = Account::User(Box::new(user.clone()));
    let (view, secret) = link(call, &mut account);
    match account {
        Account::User(user) => (*user, view, secret),
        Account::Store(_) => (user, view, secret),
    }
}
