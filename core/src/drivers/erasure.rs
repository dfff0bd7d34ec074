//! Export and erasure of recipients' personal data. It uses [`crate::rules::erasure`] and commits
//! in bounded steps.
//!
//! Every order is erased in one transaction with its events, messages, attempts and the record of
//! the erasure. An interrupted run can be continued or repeated.

use std::collections::BTreeMap;

use crate::{
    changes::{Changes, Write},
    geo::Gazetteer,
    host::{Host, HostError},
    json::Tree,
    model::{
        Duration, Language, OrderId, Phone, Timestamp,
        order::{Erasure, Order, RecordedEvent},
        privacy::{
            ErasureCause, ErasureRecord, ErasureSummary, PersonalQuery, RecipientData,
            RecipientOrder, Redaction,
        },
        store::{Claim, StoredResponse},
        webhook::MessageChange,
    },
    rules::{
        erasure::{self, ErasureBasis, erase_event, erase_mention, erase_subject, subject},
        settings::{Secret, Settings},
    },
    wire::OrderView,
};

/// Maximum number of a recipient's orders per call. The caller continues with the returned cursor.
const ORDERS_PER_CALL: u32 = 200;
/// Maximum number of attempts to write an order after conflicts.
const ATTEMPTS: usize = 8;
/// Maximum number of orders per kind that a pass of the retention erases.
const EXPIRED_PER_PASS: u32 = 100;
/// Number of notifications and claims per read.
const PAGE: u32 = 500;
/// Minimum length of a street name that identifies a stored preview.
const MIN_STREET_LENGTH: usize = 4;

/// The result of a pass of the retention.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RetentionPass {
    /// Number of orders from which personal data was erased.
    pub orders: u32,
    /// Whether another pass would erase more.
    pub more: bool,
}

/// A run of an erasure.
struct Run<'a> {
    settings: &'a Settings,
    now: Timestamp,
    name: String,
    cause: ErasureCause,
    phone: Option<&'a Phone>,
    /// The extent of the erasure: only positions, or also recipients.
    level: Erasure,
}

/// Erases the stored data of a recipient, in orders with an ID above `after`. `started` identifies
/// the run in the record.
///
/// # Errors
/// An error of the host. Data that was already erased stays erased.
pub async fn erase<H: Host>(
    host: &H,
    settings: &Settings,
    phone: &Phone,
    (started, after): (Timestamp, u64),
    now: Timestamp,
) -> Result<ErasureSummary, HostError> {
    let subject = subject(phone, &settings.secret);
    let name = format!(
        "request/{}/{}",
        started.millis(),
        subject.get(..16).unwrap_or_default()
    );
    let run = Run {
        settings,
        now,
        name,
        cause: ErasureCause::Request,
        phone: Some(phone),
        level: Erasure::Recipients,
    };
    let (orders, next) = page(host, phone, after).await?;
    let mut erased = ErasureSummary {
        next,
        ..ErasureSummary::default()
    };
    let (mut changed, mut needles) = (BTreeMap::new(), vec![phone.as_str().to_owned()]);
    for order in orders {
        if !order.status.is_final() {
            erased.open.push((order.id, order.store));
            continue;
        }
        needles.extend(
            order
                .deliveries
                .iter()
                .filter(|one| one.phone.as_ref() == Some(phone))
                .filter_map(|one| {
                    one.place
                        .address
                        .street
                        .clone()
                        .filter(|street| street.len() >= MIN_STREET_LENGTH)
                }),
        );
        if let Some((order, record)) = run.erase_order(host, order).await? {
            erased.count(&record);
            changed.insert(order.id, order);
        }
    }
    let entries =
        run.erase_mentions(host, phone).await? + run.erase_claims(host, &changed, &needles).await?;
    erased.entries += entries;
    // Commit the record even if nothing was found, because it shows that the request was processed.
    let record = ErasureRecord {
        entries,
        ..run.record()
    };
    host.commit(&Changes {
        at: now,
        redactions: vec![Redaction::Record(record)],
        ..Changes::default()
    })
    .await?;
    Ok(erased)
}

/// Finds the stored data of a recipient, in orders with an ID above `after`.
///
/// # Errors
/// An error of the host.
pub async fn find<H: Host>(
    host: &H,
    phone: &Phone,
    after: u64,
) -> Result<RecipientData, HostError> {
    let (orders, next) = page(host, phone, after).await?;
    let mut found = RecipientData {
        next,
        ..RecipientData::default()
    };
    for order in orders {
        let events = host.events(order.id).await?;
        found.orders.push(RecipientOrder::of(order, events, phone));
    }
    if after == 0 {
        found.notifications = host
            .personal_data(&PersonalQuery::Mentions(phone.clone()))
            .await?
            .notifications;
        let mut pages = Claims::default();
        while let Some(claims) = pages.next(host).await? {
            let matching = claims.iter().filter_map(|claim| claim.response.as_ref());
            let matching = matching
                .filter(|response| response.body.contains(phone.as_str()))
                .count();
            found.responses = found
                .responses
                .saturating_add(u32::try_from(matching).unwrap_or(u32::MAX));
        }
    }
    Ok(found)
}

/// Returns a recipient's orders with an ID above `after`, and the last ID if there can be more.
async fn page<H: Host>(
    host: &H,
    phone: &Phone,
    after: u64,
) -> Result<(Vec<Order>, Option<u64>), HostError> {
    let query = PersonalQuery::Orders {
        phone: phone.clone(),
        after,
        limit: ORDERS_PER_CALL,
    };
    let mut orders = host.personal_data(&query).await?.orders;
    let next = orders
        .last()
        .filter(|_| orders.len() == ORDERS_PER_CALL as usize)
        .map(|last| last.id.get());
    orders.retain(|order| order.delivers_to(phone));
    Ok((orders, next))
}

/// Runs a pass of the configured retention, and removes expired stored responses. Passes can run
/// concurrently.
///
/// # Errors
/// An error of the host. Data that was already erased stays erased, and the next pass continues.
pub async fn retain<H: Host>(
    host: &H,
    settings: &Settings,
    now: Timestamp,
) -> Result<RetentionPass, HostError> {
    let config = &settings.retention;
    let before = |days: u32| now.before(Duration::minutes(i64::from(days) * 24 * 60));
    let mut redactions = vec![Redaction::PurgeClaims(now), Redaction::PurgeLinks(now)];
    let mut retained = RetentionPass::default();
    if config.positions_days > 0 {
        redactions.push(Redaction::RemovePositions(before(config.positions_days)));
    }
    if config.audit_days > 0 {
        let limit = before(config.audit_days);
        redactions.extend([Redaction::PurgeAudit(limit), Redaction::PurgeUsers(limit)]);
    }
    if config.recipients_days > 0 {
        let limit = before(config.recipients_days);
        let old = host
            .personal_data(&PersonalQuery::OldNotifications { limit: PAGE })
            .await?
            .notifications;
        retained.more = old.len() == PAGE as usize && old.iter().all(|one| one.created_at < limit);
        let old = old.into_iter().filter(|one| one.created_at < limit);
        redactions.extend(old.map(|one| Redaction::RemoveNotification(one.store, one.id)));
    }
    host.commit(&Changes {
        at: now,
        redactions,
        ..Changes::default()
    })
    .await?;
    let day: String = now.to_string().chars().take(10).collect();
    // The age, what was erased from the orders so far, and what to erase. Recipients are erased from
    // orders whose positions were erased earlier, and from those of which nothing was.
    let kinds = [
        (
            config.recipients_days,
            Erasure::Positions,
            Erasure::Recipients,
        ),
        (
            config.recipients_days,
            Erasure::NotErased,
            Erasure::Recipients,
        ),
        (
            config.positions_days,
            Erasure::NotErased,
            Erasure::Positions,
        ),
    ];
    for (days, erasure, level) in kinds.into_iter().filter(|(days, ..)| *days > 0) {
        let name = format!("retention/{day}");
        let run = Run {
            settings,
            now,
            name,
            cause: ErasureCause::Retention,
            phone: None,
            level,
        };
        let query = PersonalQuery::Expired {
            erasure,
            before: before(days),
            limit: EXPIRED_PER_PASS,
        };
        let expired = host.personal_data(&query).await?.orders;
        let full = expired.len() == EXPIRED_PER_PASS as usize;
        let mut count = 0;
        for order in expired {
            count += u32::from(run.erase_order(host, order).await?.is_some());
        }
        retained.orders += count;
        retained.more |= full && count > 0;
    }
    if config.proofs_days > 0 {
        let (before, name) = (before(config.proofs_days), format!("retention/{day}"));
        let run = Run {
            settings,
            now,
            name,
            cause: ErasureCause::Retention,
            phone: None,
            level: Erasure::NotErased,
        };
        run.erase_old_proofs(host, before, &mut retained).await?;
    }
    Ok(retained)
}

impl RecipientOrder {
    /// Returns the part of an order that concerns the recipient with this phone number.
    pub fn of(mut order: Order, mut events: Vec<RecordedEvent>, phone: &Phone) -> RecipientOrder {
        order
            .deliveries
            .retain(|delivery| delivery.phone.as_ref() == Some(phone));
        let is_own = |id| order.deliveries.iter().any(|delivery| delivery.id == id);
        events.retain(|recorded| recorded.event.delivery.is_none_or(is_own));
        order
            .proof
            .steps
            .retain(|proof| proof.delivery.is_some_and(is_own));
        RecipientOrder { order, events }
    }
}

impl ErasureSummary {
    fn count(&mut self, record: &ErasureRecord) {
        self.orders += record.orders;
        self.deliveries += record.deliveries;
        self.entries += record.entries;
    }
}

impl Run<'_> {
    fn record(&self) -> ErasureRecord {
        ErasureRecord {
            name: self.name.clone(),
            cause: self.cause,
            subject: self
                .phone
                .map(|phone| subject(phone, &self.settings.secret)),
            at: self.now,
            orders: 0,
            deliveries: 0,
            entries: 0,
            archived: 0,
        }
    }

    /// Erases an ended order and all related data. Returns `None` if a concurrent write erased it,
    /// or every attempt conflicted during the retention.
    async fn erase_order<H: Host>(
        &self,
        host: &H,
        mut order: Order,
    ) -> Result<Option<(Order, ErasureRecord)>, HostError> {
        for _ in 0..ATTEMPTS {
            let (erased, changes, record) = self.decide(host, &order).await?;
            match host.commit(&changes).await {
                Ok(()) => return Ok(Some((erased, record))),
                Err(HostError::Conflict) => {}
                Err(error) => return Err(error),
            }
            match host.order(order.id).await? {
                Some(stored) if self.has_work(&stored) => order = stored,
                _ => return Ok(None),
            }
        }
        // A request must not report success for an order that was not erased. The retention retries
        // it in a later pass.
        if self.phone.is_some() {
            Err(HostError::Conflict)
        } else {
            Ok(None)
        }
    }

    fn has_work(&self, order: &Order) -> bool {
        match self.phone {
            Some(phone) => order.delivers_to(phone),
            None => order.erasure < self.level,
        }
    }

    async fn decide<H: Host>(
        &self,
        host: &H,
        order: &Order,
    ) -> Result<(Order, Changes, ErasureRecord), HostError> {
        let mut erased = order.clone();
        let (deliveries, links) = match self.level {
            Erasure::Recipients => {
                let basis = ErasureBasis {
                    secret: &self.settings.secret,
                    gazetteer: Gazetteer::embedded(),
                    now: self.now,
                };
                erasure::erase_recipients(&mut erased, basis, |delivery| {
                    self.phone
                        .is_none_or(|phone| delivery.phone.as_ref() == Some(phone))
                })
            }
            Erasure::NotErased | Erasure::Positions => {
                erasure::erase_positions(&mut erased);
                (0, Vec::new())
            }
        };
        let removed_blobs = match self.level {
            Erasure::Recipients => erasure::erase_recipient_proofs(&mut erased),
            Erasure::NotErased | Erasure::Positions => Vec::new(),
        };
        let mut redactions = Vec::new();
        for mut recorded in host.events(order.id).await? {
            if erase_event(&mut recorded.event) {
                redactions.push(Redaction::Event(recorded));
            }
        }
        let outbound = host
            .personal_data(&PersonalQuery::Outbound {
                order: order.id,
                store: order.store,
            })
            .await?;
        let mut entries = 0;
        for mut recorded in outbound.attempts {
            if erase_subject(&mut recorded.attempt.subject) {
                redactions.push(Redaction::Attempt(recorded));
                entries += 1;
            }
        }
        let (mut messages, mut touched) = (Vec::new(), Vec::new());
        for mut message in outbound.messages {
            if erase_subject(&mut message.subject) {
                touched.push(message.webhook);
                messages.push(MessageChange::Put(message));
                entries += 1;
            }
        }
        // A sender with a lease holds copies. Removing the lease prevents it from writing them
        // back, and its messages are sent again.
        let is_sending =
            |lease: &crate::model::webhook::Lease| self.phone.is_some() && lease.until > self.now;
        let webhooks = outbound.webhooks.into_iter().filter(|webhook| {
            touched.contains(&webhook.id) || webhook.lease.as_ref().is_some_and(is_sending)
        });
        let webhooks = webhooks.map(|mut webhook| {
            webhook.lease = None;
            Write {
                expected: webhook.version,
                value: webhook,
            }
        });
        let record = ErasureRecord {
            orders: 1,
            deliveries,
            entries,
            ..self.record()
        };
        redactions.push(Redaction::Record(record.clone()));
        let changes = Changes {
            at: self.now,
            orders: vec![Write {
                expected: order.version,
                value: erased.clone(),
            }],
            webhooks: webhooks.collect(),
            links,
            messages,
            removed_blobs,
            redactions,
            ..Changes::default()
        };
        Ok((erased, changes, record))
    }

    /// Erases the proofs of orders that were created before a time, each with the record in one
    /// transaction.
    async fn erase_old_proofs<H: Host>(
        &self,
        host: &H,
        before: Timestamp,
        retained: &mut RetentionPass,
    ) -> Result<(), HostError> {
        let query = PersonalQuery::Proofs {
            before,
            limit: EXPIRED_PER_PASS,
        };
        let orders = host.personal_data(&query).await?.orders;
        let (full, mut count) = (orders.len() == EXPIRED_PER_PASS as usize, 0);
        for order in orders {
            let mut erased = order.clone();
            let removed_blobs = erasure::erase_proofs(&mut erased, |_| true);
            let record = ErasureRecord {
                orders: 1,
                ..self.record()
            };
            let changes = Changes {
                at: self.now,
                orders: vec![Write {
                    expected: order.version,
                    value: erased,
                }],
                removed_blobs,
                redactions: vec![Redaction::Record(record)],
                ..Changes::default()
            };
            match host.commit(&changes).await {
                Ok(()) => count += 1,
                // A concurrent write won. The next pass erases the order.
                Err(HostError::Conflict) => {}
                Err(error) => return Err(error),
            }
        }
        retained.orders += count;
        retained.more |= full && count > 0;
        Ok(())
    }

    /// Erases the phone number from notifications about rejected orders.
    async fn erase_mentions<H: Host>(&self, host: &H, phone: &Phone) -> Result<u32, HostError> {
        let mut notifications = host
            .personal_data(&PersonalQuery::Mentions(phone.clone()))
            .await?
            .notifications;
        notifications.retain_mut(|notification| erase_mention(notification, phone));
        let count = u32::try_from(notifications.len()).unwrap_or(u32::MAX);
        if count > 0 {
            host.commit(&Changes {
                at: self.now,
                notifications,
                ..Changes::default()
            })
            .await?;
        }
        Ok(count)
    }

    /// Erases stored responses. Responses with erased orders are replaced by the current data.
    /// Previews to an erased street are removed.
    async fn erase_claims<H: Host>(
        &self,
        host: &H,
        changed: &BTreeMap<OrderId, Order>,
        needles: &[String],
    ) -> Result<u32, HostError> {
        let (mut pages, mut count) = (Claims::default(), 0);
        while let Some(claims) = pages.next(host).await? {
            let redactions: Vec<_> = claims
                .iter()
                .filter_map(|claim| redacted(claim, changed, needles, &self.settings.secret))
                .collect();
            count += u32::try_from(redactions.len()).unwrap_or(u32::MAX);
            if !redactions.is_empty() {
                host.commit(&Changes {
                    at: self.now,
                    redactions,
                    ..Changes::default()
                })
                .await?;
            }
        }
        Ok(count)
    }
}

/// Pages of claims.
#[derive(Default)]
struct Claims {
    after: Option<(String, String)>,
    ended: bool,
}

impl Claims {
    async fn next<H: Host>(&mut self, host: &H) -> Result<Option<Vec<Claim>>, HostError> {
        if self.ended {
            return Ok(None);
        }
        let query = PersonalQuery::Claims {
            after: self.after.take(),
            limit: PAGE,
        };
        let claims = host.personal_data(&query).await?.claims;
        self.ended = claims.len() < PAGE as usize;
        self.after = claims
            .last()
            .map(|claim| (claim.scope.clone(), claim.key.clone()));
        Ok(Some(claims))
    }
}

fn redacted(
    claim: &Claim,
    changed: &BTreeMap<OrderId, Order>,
    needles: &[String],
    secret: &Secret,
) -> Option<Redaction> {
    let response = claim.response.as_ref()?;
    let tree = Tree::parse(&response.body).ok()?;
    if let Some(id) = tree.get("id") {
        let order = changed.get(&OrderId::new(id.as_u64()?)?)?;
        let body = match claim.scope.starts_with("courier/") {
            true => without_recipients(&response.body)?,
            false => with_current_data(tree, order)?,
        };
        let response = StoredResponse {
            body,
            ..response.clone()
        };
        let fingerprint = erasure::keyed(&claim.fingerprint, secret);
        return Some(Redaction::Claim(Claim {
            fingerprint,
            response: Some(response),
            ..claim.clone()
        }));
    }
    // A preview changes no data. If it is repeated, it is computed again.
    let is_preview = tree.get("quote").is_some() && tree.get("deliveries").is_some();
    let is_contained = |needle: &String| {
        let text = serde_json::to_string(needle).unwrap_or_default();
        response.body.contains(text.trim_matches('"'))
    };
    (is_preview && needles.iter().any(is_contained)).then(|| Redaction::RemoveClaim(claim.clone()))
}

/// Returns the response with the order's current deliveries, and with events without the erased
/// data.
fn with_current_data(body: Tree<'_>, order: &Order) -> Option<String> {
    let view = serde_json::to_string(&OrderView::of(order, Language::default())).ok()?;
    let (mut view, mut body) = (Tree::parse(&view).ok()?, body);
    std::mem::swap(body.get_mut("deliveries")?, view.get_mut("deliveries")?);
    let events = body.get_mut("events").and_then(Tree::items_mut);
    events
        .into_iter()
        .flatten()
        .for_each(|event| nullify(event, &["latitude", "longitude", "reason"]));
    if let Some(courier) = body.get_mut("deliveryMan") {
        nullify(courier, &["latitude", "longitude"]);
    }
    Some(body.to_json())
}

/// Returns a courier's response without the recipients, as couriers read an order after its end.
/// Returns `None` if it is not an order.
pub(crate) fn without_recipients(body: &str) -> Option<String> {
    let mut tree = Tree::parse(body).ok()?;
    for delivery in tree.get_mut("deliveries")?.items_mut()? {
        nullify(
            delivery,
            &["name", "phone", "observation", "latitude", "longitude"],
        );
        if let Some(Tree::Object(members)) = delivery.get_mut("address") {
            members
                .iter_mut()
                .for_each(|(_, value)| *value = Tree::Null);
        }
    }
    Some(tree.to_json())
}

fn nullify(tree: &mut Tree<'_>, names: &[&str]) {
    for name in names {
        if let Some(value) = tree.get_mut(name) {
            *value = Tree::Null;
        }
    }
}
