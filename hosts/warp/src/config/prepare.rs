//! Builds the core's settings from the configuration: reads and checks the tariff, and reads or
//! creates the secret.

use std::{
    fs,
    io::{ErrorKind, Write as _},
    path::Path,
};

use despacho_core::rules::{
    pricing::Tariff,
    settings::{Secret, Settings},
};

use super::types::{Config, Database};
use crate::{error::StartError, private};

/// The behaviour if data of the service is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Return an error with the command to run: a mistyped folder must not become a second, empty
    /// service.
    Reject,
    /// Create the folder, the database and the secret.
    Create,
    /// Also create the secret of an existing database. Everything signed with the old secret
    /// becomes invalid.
    CreateSecret,
}

/// Rejects a data folder without a service. With PostgreSQL the folder contains no required data.
pub fn require_service(config: &Config) -> Result<(), StartError> {
    let file = config.database_file();
    if config.database != Database::Sqlite || fs::metadata(&file).is_ok_and(|found| found.len() > 0)
    {
        return Ok(());
    }
    let data = config.data.clone();
    Err(match fs::metadata(&file) {
        Ok(_) => StartError::EmptyDatabase { file, data },
        Err(error) if error.kind() == ErrorKind::NotFound => {
            StartError::MissingDatabase { file, data }
        }
        Err(error) => StartError::File {
            name: "database",
            path: file,
            error,
        },
    })
}

/// Returns the settings of the core. Data that they need from the folder is read, or created as
/// `missing` specifies.
pub fn settings(config: &Config, missing: Missing) -> Result<Settings, StartError> {
    let tariff = configured_tariff(config)?;
    // With PostgreSQL only the geocoder cache uses the folder, and it creates the folder itself.
    if config.database == Database::Sqlite && missing != Missing::Reject {
        private::create_folder(&config.data).map_err(|error| StartError::File {
            name: "data folder",
            path: config.data.clone(),
            error,
        })?;
    }
    let secret = match &config.secret {
        Some(secret) => secret.clone(),
        None => stored_secret(config, missing)?,
    };
    let settings = config.shared.core(
        tariff,
        secret,
        config.admin_token.clone(),
        config.public_url.clone(),
    );
    Ok(Settings {
        mail: config.smtp.url.is_some(),
        ..settings
    })
}

/// Returns the configured tariff, which applies until one is stored in the database.
pub fn configured_tariff(config: &Config) -> Result<Tariff, StartError> {
    config
        .tariff
        .as_deref()
        .map_or_else(|| Ok(Tariff::default()), read_tariff)
}

/// Reads a tariff, or returns all its errors.
pub fn read_tariff(file: &Path) -> Result<Tariff, StartError> {
    let path = || file.to_owned();
    let text = fs::read_to_string(file).map_err(|error| StartError::File {
        name: "tariff",
        path: path(),
        error,
    })?;
    let content = |detail: String| StartError::Content {
        name: "tariff",
        path: path(),
        detail,
    };
    despacho_shell::settings::tariff(&text).map_err(|detail| content(detail.to_string()))
}

/// Returns the secret from a file that only its owner may read. It is created together with the
/// database, and never silently for an existing one: quoted prices and webhook secrets derive from
/// it. API keys do not; the database stores their hashes.
fn stored_secret(config: &Config, missing: Missing) -> Result<Secret, StartError> {
    let file = config.data.join("secret");
    let may_create = match missing {
        Missing::Reject => false,
        // Checked before the secret: another process may be creating both, the secret before the
        // database.
        Missing::Create => require_service(config).is_err(),
        Missing::CreateSecret => true,
    };
    let unreadable = |error| StartError::File {
        name: "secret",
        path: file.clone(),
        error,
    };
    match fs::read_to_string(&file) {
        Ok(text) => Secret::parse(&text).map_err(|detail| StartError::Content {
            name: "secret",
            path: file.clone(),
            detail: detail.to_string(),
        }),
        Err(error) if error.kind() != ErrorKind::NotFound => Err(unreadable(error)),
        Err(_) if !may_create => Err(StartError::MissingSecret {
            file,
            data: config.data.clone(),
        }),
        Err(_) => {
            let mut bytes = [0; 32];
            getrandom::fill(&mut bytes).map_err(StartError::Random)?;
            match create(&file, &despacho_core::model::hex(&bytes)) {
                Ok(()) => Ok(Secret(bytes)),
                // Another process created the secret first; that secret is used.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                    stored_secret(config, missing)
                }
                Err(error) => Err(unreadable(error)),
            }
        }
    }
}

/// Creates the file atomically: a crash leaves no partial secret.
fn create(file: &Path, text: &str) -> std::io::Result<()> {
    let draft = file.with_extension(format!("{}.new", std::process::id()));
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut open = options.open(&draft)?;
    open.write_all(text.as_bytes())?;
    open.write_all(b"\n")?;
    open.sync_all()?;
    let linked = fs::hard_link(&draft, file);
    fs::remove_file(&draft)?;
    linked
}
