//! The commands of personal data.

use std::path::PathBuf;

use clap::Subcommand;

use crate::config::CliOverrides;

/// Personal data of recipients.
#[derive(Debug, Subcommand)]
pub enum PrivacyCommand {
    /// Write what is stored of a recipient to a JSON file that only its owner can read.
    Export {
        /// The recipient's phone in orders, +5511988887777.
        #[arg(long, value_name = "E.164")]
        phone: String,
        /// The file to write, which must not exist.
        #[arg(long, value_name = "FILE")]
        to: PathBuf,
        /// A folder with files of `archive`, which are searched too.
        #[arg(long, value_name = "DIR")]
        archives: Option<PathBuf>,
        /// Settings.
        #[command(flatten)]
        given: CliOverrides,
    },
    /// Erase a recipient's name, phone, address, observation and coordinates from ended orders and everything stored with them.
    ///
    /// Money, codes, situations, times, the municipality and the state stay. Exit code 1 if orders to this phone have not ended: repeat
    /// the command after their end. Repeating it is harmless. Do not run `archive` at the same time.
    Erase {
        /// The recipient's phone in orders, +5511988887777.
        #[arg(long, value_name = "E.164")]
        phone: String,
        /// A folder with files of `archive`, which are rewritten where they hold the recipient.
        #[arg(long, value_name = "DIR")]
        archives: Option<PathBuf>,
        /// Settings.
        #[command(flatten)]
        given: CliOverrides,
    },
    /// Apply retention.recipients-days to files of `archive`, which the server does not reach.
    Retain {
        /// The folder with the files, which are rewritten where they hold recipients of older orders.
        #[arg(long, value_name = "DIR")]
        archives: PathBuf,
        /// Settings.
        #[command(flatten)]
        given: CliOverrides,
    },
    /// List erasures as JSON, newest first, a hundred at once.
    Log {
        /// `nextCursor` of the previous page.
        #[arg(long)]
        cursor: Option<String>,
        /// Settings.
        #[command(flatten)]
        given: CliOverrides,
    },
}
