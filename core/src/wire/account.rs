//! Users, sessions and passwords.

use serde::{Deserialize, Serialize};

use super::Id;
#[cfg(feature = "openapi")]
use super::schema::{StoreNumber, UserNumber};
#[cfg(feature = "openapi")]
use crate::model::store::Role;
use crate::model::store::{Key, User};

/// A new password for the login of the calling session.
#[derive(Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct ChangePassword {
    /// The current password.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, format = "password", min_length = 1)
    )]
    pub current_password: Option<String>,
    /// The new password.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, format = "password")
    )]
    pub new_password: Option<String>,
}

/// A new password, set by a link.
#[derive(Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct ResetPassword {
    /// The code of the link.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, example = "pwu_57_dsp_8x")
    )]
    pub code: Option<String>,
    /// The new password.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, format = "password")
    )]
    pub new_password: Option<String>,
}

/// A new user of a store.
#[derive(Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct CreateUser {
    /// Name.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, example = "Bia Rocha")
    )]
    pub name: Option<String>,
    /// Email address for login, unique.
    #[cfg_attr(
        feature = "openapi",
        schema(
            required = true,
            nullable = false,
            format = "email",
            example = "bia@exemplo.com.br"
        )
    )]
    pub email: Option<String>,
    /// The role.
    #[cfg_attr(feature = "openapi", schema(value_type = Role, required = true))]
    pub role: Option<String>,
    /// ID of the user's store: the calling store or one of its branches. Defaults to the calling
    /// store.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<StoreNumber>))]
    pub store_id: Option<Id>,
    /// The password of the calling login. Required if the key belongs to a panel session that was
    /// not confirmed in the last five minutes, ignored otherwise.
    #[cfg_attr(feature = "openapi", schema(format = "password"))]
    pub current_password: Option<String>,
}

/// Changes to a user. Absent fields keep their values.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct UpdateUser {
    /// Name.
    #[cfg_attr(feature = "openapi", schema(example = "Bia Rocha"))]
    pub name: Option<String>,
    /// The role. A new role ends the user's sessions.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Role>))]
    pub role: Option<String>,
    /// The password of the calling login. Required for a new role if the key belongs to a panel
    /// session that was not confirmed in the last five minutes, ignored otherwise.
    #[cfg_attr(feature = "openapi", schema(format = "password"))]
    pub current_password: Option<String>,
}

/// A confirmation of a panel session.
#[derive(Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct ConfirmSession {
    /// The password of the calling login.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, format = "password", min_length = 1)
    )]
    pub current_password: Option<String>,
}

/// The confirmation of a panel session.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SessionConfirmation {
    /// Time until which the session's requests need no `currentPassword`.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub confirmed_until: String,
}

/// A confirmation by a password.
#[derive(Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct ConfirmPassword {
    /// The password of the calling login. Required if the key belongs to a panel session that was
    /// not confirmed in the last five minutes, ignored otherwise.
    #[cfg_attr(feature = "openapi", schema(format = "password"))]
    pub current_password: Option<String>,
}

/// The login for which the operator issues a link.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct NameLogin {
    /// ID of a user of the store. Defaults to the store's own login.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<UserNumber>))]
    pub user_id: Option<Id>,
}

/// A user of a store.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = User))]
#[serde(rename_all = "camelCase")]
pub struct UserView {
    /// The user's ID.
    pub id: u64,
    /// ID of the user's store.
    pub store_id: u64,
    /// Name.
    pub name: String,
    /// Email address for login.
    pub email: String,
    /// The role.
    #[cfg_attr(feature = "openapi", schema(value_type = Role))]
    pub role: &'static str,
    /// Whether the user has set a password.
    pub has_password: bool,
    /// Time of creation.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub created_at: String,
}

/// A new user, with the link that sets the password.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct UserCreated {
    /// The user.
    pub user: UserView,
    /// The link with which the user sets a password.
    pub link: PasswordLinkView,
}

/// The users of a store, by ID.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct UserList {
    /// The users.
    pub users: Vec<UserView>,
}

/// A link that sets a password once. Its code is returned only once.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = PasswordLink))]
#[serde(rename_all = "camelCase")]
pub struct PasswordLinkView {
    /// The code, which `POST /delivery/password/reset` accepts once.
    pub code: String,
    /// The link, which contains the code. Null if the deployment has no `public-url`.
    pub url: Option<String>,
    /// Time at which the code expires.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub expires_at: String,
    /// Whether a mail server accepted the link for the login's email address. Null if the
    /// deployment sends no mail or has no `public-url`, and in a repeated response.
    pub mailed: Option<bool>,
}

/// A panel session.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Session))]
#[serde(rename_all = "camelCase")]
pub struct SessionView {
    /// The session's ID.
    pub id: String,
    /// ID of the user. Null for the store's own login.
    pub user_id: Option<u64>,
    /// Name of the user at the login. Null for the store's own login.
    pub user_name: Option<String>,
    /// The role.
    #[cfg_attr(feature = "openapi", schema(value_type = Role))]
    pub role: &'static str,
    /// Time of the login.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub created_at: String,
    /// Time at which the session expires.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub expires_at: String,
    /// Whether this session sent the request.
    pub current: bool,
}

/// Panel sessions, newest first.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SessionList {
    /// The sessions.
    pub sessions: Vec<SessionView>,
}

impl UserView {
    /// Builds the API representation of a user.
    pub fn of(user: &User) -> UserView {
        UserView {
            id: user.id.get(),
            store_id: user.store.get(),
            name: user.name.clone(),
            email: user.email.as_str().to_owned(),
            role: user.role.name(),
            has_password: user.password_hash.is_some(),
            created_at: user.created_at.to_string(),
        }
    }
}

impl SessionView {
    /// Builds the API representation of a session, for the caller with the key `calling`.
    pub fn of(key: &Key, calling: &Key) -> SessionView {
        SessionView {
            id: key.id.to_string(),
            user_id: key.user.as_ref().map(|user| user.id.get()),
            user_name: key.user.as_ref().map(|user| user.name.clone()),
            role: key.role().name(),
            created_at: key.created_at.to_string(),
            expires_at: key.expires_at.to_string(),
            current: key.id == calling.id,
        }
    }
}
