//! The registration of stores and of their emails.

use crate::{
    api::{
        call::{Call, HandlerError, plain, retry, too_few},
        credentials::key_response,
        places::locate,
        problem::{FieldError, Problem, ProblemCode},
        response::ApiResponse,
    },
    changes::{Changes, Write},
    host::{Host, StoreQuery},
    model::{Cnpj, Duration, Email, Located, StoreId, store::KeyKind},
    rules::{
        limits::{Bucket, Usage},
        stores::{self, KeyParams, NewStore},
    },
};

/// Opens a branch of the calling store, or a parent store if the operator calls.
pub(super) async fn open<H: Host>(
    call: &mut Call<'_, H>,
    new: NewStore,
) -> Result<ApiResponse, HandlerError> {
    let integrator = call.caller.as_ref().map(|caller| caller.store.id);
    unclaimed(call, Some(&new.cnpj), &new.contact.email, None, integrator).await?;
    let located = located(call, &new.contact.address).await?;
    let salt = call.context.entropy.bytes();
    let password_hash = call.host.hash_password(&new.password, salt).await?;
    retry!(call, async {
        // Another request may have taken the CNPJ or the email meanwhile.
        unclaimed(call, Some(&new.cnpj), &new.contact.email, None, integrator).await?;
        let mut ids = call.ids(2).await?;
        let (hash, now) = (password_hash.clone(), call.context.now);
        let parent = call.caller.as_ref().map(|caller| &caller.store);
        let store =
            stores::open(new.clone(), parent, located, hash, &mut ids, now).ok_or_else(too_few)?;
        let opening = KeyParams {
            store: store.id,
            integrator: integrator.unwrap_or(store.id),
            kind: KeyKind::Integration,
            name: None,
            user: None,
            connection: None,
            validity: Duration::minutes(i64::from(call.settings.keys.days) * 24 * 60),
            secret: &call.settings.secret,
        };
        let (key, nonce) =
            stores::issue(opening, &mut ids, &mut call.context).ok_or_else(too_few)?;
        let response = key_response(call, &key, nonce)?;
        let (stores, keys) = (vec![Write::insert(store)], vec![Write::insert(key)]);
        call.commit(
            Changes {
                at: now,
                stores,
                keys,
                ..Changes::default()
            },
            &response,
        )
        .await?;
        Ok(response)
    })
}

/// Counts an attempt to register an email or a CNPJ: a failure reveals that another merchant may
/// have it.
pub(in crate::api) async fn count_registration<H: Host>(
    call: &Call<'_, H>,
    merchant: StoreId,
) -> Result<(), HandlerError> {
    let bucket = Bucket {
        name: format!("registration/{merchant}"),
        usage: Usage::Create,
        quota: call.settings.limits.registrations_per_day,
        window: Duration::minutes(24 * 60),
    };
    let admission = call.host.admit(&bucket, call.context.now).await?;
    if admission.admitted {
        return Ok(());
    }
    Err(HandlerError::Problem(
        Problem::new(
            ProblemCode::RateLimited,
            "The merchant's daily quota of new branches, users and emails is used up. Retry after the time in Retry-After, or contact the operator.",
            "A cota diária da empresa para novas filiais, usuários e e-mails acabou. Aguarde o tempo indicado em Retry-After ou fale com o operador.",
        )
        .retry_after(admission.reset),
        ))
}

/// Rejects a CNPJ or an email that another store has, or an email that a user has. For the
/// operator, and for a conflict with the merchant's own stores, the problem lists every conflicting
/// field. For a conflict with another merchant it discloses neither the store nor the field.
pub(in crate::api) async fn unclaimed<H: Host>(
    call: &Call<'_, H>,
    cnpj: Option<&Cnpj>,
    email: &Email,
    own: Option<StoreId>,
    merchant: Option<StoreId>,
) -> Result<(), HandlerError> {
    let mut taken = Vec::new();
    if let Some(cnpj) = cnpj
        && let Some(other) = call
            .host
            .find_stores(StoreQuery::Cnpj(cnpj.as_str()))
            .await?
            .pop()
    {
        taken.push((ProblemCode::CnpjTaken, "/cnpj", other));
    }
    if let Some(other) = call
        .host
        .find_stores(StoreQuery::Email(email))
        .await?
        .pop()
        .filter(|other| Some(other.id) != own)
    {
        taken.push((ProblemCode::EmailTaken, "/email", other));
    }
    if let Some(user) = call.host.user(email).await?
        && let Some(other) = call
            .host
            .find_stores(StoreQuery::IdOrRemoved(user.store))
            .await?
            .pop()
    {
        taken.push((ProblemCode::EmailTaken, "/email", other));
    }
    if merchant.is_some_and(|merchant| taken.iter().any(|(.., other)| other.merchant() != merchant))
    {
        return Err(HandlerError::Problem(Problem::new(
            ProblemCode::StoreConflict,
            "The CNPJ or the email cannot be used. Check both, and contact the operator if they are correct.",
            "O CNPJ ou o e-mail não pode ser usado. Confira os dois e, se estiverem corretos, fale com o operador.",
        )));
    }
    let Some((code, ..)) = taken.first() else {
        return Ok(());
    };
    let errors = taken.iter().map(|(code, pointer, _)| FieldError {
        pointer: (*pointer).to_owned(),
        code: code.name(),
        detail: code.detail(),
    });
    Err(HandlerError::Problem(
        plain(*code).with_errors(errors.collect()),
    ))
}

pub(super) async fn located<H: Host>(
    call: &Call<'_, H>,
    address: &crate::model::Address,
) -> Result<Located, HandlerError> {
    let places = locate(call, &[address], |_| "/address".to_owned(), None).await?;
    places
        .into_iter()
        .next()
        .ok_or_else(|| plain(ProblemCode::AddressNotFound).into())
}
