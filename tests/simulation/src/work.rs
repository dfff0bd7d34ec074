//! What runs on an instance: a request, a round of dispatch, a round of webhooks; and the executor's view of it.

use std::{cell::RefCell, future::Future, pin::Pin, rc::Rc};

use bytes::Bytes;
use despacho_core::{
    api,
    drivers::{dispatch, outbox},
    host::{HostError, Platform, Storage, WebhookQuery},
    rules::webhooks::MessageResult,
};
use http::{Request, Response};

use crate::{
    host::SimulatedHost,
    receivers::Receivers,
    service::{Own, Service},
};

/// Subscriptions that one round looks at.
const HOOKS_PER_ROUND: u32 = 10;

/// Something that runs.
pub(crate) struct Task {
    pub(crate) own: Rc<Own>,
    pub(crate) future: Pin<Box<dyn Future<Output = Done>>>,
}

/// What came of it.
pub(crate) enum Done {
    /// A request was answered.
    Response(Response<Bytes>),
    /// A round in the background ended.
    Rested(Result<(), HostError>),
}

/// A request's way through the API.
pub(crate) fn request(service: &Rc<Service>, own: Rc<Own>, request: Request<Bytes>) -> Task {
    let host = SimulatedHost { service: Rc::clone(service), own: Rc::clone(&own) };
    let future = async move { Done::Response(api::handle(&host, &host.service.settings, request).await) };
    Task { own, future: Box::pin(future) }
}

/// A round of dispatch, as an instance's scheduler runs it.
pub(crate) fn dispatch_round(service: &Rc<Service>, own: Rc<Own>) -> Task {
    let host = SimulatedHost { service: Rc::clone(service), own: Rc::clone(&own) };
    let future = async move {
        let mut context = host.exec_context();
        Done::Rested(dispatch::run_pass(&host, &host.service.settings, &mut context).await.map(|_| ()))
    };
    Task { own, future: Box::pin(future) }
}

/// A round of webhooks, as an instance's sender runs it.
pub(crate) fn outbox_round(service: &Rc<Service>, own: Rc<Own>, receivers: &Rc<RefCell<Receivers>>) -> Task {
    let host = SimulatedHost { service: Rc::clone(service), own: Rc::clone(&own) };
    let receivers = Rc::clone(receivers);
    let future = async move { Done::Rested(send(&host, &receivers).await) };
    Task { own, future: Box::pin(future) }
}

async fn send(host: &SimulatedHost, receivers: &RefCell<Receivers>) -> Result<(), HostError> {
    let settings = &host.service.settings;
    let now = host.exec_context().now;
    for webhook in host.find_webhooks(WebhookQuery::Due { now, limit: HOOKS_PER_ROUND }).await? {
        let Some(batch) = outbox::take(host, settings, &webhook).await? else { continue };
        let mut tried = Vec::new();
        for lane in &batch.lanes {
            let mut taken = true;
            for job in lane {
                if !taken {
                    tried.push(MessageResult { message: job.message.clone(), sent: None });
                    continue;
                }
                let at = host.exec_context().now;
                let took_ms = host.service.rng.borrow_mut().between(1, 900);
                host.wait_ms(took_ms).await;
                let deaf = if host.own.calm { 0 } else { host.service.fault_rates.get().deaf };
                let mut rng = host.service.rng.borrow_mut();
                let response = receivers.borrow_mut().take(&batch.url, job, deaf, &mut rng);
                taken = response.is_success();
                tried.push(MessageResult {
                    message: job.message.clone(),
                    sent: Some((at, took_ms.unsigned_abs(), response)),
                });
            }
        }
        outbox::finish(host, settings, &batch, tried).await?;
    }
    Ok(())
}
