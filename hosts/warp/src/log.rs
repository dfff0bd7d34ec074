//! The log on standard error.

use tracing::Level;
use tracing_subscriber::{Layer, Registry, filter::Targets, fmt, layer::SubscriberExt, util::SubscriberInitExt};

use crate::config::{Config, LogFormat};

/// Starts the log. Libraries speak at `warn` at most, whatever the level: below that some of them print headers, and headers
/// hold keys.
pub fn start(config: &Config) {
    let min = config.log.level;
    let targets = Targets::new()
        .with_default(min.min(Level::WARN))
        .with_target("despacho", min)
        .with_target("despacho_warp", min);
    let layer: Box<dyn Layer<Registry> + Send + Sync> = match config.log.format {
        LogFormat::Json => fmt::layer().json().flatten_event(true).with_writer(std::io::stderr).boxed(),
        LogFormat::Text => fmt::layer().with_writer(std::io::stderr).with_ansi(false).boxed(),
    };
    // What a panic says may quote data; where it happened says enough. The caller gets a 500 with the request's identifier.
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(place, "a handler panicked: this is a bug");
    }));
    // A second start, as tests in one process do, keeps the first.
    let _ = tracing_subscriber::registry().with(layer.with_filter(targets)).try_init();
}
