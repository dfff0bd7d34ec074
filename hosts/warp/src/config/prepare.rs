//! From the configuration to the core's settings: the tariff is read and checked, the secret read or made.

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
use crate::private;

/// What becomes of a service's data if it is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// An error that names the command to type: a mistyped folder must not become a second, empty service.
    Reject,
    /// The folder, the database and the secret are created.
    Create,
    /// The same, and the secret is created even if the database exists: what was signed with the old one is invalid from then on.
    CreateSecret,
}

/// Rejects a data folder that does not hold a service. On PostgreSQL the folder holds nothing that matters.
pub fn require_service(config: &Config) -> Result<(), String> {
    let file = config.database_file();
    if config.database != Database::Sqlite || fs::metadata(&file).is_ok_and(|found| found.len() > 0) {
        return Ok(());
    }
    let found = match fs::metadata(&file) {
        Ok(_) => format!("the database {} is empty (0 bytes)", file.display()),
        Err(error) if error.kind() == ErrorKind::NotFound => format!("there is no database {}", file.display()),
        Err(error) => return Err(format!("the database {} is out of reach: {error}", file.display())),
    };
    let data = shell_word(&config.data);
    Err(format!(
        "{found}. If a service should be there, check --data or restore a backup; for a new one type: despacho init --data {data}"
    ))
}

/// The settings of the core. Everything of the data folder that they need is read, or created if `missing` says so.
pub fn settings(config: &Config, missing: Missing) -> Result<Settings, String> {
    let tariff = match &config.tariff {
        Some(file) => read_tariff(file)?,
        None => Tariff::default(),
    };
    // On PostgreSQL nothing needs the folder but a geocoder's answers, and those make it.
    if config.database == Database::Sqlite && missing != Missing::Reject {
        private::create_folder(&config.data)
            .map_err(|error| format!("{} cannot be made: {error}", config.data.display()))?;
    }
    let secret = match &config.secret {
        Some(secret) => secret.clone(),
        None => stored_secret(config, missing)?,
    };
    Ok(config.shared.core(tariff, secret, config.admin_token.clone()))
}

/// Reads a tariff, or returns everything that is wrong with it.
pub fn read_tariff(file: &Path) -> Result<Tariff, String> {
    let name = file.display();
    let text = fs::read_to_string(file).map_err(|error| format!("the tariff {name} cannot be read: {error}"))?;
    despacho_shell::settings::tariff(&text).map_err(|detail| format!("the tariff {name} {detail}"))
}

/// The secret in a file that only its owner may read. It is created together with the database, and never silently beside an
/// existing one: prices that were promised and the secrets of webhooks derive from it. Of keys the database holds the hash.
fn stored_secret(config: &Config, missing: Missing) -> Result<Secret, String> {
    let file = config.data.join("secret");
    let may_create = match missing {
        Missing::Reject => false,
        // Looked at first: another process may be creating both at this instant, the secret before the database.
        Missing::Create => require_service(config).is_err(),
        Missing::CreateSecret => true,
    };
    let unreadable = |error: std::io::Error| format!("the secret {} is out of reach: {error}", file.display());
    match fs::read_to_string(&file) {
        Ok(text) => Secret::parse(&text).map_err(|detail| format!("the secret {} {detail}", file.display())),
        Err(error) if error.kind() != ErrorKind::NotFound => Err(unreadable(error)),
        Err(_) if !may_create => Err(format!(
            "the secret {} is missing, and the database beside it exists. Restore it from your backup, or set DESPACHO_SECRET. Only if \
             it is lost, type: despacho init --new-secret --data {}. Promised prices and the secrets of all webhooks become invalid then",
            file.display(),
            shell_word(&config.data)
        )),
        Err(_) => {
            let mut bytes = [0; 32];
            getrandom::fill(&mut bytes).map_err(|error| format!("no randomness: {error}"))?;
            match create(&file, &despacho_core::model::hex(&bytes)) {
                Ok(()) => Ok(Secret(bytes)),
                // Another process was first: its secret holds.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => stored_secret(config, missing),
                Err(error) => Err(unreadable(error)),
            }
        }
    }
}

/// A path as it is typed in a shell.
fn shell_word(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-');
    if text.chars().all(plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// Puts the whole text there or nothing: a crash between leaves no half of a secret behind.
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
