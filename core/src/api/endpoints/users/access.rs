//! Access to a user.

use crate::{
    api::{
        call::{Call, HandlerError, plain},
        problem::ProblemCode,
    },
    host::{Host, UserQuery},
    model::{UserId, store::User},
};

/// Loads the user in the path, if the caller oversees the user's store.
pub(in crate::api) async fn find_user<H: Host>(call: &Call<'_, H>) -> Result<User, HandlerError> {
    let user = match UserId::parse(call.id) {
        Some(id) => call.host.find_users(UserQuery::Id(id)).await?.pop(),
        None => None,
    };
    let user = user.ok_or_else(|| plain(ProblemCode::UserNotFound))?;
    let caller = &call.caller()?.store;
    let store = call
        .host
        .store(user.store)
        .await?
        .filter(|store| caller.oversees(store));
    store
        .map(|_| user)
        .ok_or_else(|| plain(ProblemCode::UserNotFound).into())
}
