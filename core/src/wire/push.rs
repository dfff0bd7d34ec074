//! Web Push subscriptions of couriers' browsers.

use serde::{Deserialize, Serialize};

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
    /// `endpoint` of the browser's subscription: HTTPS, without user name and fragment, at most
    /// 2,048 characters.
    #[cfg_attr(
        feature = "openapi",
        schema(
            required = true,
            nullable = false,
            max_length = 2048,
            format = "https-url",
            example = "https://push.example/send/c2VjcmV0"
        )
    )]
    pub endpoint: Option<String>,
}
