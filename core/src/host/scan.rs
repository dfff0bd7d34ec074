//! Queries over rows in memory, for hosts without indexes. They define the exact result of each
//! query.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::RangeInclusive,
};

use super::{
    CourierQuery, KeyQuery, OrderQuery, PayPlanQuery, StoreQuery, TariffQuery, UserQuery,
    WebhookQuery,
};
use crate::{
    model::{
        CourierId, OrderId, StoreId, Timestamp,
        courier::{Candidate, Cell, Courier, SearchingOrder},
        order::{Order, OrderStatus},
        pay::StoredPayPlan,
        store::{Key, Store, User},
        tariff::{StoredTariff, TariffSchedule},
        webhook::{MAX_PASSES_PER_MERCHANT, MAX_PASSES_PER_RECEIVER, Webhook},
    },
    rules::lifecycle::{Timing, next_deadline},
};

impl KeyQuery<'_> {
    /// Returns the keys that match the query, newest first.
    pub fn scan<'r>(&self, keys: impl Iterator<Item = &'r Key>) -> Vec<&'r Key> {
        let mut found: Vec<&Key> = keys
            .filter(|key| match *self {
                KeyQuery::Hash(hash) | KeyQuery::Recent(hash, _) => key.hash == *hash,
                KeyQuery::Id(id) => key.id == id,
                KeyQuery::Store(store) => key.store == store,
            })
            .collect();
        found.sort_by_key(|key| std::cmp::Reverse((key.created_at, key.id)));
        found
    }
}

impl StoreQuery<'_> {
    /// Returns the stores that match the query. `stores` must be sorted by ID.
    pub fn scan<'r>(&self, stores: impl Iterator<Item = &'r Store>) -> Vec<&'r Store> {
        let is_match = |store: &&Store| match *self {
            StoreQuery::IdOrRemoved(id) => store.id == id,
            StoreQuery::Ids(ids) => ids.contains(&store.id),
            _ if store.deleted_at.is_some() => false,
            StoreQuery::Id(id) => store.id == id,
            StoreQuery::Email(email) => store.email.key() == email.key(),
            StoreQuery::Cnpj(cnpj) => store.cnpj.as_str() == cnpj,
            StoreQuery::All { after, .. } => after.is_none_or(|after| store.id > after),
            StoreQuery::WithBranches {
                store: parent,
                after,
                ..
            } => {
                (store.id == parent || store.parent == Some(parent))
                    && after.is_none_or(|after| store.id > after)
            }
        };
        let limit = match *self {
            StoreQuery::All { limit, .. } | StoreQuery::WithBranches { limit, .. } => limit,
            StoreQuery::Ids(_) => u32::MAX,
            _ => 1,
        };
        stores.filter(is_match).take(limit as usize).collect()
    }
}

impl OrderQuery<'_> {
    /// Returns the orders that match the query. `orders` must be sorted by ID. `store` looks up a
    /// store.
    pub fn scan<'r, 's>(
        &self,
        orders: impl DoubleEndedIterator<Item = &'r Order>,
        store: impl Fn(StoreId) -> Option<&'s Store>,
        timing: &Timing,
    ) -> Vec<Order> {
        match *self {
            OrderQuery::Ids(ids) => orders
                .filter(|order| ids.contains(&order.id))
                .cloned()
                .collect(),
            OrderQuery::Code(store, code) => {
                let has_code = |order: &&Order| order.store == store && order.code == code;
                orders
                    .filter(|order| has_code(order) && order.status.holds_code())
                    .cloned()
                    .collect()
            }
            OrderQuery::Matching(filter, limit) => {
                let is_visible = |order: &Order| {
                    filter.store.is_none()
                        || store(order.store)
                            .filter(|store| store.deleted_at.is_none())
                            .is_some_and(|store| {
                                filter.store == Some(store.id)
                                    || (filter.branches && store.parent == filter.store)
                            })
                };
                let matching = orders
                    .rev()
                    .filter(|order| filter.matches(order) && is_visible(order));
                matching.take(limit as usize).cloned().collect()
            }
            OrderQuery::Sandbox { after, limit } => {
                let is_next =
                    |order: &&Order| order.sandbox && after.is_none_or(|id| order.id > id);
                let open = orders.filter(|order| {
                    is_next(order) && Order::ACTIVE_STATUSES.contains(&order.status)
                });
                open.take(limit as usize).cloned().collect()
            }
            OrderQuery::Due {
                now,
                skipped,
                limit,
            } => {
                let deadline =
                    |order: &&Order| next_deadline(order, timing).filter(|at| *at <= now);
                let mut due: Vec<&Order> =
                    orders.filter(|order| deadline(order).is_some()).collect();
                due.sort_by_key(|order| (deadline(order), order.id));
                due.into_iter()
                    .skip(skipped as usize)
                    .take(limit as usize)
                    .cloned()
                    .collect()
            }
        }
    }
}

impl CourierQuery<'_> {
    /// Returns the couriers that match the query. `couriers` must be sorted by ID and contain
    /// positions. `order` looks up an order.
    pub fn scan<'r>(
        &self,
        couriers: impl Iterator<Item = Courier>,
        order: impl Fn(OrderId) -> Option<&'r Order>,
    ) -> Vec<Courier> {
        let is_match = |courier: &Courier| match *self {
            CourierQuery::Ids(ids) => ids.contains(&courier.id),
            CourierQuery::Key(hash) => courier.key.as_ref().is_some_and(|key| key.hash == *hash),
            CourierQuery::All { after, .. } => after.is_none_or(|after| courier.id > after),
            CourierQuery::Working { after, .. } => {
                (courier.is_candidate() || !courier.trip.is_empty())
                    && after.is_none_or(|after| courier.id > after)
            }
            CourierQuery::PushDue { now, .. } => courier.push_at().is_some_and(|at| at <= now),
            CourierQuery::Unresponsive { seen_before, .. } => {
                let order = courier.watched_order().and_then(&order);
                order.is_some_and(|order| order.status.is_before_pickup())
                    && courier.position_at.is_none_or(|at| at < seen_before)
            }
        };
        let (skipped, limit) = match *self {
            CourierQuery::Ids(_) | CourierQuery::Key(_) => (0, u32::MAX),
            CourierQuery::All { limit, .. }
            | CourierQuery::Working { limit, .. }
            | CourierQuery::PushDue { limit, .. } => (0, limit),
            CourierQuery::Unresponsive { skipped, limit, .. } => (skipped, limit),
        };
        let mut found: Vec<Courier> = couriers.filter(is_match).collect();
        if matches!(self, CourierQuery::PushDue { .. }) {
            found.sort_by_key(|courier| (courier.push_at(), courier.id));
        }
        found
            .into_iter()
            .skip(skipped as usize)
            .take(limit as usize)
            .collect()
    }
}

impl WebhookQuery {
    /// The webhooks that the query returns, of webhooks by ID. `has_events` returns whether
    /// [`Storage::journal`](super::Storage::journal) has an event of [`Webhook::journal`] after
    /// [`Webhook::position`].
    pub fn scan<'r>(
        &self,
        webhooks: impl Iterator<Item = &'r Webhook>,
        has_events: impl Fn(&Webhook) -> bool,
    ) -> Vec<Webhook> {
        let mut webhooks = webhooks.filter(|webhook| !webhook.is_removed());
        match *self {
            WebhookQuery::Id(id) => webhooks
                .find(|webhook| webhook.id == id)
                .into_iter()
                .cloned()
                .collect(),
            WebhookQuery::Store(store) => webhooks
                .filter(|webhook| webhook.store == store)
                .cloned()
                .collect(),
            WebhookQuery::Due { now, limit } => {
                let is_due = |webhook: &Webhook| {
                    webhook.due_at.is_some_and(|due| due <= now) || has_events(webhook)
                };
                let active = webhooks.filter(|webhook| webhook.is_active());
                take_turns(
                    active
                        .filter(|webhook| is_leased(webhook, now) || is_due(webhook))
                        .collect(),
                    now,
                    limit,
                )
            }
        }
    }
}

fn is_leased(webhook: &Webhook, now: Timestamp) -> bool {
    webhook
        .lease
        .as_ref()
        .is_some_and(|lease| lease.until > now)
}

/// The result of [`WebhookQuery::Due`], of webhooks that have a lease or are due.
fn take_turns(mut webhooks: Vec<&Webhook>, now: Timestamp, limit: u32) -> Vec<Webhook> {
    webhooks.sort_by_key(|webhook| (!is_leased(webhook, now), webhook.seen_at, webhook.id));
    let (mut merchants, mut receivers) = (BTreeMap::new(), BTreeMap::new());
    let mut numbered: Vec<(u32, &Webhook)> = webhooks
        .into_iter()
        .map(|webhook| (count(&mut merchants, webhook.merchant), webhook))
        .collect();
    numbered
        .retain(|(number, webhook)| is_leased(webhook, now) || *number <= MAX_PASSES_PER_MERCHANT);
    numbered.sort_by_key(|(number, webhook)| {
        (
            !is_leased(webhook, now),
            *number,
            webhook.seen_at,
            webhook.id,
        )
    });
    numbered.retain(|(_, webhook)| {
        count(&mut receivers, webhook.receiver()) <= MAX_PASSES_PER_RECEIVER
            && !is_leased(webhook, now)
    });
    numbered
        .into_iter()
        .take(limit as usize)
        .map(|(_, webhook)| webhook.clone())
        .collect()
}

/// Increments the count of a key and returns it.
fn count<K: Ord>(counts: &mut BTreeMap<K, u32>, key: K) -> u32 {
    let count = counts.entry(key).or_default();
    *count += 1;
    *count
}

impl SearchingOrder {
    /// Returns the result of [`super::Storage::searching_orders`].
    pub fn scan<'r>(
        orders: impl Iterator<Item = &'r Order>,
        after: Option<(Timestamp, OrderId)>,
        limit: u32,
        timing: &Timing,
    ) -> Vec<SearchingOrder> {
        let searching = orders.filter(|order| order.status == OrderStatus::Searching);
        let indexed = searching.filter_map(|order| {
            let until = next_deadline(order, timing)?;
            Some(SearchingOrder {
                id: order.id,
                until,
                pickup: Some(order.pickup.located.point),
                sandbox: order.sandbox,
            })
        });
        let mut found: Vec<_> = indexed
            .filter(|order| after.is_none_or(|after| (order.until, order.id) > after))
            .collect();
        found.sort_by_key(|order| (order.until, order.id));
        found.truncate(limit as usize);
        found
    }
}

impl Candidate {
    /// Returns the result of [`super::Storage::candidates`], of couriers with the times of their
    /// positions.
    pub fn scan(
        couriers: impl Iterator<Item = (Candidate, Timestamp)>,
        cells: &RangeInclusive<Cell>,
        after: Option<(Cell, CourierId)>,
        seen_since: Timestamp,
        limit: u32,
    ) -> Vec<Candidate> {
        let seen = couriers.filter(|(_, at)| *at >= seen_since);
        let placed =
            seen.map(|(candidate, _)| ((Cell::of(candidate.point), candidate.id), candidate));
        let mut found: Vec<_> = placed
            .filter(|(at, _)| cells.contains(&at.0) && after.is_none_or(|after| *at > after))
            .collect();
        found.sort_by_key(|(at, _)| *at);
        found
            .into_iter()
            .take(limit as usize)
            .map(|(_, candidate)| candidate)
            .collect()
    }
}

impl UserQuery<'_> {
    /// Returns the users that match the query. `users` must be sorted by ID.
    pub fn scan<'r>(&self, users: impl Iterator<Item = &'r User>) -> Vec<User> {
        let is_match = |user: &&User| match *self {
            UserQuery::Id(id) => user.id == id,
            UserQuery::Email(email) => user.email.key() == email.key(),
            UserQuery::Store(store) => user.store == store,
        };
        users
            .filter(|user| user.removed_at.is_none())
            .filter(is_match)
            .cloned()
            .collect()
    }
}

impl TariffQuery<'_> {
    /// Returns the tariffs that match the query, latest first.
    pub fn scan<'r>(&self, tariffs: impl Iterator<Item = &'r StoredTariff>) -> Vec<StoredTariff> {
        let is_match = |tariff: &&StoredTariff| match *self {
            TariffQuery::Id(id) => tariff.id == id,
            TariffQuery::Version(version) => tariff.tariff.version == version,
            TariffQuery::Before { before, .. } => {
                before.is_none_or(|before| tariff.order() < before)
            }
        };
        let limit = match *self {
            TariffQuery::Before { limit, .. } => limit,
            _ => 1,
        };
        let mut found: Vec<StoredTariff> = tariffs.filter(is_match).cloned().collect();
        found.sort_by_key(|tariff| std::cmp::Reverse(tariff.order()));
        found.truncate(limit as usize);
        found
    }
}

impl PayPlanQuery<'_> {
    /// Returns the plans that match the query, latest first.
    pub fn scan<'r>(&self, plans: impl Iterator<Item = &'r StoredPayPlan>) -> Vec<StoredPayPlan> {
        let mut found: Vec<StoredPayPlan> = plans
            .filter(|plan| match *self {
                PayPlanQuery::Id(id) => plan.id == id,
                PayPlanQuery::Version(version) => plan.plan.version == version,
                PayPlanQuery::InForce(at) => plan.effective_from <= at,
                PayPlanQuery::Before { before, .. } => {
                    before.is_none_or(|before| plan.order() < before)
                }
            })
            .cloned()
            .collect();
        found.sort_by_key(|plan| std::cmp::Reverse(plan.order()));
        match *self {
            PayPlanQuery::InForce(_) => {
                let mut names = BTreeSet::new();
                found.retain(|plan| names.insert(plan.name.clone()));
            }
            PayPlanQuery::Before { limit, .. } => found.truncate(limit as usize),
            PayPlanQuery::Id(_) | PayPlanQuery::Version(_) => {}
        }
        found
    }
}

impl TariffSchedule {
    /// Returns the schedule of these tariffs.
    pub fn scan<'r>(
        revision: u64,
        tariffs: impl Iterator<Item = &'r StoredTariff>,
    ) -> TariffSchedule {
        let last = TariffQuery::Before {
            before: None,
            limit: TariffSchedule::MAX_ROWS,
        };
        TariffSchedule {
            revision,
            tariffs: last.scan(tariffs),
        }
    }
}
