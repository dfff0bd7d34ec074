//! From the configuration to the core's settings: the tariff is read and checked, the secret read or made.

use std::{
    fs,
    io::{ErrorKind, Write as _},
    path::Path,
};

use despacho_core::{Settings, quote::Tariff, settings::Secret};

use super::{Config, Database, value};
use crate::private;

/// The settings of the core, with the data folder made and its secret there.
pub fn settings(config: &Config) -> Result<Settings, String> {
    let tariff = match &config.tariff {
        Some(file) => read_tariff(file)?,
        None => Tariff::default(),
    };
    // On PostgreSQL nothing needs the folder but a geocoder's answers, and those make it.
    if config.database == Database::Sqlite {
        private::create_folder(&config.data)
            .map_err(|error| format!("{} cannot be made: {error}", config.data.display()))?;
    }
    let secret = match &config.secret {
        Some(secret) => secret.clone(),
        None => kept_secret(&config.data.join("secret"))?,
    };
    Ok(Settings {
        limits: config.limits.clone(),
        timing: config.timing.clone(),
        dispatch: config.dispatch.clone(),
        cancellation: config.cancellation.clone(),
        tariff,
        keys: config.keys.clone(),
        places: config.places,
        webhooks: config.webhooks.clone(),
        retention: config.retention,
        secret,
        operator: config.admin_token.clone(),
    })
}

/// A tariff that may be used, or everything that is wrong with it.
pub fn read_tariff(file: &Path) -> Result<Tariff, String> {
    let name = file.display();
    let text = fs::read_to_string(file).map_err(|error| format!("the tariff {name} cannot be read: {error}"))?;
    let tariff: Tariff =
        serde_json::from_str(&text).map_err(|error| format!("the tariff {name} is not valid: {error}"))?;
    let faults: Vec<String> = tariff.faults().iter().map(|fault| format!("\n  {fault}")).collect();
    if faults.is_empty() { Ok(tariff) } else { Err(format!("the tariff {name} is not valid:{}", faults.concat())) }
}

/// The secret in a file that only its owner may read, made where there is none. Who loses it invalidates quotes and
/// the secrets of webhooks, not keys: of keys the database holds the hash.
fn kept_secret(file: &Path) -> Result<Secret, String> {
    let fault = |error: std::io::Error| format!("the secret {} is out of reach: {error}", file.display());
    match fs::read_to_string(file) {
        Ok(text) => value::secret(&text).map_err(|detail| format!("the secret {} {detail}", file.display())),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let mut bytes = [0; 32];
            getrandom::fill(&mut bytes).map_err(|error| format!("no randomness: {error}"))?;
            match create(file, &despacho_core::domain::hex(&bytes)) {
                Ok(()) => Ok(Secret(bytes)),
                // Another process was first: its secret holds.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => kept_secret(file),
                Err(error) => Err(fault(error)),
            }
        }
        Err(error) => Err(fault(error)),
    }
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
