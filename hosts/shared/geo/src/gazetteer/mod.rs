//! Makes gazetteer packs from the files of the IBGE address register (CNEFE 2022), as they are downloaded: one zip a
//! municipality, or plain csv.
//!
//! The rows are sorted on disk, so that a hundred million of them need no more memory than a thousand; what a row means and
//! what a pack looks like is the core's to say.
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
mod sort;
mod write;

pub use build::{Malformed, Progress, Report, Stage, build};
pub use error::BuildError;
