//! The keys of couriers' devices, and the positions that devices report.

use base64ct::{Base64, Encoding};

use super::presence;
use crate::{
    api::{
        call::{ApiResponse, Call, HandlerError, OneTimeSecret},
        cookie, guards, reports,
        routes::{Endpoint, OSMAND, OWNTRACKS},
        validate,
    },
    geo::Gazetteer,
    host::Host,
    json::Tree,
    rules::{
        couriers::{self, Credential},
        settings::Settings,
    },
    wire::{DeviceKeyView, DeviceSetup, ReportResult, SkipReason},
};

/// The interval of reports that the setup links configure, the shortest heartbeat of Traccar
/// Client.
const REPORT_SECONDS: u64 = 60;

/// `POST` and `DELETE /courier/device`
pub(super) async fn change_key<H: Host>(
    call: &mut Call<'_, H>,
    endpoint: Endpoint,
) -> Result<ApiResponse, HandlerError> {
    let courier = call.courier()?.clone();
    if endpoint == Endpoint::RemoveDeviceKey {
        let response = ApiResponse::empty(204);
        if let Some(changes) = couriers::remove_device_key(&courier, call.context.now) {
            call.commit(changes, &response).await?;
        }
        return Ok(response);
    }
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

/// Adds the setup links to the response. They are not stored for an idempotency key, because they
/// contain the key in base64.
pub(super) fn with_setup(settings: &Settings, response: ApiResponse) -> ApiResponse {
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
        ("url", text(format!("{url}{OWNTRACKS}"))),
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
        traccar: format!("{url}{OSMAND}?id={key}&accuracy=high&heartbeat={REPORT_SECONDS}"),
        own_tracks: format!("owntracks:///config?inline={inline}"),
    })
}

fn object<const N: usize>(members: [(&'static str, Tree<'static>); N]) -> Tree<'static> {
    Tree::Object(members.map(|(name, value)| (name.into(), value)).into())
}

fn text(text: impl Into<String>) -> Tree<'static> {
    Tree::Text(text.into().into())
}

/// `GET` and `POST /courier/positions/osmand`, `POST /courier/positions/owntracks`
pub(super) async fn report<H: Host>(
    call: &mut Call<'_, H>,
    endpoint: Endpoint,
) -> Result<ApiResponse, HandlerError> {
    let now = call.context.now;
    let sent = validate::device_position(
        &reports::report(call, endpoint)?,
        Gazetteer::embedded(),
        now,
    );
    let sent = sent.map_err(|problem| {
        if endpoint == Endpoint::OsmandQuery {
            problem.in_query()
        } else {
            problem
        }
    })?;
    let mut result = ReportResult {
        stored: false,
        reason: sent.and_then(|sent| sent.skip),
    };
    let mut position = None;
    if let Some(sent) = sent.filter(|sent| sent.skip.is_none()) {
        let courier = call.courier()?;
        position =
            couriers::record_position(courier, sent.point, sent.taken, now, call.settings).stored;
        result.stored = position.is_some();
        let is_older = courier.position_at.is_some_and(|last| sent.taken <= last);
        let reason = if is_older {
            SkipReason::Older
        } else {
            SkipReason::TooSoon
        };
        result.reason = position.is_none().then_some(reason);
    }
    let response = match endpoint {
        // The app reads the response as a list of messages.
        Endpoint::OwnTracks => ApiResponse::of(200, "[]"),
        _ => ApiResponse::json(200, &result)?,
    };
    if let Some(position) = position {
        presence::store(call, position, &response).await?;
    }
    Ok(response)
}
