//! The server: listener, connections, layers, and an orderly end.

mod accept;
mod compress;
mod deliver;
mod filter;
mod metrics_listener;
mod observe;
mod socket;
mod stack;
mod stop;
mod tls;

use std::{io, io::Write as _, net::SocketAddr, sync::Arc};

use despacho_core::Settings;
use tokio::{
    net::TcpListener,
    sync::{mpsc, watch},
    time::{Instant, timeout_at},
};

use crate::{
    app::App, config::Config, connections::Connections, memory::MemoryBudget, metrics::Metrics, overload::Overload,
    panel::Panel, scheduler, simulation, store::Store, streams::Streams, telemetry, webhooks,
};

/// Why the server could not run.
pub type Failure = String;

/// Serves until the process is told to stop, then finishes what was accepted and closes the store. `announce` runs once the
/// listener accepts, with the address to reach it at.
pub async fn serve(
    config: &Config,
    settings: Settings,
    store: Store,
    announce: impl FnOnce(&str) -> io::Result<()>,
) -> Result<(), Failure> {
    let tls = tls::acceptor(config)?;
    let panel = Panel::load(config)?;
    let listener = bind(config.listen).await?;
    let metrics_listener = bind_metrics(config).await?;
    let address = listener.local_addr().map_err(|error| format!("no local address: {error}"))?;
    let (unfinished, mut finished) = mpsc::channel(1);
    let patience = config.timeouts.request;
    let metrics = Metrics::new().with_geography(store.geography().figures());
    let (told, stopping) = watch::channel(false);
    let (tracer, exporter) = telemetry::start(&config.otlp, &metrics.spans)?.unzip();
    let app = Arc::new(App {
        settings,
        store,
        metrics,
        metrics_token: config.metrics_token.clone(),
        panel,
        patience,
        write_timeout: config.timeouts.write,
        connections: Arc::new(Connections::new(config.connection_limits())),
        responses: Arc::new(MemoryBudget::new(config.responses)),
        streams: Streams::new(config.streams),
        tracer,
        overload: Overload::new(config.overload),
        stopping: stopping.clone(),
        unfinished: unfinished.downgrade(),
    });
    let mut stop = stop::Signals::new().map_err(|error| format!("no signal handler: {error}"))?;
    let scheduler = tokio::spawn(scheduler::run(app.clone(), stopping.clone()));
    let retention = tokio::spawn(scheduler::run_retention(app.clone(), stopping.clone()));
    let webhooks = tokio::spawn(webhooks::run(app.clone(), stopping.clone(), config.timeouts.shutdown));
    tokio::spawn(Connections::sweep(Arc::downgrade(&app.connections)));
    let metrics = metrics_listener.map(|listener| tokio::spawn(metrics_listener::serve(app.clone(), listener)));
    let (traced, untraced) = watch::channel(false);
    let exporter = exporter.map(|exporter| tokio::spawn(telemetry::run(exporter, untraced)));
    let scheme = if tls.is_some() { "https" } else { "http" };
    let simulation = (config.sandbox.couriers_per_store > 0)
        .then(|| tokio::spawn(simulation::run(app.clone(), config.sandbox, config.demo, stopping.clone())));
    announce(&format!("{scheme}://{address}")).map_err(|error| format!("nothing can be printed: {error}"))?;
    tracing::info!(%address, scheme, version = env!("CARGO_PKG_VERSION"), "serving");

    let server = accept::Server::new(config, app.clone(), tls, stopping, unfinished);
    tokio::select! {
        () = server.accept(listener) => {}
        signal = stop.wait() => tracing::info!(signal, "stopping: no more connections, finishing what was accepted"),
    }
    // Told after the listener was dropped, so that no connection can be accepted and then not be told.
    let _ = told.send(true);
    let deadline = Instant::now() + config.timeouts.shutdown;
    drop(server);
    wait_for_connections(&mut finished, deadline, &mut stop).await;
    if let Some(simulation) = simulation {
        let _ = simulation.await;
    }
    let _ = tokio::join!(scheduler, retention, webhooks);
    // Last, so that what the others did at the end is told too.
    let _ = traced.send(true);
    if let Some(exporter) = exporter {
        let _ = exporter.await;
    }
    metrics.inspect(|listener| listener.abort());
    let closed = app.store.close().await.map_err(|error| format!("the store did not close: {error}"));
    tracing::info!("stopped");
    closed
}

/// Waits until every connection and every unfinished write has dropped its sender, but not beyond the deadline or a second signal.
async fn wait_for_connections(finished: &mut mpsc::Receiver<()>, deadline: Instant, stop: &mut stop::Signals) {
    tokio::select! {
        ended = timeout_at(deadline, finished.recv()) => {
            if ended.is_err() {
                tracing::warn!("the deadline has passed: connections that are still open are cut");
            }
        }
        signal = stop.wait() => tracing::warn!(signal, "told twice: connections that are still open are cut"),
    }
}

async fn bind_metrics(config: &Config) -> Result<Option<TcpListener>, Failure> {
    match config.metrics_listen {
        Some(address) => bind(address).await.map(Some),
        None => Ok(None),
    }
}

async fn bind(address: SocketAddr) -> Result<TcpListener, Failure> {
    TcpListener::bind(address).await.map_err(|error| format!("{address} cannot be listened on: {error}"))
}

/// Prints lines on standard output at once, even where it is a pipe.
pub fn print(lines: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{lines}")?;
    out.flush()
}
