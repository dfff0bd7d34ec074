//! `despacho privacy`: personal data of recipients. Uses the operator's endpoints for the database
//! and reads archive files directly.

mod files;

use std::{
    io::Write as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use despacho_core::{
    model::{
        Duration, Phone, Timestamp, hex,
        privacy::{ErasureCause, ErasureRecord},
    },
    rules::{erasure::subject, settings::Settings},
    wire::ExportedOrder,
};
use despacho_sql::Selection;
use http::Method;
use serde_json::{Value, json};

use super::{error::CommandError, load::load_service, operator};
use crate::{
    cli::PrivacyCommand,
    config::{self, CliOverrides, Config, Database, Missing},
    geo::Geography,
    private,
    server::print,
    store::Store,
};

/// Runs a command.
pub(super) async fn run(command: PrivacyCommand) -> Result<(), CommandError> {
    match command {
        PrivacyCommand::Export {
            phone,
            to,
            archives,
            overrides,
        } => export(&overrides, &phone, &to, archives.as_deref()).await,
        PrivacyCommand::Erase {
            phone,
            archives,
            overrides,
        } => erase(&overrides, &phone, archives.as_deref()).await,
        PrivacyCommand::Retain {
            archives,
            overrides,
        } => retain(&overrides, &archives).await,
        PrivacyCommand::Log { cursor, overrides } => log(&overrides, cursor.as_deref()).await,
    }
}

async fn export(
    overrides: &CliOverrides,
    phone: &str,
    to: &Path,
    archives: Option<&Path>,
) -> Result<(), CommandError> {
    load_service(overrides)?;
    let number = parse(phone)?;
    let files = archives.map(files::list).transpose()?.unwrap_or_default();
    let mut export = json!({"phone": phone, "orders": [], "notifications": [], "storedResponses": 0, "archivedOrders": []});
    let mut cursor = Value::Null;
    loop {
        let body = json!({"phone": phone, "cursor": cursor});
        let mut page =
            operator::send(overrides, Method::POST, "/admin/privacy/export", Some(body)).await?;
        for name in ["orders", "notifications"] {
            let items = page[name]
                .as_array_mut()
                .map(std::mem::take)
                .unwrap_or_default();
            export[name]
                .as_array_mut()
                .into_iter()
                .for_each(|all| all.extend(items.iter().cloned()));
        }
        let responses = export["storedResponses"].as_u64().unwrap_or(0)
            + page["storedResponses"].as_u64().unwrap_or(0);
        export["storedResponses"] = responses.into();
        cursor = page["nextCursor"].take();
        if cursor.is_null() {
            break;
        }
        progress(&cursor);
    }
    let mut archived = Vec::new();
    for file in &files.archives {
        for found in files::find(file, &number)? {
            let order = serde_json::to_value(ExportedOrder::of(&found))
                .map_err(|error| error.to_string())?;
            archived.push(order);
        }
    }
    export["archivedOrders"] = archived.into();
    let text = serde_json::to_string_pretty(&export).map_err(|error| error.to_string())?;
    let mut file = private::create_new(to).map_err(|error| format!("{}: {error}", to.display()))?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    let count = |name: &str| export[name].as_array().map_or(0, Vec::len);
    let (orders, archived) = (count("orders"), count("archivedOrders"));
    print(&format!(
        "{}: {orders} orders, {archived} archived orders",
        to.display()
    ))?;
    Ok(files.warn()?)
}

async fn erase(
    overrides: &CliOverrides,
    phone: &str,
    archives: Option<&Path>,
) -> Result<(), CommandError> {
    let config = load_service(overrides)?.config;
    let settings = config::settings(&config, Missing::Reject).map_err(CommandError::usage)?;
    let number = parse(phone)?;
    let files = archives.map(files::list).transpose()?.unwrap_or_default();
    let (mut orders, mut deliveries, mut entries) = (0, 0, 0);
    let (mut open, mut cursor) = (Vec::new(), Value::Null);
    loop {
        let body = json!({"phone": phone, "cursor": cursor});
        let mut page =
            operator::send(overrides, Method::POST, "/admin/privacy/erase", Some(body)).await?;
        let count = |name: &str| page[name].as_u64().unwrap_or(0);
        orders += count("orders");
        deliveries += count("deliveries");
        entries += count("entries");
        open.extend(
            page["openOrders"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|order| operator::text(&order["id"])),
        );
        cursor = page["nextCursor"].take();
        if cursor.is_null() {
            break;
        }
        progress(&cursor);
    }
    let archived = rewrite(
        &files.archives,
        &Selection::Phone(number.clone()),
        &settings,
    )?;
    if archived > 0 {
        let subject = Some(subject(&number, &settings.secret));
        record(&config, ErasureCause::Request, subject, archived).await?;
    }
    truncate_log(&config)?;
    print(&format!(
        "erased {deliveries} recipients in {orders} orders, {entries} other entries, {archived} archived orders"
    ))?;
    files.warn()?;
    if open.is_empty() {
        return Ok(());
    }
    let text = format!(
        "orders to this phone that have not ended: {}; repeat the command after their end",
        open.join(", ")
    );
    Err(CommandError::Failed(text))
}

async fn retain(overrides: &CliOverrides, folder: &Path) -> Result<(), CommandError> {
    let config = load_service(overrides)?.config;
    let settings = config::settings(&config, Missing::Reject).map_err(CommandError::usage)?;
    let days = settings.retention.recipients_days;
    if days == 0 {
        return Err(CommandError::Usage(
            "retention.recipients-days is 0: nothing to erase".to_owned(),
        ));
    }
    let files = files::list(folder)?;
    let before = super::archive::now().before(Duration::minutes(i64::from(days) * 24 * 60));
    let archived = rewrite(
        &files.archives,
        &Selection::CreatedBefore(before),
        &settings,
    )?;
    if archived > 0 {
        record(&config, ErasureCause::Retention, None, archived).await?;
    }
    print(&format!(
        "erased recipients from {archived} archived orders created before {before}"
    ))?;
    Ok(files.warn()?)
}

async fn log(overrides: &CliOverrides, cursor: Option<&str>) -> Result<(), CommandError> {
    load_service(overrides)?;
    let cursor = cursor
        .unwrap_or_default()
        .chars()
        .filter(char::is_ascii_digit)
        .collect::<String>();
    let target = match cursor.as_str() {
        "" => "/admin/privacy/erasures?limit=100".to_owned(),
        cursor => format!("/admin/privacy/erasures?limit=100&cursor={cursor}"),
    };
    operator::print_json(&operator::send(overrides, Method::GET, &target, None).await?)
}

fn rewrite(
    archives: &[PathBuf],
    selection: &Selection,
    settings: &Settings,
) -> Result<u32, CommandError> {
    let mut archived = 0;
    for file in archives {
        archived += files::erase(file, selection, &settings.secret)?;
    }
    Ok(archived)
}

async fn record(
    config: &Config,
    cause: ErasureCause,
    subject: Option<String>,
    archived: u32,
) -> Result<(), CommandError> {
    let at: Timestamp = super::archive::now();
    let name = format!(
        "{}/archives/{}/{}",
        cause.name(),
        at.millis(),
        hex(&std::process::id().to_be_bytes())
    );
    let record = ErasureRecord {
        name,
        cause,
        subject,
        at,
        orders: 0,
        deliveries: 0,
        entries: 0,
        archived,
    };
    let store = Store::open_for_commands(config, Arc::new(Geography::embedded())).await?;
    let recorded = store.record(record).await;
    store.close().await.map_err(|error| error.to_string())?;
    recorded.map_err(|error| {
        CommandError::Failed(format!(
            "archives were erased, but the erasure was not recorded: {error}"
        ))
    })
}

/// Removes earlier versions of rows from SQLite's log.
fn truncate_log(config: &Config) -> Result<(), CommandError> {
    if config.database != Database::Sqlite
        || despacho_sqlite::truncate_log(&config.database_file())
            .map_err(|error| error.to_string())?
    {
        return Ok(());
    }
    let text = "erased, but a reader keeps earlier versions in the write-ahead log; repeat the command later";
    Err(CommandError::Failed(text.to_owned()))
}

fn parse(phone: &str) -> Result<Phone, CommandError> {
    Phone::parse(phone).map_err(|_| {
        CommandError::Usage("--phone: expected E.164, such as +5511988887777".to_owned())
    })
}

fn progress(cursor: &Value) {
    let searched = cursor
        .as_str()
        .and_then(|cursor| cursor.split('-').nth(1))
        .unwrap_or_default();
    // Progress is optional: without standard error the command continues.
    let _ = writeln!(std::io::stderr(), "searched orders up to ID {searched}");
}
