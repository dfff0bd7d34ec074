//! The state of a run: clients, the network, the tasks of each instance, and the clock.
//!
//! One step is one decision of the scheduler: a client starts an action, a request arrives, a
//! future is polled once, a background pass starts, the clock is set, or an instance crashes. All
//! random decisions follow from the seed.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    rc::Rc,
    task::{Context, Poll, Waker},
};

use bytes::Bytes;
use despacho_core::{
    host::HostError,
    model::{Duration, Timestamp, store::ClaimChange},
};
use http::Response;

use crate::{
    actions, audit,
    clients::Clients,
    exchange::{Attempt, Exchange, Plan, State},
    fault_rates::FaultRates,
    model::{CheckResult, Model},
    mutation::Mutation,
    oracle,
    receivers::Receivers,
    rng::Rng,
    schedule,
    service::{Service, TaskContext},
    trace::Trace,
    waits::Waits,
    work::{self, Task, TaskOutput},
};

/// The number of steps between two full comparisons with the model. Other steps compare only the
/// changed data.
const COMPARE_EVERY: u64 = 256;
/// The maximum offset of the clocks in a run, in milliseconds. It is less than a day, the lifetime
/// of an idempotency key.
const MAX_OFFSET_MS: i64 = 2 * 3_600_000;
/// The number of requests after which a client stops retrying.
const MAX_TRIES: u32 = 6;

/// A request on its way to an instance.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    at_ms: i64,
    exchange: usize,
}

/// A run.
pub(crate) struct Simulation {
    pub(crate) service: Rc<Service>,
    pub(crate) model: Model,
    pub(crate) clients: Clients,
    pub(crate) exchanges: Vec<Exchange>,
    pub(crate) receivers: Rc<RefCell<Receivers>>,
    pub(crate) rng: Rng,
    pub(crate) trace: Trace,
    pub(crate) steps: u64,
    pub(crate) requests: u64,
    pub(crate) acknowledged: u64,
    pub(crate) kinds: BTreeMap<&'static str, u64>,
    skews_ms: Vec<i64>,
    tasks: Vec<Task>,
    arrivals: Vec<Arrival>,
    attempts: BTreeMap<u32, Attempt>,
    works: u32,
    max_open: usize,
}

impl Simulation {
    /// Creates a service with stores and couriers.
    ///
    /// # Errors
    /// If the service violates an invariant meanwhile.
    pub(crate) fn new(seed: u64, mutation: Option<Mutation>) -> Result<Simulation, String> {
        let mut rng = Rng::new(seed, 2);
        let instances = 1 + rng.index(3);
        let skews_ms = (0..instances).map(|_| rng.between(-400, 400)).collect();
        let mut simulation = Simulation {
            service: Rc::new(Service::new(seed, mutation)),
            model: Model::new()?,
            clients: Clients::default(),
            exchanges: Vec::new(),
            receivers: Rc::default(),
            max_open: 2 + rng.index(12),
            rng,
            trace: Trace::default(),
            steps: 0,
            requests: 0,
            acknowledged: 0,
            kinds: BTreeMap::new(),
            skews_ms,
            tasks: Vec::new(),
            arrivals: Vec::new(),
            attempts: BTreeMap::new(),
            works: 0,
        };
        actions::setup::populate(&mut simulation)?;
        Ok(simulation)
    }

    /// Runs the steps, completes all pending operations without faults, and checks all data through
    /// the API.
    pub(crate) fn run(&mut self, steps: u64) -> CheckResult {
        while self.steps < steps {
            self.step()?;
        }
        self.settle()?;
        audit::check_all(self)
    }

    /// Performs one step and compares the result with the model.
    fn step(&mut self) -> CheckResult {
        self.steps += 1;
        let fault_rates = self.service.fault_rates.get();
        let busy = self.tasks.len() + self.arrivals.len();
        if self.rng.often(fault_rates.kills) {
            let instance = self.rng.index(self.skews_ms.len());
            self.kill(u32::try_from(instance).unwrap_or_default());
        } else if self.rng.often(fault_rates.clock_steps) {
            self.set_clock();
        } else if self.rng.often(25) {
            let idle_ms = if self.rng.often(60) { 300_000 } else { 15_000 };
            let span_ms = self.rng.between(0, idle_ms);
            self.advance_time(span_ms);
        } else if self.rng.often(30) {
            self.start_pass();
        } else if (busy < self.max_open && self.rng.often(350)) || !self.advance()? {
            self.start_action()?;
        }
        if let Some(violation) = self.receivers.borrow_mut().violation.take() {
            return Err(violation);
        }
        if self.steps.is_multiple_of(COMPARE_EVERY) {
            self.model.compare_all(&self.service.backend)?;
        }
        Ok(())
    }

    /// Starts a client's next action.
    fn start_action(&mut self) -> CheckResult {
        let Some(plan) = actions::choose(self) else {
            return Ok(());
        };
        let serial = self.clients.next_serial();
        let key = plan.keyed.then(|| format!("key-{serial}"));
        let journal_events_at_start = self.journal_of(&plan);
        let state = State::Open;
        self.exchanges.push(Exchange {
            plan,
            key,
            state,
            response: None,
            applied: false,
            tries: 0,
            journal_events_at_start,
            in_flight: 0,
        });
        self.send(self.exchanges.len() - 1);
        Ok(())
    }

    /// Sends a request through the network, which may delay or duplicate it.
    pub(crate) fn send(&mut self, exchange: usize) {
        let fault_rates = self.service.fault_rates.get();
        let Some(sender) = self.exchanges.get_mut(exchange) else {
            return;
        };
        sender.tries += 1;
        let mut copies = 1;
        if sender.key.is_some() && self.rng.often(fault_rates.duplicated_requests) {
            copies = 2;
        }
        sender.in_flight += copies;
        for _ in 0..copies {
            let delay_ms = if self.rng.often(fault_rates.delayed_requests) {
                // One in ten delays is longer than the claim on an idempotency key.
                if self.rng.often(100) {
                    self.rng.between(60_000, 200_000)
                } else {
                    self.rng.between(50, 8_000)
                }
            } else {
                self.rng.between(0, 60)
            };
            let at_ms = self.service.time_ms.get() + delay_ms;
            self.arrivals.push(Arrival { at_ms, exchange });
        }
    }

    /// Delivers a request or polls a future. Returns false if no request or task is pending.
    fn advance(&mut self) -> Result<bool, String> {
        let now_ms = self.service.time_ms.get();
        let arrivals = self.arrivals.iter().map(|arrival| arrival.at_ms);
        let wakes: Vec<i64> = arrivals
            .chain(self.tasks.iter().map(|task| task.context.wake_ms.get()))
            .collect();
        let Some(first) = wakes.iter().min() else {
            return Ok(false);
        };
        if *first > now_ms {
            self.advance_time(first - now_ms);
        }
        let now_ms = self.service.time_ms.get();
        let due: Vec<usize> = wakes
            .iter()
            .enumerate()
            .filter(|(_, at)| **at <= now_ms)
            .map(|(index, _)| index)
            .collect();
        let Some(index) = self.rng.pick(&due).copied() else {
            return Ok(true);
        };
        match index.checked_sub(self.arrivals.len()) {
            None => {
                let Arrival { exchange, .. } = self.arrivals.swap_remove(index);
                self.arrive(exchange)?;
            }
            Some(task) => self.poll(task)?,
        }
        Ok(true)
    }

    /// Delivers a request to a random instance.
    fn arrive(&mut self, exchange: usize) -> CheckResult {
        let instance = self.rng.index(self.skews_ms.len());
        let Some(plan) = self
            .exchanges
            .get(exchange)
            .map(|sender| sender.plan.clone())
        else {
            return Ok(());
        };
        let context = self.context(instance, false, Some(&plan));
        let Some(sender) = self.exchanges.get(exchange) else {
            return Ok(());
        };
        let request = sender.plan.request(sender.key.as_deref())?;
        self.requests += 1;
        let key = sender.key.as_deref().unwrap_or("-");
        self.trace.line(format!(
            "{} w{} on {instance}: {} {} {key}",
            self.service.clock(),
            context.work,
            sender.plan.method,
            sender.plan.path
        ));
        self.trace.bytes(request.body());
        self.attempts.insert(context.work, self.attempt(exchange));
        self.tasks
            .push(work::request(&self.service, context, request));
        Ok(())
    }

    /// Returns the model's state when a request arrives.
    fn attempt(&self, exchange: usize) -> Attempt {
        let sender = self.exchanges.get(exchange);
        let order = sender.and_then(|sender| self.model.orders.get(&sender.plan.order()?));
        Attempt {
            exchange,
            order_events: order.map_or(0, |order| order.after.len()),
            journal_events: sender.map_or(0, |sender| self.journal_of(&sender.plan)),
            applied_before: sender.is_some_and(|sender| sender.applied),
            stored_kind: None,
            commits: 0,
            caused: Vec::new(),
        }
    }

    /// Returns the number of events in the journal that a plan reads.
    fn journal_of(&self, plan: &Plan) -> usize {
        let store =
            oracle::reader_of(self, &plan.action).and_then(|store| self.model.stores.get(&store));
        store
            .and_then(|store| self.model.journals.get(&store.matrix))
            .map_or(0, Vec::len)
    }

    /// Creates the context of a request or a background pass.
    fn context(
        &mut self,
        instance: usize,
        is_fault_free: bool,
        plan: Option<&Plan>,
    ) -> Rc<TaskContext> {
        self.works += 1;
        let has_quote = plan
            .and_then(|plan| plan.body.as_ref())
            .is_some_and(|body| body.get("quoteId").is_some());
        Rc::new(TaskContext {
            work: self.works,
            instance: u32::try_from(instance).unwrap_or_default(),
            skew_ms: self.skews_ms.get(instance).copied().unwrap_or_default(),
            is_fault_free,
            wake_ms: Cell::new(self.service.time_ms.get()),
            now: Cell::new(self.service.clock()),
            faults: Cell::new(0),
            is_pass: plan.is_none(),
            dispatched_at: Cell::new(None),
            waiting: if plan.is_none() {
                schedule::waiting(&self.model)
            } else {
                Vec::new()
            },
            waits: if plan.is_none() {
                Waits::at_start(&self.service, &self.model)
            } else {
                Waits::default()
            },
            commits: Cell::new(0),
            is_preview: plan.is_some_and(|plan| plan.path.ends_with("/preview")),
            has_quote,
            is_pickup: plan.is_some_and(|plan| plan.path.ends_with("/pickup")),
            caller: Cell::new(None),
        })
    }

    /// Starts a background pass on a random instance.
    fn start_pass(&mut self) {
        let instance = self.rng.index(self.skews_ms.len());
        let context = self.context(instance, false, None);
        let sends = self.rng.often(500);
        self.trace.line(format!(
            "w{} on {instance}: a pass, sends {sends}",
            context.work
        ));
        self.tasks.push(if sends {
            work::webhook_pass(&self.service, context, &self.receivers)
        } else {
            work::dispatch_pass(&self.service, context)
        });
    }

    /// Polls a task once.
    fn poll(&mut self, index: usize) -> CheckResult {
        let Some(task) = self.tasks.get_mut(index) else {
            return Ok(());
        };
        let context = Rc::clone(&task.context);
        let polled = task
            .future
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()));
        self.trace.number(u64::from(context.work));
        let ready = match polled {
            Poll::Ready(output) => {
                self.tasks.swap_remove(index);
                Some(output)
            }
            Poll::Pending => None,
        };
        self.apply_commits()?;
        match ready {
            Some(TaskOutput::Response(response)) => self.receive_response(&context, &response)?,
            Some(TaskOutput::PassEnded(outcome)) => {
                self.trace.line(format!(
                    "w{} ends its pass: {}",
                    context.work,
                    outcome.is_ok()
                ));
                let is_unexpected = context.faults.get() == 0
                    && !matches!(outcome, Ok(()) | Err(HostError::Conflict));
                if is_unexpected {
                    return Err(format!(
                        "a pass failed without an injected fault: {outcome:?}"
                    ));
                }
                if outcome.is_ok() {
                    schedule::check_pass(&self.model, &context)?;
                    context.waits.check(&self.service, &self.model, &context)?;
                }
            }
            None => {}
        }
        let crashed = std::mem::take(&mut *self.service.crashed.borrow_mut());
        crashed.into_iter().for_each(|instance| self.kill(instance));
        Ok(())
    }

    /// Applies the new commits to the model.
    fn apply_commits(&mut self) -> CheckResult {
        let commits = std::mem::take(&mut *self.service.log.borrow_mut());
        if commits.is_empty() {
            return Ok(());
        }
        for commit in &commits {
            let changes = &commit.changes;
            let orders: Vec<_> = changes
                .orders
                .iter()
                .map(|one| (one.value.id.get(), one.expected, one.value.status.number()))
                .collect();
            let events: Vec<_> = changes
                .events
                .iter()
                .map(|event| event.kind.name())
                .collect();
            let claim = match &changes.claim {
                Some(ClaimChange::Take(claim)) => format!("claims {}", claim.key),
                Some(ClaimChange::Finish(claim)) => format!("stores the response of {}", claim.key),
                Some(ClaimChange::Release { key, .. }) => format!("releases {key}"),
                None => String::new(),
            };
            self.trace.line(format!(
                "w{} commits orders {orders:?} events {events:?} {claim}",
                commit.work
            ));
            events
                .iter()
                .for_each(|kind| *self.kinds.entry(kind).or_default() += 1);
            let Some(attempt) = self.attempts.get_mut(&commit.work) else {
                continue;
            };
            attempt.record_commit(changes);
            if let (Some(ClaimChange::Finish(_)), Some(exchange)) =
                (&changes.claim, self.exchanges.get_mut(attempt.exchange))
            {
                exchange.applied = true;
            }
        }
        self.model.apply_commits(&self.service.backend, &commits)
    }

    /// Processes an instance's response, which the network may lose.
    fn receive_response(
        &mut self,
        context: &TaskContext,
        response: &Response<Bytes>,
    ) -> CheckResult {
        self.trace.line(format!(
            "w{} responds {}",
            context.work,
            response.status().as_u16()
        ));
        self.trace.bytes(response.body());
        let Some(attempt) = self.attempts.remove(&context.work) else {
            return Ok(());
        };
        let exchange = attempt.exchange;
        if let Some(sender) = self.exchanges.get_mut(exchange) {
            sender.in_flight = sender.in_flight.saturating_sub(1);
        }
        oracle::check_every_response(self, context, &attempt, response)?;
        if self
            .rng
            .often(self.service.fault_rates.get().lost_responses)
        {
            self.trace
                .line(format!("w{}: its response is lost", context.work));
            self.retry_or_give_up(exchange);
            return Ok(());
        }
        oracle::check_response(self, context, &attempt, response)
    }

    /// Retries a request without a final response, or stops retrying.
    pub(crate) fn retry_or_give_up(&mut self, exchange: usize) {
        let Some(sender) = self.exchanges.get_mut(exchange) else {
            return;
        };
        if sender.state != State::Open {
            return;
        }
        if sender.plan.is_retried() && sender.tries < MAX_TRIES {
            let wait_ms = self.rng.between(100, 20_000);
            sender.tries += 1;
            sender.in_flight += 1;
            self.arrivals.push(Arrival {
                at_ms: self.service.time_ms.get() + wait_ms,
                exchange,
            });
        } else if sender.in_flight == 0 {
            sender.state = State::Unknown;
            oracle::release_reader(self, exchange);
        }
    }

    /// Crashes an instance with all its tasks, and restarts it.
    fn kill(&mut self, instance: u32) {
        self.trace.line(format!("instance {instance} crashes"));
        let (lost, running): (Vec<Task>, Vec<Task>) = std::mem::take(&mut self.tasks)
            .into_iter()
            .partition(|task| task.context.instance == instance);
        self.tasks = running;
        for task in lost {
            if let Some(attempt) = self.attempts.remove(&task.context.work) {
                if let Some(sender) = self.exchanges.get_mut(attempt.exchange) {
                    sender.in_flight = sender.in_flight.saturating_sub(1);
                }
                self.retry_or_give_up(attempt.exchange);
            }
        }
    }

    fn set_clock(&mut self) {
        let by_ms = self.rng.between(-10 * 60_000, 20 * 60_000);
        let offset_ms = (self.service.offset_ms.get() + by_ms).clamp(-MAX_OFFSET_MS, MAX_OFFSET_MS);
        self.trace
            .line(format!("the clock is set to an offset of {offset_ms} ms"));
        self.service.offset_ms.set(offset_ms);
    }

    /// Advances the time.
    pub(crate) fn advance_time(&mut self, span_ms: i64) {
        self.service
            .time_ms
            .set(self.service.time_ms.get() + span_ms);
    }

    /// Disables faults and retries all open requests until they have a response.
    fn settle(&mut self) -> CheckResult {
        self.service.fault_rates.set(FaultRates::NONE);
        for _ in 0..20 {
            while !self.tasks.is_empty() || !self.arrivals.is_empty() {
                self.advance()?;
            }
            let open = |sender: &Exchange| {
                sender.key.is_some() && matches!(sender.state, State::Open | State::Unknown)
            };
            let again: Vec<usize> = self
                .exchanges
                .iter()
                .enumerate()
                .filter(|(_, sender)| open(sender))
                .map(|(at, _)| at)
                .collect();
            if again.is_empty() {
                return self.model.compare_all(&self.service.backend);
            }
            // A request that was running during a crash blocks its key for 90 seconds. Rate limits
            // reset after a minute.
            self.advance_time(120_000);
            for exchange in again.into_iter().take(40) {
                if let Some(sender) = self.exchanges.get_mut(exchange) {
                    sender.state = State::Open;
                    sender.tries = MAX_TRIES;
                }
                self.send(exchange);
            }
        }
        Err("some clients get no final response without faults".to_owned())
    }

    /// Sends a request immediately and without faults, and applies its commits to the model.
    pub(crate) fn call(
        &mut self,
        plan: &Plan,
        key: Option<&str>,
    ) -> Result<Response<Bytes>, String> {
        let context = self.context(0, true, Some(plan));
        let mut task = work::request(&self.service, context, plan.request(key)?);
        let polled = task
            .future
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()));
        self.apply_commits()?;
        match polled {
            Poll::Ready(TaskOutput::Response(response)) => {
                self.trace.bytes(response.body());
                Ok(response)
            }
            _ => Err(format!(
                "{} {} waits without faults",
                plan.method, plan.path
            )),
        }
    }

    /// Returns the time of a pass that starts immediately and without faults.
    pub(crate) fn now_of_passes(&self) -> Timestamp {
        let skew_ms = self.skews_ms.first().copied().unwrap_or_default();
        self.service.clock().after(Duration::millis(skew_ms))
    }

    /// Runs a background pass immediately and without faults.
    pub(crate) fn run_pass(&mut self, sends: bool) -> CheckResult {
        let context = self.context(0, true, None);
        let mut task = if sends {
            work::webhook_pass(&self.service, context, &self.receivers)
        } else {
            work::dispatch_pass(&self.service, context)
        };
        loop {
            let polled = task
                .future
                .as_mut()
                .poll(&mut Context::from_waker(Waker::noop()));
            self.apply_commits()?;
            match polled {
                Poll::Ready(TaskOutput::PassEnded(Err(error))) => {
                    return Err(format!("a pass without faults failed: {error}"));
                }
                Poll::Ready(_) => {
                    schedule::check_pass(&self.model, &task.context)?;
                    task.context
                        .waits
                        .check(&self.service, &self.model, &task.context)?;
                    return self
                        .receivers
                        .borrow_mut()
                        .violation
                        .take()
                        .map_or(Ok(()), Err);
                }
                Poll::Pending => self
                    .advance_time((task.context.wake_ms.get() - self.service.time_ms.get()).max(0)),
            }
        }
    }
}
