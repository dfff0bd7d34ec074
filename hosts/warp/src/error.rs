//! Errors that prevent the server or a command from starting.

use std::{
    error::Error,
    fmt, io,
    net::SocketAddr,
    path::{Path, PathBuf},
};

use despacho_core::host::HostError;
use tokio_rustls::rustls;

/// An error that prevents the server or a command from starting. Its text names the file, address
/// or service and the remedy.
#[derive(Debug)]
#[expect(missing_docs, reason = "the variants describe their fields")]
pub enum StartError {
    /// The data folder contains no database.
    MissingDatabase { file: PathBuf, data: PathBuf },
    /// The database file has no content.
    EmptyDatabase { file: PathBuf, data: PathBuf },
    /// The database exists, but its secret does not.
    MissingSecret { file: PathBuf, data: PathBuf },
    /// A file or folder cannot be read or written.
    File {
        name: &'static str,
        path: PathBuf,
        error: io::Error,
    },
    /// The content of a file or folder is invalid.
    Content {
        name: &'static str,
        path: PathBuf,
        detail: String,
    },
    /// The file of cached geocoder results cannot be created.
    GeocoderCache {
        file: PathBuf,
        error: rusqlite::Error,
    },
    /// The SQLite database cannot be opened.
    Sqlite {
        file: PathBuf,
        error: despacho_sqlite::OpenError,
    },
    /// The PostgreSQL database cannot be opened.
    Postgres(despacho_postgres::OpenError),
    /// The platform's clock and random generator are unavailable.
    Platform(HostError),
    /// Deadlines cannot be aligned with the configured timing.
    Deadlines(HostError),
    /// The database cannot be closed.
    Close(HostError),
    /// A command of SQLite was used with PostgreSQL.
    BackupOfPostgres,
    /// The database cannot be copied.
    Backup(despacho_sqlite::BackupError),
    /// The system's random generator failed.
    Random(getrandom::Error),
    /// The system's root certificates cannot be read.
    RootCertificates(io::Error),
    /// The client of the mail server cannot be created.
    Mail(lettre::transport::smtp::Error),
    /// The TLS configuration is invalid.
    Tls(rustls::Error),
    /// The server cannot listen on an address.
    Bind {
        address: SocketAddr,
        error: io::Error,
    },
    /// An operation of the process failed.
    Process {
        action: &'static str,
        error: io::Error,
    },
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartError::MissingDatabase { file, data } => {
                write!(
                    f,
                    "there is no database {}. {}",
                    file.display(),
                    init_hint(data)
                )
            }
            StartError::EmptyDatabase { file, data } => {
                write!(
                    f,
                    "the database {} is empty (0 bytes). {}",
                    file.display(),
                    init_hint(data)
                )
            }
            StartError::MissingSecret { file, data } => write!(
                f,
                "the secret {} is missing, but its database exists. Restore the secret from your backup, or set DESPACHO_SECRET. If it \
                 is lost, run: despacho init --new-secret --data {}. Quoted prices and all webhook secrets then become invalid",
                file.display(),
                shell_word(data)
            ),
            StartError::File { name, path, error } => {
                write!(f, "cannot access the {name} {}: {error}", path.display())
            }
            StartError::Content { name, path, detail } => {
                write!(f, "the {name} {} {detail}", path.display())
            }
            StartError::GeocoderCache { file, error } => {
                write!(
                    f,
                    "cannot create the geocoder cache {}: {error}",
                    file.display()
                )
            }
            StartError::Sqlite { file, error } => {
                write!(f, "cannot open the database {}: {error}", file.display())
            }
            StartError::Postgres(error) => write!(f, "cannot open the database: {error}"),
            StartError::Platform(error) => error.fmt(f),
            StartError::Deadlines(error) => write!(
                f,
                "cannot align deadlines with the configured timing: {error}"
            ),
            StartError::BackupOfPostgres => f.write_str(
                "`backup` supports only SQLite; for PostgreSQL use pg_dump or WAL archiving",
            ),
            StartError::Backup(error) => error.fmt(f),
            StartError::Close(error) => write!(f, "cannot close the database: {error}"),
            StartError::Random(error) => write!(f, "the system's random generator failed: {error}"),
            StartError::RootCertificates(error) => {
                write!(f, "cannot read the system's root certificates: {error}")
            }
            StartError::Mail(error) => write!(f, "cannot use the mail server of smtp.url: {error}"),
            StartError::Tls(error) => write!(f, "invalid TLS configuration: {error}"),
            StartError::Bind { address, error } => write!(f, "cannot listen on {address}: {error}"),
            StartError::Process { action, error } => write!(f, "cannot {action}: {error}"),
        }
    }
}

impl Error for StartError {}

fn init_hint(data: &Path) -> String {
    let data = shell_word(data);
    format!(
        "For an existing service, check --data or restore a backup; for a new one, run: despacho init --data {data}"
    )
}

/// Quotes a path for a shell.
fn shell_word(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-');
    if text.chars().all(is_plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}
