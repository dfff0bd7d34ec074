//! Builds gazetteer packs from the downloaded files of the IBGE address register (CNEFE 2022): one
//! zip per municipality, or plain csv.
//!
//! The rows are sorted on disk, so a hundred million of them need no more memory than a thousand.
//! The core defines the meaning of a row and the format of a pack.
//!
//! ```no_run
//! # fn main() -> Result<(), despacho_geo::gazetteer::BuildError> {
//! let report = despacho_geo::gazetteer::build(&["2800308_ARACAJU.zip".into()], "aracaju.pack".as_ref(), &mut |_| ())?;
//! println!("{} rows, {} malformed", report.rows, report.malformed());
//! # Ok(())
//! # }
//! ```

mod build;
mod error;
mod input;
mod report;
mod scratch;
mod sort;
mod write;

pub use build::{Progress, Stage, build};
pub use error::BuildError;
pub use report::{MAX_MALFORMED_PERCENT, MalformedRow, Report};
