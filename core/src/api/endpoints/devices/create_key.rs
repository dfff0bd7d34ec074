//! `POST /courier/device`

use base64ct::{Base64, Encoding};

use super::{osmand, owntracks};
use crate::{
    api::{
        call::{Call, HandlerError},
        cookie, guards,
        operation::Operation,
        response::{ApiResponse, OneTimeSecret},
        route::{Access, Lasting, Route, Subject},
    },
    host::Host,
    json::Tree,
    rules::{
        couriers::{self, Credential},
        settings::Settings,
    },
    wire::{DeviceKeyView, DeviceSetup},
};

pub(crate) const ROUTE: Route = Route::new(Access::Courier, "POST /courier/device")
    .leaves(Lasting::WithSession)
    .audit("courier.device-key-issued", Subject::Courier)
    .without_body()
    .completes_replay(with_setup);

pub(crate) const DOC: Operation = Operation {
    tag: "Couriers",
    id: "createDeviceKey",
    summary: "Issue a device key",
    description: "Issues a key with which an app on the courier's phone reports positions in the \
        background: Traccar Client or OwnTracks. The key has no other permission. It replaces the \
        previous device key and is valid as long as the courier's own key. `value` is returned \
        only once. Has no request body.",
    responses: &[(201, Some("DeviceKey"), "The new key.")],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let courier = call.courier()?.clone();
    let session = guards::session(call.parts, &cookie::COURIER);
    let (key, nonce, changes) =
        couriers::issue_device_key(&courier, session, &call.settings.secret, &mut call.context);
    let secret = OneTimeSecret::of_key(call.settings, nonce);
    let value = Credential::Device.text(courier.id, &secret.text);
    let view = DeviceKeyView {
        value,
        created_at: key.created_at.to_string(),
        setup: None,
    };
    let response = ApiResponse {
        secret: Some(secret),
        ..ApiResponse::json(201, &view)?
    };
    call.commit(changes, &response).await?;
    Ok(with_setup(call.settings, response))
}

/// The interval of reports that the setup links configure, the shortest heartbeat of Traccar
/// Client.
const REPORT_SECONDS: u64 = 60;

/// Adds the setup links to the response. They are not stored for an idempotency key, because they
/// contain the key in base64.
fn with_setup(settings: &Settings, response: ApiResponse) -> ApiResponse {
    match settings
        .public_url
        .as_deref()
        .and_then(|url| body_with_setup(url, &response.body))
    {
        Some(body) => ApiResponse {
            body: body.into(),
            ..response
        },
        None => response,
    }
}

fn body_with_setup(url: &str, body: &[u8]) -> Option<String> {
    let mut body = Tree::parse(std::str::from_utf8(body).ok()?).ok()?;
    let DeviceSetup {
        traccar,
        own_tracks,
    } = setup(url, body.get("value")?.as_str()?)?;
    body.set(
        "setup",
        object([("traccar", text(traccar)), ("ownTracks", text(own_tracks))]),
    );
    Some(body.to_json())
}

/// Returns the links that set up the apps with a device key.
fn setup(url: &str, key: &str) -> Option<DeviceSetup> {
    let courier = Credential::Device.courier(key)?.to_string();
    // The app's name for the courier on its map has two characters.
    let tid = courier.get(courier.len().saturating_sub(2)..)?.to_owned();
    let configuration = object([
        ("_type", text("configuration")),
        // Reports by HTTP.
        ("mode", Tree::Whole(3)),
        ("url", text(format!("{url}{}", owntracks::ROUTE.path))),
        ("auth", Tree::Bool(true)),
        ("username", text(courier)),
        ("password", text(key)),
        ("deviceId", text("phone")),
        ("tid", text(tid)),
        // Reports continually. By default the app reports only after the phone has moved far.
        ("monitoring", Tree::Whole(2)),
        ("locatorInterval", Tree::Whole(REPORT_SECONDS)),
    ]);
    let inline = Base64::encode_string(configuration.to_json().as_bytes());
    Some(DeviceSetup {
        // By default the app does not report while the phone does not move. Then dispatch would
        // ignore the courier.
        traccar: format!(
            "{url}{}?id={key}&accuracy=high&heartbeat={REPORT_SECONDS}",
            osmand::ROUTE.path
        ),
        own_tracks: format!("owntracks:///config?inline={inline}"),
    })
}

fn object<const N: usize>(members: [(&'static str, Tree<'static>); N]) -> Tree<'static> {
    Tree::Object(members.map(|(name, value)| (name.into(), value)).into())
}

fn text(text: impl Into<String>) -> Tree<'static> {
    Tree::Text(text.into().into())
}
