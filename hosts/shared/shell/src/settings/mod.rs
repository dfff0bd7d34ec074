//! The settings of all hosts: one table of keys, units, ranges, defaults and descriptions.
//!
//! The server's flags, `DESPACHO_*` variables and file keys, the component's variables,
//! `despacho config` and SETTINGS.md are generated from [`table`]. A [`Reader`] collects values
//! from any of these sources, with every error, and builds a host's typed configuration.

pub mod fields;
mod page;
mod reader;
mod sections;
mod setting;
mod shared;
mod value;

pub use page::{config_file, markdown};
pub use reader::{ConfigError, ConfigErrors, Loaded, Reader, Source};
pub use sections::table;
pub use setting::{Host, Kind, Parse, Setting, Unit};
pub use shared::SharedSettings;
pub use value::{ValueError, tariff};
