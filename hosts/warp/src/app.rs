//! What every request needs: the store, the core's settings, the counters.

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use bytes::Bytes;
use despacho_core::Settings;
use futures_util::FutureExt;
use http::{Method, Request, Response};
use tokio::sync::mpsc;

use crate::{
    endpoints,
    metrics::Metrics,
    problem::{Refusal, problem},
    store::Store,
};

/// The running application.
pub struct App {
    /// The rules' configuration.
    pub settings: Settings,
    /// The state.
    pub store: Store,
    /// The counters.
    pub metrics: Metrics,
    /// How long an answer may take.
    pub patience: Duration,
    /// Held by every unfinished write, so that whoever has the receiver learns when the last one has ended.
    pub unfinished: mpsc::WeakSender<()>,
}

impl App {
    /// Answers one request, whatever happens inside: a panic is a 500, an answer that takes too long a 504.
    ///
    /// What may write runs in a task of its own, so that a caller who hangs up cannot cut it off between two steps.
    pub async fn answer(self: Arc<App>, request: Request<Bytes>) -> Response<Bytes> {
        let facts = (request.uri().clone(), request.headers().clone());
        let safe = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
        let (app, patience) = (self.clone(), self.patience);
        let guarded = async move { AssertUnwindSafe(app.clone().route(request)).catch_unwind().await };
        let answer = if safe {
            tokio::time::timeout(patience, guarded).await.map(Result::ok)
        } else {
            let unfinished = self.unfinished.upgrade();
            let task = tokio::spawn(async move {
                let answer = guarded.await;
                drop(unfinished);
                answer
            });
            tokio::time::timeout(patience, task).await.map(|joined| joined.ok().and_then(Result::ok))
        };
        match answer {
            Ok(Some(response)) => response,
            Ok(None) => {
                self.metrics.panics.inc();
                problem(Refusal::Internal, "unmatched", &facts.0, &facts.1)
            }
            Err(_) => problem(Refusal::Timeout, "unmatched", &facts.0, &facts.1),
        }
    }

    async fn route(self: Arc<App>, request: Request<Bytes>) -> Response<Bytes> {
        match endpoints::answer(&self, &request).await {
            Some(response) => response,
            None => self.store.answer(&self.settings, request).await,
        }
    }
}
