//! The tasks of an instance: requests, dispatch passes and webhook passes.

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
    service::{Service, TaskContext},
};

/// The maximum number of subscriptions in one webhook pass.
const MAX_HOOKS_PER_PASS: u32 = 10;

/// A running task.
pub(crate) struct Task {
    pub(crate) context: Rc<TaskContext>,
    pub(crate) future: Pin<Box<dyn Future<Output = TaskOutput>>>,
}

/// The output of a task.
pub(crate) enum TaskOutput {
    /// A request's response.
    Response(Response<Bytes>),
    /// The result of a background pass.
    PassEnded(Result<(), HostError>),
}

/// Creates the task of a request to the API.
pub(crate) fn request(
    service: &Rc<Service>,
    context: Rc<TaskContext>,
    request: Request<Bytes>,
) -> Task {
    let host = SimulatedHost {
        service: Rc::clone(service),
        context: Rc::clone(&context),
    };
    let future = async move {
        TaskOutput::Response(api::handle(&host, &host.service.settings, request).await)
    };
    Task {
        context,
        future: Box::pin(future),
    }
}

/// Creates the task of a dispatch pass, as an instance's scheduler runs it.
pub(crate) fn dispatch_pass(service: &Rc<Service>, context: Rc<TaskContext>) -> Task {
    let host = SimulatedHost {
        service: Rc::clone(service),
        context: Rc::clone(&context),
    };
    let future = async move {
        let mut context = host.exec_context();
        host.context.dispatched_at.set(Some(context.now));
        TaskOutput::PassEnded(
            dispatch::run_pass(&host, &host.service.settings, &mut context)
                .await
                .map(|_| ()),
        )
    };
    Task {
        context,
        future: Box::pin(future),
    }
}

/// Creates the task of a webhook pass, as an instance's sender runs it.
pub(crate) fn webhook_pass(
    service: &Rc<Service>,
    context: Rc<TaskContext>,
    receivers: &Rc<RefCell<Receivers>>,
) -> Task {
    let host = SimulatedHost {
        service: Rc::clone(service),
        context: Rc::clone(&context),
    };
    let receivers = Rc::clone(receivers);
    let future = async move { TaskOutput::PassEnded(send(&host, &receivers).await) };
    Task {
        context,
        future: Box::pin(future),
    }
}

async fn send(host: &SimulatedHost, receivers: &RefCell<Receivers>) -> Result<(), HostError> {
    let settings = &host.service.settings;
    let now = host.exec_context().now;
    for webhook in host
        .find_webhooks(WebhookQuery::Due {
            now,
            limit: MAX_HOOKS_PER_PASS,
        })
        .await?
    {
        let Some(batch) = outbox::take(host, settings, &webhook).await? else {
            continue;
        };
        let mut tried = Vec::new();
        for lane in &batch.lanes {
            let mut is_delivered = true;
            for job in lane {
                if !is_delivered {
                    tried.push(MessageResult {
                        message: job.message.clone(),
                        sent: None,
                    });
                    continue;
                }
                let at = host.exec_context().now;
                let took_ms = host.service.rng.borrow_mut().between(1, 900);
                host.wait_ms(took_ms).await;
                let failing = if host.context.is_fault_free {
                    0
                } else {
                    host.service.fault_rates.get().failing_receivers
                };
                let mut rng = host.service.rng.borrow_mut();
                let response = receivers
                    .borrow_mut()
                    .receive(&batch.url, job, failing, &mut rng);
                is_delivered = response.is_success();
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
