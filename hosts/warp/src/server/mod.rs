//! The server: listener, connections, layers and graceful shutdown.

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

use std::{io, io::Write as _, net::SocketAddr, sync::Arc, time::Duration};

use despacho_core::rules::settings::Settings;
use tokio::{net::TcpListener, sync::watch, time::timeout};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    app::App, config::Config, connections::Connections, error::StartError, memory::MemoryBudget,
    metrics::Metrics, overload::Overload, panel::Panel, push, scheduler, simulation, store::Store,
    streams::Streams, telemetry::export, webhooks, work::Work,
};

/// Serves until the process receives a signal, then finishes accepted requests and closes the
/// store. `announce` runs once the listener accepts connections, with the server's URL.
pub async fn serve(
    config: &Config,
    settings: Settings,
    store: Store,
    announce: impl FnOnce(&str) -> io::Result<()>,
) -> Result<(), StartError> {
    let tls = tls::acceptor(config)?;
    let listener = bind(config.listen).await?;
    let metrics_listener = bind_metrics(config).await?;
    let address = listener.local_addr().map_err(|error| StartError::Process {
        action: "read the local address",
        error,
    })?;
    let (app, exporter) = open(config, settings, store)?;
    let mut signals = stop::Signals::new().map_err(|error| StartError::Process {
        action: "handle signals",
        error,
    })?;
    let background = TaskTracker::new();
    let passes = app.work.passes();
    background.spawn_on(scheduler::run(app.clone()), &passes);
    background.spawn_on(scheduler::run_retention(app.clone()), &passes);
    background.spawn(webhooks::run(app.clone(), config.timeouts.shutdown));
    background.spawn(push::run(app.clone(), config.timeouts.shutdown));
    if config.sandbox.couriers_per_store > 0 {
        background.spawn_on(
            simulation::run(app.clone(), config.sandbox, config.demo),
            &passes,
        );
    }
    tokio::spawn(Connections::sweep(Arc::downgrade(&app.connections)));
    let metrics = metrics_listener
        .map(|listener| tokio::spawn(metrics_listener::serve(app.clone(), listener)));
    let (traced, untraced) = watch::channel(false);
    let exporter = exporter.map(|exporter| tokio::spawn(export::run(exporter, untraced)));
    let scheme = if tls.is_some() { "https" } else { "http" };
    announce(&format!("{scheme}://{address}")).map_err(|error| StartError::Process {
        action: "write to standard output",
        error,
    })?;
    tracing::info!(%address, scheme, version = env!("CARGO_PKG_VERSION"), "serving");

    let server = accept::Server::new(config, app.clone(), tls);
    tokio::select! {
        () = server.accept(listener) => {}
        signal = signals.wait() => {
            tracing::info!(signal, "shutting down; completing accepted requests");
        }
    }
    // The listener was dropped above, so every accepted connection is tracked and notified.
    app.shutdown.cancel();
    wait_for_tasks(&app.tasks, config.timeouts.shutdown, &mut signals).await;
    background.close();
    background.wait().await;
    // The exporter ends last, because it sends the spans of the other tasks.
    let _ = traced.send(true);
    if let Some(exporter) = exporter {
        let _ = exporter.await;
    }
    metrics.inspect(|listener| listener.abort());
    let closed = app.store.close().await.map_err(StartError::Close);
    tracing::info!("stopped");
    closed
}

/// Builds the state that all requests share.
fn open(
    config: &Config,
    settings: Settings,
    store: Store,
) -> Result<(Arc<App>, Option<export::Exporter>), StartError> {
    let metrics = Metrics::new().with_geography(store.geography().metrics());
    let (tracer, exporter) = export::start(&config.otlp, &metrics.spans)?.unzip();
    let app = App {
        settings,
        store,
        metrics,
        metrics_token: config.metrics.token.clone(),
        panel: Panel::load(config)?,
        timeout: config.timeouts.request,
        write_timeout: config.timeouts.write,
        connections: Arc::new(Connections::new(config.connection_limits())),
        responses: Arc::new(MemoryBudget::new(config.response_limits())),
        streams: Streams::new(config.streams),
        tracer,
        overload: Overload::new(config.overload),
        work: Work::start()?,
        shutdown: CancellationToken::new(),
        tasks: TaskTracker::new(),
    };
    Ok((Arc::new(app), exporter))
}

/// Waits until all connections and writes have ended, until the timeout or until a second signal.
async fn wait_for_tasks(tasks: &TaskTracker, limit: Duration, signals: &mut stop::Signals) {
    tasks.close();
    let ended = tokio::select! {
        ended = timeout(limit, tasks.wait()) => Ok(ended),
        signal = signals.wait() => Err(signal),
    };
    match ended {
        Ok(Ok(())) => {}
        Ok(Err(_)) => tracing::warn!("shutdown timeout exceeded; closing open connections"),
        Err(signal) => {
            tracing::warn!(
                signal,
                "second shutdown signal received; closing open connections"
            );
        }
    }
}

async fn bind_metrics(config: &Config) -> Result<Option<TcpListener>, StartError> {
    match config.metrics.listen {
        Some(address) => bind(address).await.map(Some),
        None => Ok(None),
    }
}

async fn bind(address: SocketAddr) -> Result<TcpListener, StartError> {
    TcpListener::bind(address)
        .await
        .map_err(|error| StartError::Bind { address, error })
}

/// Prints lines on standard output and flushes it, because pipes are buffered.
pub fn print(lines: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{lines}")?;
    out.flush()
}
