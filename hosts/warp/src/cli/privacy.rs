//! The commands for personal data.

use std::path::PathBuf;

use clap::Subcommand;

use crate::config::CliOverrides;

/// Personal data of recipients.
#[derive(Debug, Subcommand)]
pub enum PrivacyCommand {
    /// Write all stored data of a recipient to a JSON file that only its owner can read.
    Export {
        /// The recipient's phone number in orders, such as +5511988887777.
        #[arg(long, value_name = "E.164")]
        phone: String,
        /// The file to write, which must not exist.
        #[arg(long, value_name = "FILE")]
        to: PathBuf,
        /// A folder with files of `archive`, which are also searched.
        #[arg(long, value_name = "DIR")]
        archives: Option<PathBuf>,
        /// Settings.
        #[command(flatten)]
        overrides: CliOverrides,
    },
    /// Erase a recipient's name, phone, address, observation and coordinates from ended orders and
    /// everything stored with them.
    ///
    /// Amounts, codes, statuses, times, the municipality and the state remain. Exit code 1 if
    /// orders to this phone have not ended: repeat the command after their end. Repeating it is
    /// harmless. Do not run `archive` at the same time.
    Erase {
        /// The recipient's phone number in orders, such as +5511988887777.
        #[arg(long, value_name = "E.164")]
        phone: String,
        /// A folder with files of `archive`. Files that contain the recipient are rewritten.
        #[arg(long, value_name = "DIR")]
        archives: Option<PathBuf>,
        /// Settings.
        #[command(flatten)]
        overrides: CliOverrides,
    },
    /// Apply retention.recipients-days to files of `archive`, which the server cannot access.
    Retain {
        /// The folder with the files. Files that contain recipients of older orders are rewritten.
        #[arg(long, value_name = "DIR")]
        archives: PathBuf,
        /// Settings.
        #[command(flatten)]
        overrides: CliOverrides,
    },
    /// List erasures as JSON, newest first, 100 per page.
    Log {
        /// `nextCursor` of the previous page.
        #[arg(long)]
        cursor: Option<String>,
        /// Settings.
        #[command(flatten)]
        overrides: CliOverrides,
    },
}
