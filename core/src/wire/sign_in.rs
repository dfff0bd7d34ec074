//! Sign-in of a courier by a one-time link, and of the operator by the token.

use serde::{Deserialize, Serialize};

/// A new sign-in code. Its value is returned only once.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = SignInCode))]
#[serde(rename_all = "camelCase")]
pub struct SignInCodeView {
    /// The code, which `POST /courier/session` accepts once.
    pub value: String,
    /// The sign-in link, which contains the code: send it to the courier, or show it as a QR code.
    /// Null if the deployment has no `public-url`.
    pub url: Option<String>,
    /// Time at which the code expires.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub expires_at: String,
}

/// The code of a sign-in link.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct StartCourierSession {
    /// The code after the `#` of the link.
    #[cfg_attr(
        feature = "openapi",
        schema(
            required = true,
            nullable = false,
            max_length = 128,
            example = "in_57_dsp_8x"
        )
    )]
    pub code: Option<String>,
}

/// The operator's token.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct StartOperatorSession {
    /// The value of `DESPACHO_ADMIN_TOKEN`.
    #[cfg_attr(
        feature = "openapi",
        schema(required = true, nullable = false, max_length = 256)
    )]
    pub token: Option<String>,
}
