//! Passwords of logins.

use serde::{Deserialize, Serialize};

/// A new password for the login of the calling session.
#[derive(Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct ChangePassword {
    /// The current password.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, format = "password", min_length = 1, max_length = 512)
    )]
    pub current_password: Option<String>,
    /// The new password, 10 to 128 characters.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, format = "password", min_length = 10, max_length = 128)
    )]
    pub new_password: Option<String>,
}
