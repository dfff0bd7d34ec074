//! The host that the core runs on in the simulation: every call may wait, and may fail.

use std::{
    future::Future,
    ops::RangeInclusive,
    pin::Pin,
    rc::Rc,
    sync::Arc,
    task::{Context, Poll},
};

use despacho_core::{
    changes::Changes,
    geo,
    host::{
        AttemptQuery, CourierQuery, HostError, JournalSpan, KeyQuery, OrderQuery, Platform, StatementQuery, Storage,
        StorageUsage, StoreQuery, UsageQuery, WebhookQuery,
    },
    model::{
        Address, CourierId, DistanceMatrix, Duration, ExecContext, IdBlock, Located, NotificationId, OrderId, StoreId,
        Timestamp, WebhookId,
        courier::{Cell, Courier, FreeCourier, SearchingOrder},
        order::{Journal, JournalEntry, Order, RecordedEvent},
        privacy::{PersonalData, PersonalQuery},
        store::{Claim, KeyHolder, Notification, StatementLine, Store},
        webhook::{Message, RecordedAttempt, Webhook},
    },
    rules::limits::{Admission, Bucket},
};

use crate::{
    mutation::Mutation,
    service::{Own, Service},
};

/// The host of one request.
#[derive(Clone)]
pub(crate) struct SimulatedHost {
    pub(crate) service: Rc<Service>,
    pub(crate) own: Rc<Own>,
}

/// Waits until a moment of the simulation.
struct Wait<'a> {
    own: &'a Own,
    until_ms: i64,
    waited: bool,
}

impl Future for Wait<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if self.waited {
            return Poll::Ready(());
        }
        self.waited = true;
        self.own.wake_ms.set(self.until_ms);
        Poll::Pending
    }
}

fn unavailable(what: &'static str) -> HostError {
    HostError::Unavailable { what, detail: "simulated".to_owned() }
}

impl SimulatedHost {
    /// Lets others run for so long.
    pub(crate) async fn wait_ms(&self, span_ms: i64) {
        let until_ms = self.service.time_ms.get() + span_ms;
        Wait { own: &self.own, until_ms, waited: false }.await;
    }

    /// Waits as the weather has it.
    async fn pause(&self) {
        let fault_rates = self.service.fault_rates.get();
        if self.own.calm || !self.service.rng.borrow_mut().often(fault_rates.yields) {
            return;
        }
        let span_ms = if self.service.strikes(&self.own, fault_rates.slow) {
            self.service.rng.borrow_mut().between(100, 4_000)
        } else {
            self.service.rng.borrow_mut().between(0, 20)
        };
        self.wait_ms(span_ms).await;
    }

    /// The way of every read.
    async fn delay(&self) -> Result<(), HostError> {
        self.pause().await;
        let fault_rates = self.service.fault_rates.get();
        if self.service.strikes(&self.own, fault_rates.unread) { Err(unavailable("database")) } else { Ok(()) }
    }

    /// The way of every question to a part outside the database.
    async fn call_outside(&self, what: &'static str) -> Result<(), HostError> {
        self.pause().await;
        let fault_rates = self.service.fault_rates.get();
        if self.service.strikes(&self.own, fault_rates.slow_way) {
            let span_ms = self.service.rng.borrow_mut().between(500, 120_000);
            self.wait_ms(span_ms).await;
        }
        if self.service.strikes(&self.own, fault_rates.lost_way) {
            let late = self.service.rng.borrow_mut().often(500);
            return Err(if late { HostError::Timeout { what } } else { unavailable(what) });
        }
        Ok(())
    }

    /// The instance dies here: nothing after it is carried out.
    async fn die<T>(&self) -> T {
        self.service.doomed.borrow_mut().push(self.own.instance);
        std::future::pending().await
    }

    fn breaks(&self, mutation: Mutation) -> bool {
        self.service.backend.breaks(mutation)
    }

    /// Applies the mutations of a read of one order.
    fn misread(&self, order: &mut Order) {
        if let Some(caller) = self.own.caller.get() {
            let matrix = |id| self.service.backend.store(id).map(|store| store.matrix.unwrap_or(store.id));
            if self.breaks(Mutation::SiblingSeen) && matrix(caller) == matrix(order.store) {
                order.store = caller;
            }
        }
        if self.own.picks_up && self.breaks(Mutation::CodeUnasked) {
            order.pickup_code = "0000".to_owned();
        }
    }

    fn shown(&self, orders: Vec<Order>) -> Vec<Order> {
        orders.into_iter().map(|order| self.service.backend.shown(order)).collect()
    }
}

macro_rules! reads {
    ($($name:ident($($arg:ident: $kind:ty),*) -> $out:ty;)*) => {$(
        async fn $name(&self, $($arg: $kind),*) -> Result<$out, HostError> {
            self.delay().await?;
            self.service.backend.memory.$name($($arg),*).await
        }
    )*};
}

impl Storage for SimulatedHost {
    reads! {
        find_stores(query: StoreQuery<'_>) -> Vec<Store>;
        events(order: OrderId) -> Vec<RecordedEvent>;
        journal_span(of: Journal) -> JournalSpan;
        searching_orders(after: Option<(Timestamp, OrderId)>, limit: u32) -> Vec<SearchingOrder>;
        notifications(store: StoreId, before: Option<NotificationId>, limit: u32) -> Vec<Notification>;
        statement(store: StoreId, query: StatementQuery<'_>) -> Vec<StatementLine>;
        messages(webhook: WebhookId) -> Vec<Message>;
        find_attempts(query: AttemptQuery) -> Vec<RecordedAttempt>;
        claim(scope: &str, key: &str) -> Option<Claim>;
        personal_data(query: &PersonalQuery) -> PersonalData;
        usage(of: UsageQuery<'_>) -> StorageUsage;
    }

    async fn find_keys(&self, query: KeyQuery<'_>) -> Result<Vec<Arc<KeyHolder>>, HostError> {
        self.delay().await?;
        let mut holders = self.service.backend.memory.find_keys(query).await?;
        if let (KeyQuery::Hash(_) | KeyQuery::Recent(..), Some(holder)) = (query, holders.first_mut()) {
            self.own.caller.set(Some(holder.store.id));
            if self.breaks(Mutation::RevokedKeyOpens) {
                Arc::make_mut(holder).key.deleted_at = None;
            }
        }
        Ok(holders)
    }

    async fn find_orders(&self, query: OrderQuery<'_>) -> Result<Vec<Order>, HostError> {
        self.delay().await?;
        let mut orders = self.shown(self.service.backend.memory.find_orders(query).await?);
        match query {
            OrderQuery::Ids([_]) => orders.iter_mut().for_each(|order| self.misread(order)),
            OrderQuery::Matching(filter, _)
                if filter.before.is_some() && self.breaks(Mutation::PageShort) && !orders.is_empty() =>
            {
                orders.remove(0);
            }
            _ => {}
        }
        Ok(orders)
    }

    async fn journal(&self, of: Journal, after: u64, limit: u32) -> Result<Vec<JournalEntry>, HostError> {
        self.delay().await?;
        let mut entries = self.service.backend.memory.journal(of, after, limit).await?;
        if entries.len() > 2 && self.breaks(Mutation::PlaceSkipped) {
            entries.remove(1);
        }
        if entries.len() > 2 && self.breaks(Mutation::EventTwice) {
            let twice = entries.first().cloned();
            entries.splice(0..0, twice);
        }
        Ok(entries)
    }

    async fn find_couriers(&self, query: CourierQuery<'_>) -> Result<Vec<Courier>, HostError> {
        self.delay().await?;
        let couriers = self.service.backend.memory.find_couriers(query).await?;
        if matches!(query, CourierQuery::Ids(_)) && self.breaks(Mutation::BusyCourier) {
            let as_free = |courier| Courier { order: None, available: true, ..courier };
            return Ok(couriers.into_iter().map(as_free).collect());
        }
        if self.breaks(Mutation::SandboxMixed) {
            return Ok(couriers.into_iter().map(|courier| Courier { sandbox: true, ..courier }).collect());
        }
        Ok(couriers)
    }

    async fn free_couriers(
        &self,
        cells: RangeInclusive<Cell>,
        after: Option<(Cell, CourierId)>,
        seen_since: Timestamp,
        limit: u32,
    ) -> Result<Vec<FreeCourier>, HostError> {
        self.delay().await?;
        let memory = &self.service.backend.memory;
        if self.breaks(Mutation::BusyCourier) {
            let couriers = memory
                .find_couriers(CourierQuery::All { after: None, limit })
                .await?
                .into_iter()
                .filter(|one| one.removed_at.is_none());
            let as_free = couriers.map(|courier| Courier { order: None, available: true, ..courier });
            return Ok(as_free.filter_map(|courier| FreeCourier::of(&courier)).collect());
        }
        let couriers = memory.free_couriers(cells, after, seen_since, limit).await?;
        if self.breaks(Mutation::SandboxMixed) {
            return Ok(couriers.into_iter().map(|courier| FreeCourier { sandbox: true, ..courier }).collect());
        }
        Ok(couriers)
    }

    async fn find_webhooks(&self, query: WebhookQuery) -> Result<Vec<Webhook>, HostError> {
        self.delay().await?;
        let mut webhooks = self.service.backend.memory.find_webhooks(query).await?;
        if matches!(query, WebhookQuery::Due { .. }) && self.breaks(Mutation::OldSecret) {
            for secret in webhooks.iter_mut().flat_map(|webhook| &mut webhook.secrets) {
                secret.nonce = "0".repeat(64);
            }
        }
        Ok(webhooks)
    }

    async fn ids(&self, count: u32) -> Result<IdBlock, HostError> {
        self.delay().await?;
        let memory = &self.service.backend.memory;
        let block = memory.ids(count).await?;
        if self.breaks(Mutation::IdsRepeat) && self.service.rng.borrow_mut().often(100) {
            let first = block.clone().take(OrderId::new).map_or(0, OrderId::get);
            return Ok(IdBlock::new(first.saturating_sub(1).max(1), count.into()));
        }
        Ok(block)
    }

    async fn commit(&self, changes: &Changes) -> Result<(), HostError> {
        self.pause().await;
        let (service, own, fault_rates) = (&*self.service, &*self.own, self.service.fault_rates.get());
        if service.strikes(own, fault_rates.fails_before) {
            service.backend.commit_half(changes);
            return self.die().await;
        }
        if service.strikes(own, fault_rates.rejected) {
            service.backend.commit_half(changes);
            return Err(unavailable("database"));
        }
        if service.strikes(own, fault_rates.conflict) {
            return Err(HostError::Conflict);
        }
        let done = service.apply(own, changes);
        if service.strikes(own, fault_rates.fails_after) {
            return self.die().await;
        }
        if done.is_ok() && service.strikes(own, fault_rates.unconfirmed) {
            return Err(unavailable("database"));
        }
        done
    }
}

impl Platform for SimulatedHost {
    reads! {
        admit(bucket: &Bucket, now: Timestamp) -> Admission;
    }

    fn exec_context(&self) -> ExecContext {
        let mut context = self.service.backend.memory.exec_context();
        let mut now = self.service.clock().after(Duration::millis(self.own.skew_ms));
        self.own.now.set(now);
        if self.own.quoted && self.breaks(Mutation::QuoteForever) {
            now = now.before(Duration::minutes(60));
        }
        context.now = now;
        context
    }

    async fn locate(&self, addresses: &[&Address]) -> Result<Vec<Result<Located, geo::LocateError>>, HostError> {
        self.call_outside("geocoder").await?;
        Ok(addresses.iter().map(|address| geo::locate(address)).collect())
    }

    async fn matrix(&self, places: &[Located]) -> Result<DistanceMatrix, HostError> {
        self.call_outside("roads").await?;
        if self.own.preview && self.breaks(Mutation::PreviewStores) {
            let claimed = Changes { at: self.own.now.get(), ..Changes::default() };
            let orders = self.service.backend.memory.orders();
            let again = orders
                .first()
                .map(|order| despacho_core::changes::Write { expected: order.version, value: order.clone() });
            let _ = self.service.apply(&self.own, &Changes { orders: again.into_iter().collect(), ..claimed });
        }
        Ok(geo::matrix(places))
    }

    /// A stand-in for argon2, which takes tens of milliseconds by intent: what it protects is not what is simulated.
    async fn hash_password(&self, password: &str, _salt: [u8; 16]) -> Result<String, HostError> {
        self.pause().await;
        Ok(format!("simulated {}", Service::hash(password).as_str()))
    }

    async fn verify_password(&self, password: &str, hash: &str) -> Result<bool, HostError> {
        self.pause().await;
        Ok(hash == format!("simulated {}", Service::hash(password).as_str()))
    }
}
