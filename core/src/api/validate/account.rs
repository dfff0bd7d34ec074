//! Users and passwords.

use super::checker::{Checker, Path};
use crate::{
    api::{bounds, problem::Problem, read::Body},
    model::{Email, StoreId, UserId, store::Role},
    wire::{
        ChangePassword, ConfirmPassword, ConfirmSession, CreateUser, Id, NameLogin, ResetPassword,
        UpdateUser,
    },
};

/// A valid request for a new user.
pub struct NewUser {
    /// The name.
    pub name: String,
    /// The email address.
    pub email: Email,
    /// The role.
    pub role: Role,
    /// The store, if specified.
    pub store: Option<StoreId>,
}

/// Validates a change of a password. Returns the current and the new password.
///
/// # Errors
/// Every invalid field.
pub fn password_change(body: Body<ChangePassword>) -> Result<(String, String), Problem> {
    let Body { value: sent, wrong } = body;
    let mut checker = Checker::new(wrong);
    let root = Path::Root;
    let current = sent
        .current_password
        .filter(|password| !password.is_empty());
    if current.is_none() {
        checker.required(&root.member("currentPassword"));
    }
    let new = checker.password(&root.member("newPassword"), sent.new_password);
    checker.finish(current.zip(new))
}

/// Validates a password that a link sets. Returns the code of the link and the password.
///
/// # Errors
/// Every invalid field.
pub fn password_reset(body: Body<ResetPassword>) -> Result<(String, String), Problem> {
    let Body { value: sent, wrong } = body;
    let mut checker = Checker::new(wrong);
    let root = Path::Root;
    let code = checker.required_text(&root.member("code"), sent.code.as_ref(), bounds::LINK_CODE);
    let new = checker.password(&root.member("newPassword"), sent.new_password);
    checker.finish(code.zip(new))
}

/// Validates a new user.
///
/// # Errors
/// Every invalid field.
pub fn new_user(body: Body<CreateUser>) -> Result<NewUser, Problem> {
    let Body { value: sent, wrong } = body;
    let mut checker = Checker::new(wrong);
    let root = Path::Root;
    let name = checker.required_text(&root.member("name"), sent.name.as_ref(), bounds::NAME);
    let path = root.member("email");
    let email = checker.required_text(&path, sent.email.as_ref(), bounds::EMAIL);
    let email = checker.email(&path, email);
    if sent.role.is_none() {
        checker.required(&root.member("role"));
    }
    let role = checker.role(sent.role);
    let store = checker.id("storeId", sent.store_id, StoreId::new);
    let new = match (name, email, role) {
        (Some(name), Some(email), Some(role)) => Some(NewUser {
            name,
            email,
            role,
            store,
        }),
        _ => None,
    };
    checker.finish(new)
}

/// Validates changes to a user. Returns the name and the role, if sent.
///
/// # Errors
/// Every invalid field.
pub fn user_update(body: Body<UpdateUser>) -> Result<(Option<String>, Option<Role>), Problem> {
    let Body { value: sent, wrong } = body;
    let mut checker = Checker::new(wrong);
    let path = Path::Root.member("name");
    let name = sent
        .name
        .is_some()
        .then(|| checker.required_text(&path, sent.name.as_ref(), bounds::NAME))
        .flatten();
    let role = checker.role(sent.role);
    checker.finish(Some((name, role)))
}

/// Checks a body that has only the password of the calling login, which was verified before.
///
/// # Errors
/// A wrong type.
pub fn confirmation(body: Body<ConfirmPassword>) -> Result<(), Problem> {
    Checker::new(body.wrong).finish(Some(()))
}

/// Reads the password that confirms a session.
///
/// # Errors
/// A missing password or a wrong type.
pub fn session_confirmation(body: Body<ConfirmSession>) -> Result<String, Problem> {
    let mut checker = Checker::new(body.wrong);
    let password = body
        .value
        .current_password
        .filter(|password| !password.is_empty());
    if password.is_none() {
        checker.required(&Path::Root.member("currentPassword"));
    }
    checker.finish(password)
}

/// Reads the ID of the user that gets a link from the operator, if sent.
///
/// # Errors
/// Every invalid field.
pub fn login_name(body: Body<NameLogin>) -> Result<Option<UserId>, Problem> {
    let mut checker = Checker::new(body.wrong);
    let user = checker.id("userId", body.value.user_id, UserId::new);
    checker.finish(Some(user))
}

impl Checker {
    fn role(&mut self, name: Option<String>) -> Option<Role> {
        let name = name?;
        let role = Role::ALL.into_iter().find(|role| role.name() == name);
        role.or_else(|| self.unknown_value(&Path::Root.member("role"), "OWNER, CLERK"))
    }

    fn id<T>(
        &mut self,
        field: &'static str,
        id: Option<Id>,
        new: fn(u64) -> Option<T>,
    ) -> Option<T> {
        let id = id?;
        let known = new(id.0);
        if known.is_none() {
            let en = "Expected an ID, an integer of 1 or more.";
            let pt = "Esperado um ID, um número inteiro a partir de 1.";
            self.reject(&Path::Root.member(field), "out_of_range", en, pt);
        }
        known
    }
}
