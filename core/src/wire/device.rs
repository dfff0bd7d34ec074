//! Device keys, and the result of a position that a device reported.

use serde::Serialize;

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
