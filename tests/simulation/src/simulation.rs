//! The world of a run: who acts, what the network carries, what runs where, and what time it is.
//!
//! One step is one decision of the scheduler: a client begins something, a request arrives, a future is polled once, a round starts, the
//! clock is set, an instance dies. Everything that is drawn comes from the seed.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    rc::Rc,
    task::{Context, Poll, Waker},
};

use bytes::Bytes;
use despacho_core::{host::HostError, model::store::ClaimChange};
use http::Response;

use crate::{
    acts, audit,
    exchange::{Attempt, Exchange, Plan, State},
    fault_rates::FaultRates,
    judge,
    model::{Checked, Model},
    mutation::Mutation,
    people::People,
    receivers::Receivers,
    rng::Rng,
    service::{Own, Service},
    trace::Trace,
    work::{self, Done, Task},
};

/// Steps after which everything is compared, not only what was touched.
const COMPARE_EVERY: u64 = 256;
/// How far the clocks may be set off in a run, in milliseconds: an idempotency key is kept for a day.
const FURTHEST_MS: i64 = 2 * 3_600_000;
/// Requests of one client after which it gives up.
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
    pub(crate) people: People,
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
    /// A world with stores and couriers, before its first step.
    ///
    /// # Errors
    /// What the service did wrong already.
    pub(crate) fn new(seed: u64, mutation: Option<Mutation>) -> Result<Simulation, String> {
        let mut rng = Rng::new(seed, 2);
        let instances = 1 + rng.index(3);
        let skews_ms = (0..instances).map(|_| rng.between(-400, 400)).collect();
        let mut simulation = Simulation {
            service: Rc::new(Service::new(seed, mutation)),
            model: Model::new()?,
            people: People::default(),
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
        acts::setup::populate(&mut simulation)?;
        Ok(simulation)
    }

    /// Takes so many steps, lets everything come to its end, and looks at all of it through the API.
    pub(crate) fn run(&mut self, steps: u64) -> Checked {
        while self.steps < steps {
            self.step()?;
        }
        self.settle()?;
        audit::everything(self)
    }

    /// Takes one step and compares.
    fn step(&mut self) -> Checked {
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
            self.pass(span_ms);
        } else if self.rng.often(30) {
            self.start_round();
        } else if (busy < self.max_open && self.rng.often(350)) || !self.go_on()? {
            self.begin()?;
        }
        if let Some(wrong) = self.receivers.borrow_mut().wrong.take() {
            return Err(wrong);
        }
        if self.steps.is_multiple_of(COMPARE_EVERY) {
            self.model.compare_all(&self.service.backend)?;
        }
        Ok(())
    }

    /// A client begins something.
    fn begin(&mut self) -> Checked {
        let Some(plan) = acts::choose(self) else { return Ok(()) };
        let serial = self.people.next();
        let key = plan.keyed.then(|| format!("key-{serial}"));
        let began_journal = self.journal_of(&plan);
        let state = State::Open;
        self.exchanges.push(Exchange {
            plan,
            key,
            state,
            response: None,
            applied: false,
            tries: 0,
            began_journal,
            flying: 0,
        });
        self.send(self.exchanges.len() - 1);
        Ok(())
    }

    /// Puts a request into the network, which may deliver it late, or twice.
    pub(crate) fn send(&mut self, exchange: usize) {
        let fault_rates = self.service.fault_rates.get();
        let Some(sender) = self.exchanges.get_mut(exchange) else { return };
        sender.tries += 1;
        let mut copies = 1;
        if sender.key.is_some() && self.rng.often(fault_rates.doubled) {
            copies = 2;
        }
        sender.flying += copies;
        for _ in 0..copies {
            let delay_ms = if self.rng.often(fault_rates.delayed) {
                // Rarely so long that a claim on the key has ended meanwhile.
                if self.rng.often(100) { self.rng.between(60_000, 200_000) } else { self.rng.between(50, 8_000) }
            } else {
                self.rng.between(0, 60)
            };
            let at_ms = self.service.time_ms.get() + delay_ms;
            self.arrivals.push(Arrival { at_ms, exchange });
        }
    }

    /// Lets a request arrive or a future go on; false where nothing is under way at all.
    fn go_on(&mut self) -> Result<bool, String> {
        let now_ms = self.service.time_ms.get();
        let arrivals = self.arrivals.iter().map(|arrival| arrival.at_ms);
        let wakes: Vec<i64> = arrivals.chain(self.tasks.iter().map(|task| task.own.wake_ms.get())).collect();
        let Some(first) = wakes.iter().min() else { return Ok(false) };
        if *first > now_ms {
            self.pass(first - now_ms);
        }
        let now_ms = self.service.time_ms.get();
        let due: Vec<usize> =
            wakes.iter().enumerate().filter(|(_, at)| **at <= now_ms).map(|(place, _)| place).collect();
        let Some(place) = self.rng.pick(&due).copied() else { return Ok(true) };
        match place.checked_sub(self.arrivals.len()) {
            None => {
                let Arrival { exchange, .. } = self.arrivals.swap_remove(place);
                self.arrive(exchange)?;
            }
            Some(task) => self.poll(task)?,
        }
        Ok(true)
    }

    /// A request reaches an instance.
    fn arrive(&mut self, exchange: usize) -> Checked {
        let instance = self.rng.index(self.skews_ms.len());
        let Some(plan) = self.exchanges.get(exchange).map(|sender| sender.plan.clone()) else { return Ok(()) };
        let own = self.own(instance, false, Some(&plan));
        let Some(sender) = self.exchanges.get(exchange) else { return Ok(()) };
        let request = sender.plan.request(sender.key.as_deref())?;
        self.requests += 1;
        let key = sender.key.as_deref().unwrap_or("-");
        self.trace.note(format!(
            "{} w{} on {instance}: {} {} {key}",
            self.service.clock(),
            own.work,
            sender.plan.method,
            sender.plan.path
        ));
        self.trace.bytes(request.body());
        self.attempts.insert(own.work, self.attempt(exchange));
        self.tasks.push(work::request(&self.service, own, request));
        Ok(())
    }

    /// What is known when a request arrives.
    fn attempt(&self, exchange: usize) -> Attempt {
        let sender = self.exchanges.get(exchange);
        let order = sender.and_then(|sender| self.model.orders.get(&sender.plan.order()?));
        Attempt {
            exchange,
            seen_order: order.map_or(0, |order| order.after.len()),
            seen_journal: sender.map_or(0, |sender| self.journal_of(&sender.plan)),
            applied_before: sender.is_some_and(|sender| sender.applied),
            leaves: None,
            commits: 0,
            caused: Vec::new(),
        }
    }

    /// Events of the journal that a plan is about.
    fn journal_of(&self, plan: &Plan) -> usize {
        let store = judge::reader_of(self, &plan.act).and_then(|store| self.model.stores.get(&store));
        store.and_then(|store| self.model.journals.get(&store.matrix)).map_or(0, Vec::len)
    }

    /// What a request or a round has to itself.
    fn own(&mut self, instance: usize, calm: bool, plan: Option<&Plan>) -> Rc<Own> {
        self.works += 1;
        let quoted = plan.and_then(|plan| plan.body.as_ref()).is_some_and(|body| body.get("quoteId").is_some());
        Rc::new(Own {
            work: self.works,
            instance: u32::try_from(instance).unwrap_or_default(),
            skew_ms: self.skews_ms.get(instance).copied().unwrap_or_default(),
            calm,
            wake_ms: Cell::new(self.service.time_ms.get()),
            now: Cell::new(self.service.clock()),
            faults: Cell::new(0),
            preview: plan.is_some_and(|plan| plan.path.ends_with("/preview")),
            quoted,
            picks_up: plan.is_some_and(|plan| plan.path.ends_with("/pickup")),
            caller: Cell::new(None),
        })
    }

    /// A round in the background begins on an instance.
    fn start_round(&mut self) {
        let instance = self.rng.index(self.skews_ms.len());
        let own = self.own(instance, false, None);
        let sends = self.rng.often(500);
        self.trace.note(format!("w{} on {instance}: a round, sends {sends}", own.work));
        self.tasks.push(if sends {
            work::outbox_round(&self.service, own, &self.receivers)
        } else {
            work::dispatch_round(&self.service, own)
        });
    }

    /// Polls a task once.
    fn poll(&mut self, place: usize) -> Checked {
        let Some(task) = self.tasks.get_mut(place) else { return Ok(()) };
        let own = Rc::clone(&task.own);
        let polled = task.future.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        self.trace.number(u64::from(own.work));
        let ready = match polled {
            Poll::Ready(done) => {
                self.tasks.swap_remove(place);
                Some(done)
            }
            Poll::Pending => None,
        };
        self.absorb()?;
        match ready {
            Some(Done::Response(response)) => self.responded(&own, &response)?,
            Some(Done::Rested(outcome)) => {
                self.trace.note(format!("w{} rests: {}", own.work, outcome.is_ok()));
                let unforced = own.faults.get() == 0 && !matches!(outcome, Ok(()) | Err(HostError::Conflict));
                if unforced {
                    return Err(format!("a round failed without a fault: {outcome:?}"));
                }
            }
            None => {}
        }
        let doomed = std::mem::take(&mut *self.service.doomed.borrow_mut());
        doomed.into_iter().for_each(|instance| self.kill(instance));
        Ok(())
    }

    /// Shows the model what was committed.
    fn absorb(&mut self) -> Checked {
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
            let events: Vec<_> = changes.events.iter().map(|event| event.kind.name()).collect();
            let claim = match &changes.claim {
                Some(ClaimChange::Take(claim)) => format!("takes {}", claim.key),
                Some(ClaimChange::Finish(claim)) => format!("keeps the answer of {}", claim.key),
                Some(ClaimChange::Release { key, .. }) => format!("gives {key} up"),
                None => String::new(),
            };
            self.trace.note(format!("w{} commits orders {orders:?} events {events:?} {claim}", commit.work));
            events.iter().for_each(|kind| *self.kinds.entry(kind).or_default() += 1);
            let Some(attempt) = self.attempts.get_mut(&commit.work) else { continue };
            attempt.note(changes);
            if let (Some(ClaimChange::Finish(_)), Some(exchange)) =
                (&changes.claim, self.exchanges.get_mut(attempt.exchange))
            {
                exchange.applied = true;
            }
        }
        self.model.follow(&self.service.backend, &commits)
    }

    /// An instance has answered; the network may lose it.
    fn responded(&mut self, own: &Own, response: &Response<Bytes>) -> Checked {
        self.trace.note(format!("w{} answers {}", own.work, response.status().as_u16()));
        self.trace.bytes(response.body());
        let Some(attempt) = self.attempts.remove(&own.work) else { return Ok(()) };
        let exchange = attempt.exchange;
        if let Some(sender) = self.exchanges.get_mut(exchange) {
            sender.flying = sender.flying.saturating_sub(1);
        }
        judge::always(self, own, &attempt, response)?;
        if self.rng.often(self.service.fault_rates.get().pending) {
            self.trace.note(format!("w{}: its answer is lost", own.work));
            self.unheard(exchange);
            return Ok(());
        }
        judge::check_response(self, own, &attempt, response)
    }

    /// A client heard nothing, or nothing that ends the matter: it asks again, or gives up.
    pub(crate) fn unheard(&mut self, exchange: usize) {
        let Some(sender) = self.exchanges.get_mut(exchange) else { return };
        if sender.state != State::Open {
            return;
        }
        if sender.plan.repeats() && sender.tries < MAX_TRIES {
            let wait_ms = self.rng.between(100, 20_000);
            sender.tries += 1;
            sender.flying += 1;
            self.arrivals.push(Arrival { at_ms: self.service.time_ms.get() + wait_ms, exchange });
        } else if sender.flying == 0 {
            sender.state = State::Unknown;
            judge::given_up(self, exchange);
        }
    }

    /// An instance dies with all that runs on it, and is there again.
    fn kill(&mut self, instance: u32) {
        self.trace.note(format!("instance {instance} dies"));
        let (dead, alive) = std::mem::take(&mut self.tasks).into_iter().partition(|task| task.own.instance == instance);
        self.tasks = alive;
        let dead: Vec<Task> = dead;
        for task in dead {
            if let Some(attempt) = self.attempts.remove(&task.own.work) {
                if let Some(sender) = self.exchanges.get_mut(attempt.exchange) {
                    sender.flying = sender.flying.saturating_sub(1);
                }
                self.unheard(attempt.exchange);
            }
        }
    }

    fn set_clock(&mut self) {
        let by_ms = self.rng.between(-10 * 60_000, 20 * 60_000);
        let offset_ms = (self.service.offset_ms.get() + by_ms).clamp(-FURTHEST_MS, FURTHEST_MS);
        self.trace.note(format!("the clock is set to {offset_ms} ms off"));
        self.service.offset_ms.set(offset_ms);
    }

    /// Time passes.
    pub(crate) fn pass(&mut self, span_ms: i64) {
        self.service.time_ms.set(self.service.time_ms.get() + span_ms);
    }

    /// The weather clears, and everybody who was told nothing asks until they are.
    fn settle(&mut self) -> Checked {
        self.service.fault_rates.set(FaultRates::CALM);
        for _ in 0..20 {
            while !self.tasks.is_empty() || !self.arrivals.is_empty() {
                self.go_on()?;
            }
            let open = |sender: &Exchange| sender.key.is_some() && matches!(sender.state, State::Open | State::Unknown);
            let again: Vec<usize> =
                self.exchanges.iter().enumerate().filter(|(_, sender)| open(sender)).map(|(at, _)| at).collect();
            if again.is_empty() {
                return self.model.compare_all(&self.service.backend);
            }
            // What ran when its instance died holds its key for 90 seconds; quotas are there again after a minute.
            self.pass(120_000);
            for exchange in again.into_iter().take(40) {
                if let Some(sender) = self.exchanges.get_mut(exchange) {
                    sender.state = State::Open;
                    sender.tries = MAX_TRIES;
                }
                self.send(exchange);
            }
        }
        Err("some clients are told nothing though nothing is wrong any more".to_owned())
    }

    /// Makes a request at once, without a fault, and takes what it commits up.
    pub(crate) fn call(&mut self, plan: &Plan, key: Option<&str>) -> Result<Response<Bytes>, String> {
        let own = self.own(0, true, Some(plan));
        let mut task = work::request(&self.service, own, plan.request(key)?);
        let polled = task.future.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        self.absorb()?;
        match polled {
            Poll::Ready(Done::Response(response)) => {
                self.trace.bytes(response.body());
                Ok(response)
            }
            _ => Err(format!("{} {} waits in calm weather", plan.method, plan.path)),
        }
    }

    /// Runs a round at once, without a fault.
    pub(crate) fn round(&mut self, sends: bool) -> Checked {
        let own = self.own(0, true, None);
        let mut task = if sends {
            work::outbox_round(&self.service, own, &self.receivers)
        } else {
            work::dispatch_round(&self.service, own)
        };
        loop {
            let polled = task.future.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            self.absorb()?;
            match polled {
                Poll::Ready(Done::Rested(Err(fault))) => {
                    return Err(format!("a round in calm weather failed: {fault}"));
                }
                Poll::Ready(_) => return self.receivers.borrow_mut().wrong.take().map_or(Ok(()), Err),
                Poll::Pending => self.pass((task.own.wake_ms.get() - self.service.time_ms.get()).max(0)),
            }
        }
    }
}
