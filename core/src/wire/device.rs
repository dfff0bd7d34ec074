//! What identifies couriers' phones and browsers, and the operator: sign-in links, device keys and
//! pushes.

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
        schema(required = true, nullable = false, example = "in_57_dsp_8x")
    )]
    pub code: Option<String>,
}

/// The operator's token.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct StartOperatorSession {
    /// The value of `DESPACHO_ADMIN_TOKEN`.
    #[cfg_attr(feature = "openapi", schema(required = true, nullable = false))]
    pub token: Option<String>,
}

/// A new device key. Its value is returned only once.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = DeviceKey))]
#[serde(rename_all = "camelCase")]
pub struct DeviceKeyView {
    /// The key. It can only report positions.
    pub value: String,
    /// Time at which the key was issued.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub created_at: String,
    /// Links that set up an app on the courier's phone. Null if the deployment has no `public-url`.
    pub setup: Option<DeviceSetup>,
}

/// Links that set up an app on the courier's phone with the new key. Each contains the key.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct DeviceSetup {
    /// URL for Traccar Client: show it as a QR code, which the app reads in its settings.
    pub traccar: String,
    /// URL for OwnTracks: open it on the phone, or show it as a QR code.
    pub own_tracks: String,
}

/// The result of a position that a device reported.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ReportResult {
    /// Whether the position was stored.
    pub stored: bool,
    /// The reason why the position was not stored.
    pub reason: Option<SkipReason>,
}

/// The reason why a valid position of a device was not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    /// It is not newer than the stored position.
    Older,
    /// The last position was stored less than one interval ago.
    TooSoon,
    /// Its accuracy is worse than 10 km, or negative.
    Inaccurate,
    /// It is more than 5 minutes in the future.
    InFuture,
    /// It is outside Brazil or in the sea.
    OutsideBrazil,
}

/// The key with which a browser subscribes to pushes.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = PushKey))]
#[serde(rename_all = "camelCase")]
pub struct PushKeyView {
    /// `applicationServerKey` of the browser's subscription, in base64url. Null if the deployment
    /// sends no pushes.
    pub public_key: Option<String>,
}

/// A browser's subscription.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct PushEndpoint {
    /// `endpoint` of the browser's subscription: HTTPS, without user name and fragment.
    #[cfg_attr(
        feature = "openapi",
        schema(
            required = true,
            nullable = false,
            format = "https-url",
            example = "https://push.example/send/c2VjcmV0"
        )
    )]
    pub endpoint: Option<String>,
}
