//! The log on standard error.

use tracing::Level;
use tracing_subscriber::{
    Layer, Registry, filter::Targets, fmt, layer::SubscriberExt, util::SubscriberInitExt,
};

use crate::config::{Config, LogFormat};

/// Starts the log. Libraries log at most at level `warn`: below it some of them print headers,
/// which contain keys.
pub fn start(config: &Config) {
    let min = config.log.level;
    let targets = Targets::new()
        .with_default(min.min(Level::WARN))
        .with_target("despacho", min)
        .with_target("despacho_warp", min);
    let layer: Box<dyn Layer<Registry> + Send + Sync> = match config.log.format {
        LogFormat::Json => fmt::layer()
            .json()
            .flatten_event(true)
            .with_writer(std::io::stderr)
            .boxed(),
        LogFormat::Text => fmt::layer()
            .with_writer(std::io::stderr)
            .with_ansi(false)
            .boxed(),
    };
    // The panic message may contain personal data, so only its location is logged. The client gets
    // 500 with the request ID.
    std::panic::set_hook(Box::new(|panic| {
        let location = panic
            .location()
            .map(ToString::to_string)
            .unwrap_or_default();
        tracing::error!(location, "thread panicked; this is a bug");
    }));
    // Tests start the log several times per process; the first start remains in effect.
    let _ = tracing_subscriber::registry()
        .with(layer.with_filter(targets))
        .try_init();
}
