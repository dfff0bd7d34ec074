//! Fuzz targets for all parsers of untrusted input, and a driver for the stable toolchain.
//!
//! A target takes any bytes, and returns a kind of outcome or an error. The driver stores inputs
//! with a new kind of outcome. `tests/fuzz/README.md` describes how to run the targets with the
//! driver and with libFuzzer.

mod api;
mod command;
mod drive;
mod follow;
mod pack;
mod photo;
mod tokens;
mod wire;

pub use command::command;
pub use drive::{Figures, Finding, drive};

/// A fuzz target.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name of the target and of its folder in the corpus.
    pub name: &'static str,
    /// Runs the target with an input, and returns the kind of outcome or a description of the
    /// failure.
    pub run: fn(&[u8]) -> Result<u64, String>,
}

/// All targets.
pub const TARGETS: &[Target] = &[
    Target {
        name: "api",
        run: api::handle_request,
    },
    Target {
        name: "pack",
        run: pack::open_input,
    },
    Target {
        name: "photo",
        run: photo::clean_input,
    },
    Target {
        name: "wire",
        run: wire::compare_readers,
    },
    Target {
        name: "tokens",
        run: tokens::round_trip,
    },
    Target {
        name: "follow",
        run: follow::apply_input,
    },
];

/// Returns the target with a name.
#[must_use]
pub fn target(name: &str) -> Option<Target> {
    TARGETS.iter().copied().find(|target| target.name == name)
}

/// Runs a target for libFuzzer.
///
/// # Panics
/// If the target fails, because libFuzzer detects a failure by a crash.
#[expect(clippy::panic, reason = "libFuzzer detects a failure by a crash")]
pub fn panic_on_failure(name: &str, bytes: &[u8]) {
    if let Some(Err(message)) = target(name).map(|target| (target.run)(bytes)) {
        panic!("{message}");
    }
}

/// Hashes the parts that identify a kind of outcome.
pub(crate) fn kind(parts: &[&str]) -> u64 {
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    for byte in parts.iter().flat_map(|part| part.bytes().chain([0])) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
    }
    hash
}
