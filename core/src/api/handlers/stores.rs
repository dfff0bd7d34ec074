//! Creates, changes and returns stores, and logs in.

use super::issue::key_response;
use crate::{
    api::{
        call::{ApiResponse, Call, HandlerError, plain, retry, too_few},
        confirmation,
        places::locate,
        problem::{FieldError, Problem, ProblemCode},
        validate,
    },
    changes::{Changes, Write},
    host::{Host, StoreQuery, UsageQuery},
    model::{
        Cnpj, Duration, Email, Located, StoreId,
        store::{KeyKind, Role, Store},
    },
    rules::{
        limits::{Bucket, Usage},
        stores::{self, KeyParams, NewStore},
    },
    wire::StoreView,
};

/// `POST /delivery/stores`
pub(super) async fn create_branch<H: Host>(
    call: &mut Call<'_, H>,
) -> Result<ApiResponse, HandlerError> {
    let parent = &call.caller()?.store;
    let id = parent.id;
    if !parent.is_parent() {
        return Err(HandlerError::Problem(Problem::new(
            ProblemCode::MatrixRequired,
            "Only a parent store can create branches. Use the parent store's key.",
            "Somente uma loja matriz pode criar filiais. Use a chave da matriz.",
        )));
    }
    let new = validate::store(call.read()?)?;
    confirmation::confirm(call).await?;
    let max = call.settings.limits.branches;
    if call.host.usage(UsageQuery::Branches(id)).await?.records >= u64::from(max) {
        return Err(HandlerError::Problem(Problem::new(
            ProblemCode::TooManyBranches,
            format!(
                "A parent store can have at most {max} branches. Remove one, or request a higher limit from the operator."
            ),
            format!(
                "Uma loja matriz pode ter no máximo {max} filiais. Remova uma ou peça um limite maior ao operador."
            ),
        )));
    }
    count_registration(call, id).await?;
    open(call, new).await
}

/// `POST /admin/matrices`
pub(super) async fn create_matrix<H: Host>(
    call: &mut Call<'_, H>,
) -> Result<ApiResponse, HandlerError> {
    let new = validate::contact_and_address(call.read()?)?;
    confirmation::confirm(call).await?;
    open(call, new).await
}

/// Opens a branch of the calling store, or a parent store if the operator calls.
async fn open<H: Host>(call: &mut Call<'_, H>, new: NewStore) -> Result<ApiResponse, HandlerError> {
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
pub(super) async fn count_registration<H: Host>(
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
pub(super) async fn unclaimed<H: Host>(
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

async fn located<H: Host>(
    call: &Call<'_, H>,
    address: &crate::model::Address,
) -> Result<Located, HandlerError> {
    let places = locate(call, &[address], |_| "/address".to_owned(), None).await?;
    places
        .into_iter()
        .next()
        .ok_or_else(|| plain(ProblemCode::AddressNotFound).into())
}

/// `PUT /delivery/stores`
pub(super) async fn update<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let contact = validate::update(call.read()?)?;
    let store = &call.caller()?.store;
    let (id, merchant, is_new_email) = (
        store.id,
        store.merchant(),
        contact.email.key() != store.email.key(),
    );
    if is_new_email {
        confirmation::confirm(call).await?;
        count_registration(call, merchant).await?;
        unclaimed(call, None, &contact.email, Some(id), Some(merchant)).await?;
    }
    let located = located(call, &contact.address).await?;
    retry!(call, async {
        // Another request may have taken the email meanwhile.
        unclaimed(call, None, &contact.email, Some(id), Some(merchant)).await?;
        let (changed, changes) = stores::update(
            &call.caller()?.store,
            contact.clone(),
            located,
            call.context.now,
        );
        let response = ApiResponse::json(200, &StoreView::of(&changed, Role::Owner))?;
        call.commit(changes, &response).await?;
        Ok(response)
    })
}

/// `GET /delivery/stores/{storeId}`
pub(super) async fn get<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    Ok(ApiResponse::json(
        200,
        &StoreView::of(&overseen(call).await?, call.caller()?.key.role()),
    )?)
}

/// Loads the store in the path, if it is the caller or one of its branches.
pub(super) async fn overseen<H: Host>(call: &Call<'_, H>) -> Result<Store, HandlerError> {
    let store = in_path(call).await?;
    if call.caller()?.store.oversees(&store) {
        Ok(store)
    } else {
        Err(plain(ProblemCode::StoreNotFound).into())
    }
}

/// Loads the store in the path, for the operator.
pub(super) async fn in_path<H: Host>(call: &Call<'_, H>) -> Result<Store, HandlerError> {
    let store = match StoreId::parse(call.id) {
        Some(id) => call.host.store(id).await?,
        None => None,
    };
    store.ok_or_else(|| plain(ProblemCode::StoreNotFound).into())
}
