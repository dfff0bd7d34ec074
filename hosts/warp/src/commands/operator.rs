//! Commands that send requests to the operator's endpoints within this process, so the core's rules
//! apply to them.

use std::{
    io::{BufRead as _, Write as _},
    sync::Arc,
};

use bytes::Bytes;
use despacho_core::model::{Precision, store::KeyHash};
use http::{Method, Request, header};
use serde_json::{Value, json};

use super::{error::CommandError, load::load_service};
use crate::{
    cli::CreateStore,
    config::{self, CliOverrides, Missing},
    geo::Geography,
    server::print,
    store::Store,
};

/// Creates a parent store and prints its key.
pub(super) async fn create_store(create: CreateStore) -> Result<(), CommandError> {
    let (password, generated) = match create.password_stdin {
        true => (first_line()?, false),
        false => (random_text()?, true),
    };
    let body = json!({
        "cnpj": create.cnpj,
        "name": create.name,
        "responsible": {"name": create.responsible, "phone": create.phone},
        "email": create.email,
        "password": password,
        "address": {
            "street": create.street,
            "number": create.number,
            "complement": create.complement,
            "neighborhood": create.neighborhood,
            "city": create.city,
            "state": create.state,
            "zipCode": create.zip_code,
            "latitude": create.latitude,
            "longitude": create.longitude,
        },
        "marketplaceBranchId": create.category,
        "sandbox": create.sandbox,
    });
    let mut reply = send(
        &create.overrides,
        Method::POST,
        "/admin/matrices",
        Some(body),
    )
    .await?;
    warn_if_estimated(&create.overrides, &reply).await?;
    if create.json {
        if generated {
            reply["password"] = password.into();
        }
        return print_json(&reply);
    }
    print(&format!(
        "store: {}\nx-api-token: {}",
        text(&reply["storeId"]),
        text(&reply["value"])
    ))?;
    if generated {
        print(&format!("password: {password}"))?;
    }
    Ok(())
}

/// Prints a warning to standard error if only its municipality locates the new store, so that its
/// prices are estimates.
async fn warn_if_estimated(overrides: &CliOverrides, created: &Value) -> Result<(), CommandError> {
    let id = text(&created["storeId"]);
    let store = send(overrides, Method::GET, &format!("/admin/stores/{id}"), None).await?;
    if store["precision"] != Precision::Municipality.name() {
        return Ok(());
    }
    let place = |name: &str| {
        store["address"][name]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    let warning = format!(
        "warning: the store is located only by its municipality, so its distances and prices are estimates. Install the addresses of the \
         city with `despacho places install '{}/{}'`, and then save the store's address again (PUT /delivery/stores or the panel), or \
         create stores with --latitude and --longitude",
        place("city"),
        place("state")
    );
    Ok(writeln!(std::io::stderr(), "{warning}")?)
}

/// Issues a key and prints it.
pub(super) async fn issue_key(
    overrides: &CliOverrides,
    store: u64,
    name: Option<String>,
    expires_in_days: Option<u32>,
    whole: bool,
) -> Result<(), CommandError> {
    let mut body = json!({"storeId": store});
    if let Some(name) = name {
        body["name"] = name.into();
    }
    if let Some(days) = expires_in_days {
        body["expiresInDays"] = days.into();
    }
    let reply = send(overrides, Method::POST, "/admin/keys", Some(body)).await?;
    if whole {
        return print_json(&reply);
    }
    let (id, value, expires) = (
        text(&reply["id"]),
        text(&reply["value"]),
        text(&reply["expiresAt"]),
    );
    Ok(print(&format!(
        "key: {id}\nx-api-token: {value}\nexpires: {expires}"
    ))?)
}

/// Prints a store's keys.
pub(super) async fn list_keys(overrides: &CliOverrides, store: u64) -> Result<(), CommandError> {
    print_json(
        &send(
            overrides,
            Method::GET,
            &format!("/admin/keys?storeId={store}"),
            None,
        )
        .await?,
    )
}

/// Revokes a key.
pub(super) async fn revoke_key(overrides: &CliOverrides, id: u64) -> Result<(), CommandError> {
    send(
        overrides,
        Method::DELETE,
        &format!("/admin/keys/{id}"),
        None,
    )
    .await?;
    Ok(print(&format!("key {id} is revoked"))?)
}

/// Registers a courier and prints the key.
pub(super) async fn add_courier(
    overrides: &CliOverrides,
    new: Value,
    whole: bool,
) -> Result<(), CommandError> {
    let reply = send(overrides, Method::POST, "/admin/couriers", Some(new)).await?;
    if whole {
        return print_json(&reply);
    }
    Ok(print(&format!(
        "courier: {}\nx-api-token: {}",
        text(&reply["id"]),
        text(&reply["value"])
    ))?)
}

/// Issues a sign-in link for a courier and prints it.
pub(super) async fn link_courier(
    overrides: &CliOverrides,
    id: u64,
    whole: bool,
) -> Result<(), CommandError> {
    let reply = send(
        overrides,
        Method::POST,
        &format!("/admin/couriers/{id}/sign-in"),
        None,
    )
    .await?;
    if whole {
        return print_json(&reply);
    }
    let link = match reply["url"].as_str() {
        Some(url) => format!("link: {url}"),
        None => format!(
            "code: {} (set public-url to print a link)",
            text(&reply["value"])
        ),
    };
    Ok(print(&format!(
        "{link}\nexpires: {}",
        text(&reply["expiresAt"])
    ))?)
}

/// Prints a page of couriers.
pub(super) async fn list_couriers(
    overrides: &CliOverrides,
    cursor: Option<&str>,
) -> Result<(), CommandError> {
    // The core rejects an invalid cursor; the filter prevents the injection of other query
    // parameters.
    let cursor = cursor
        .unwrap_or_default()
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .collect::<String>();
    let target = match cursor.as_str() {
        "" => "/admin/couriers?limit=100".to_owned(),
        cursor => format!("/admin/couriers?limit=100&cursor={cursor}"),
    };
    print_json(&send(overrides, Method::GET, &target, None).await?)
}

/// Sends a request to the core with an operator token that is generated for this request only.
pub(super) async fn send(
    overrides: &CliOverrides,
    method: Method,
    target: &str,
    body: Option<Value>,
) -> Result<Value, CommandError> {
    let loaded = load_service(overrides)?;
    let mut settings =
        config::settings(&loaded.config, Missing::Reject).map_err(CommandError::usage)?;
    let token = random_text()?;
    settings.operator = Some(KeyHash::of(&token));
    let request = Request::builder()
        .method(method)
        .uri(target)
        .header("x-api-token", token)
        .header(header::CONTENT_TYPE, "application/json")
        .body(Bytes::from(
            body.map(|body| body.to_string()).unwrap_or_default(),
        ))
        .map_err(|error| error.to_string())?;
    // Only a store's address has to be located, and a pack can take seconds to read.
    let needs_places = target == "/admin/matrices";
    let geography = if needs_places {
        Geography::open(&loaded.config).map_err(CommandError::usage)?
    } else {
        Geography::embedded()
    };
    let store = Store::open_for_commands(&loaded.config, Arc::new(geography)).await?;
    let response = store.respond(&settings, request).await;
    store.close().await.map_err(|error| error.to_string())?;
    let reply: Value = serde_json::from_slice(response.body()).unwrap_or(Value::Null);
    if response.status().is_success() {
        Ok(reply)
    } else {
        Err(CommandError::Failed(describe_problem(&reply)))
    }
}

/// Formats a problem document, with a line for each invalid field.
fn describe_problem(problem: &Value) -> String {
    let mut lines = vec![format!(
        "{} ({})",
        text(&problem["detail"]),
        text(&problem["code"])
    )];
    for error in problem["errors"].as_array().into_iter().flatten() {
        lines.push(format!(
            "  {}: {}",
            text(&error["pointer"]),
            text(&error["detail"])
        ));
    }
    lines.join("\n")
}

pub(super) fn text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

pub(super) fn print_json(value: &Value) -> Result<(), CommandError> {
    Ok(print(
        &serde_json::to_string_pretty(value).map_err(|error| error.to_string())?,
    )?)
}

fn first_line() -> Result<String, CommandError> {
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

/// Returns 128 random bits in hexadecimal.
pub(super) fn random_text() -> Result<String, CommandError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| format!("the system's random generator failed: {error}"))?;
    Ok(despacho_core::model::hex(&bytes))
}
