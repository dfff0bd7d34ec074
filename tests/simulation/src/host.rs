//! The core's host in the simulation. Every call can wait and fail.

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
    geo::{self, Gazetteer},
    host::{
        AttemptQuery, AuditQuery, CashBalanceQuery, CashEntryQuery, CourierQuery, HostError,
        JournalSpan, KeyQuery, OrderQuery, PayEntryQuery, PayPlanQuery, Platform, PricePage,
        PriceQuery, StatementQuery, Storage, StorageUsage, StoreQuery, TariffQuery, UsageQuery,
        UserQuery, WebhookQuery,
    },
    model::{
        Address, CourierId, DistanceMatrix, Duration, ExecContext, Figures, IdBlock, Located,
        NotificationId, OrderId, PhotoId, Requirements, StoreId, Timestamp, WebhookId,
        audit::AuditRecord,
        cash::{CashBalance, RecordedCash},
        courier::{Candidate, Cell, Courier, SearchingOrder},
        order::{
            Blob, DeliveryStatus, Journal, JournalEntry, Order, OrderFilter, OrderStatus,
            RecordedEvent, ReportedOrder, TrackingLink,
        },
        pay::{RecordedPayEntry, StoredPayPlan},
        privacy::{PersonalData, PersonalQuery},
        store::{Claim, KeyHash, KeyHolder, Notification, StatementLine, Store, User},
        tariff::{StoredTariff, TariffSchedule},
        webhook::{Message, RecordedAttempt, Webhook},
    },
    rules::limits::{Admission, Bucket},
};

use crate::{
    mutation::Mutation,
    service::{Service, TaskContext},
};

/// The host of one request or background pass.
#[derive(Clone)]
pub(crate) struct SimulatedHost {
    pub(crate) service: Rc<Service>,
    pub(crate) context: Rc<TaskContext>,
}

/// A future that waits until a simulated time.
struct Wait<'a> {
    context: &'a TaskContext,
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
        self.context.wake_ms.set(self.until_ms);
        Poll::Pending
    }
}

fn unavailable(part: &'static str) -> HostError {
    HostError::Unavailable {
        what: part,
        detail: "simulated".to_owned(),
    }
}

impl SimulatedHost {
    /// Waits for a simulated duration while other tasks run.
    pub(crate) async fn wait_ms(&self, span_ms: i64) {
        let until_ms = self.service.time_ms.get() + span_ms;
        Wait {
            context: &self.context,
            until_ms,
            waited: false,
        }
        .await;
    }

    /// Waits according to the fault rates.
    async fn pause(&self) {
        let fault_rates = self.service.fault_rates.get();
        if self.context.is_fault_free || !self.service.rng.borrow_mut().often(fault_rates.yields) {
            return;
        }
        let span_ms = if self
            .service
            .injects_fault(&self.context, fault_rates.long_waits)
        {
            self.service.rng.borrow_mut().between(100, 4_000)
        } else {
            self.service.rng.borrow_mut().between(0, 20)
        };
        self.wait_ms(span_ms).await;
    }

    /// Delays or fails a read according to the fault rates.
    async fn delay(&self) -> Result<(), HostError> {
        self.pause().await;
        let fault_rates = self.service.fault_rates.get();
        if self
            .service
            .injects_fault(&self.context, fault_rates.failed_reads)
        {
            Err(unavailable("database"))
        } else {
            Ok(())
        }
    }

    /// Delays or fails a call to an external service according to the fault rates.
    async fn call_service(&self, service: &'static str) -> Result<(), HostError> {
        self.pause().await;
        let fault_rates = self.service.fault_rates.get();
        if self
            .service
            .injects_fault(&self.context, fault_rates.slow_services)
        {
            let span_ms = self.service.rng.borrow_mut().between(500, 120_000);
            self.wait_ms(span_ms).await;
        }
        if self
            .service
            .injects_fault(&self.context, fault_rates.failed_services)
        {
            let is_timeout = self.service.rng.borrow_mut().often(500);
            return Err(if is_timeout {
                HostError::Timeout { what: service }
            } else {
                unavailable(service)
            });
        }
        Ok(())
    }

    /// Crashes the instance. This future never completes.
    async fn crash<T>(&self) -> T {
        self.service
            .crashed
            .borrow_mut()
            .push(self.context.instance);
        std::future::pending().await
    }

    fn has_mutation(&self, mutation: Mutation) -> bool {
        self.service.backend.has_mutation(mutation)
    }

    /// Applies the mutations of a read of one order.
    fn alter_read(&self, order: &mut Order) {
        if let Some(caller) = self.context.caller.get() {
            let matrix = |id| {
                self.service
                    .backend
                    .store(id)
                    .map(|store| store.parent.unwrap_or(store.id))
            };
            if self.has_mutation(Mutation::SiblingVisible) && matrix(caller) == matrix(order.store)
            {
                order.store = caller;
            }
        }
        if self.context.is_pickup && self.has_mutation(Mutation::CodeNotChecked) {
            order.pickup_code = "0000".to_owned();
        }
    }

    /// Applies the mutations of the dispatch terms, of the estimate and of the pickup.
    fn alter_dispatch(&self, order: &mut Order) {
        match self.service.backend.mutation {
            Some(Mutation::TripLimitIgnored) => {
                (order.dispatch.combinable, order.dispatch.orders_per_trip) = (true, Some(10));
            }
            Some(Mutation::LoadsNotAdded) if order.courier.is_some() => {
                (order.requirements.weight_g, order.requirements.volume_ml) = (None, None);
            }
            Some(Mutation::VehicleNotSeen) => order.requirements.vehicles.clear(),
            Some(Mutation::PreparationEarly) if order.status == OrderStatus::Scheduled => {
                order.preparation_minutes += 20;
            }
            Some(Mutation::RequirementsNotSeen) => order.requirements = Requirements::default(),
            Some(Mutation::SearchEarly) if order.status == OrderStatus::Preparing => {
                order.dispatch.lead_minutes += 10
            }
            Some(Mutation::ExpiryEarly) if order.status == OrderStatus::Searching => {
                order.ready_at = order.ready_at.min(order.status_since);
            }
            Some(Mutation::PickupNotSeen)
                if self.context.is_pass && order.status == OrderStatus::OutForDelivery =>
            {
                order.status = OrderStatus::CourierAtPickup;
                order
                    .deliveries
                    .iter_mut()
                    .for_each(|delivery| delivery.status = DeliveryStatus::AwaitingPickup);
            }
            Some(Mutation::StepsSeemNew) if self.context.is_pass => {
                let now = self.context.now.get();
                order.last_step.iter_mut().for_each(|step| step.at = now);
                if order.status == OrderStatus::Searching {
                    order.status_received_at = Some(now);
                }
            }
            Some(Mutation::EstimateTooOften) => {
                order
                    .eta
                    .iter_mut()
                    .for_each(|eta| eta.at = eta.at.before(Duration::minutes(10)));
            }
            Some(Mutation::EstimateTooFine) => {
                order
                    .eta
                    .iter_mut()
                    .for_each(|eta| eta.delivery = eta.delivery.after(Duration::minutes(10)));
            }
            _ => {}
        }
    }

    fn shown(&self, orders: Vec<Order>) -> Vec<Order> {
        orders
            .into_iter()
            .map(|order| self.service.backend.shown(order))
            .collect()
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
    audit(query: AuditQuery) -> Vec<AuditRecord>;
    find_tariffs(query: TariffQuery<'_>) -> Vec<StoredTariff>;
    tariff_schedule(revision: Option<u64>) -> Arc<TariffSchedule>;
    find_pay_plans(query: PayPlanQuery<'_>) -> Vec<StoredPayPlan>;
    pay_entries(courier: CourierId, query: PayEntryQuery) -> Vec<RecordedPayEntry>;
    order_prices(query: PriceQuery) -> PricePage;
    reported_orders(filter: &OrderFilter, limit: u32) -> Vec<ReportedOrder>;
    find_users(query: UserQuery<'_>) -> Vec<User>;
    blob(id: PhotoId) -> Option<Blob>;
    events(order: OrderId) -> Vec<RecordedEvent>;
    journal_span(of: Journal) -> JournalSpan;
    searching_orders(after: Option<(Timestamp, OrderId)>, limit: u32) -> Vec<SearchingOrder>;
    notifications(store: StoreId, before: Option<NotificationId>, limit: u32) -> Vec<Notification>;
    statement(store: StoreId, query: StatementQuery<'_>) -> Vec<StatementLine>;
    cash_balances(query: CashBalanceQuery<'_>) -> Vec<CashBalance>;
    cash_entries(query: CashEntryQuery<'_>) -> Vec<RecordedCash>;
    messages(webhook: WebhookId) -> Vec<Message>;
    find_attempts(query: AttemptQuery) -> Vec<RecordedAttempt>;
    claim(scope: &str, key: &str) -> Option<Claim>;
    tracking_link(hash: &KeyHash) -> Option<TrackingLink>;
    personal_data(query: &PersonalQuery) -> PersonalData;
    usage(of: UsageQuery<'_>) -> StorageUsage;
    figures(now: Timestamp, overdue: Timestamp) -> Figures;
    }

    async fn find_keys(&self, query: KeyQuery<'_>) -> Result<Vec<Arc<KeyHolder>>, HostError> {
        self.delay().await?;
        let mut holders = self.service.backend.memory.find_keys(query).await?;
        if let (KeyQuery::Hash(_) | KeyQuery::Recent(..), Some(holder)) =
            (query, holders.first_mut())
        {
            self.context.caller.set(Some(holder.store.id));
            if self.has_mutation(Mutation::RevokedKeyAccepted) {
                Arc::make_mut(holder).key.deleted_at = None;
            }
        }
        Ok(holders)
    }

    async fn find_orders(&self, query: OrderQuery<'_>) -> Result<Vec<Order>, HostError> {
        self.delay().await?;
        let mut orders = self.shown(self.service.backend.memory.find_orders(query).await?);
        orders
            .iter_mut()
            .for_each(|order| self.alter_dispatch(order));
        match query {
            OrderQuery::Ids([_, _, ..])
                if !self.context.is_pass && self.has_mutation(Mutation::OtherOrdersNotSeen) =>
            {
                orders.truncate(1);
            }
            OrderQuery::Ids(_)
                if self.context.is_pass && self.has_mutation(Mutation::StepsSeemNew) =>
            {
                let now = self.context.now.get();
                for order in &mut orders {
                    order.last_step.iter_mut().for_each(|step| step.at = now);
                    if order.status == OrderStatus::Searching {
                        order.status_received_at = Some(now);
                    }
                }
            }
            OrderQuery::Due { .. } if self.has_mutation(Mutation::PreparationSkipped) => {
                orders.retain(|order| order.status != OrderStatus::Scheduled);
            }
            OrderQuery::Due { now, .. } if self.has_mutation(Mutation::SearchLate) => {
                let is_late =
                    |order: &Order| order.search_from() <= now.before(Duration::minutes(1));
                orders.retain(|order| order.status != OrderStatus::Preparing || is_late(order));
            }
            OrderQuery::Ids([_]) => orders.iter_mut().for_each(|order| self.alter_read(order)),
            OrderQuery::Matching(filter, _)
                if filter.before.is_some()
                    && self.has_mutation(Mutation::PageShort)
                    && !orders.is_empty() =>
            {
                orders.remove(0);
            }
            _ => {}
        }
        Ok(orders)
    }

    async fn journal(
        &self,
        of: Journal,
        after: u64,
        limit: u32,
    ) -> Result<Vec<JournalEntry>, HostError> {
        self.delay().await?;
        let mut entries = self
            .service
            .backend
            .memory
            .journal(of, after, limit)
            .await?;
        if entries.len() > 2 && self.has_mutation(Mutation::PositionSkipped) {
            entries.remove(1);
        }
        if entries.len() > 2 && self.has_mutation(Mutation::EventTwice) {
            let duplicate = entries.first().cloned();
            entries.splice(0..0, duplicate);
        }
        Ok(entries)
    }

    async fn find_couriers(&self, query: CourierQuery<'_>) -> Result<Vec<Courier>, HostError> {
        self.delay().await?;
        let couriers = self.service.backend.memory.find_couriers(query).await?;
        if matches!(query, CourierQuery::Ids(_)) && self.has_mutation(Mutation::BusyCourier) {
            let as_free = |courier| Courier {
                trip: Vec::new(),
                available: true,
                ..courier
            };
            return Ok(couriers.into_iter().map(as_free).collect());
        }
        if self.has_mutation(Mutation::SandboxMixed) {
            return Ok(couriers
                .into_iter()
                .map(|courier| Courier {
                    sandbox: true,
                    ..courier
                })
                .collect());
        }
        Ok(couriers)
    }

    async fn candidates(
        &self,
        cells: RangeInclusive<Cell>,
        after: Option<(Cell, CourierId)>,
        seen_since: Timestamp,
        limit: u32,
    ) -> Result<Vec<Candidate>, HostError> {
        self.delay().await?;
        let memory = &self.service.backend.memory;
        if self.has_mutation(Mutation::BusyCourier) {
            let couriers = memory
                .find_couriers(CourierQuery::All { after: None, limit })
                .await?
                .into_iter()
                .filter(|one| one.removed_at.is_none());
            let as_free = couriers.map(|courier| Courier {
                trip: Vec::new(),
                available: true,
                ..courier
            });
            return Ok(as_free
                .filter_map(|courier| Candidate::of(&courier))
                .collect());
        }
        let couriers = memory.candidates(cells, after, seen_since, limit).await?;
        if self.has_mutation(Mutation::SandboxMixed) {
            return Ok(couriers
                .into_iter()
                .map(|courier| Candidate {
                    sandbox: true,
                    ..courier
                })
                .collect());
        }
        Ok(couriers)
    }

    async fn find_webhooks(&self, query: WebhookQuery) -> Result<Vec<Webhook>, HostError> {
        self.delay().await?;
        let mut webhooks = self.service.backend.memory.find_webhooks(query).await?;
        if matches!(query, WebhookQuery::Due { .. }) && self.has_mutation(Mutation::OldSecret) {
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
        if self.has_mutation(Mutation::IdsRepeat) && self.service.rng.borrow_mut().often(100) {
            let first = block.clone().take(OrderId::new).map_or(0, OrderId::get);
            return Ok(IdBlock::new(first.saturating_sub(1).max(1), count.into()));
        }
        Ok(block)
    }

    async fn commit(&self, changes: &Changes) -> Result<(), HostError> {
        self.pause().await;
        let (service, context, fault_rates) = (
            &*self.service,
            &*self.context,
            self.service.fault_rates.get(),
        );
        if service.injects_fault(context, fault_rates.crashes_before_commit) {
            service.backend.commit_partially(changes);
            return self.crash().await;
        }
        if service.injects_fault(context, fault_rates.failed_commits) {
            service.backend.commit_partially(changes);
            return Err(unavailable("database"));
        }
        if service.injects_fault(context, fault_rates.spurious_conflicts) {
            return Err(HostError::Conflict);
        }
        let result = service.apply(context, changes);
        if service.injects_fault(context, fault_rates.crashes_after_commit) {
            return self.crash().await;
        }
        if result.is_ok() && service.injects_fault(context, fault_rates.unconfirmed_commits) {
            return Err(unavailable("database"));
        }
        result
    }
}

impl Platform for SimulatedHost {
    reads! {
    admit(bucket: &Bucket, now: Timestamp) -> Admission;
    }

    fn exec_context(&self) -> ExecContext {
        let mut context = self.service.backend.memory.exec_context();
        let mut now = self
            .service
            .clock()
            .after(Duration::millis(self.context.skew_ms));
        self.context.now.set(now);
        if self.context.has_quote && self.has_mutation(Mutation::QuoteNeverExpires) {
            now = now.before(Duration::minutes(60));
        }
        context.now = now;
        context
    }

    async fn locate(
        &self,
        _merchant: Option<StoreId>,
        addresses: &[&Address],
    ) -> Result<Vec<Result<Located, geo::LocateError>>, HostError> {
        self.call_service("geocoder").await?;
        Ok(addresses
            .iter()
            .map(|address| Gazetteer::embedded().locate(address))
            .collect())
    }

    async fn distance_matrix(&self, places: &[Located]) -> Result<DistanceMatrix, HostError> {
        self.call_service("roads").await?;
        if self.context.is_preview && self.has_mutation(Mutation::PreviewStores) {
            let claimed = Changes {
                at: self.context.now.get(),
                ..Changes::default()
            };
            let orders = self.service.backend.memory.orders();
            let again = orders.first().map(|order| despacho_core::changes::Write {
                expected: order.version,
                value: order.clone(),
            });
            let _ = self.service.apply(
                &self.context,
                &Changes {
                    orders: again.into_iter().collect(),
                    ..claimed
                },
            );
        }
        Ok(geo::matrix(places))
    }

    /// Replaces argon2, which takes tens of milliseconds by design. The simulation does not test
    /// password hashing.
    async fn hash_password(&self, password: &str, _salt: [u8; 16]) -> Result<String, HostError> {
        self.pause().await;
        Ok(format!("simulated {}", Service::hash(password).as_str()))
    }

    async fn verify_password(&self, password: &str, hash: &str) -> Result<bool, HostError> {
        self.pause().await;
        Ok(hash == format!("simulated {}", Service::hash(password).as_str()))
    }
}
