//! Fuzz targets of everything that reads what strangers send, and a driver that runs them on stable.
//!
//! A target takes any bytes, and says what is wrong or else what kind of outcome it was: an outcome that was not seen before is worth
//! keeping its input. `README.md` says how to run them, and how to run them under libFuzzer.

mod api;
mod command;
mod drive;
mod follow;
mod pack;
mod tokens;
mod wire;

pub use command::command;
pub use drive::{Figures, Finding, drive};

/// A target.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name, and that of its folder in the corpus.
    pub name: &'static str,
    /// What it does with any bytes: the kind of outcome, or what is wrong.
    pub run: fn(&[u8]) -> Result<u64, String>,
}

/// Every target.
pub const TARGETS: &[Target] = &[
    Target { name: "api", run: api::responses },
    Target { name: "pack", run: pack::opens },
    Target { name: "wire", run: wire::readers_agree },
    Target { name: "tokens", run: tokens::are_read },
    Target { name: "follow", run: follow::follows },
];

/// The target of a name.
#[must_use]
pub fn target(name: &str) -> Option<Target> {
    TARGETS.iter().copied().find(|target| target.name == name)
}

/// What libFuzzer calls: nothing where all is well.
///
/// # Panics
/// Where something is wrong, which is how libFuzzer is told.
#[expect(clippy::panic, reason = "libFuzzer is told by a crash")]
pub fn crash_if_wrong(name: &str, bytes: &[u8]) {
    if let Some(Err(what)) = target(name).map(|target| (target.run)(bytes)) {
        panic!("{what}");
    }
}

/// A number for a kind of outcome.
pub(crate) fn kind(parts: &[&str]) -> u64 {
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    for byte in parts.iter().flat_map(|part| part.bytes().chain([0])) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
    }
    hash
}
