//! Journals, webhooks, and their messages and logs.

use despacho_core::{
    changes::{Changes, Write},
    drivers::outbox,
    host::{AttemptQuery, Host, HostError, Storage, UsageQuery, WebhookQuery},
    model::{
        AttemptId, WebhookId,
        order::{Event, Journal, JournalEntry},
        store::Store,
        webhook::{
            Attempt, AttemptResult, Lease, MAX_STORED_ATTEMPTS, MessageChange, Webhook,
            WebhookState,
        },
    },
    rules::{settings::Settings, webhooks::MessageResult},
};
use futures_util::future::join_all;

use super::{
    Backend,
    fixtures::{
        at, attempt, changes, event, message, order, store, store_id, update, webhook, webhook_id,
    },
};

fn parent_journal() -> Journal {
    Journal {
        merchant: store_id(1),
        branch: None,
    }
}

fn branch_journal(branch: u64) -> Journal {
    Journal {
        branch: Some(store_id(branch)),
        ..parent_journal()
    }
}

async fn positions<H: Host>(host: &H, of: Journal, after: u64, limit: u32) -> Vec<(u64, u64)> {
    let entries: Vec<JournalEntry> = host.journal(of, after, limit).await.unwrap();
    entries
        .iter()
        .map(|entry| (entry.position, entry.recorded.event.order.get()))
        .collect()
}

/// Stores a parent store with two branches.
async fn put_merchant<H: Host>(host: &H) {
    let stores = (1..=3).map(|number| Write::insert(store(number))).collect();
    host.commit(&Changes {
        stores,
        ..changes()
    })
    .await
    .unwrap();
}

/// Returns the last position of a merchant's journal.
pub(crate) async fn journal_last_position<H: Host>(
    host: &H,
    merchant: u64,
) -> Result<u64, HostError> {
    let journal = Journal {
        merchant: store_id(merchant),
        branch: None,
    };
    Ok(host.journal_span(journal).await?.end)
}

/// Returns the number of branches and webhooks of a merchant.
async fn merchant_size<H: Host>(host: &H, merchant: u64) -> [u64; 2] {
    let merchant = store_id(merchant);
    let [branches, webhooks] = [
        UsageQuery::Branches(merchant),
        UsageQuery::Webhooks(merchant),
    ];
    [
        host.usage(branches).await.unwrap().records,
        host.usage(webhooks).await.unwrap().records,
    ]
}

fn event_changes(list: &[(u64, u64, u32)]) -> Changes {
    let event =
        |(store, number, sequence): &(u64, u64, u32)| event(&order(*number, *store, ""), *sequence);
    let events: Vec<Event> = list.iter().map(event).collect();
    Changes {
        events,
        ..changes()
    }
}

pub(crate) async fn journal_has_the_events_of_its_merchant(backend: impl Backend) {
    let host = backend.host();
    put_merchant(host).await;
    assert_eq!(journal_last_position(host, 1).await, Ok(0));
    host.commit(&event_changes(&[(1, 50, 1), (2, 60, 1), (3, 70, 1)]))
        .await
        .unwrap();
    host.commit(&event_changes(&[(9, 90, 1), (2, 60, 2)]))
        .await
        .unwrap();
    assert_eq!(
        positions(host, parent_journal(), 0, 10).await,
        [(1, 50), (2, 60), (3, 70), (4, 60)],
        "events of another merchant are absent"
    );
    assert_eq!(
        positions(host, parent_journal(), 1, 2).await,
        [(2, 60), (3, 70)]
    );
    assert_eq!(positions(host, parent_journal(), 4, 2).await, []);
    assert_eq!(
        positions(host, branch_journal(2), 0, 10).await,
        [(2, 60), (4, 60)],
        "a branch reads its own events"
    );
    assert_eq!(positions(host, branch_journal(2), 2, 10).await, [(4, 60)]);
    assert_eq!(journal_last_position(host, 1).await, Ok(4));
    assert_eq!(journal_last_position(host, 9).await, Ok(1));
    let rejected = host.commit(&event_changes(&[(3, 70, 2), (1, 50, 1)])).await;
    assert_eq!(
        (rejected, journal_last_position(host, 1).await),
        (Err(HostError::Conflict), Ok(4)),
        "no position without an event"
    );
    let entries = host.journal(parent_journal(), 1, 1).await.unwrap();
    let history = host.events(entries[0].recorded.event.order).await.unwrap();
    assert_eq!(
        entries[0].recorded, history[0],
        "journal and history return the same event"
    );
}

pub(crate) async fn no_event_appears_behind_a_cursor(backend: impl Backend) {
    let host = backend.host();
    put_merchant(host).await;
    let writes: Vec<Changes> = (0..60)
        .map(|number| event_changes(&[(1 + number % 3, 100 + number, 1)]))
        .collect();
    let reading = async {
        let (mut seen, mut after) = (Vec::new(), 0);
        while seen.len() < 60 {
            let page = positions(host, parent_journal(), after, 7).await;
            after = page.last().map_or(after, |(place, _)| *place);
            seen.extend(page);
            tokio::task::yield_now().await;
        }
        seen
    };
    let (results, seen) = futures_util::future::join(
        join_all(writes.iter().map(|write| host.commit(write))),
        reading,
    )
    .await;
    assert!(results.iter().all(Result::is_ok));
    assert_eq!(
        seen.iter().map(|(place, _)| *place).collect::<Vec<_>>(),
        (1..=60).collect::<Vec<u64>>()
    );
}

pub(crate) async fn webhooks_are_read_as_written(backend: impl Backend) {
    let host = backend.host();
    put_merchant(host).await;
    let webhooks = vec![
        Write::insert(webhook(8, 1)),
        Write::insert(webhook(7, 1)),
        Write::insert(webhook(9, 2)),
    ];
    host.commit(&Changes {
        webhooks,
        ..changes()
    })
    .await
    .unwrap();
    assert_eq!(
        host.find_webhooks(WebhookQuery::Store(store_id(1))).await,
        Ok(vec![webhook(7, 1), webhook(8, 1)])
    );
    assert_eq!(host.webhook(webhook_id(9)).await, Ok(Some(webhook(9, 2))));
    let write = |expected, value| Changes {
        webhooks: vec![update(expected, value)],
        ..changes()
    };
    let removed = Webhook {
        state: WebhookState::Removed { at: at(1) },
        ..webhook(7, 1)
    };
    assert_eq!(
        host.commit(&write(2, removed.clone())).await,
        Err(HostError::Conflict),
        "the stored version is 1"
    );
    host.commit(&write(1, removed)).await.unwrap();
    assert_eq!(
        host.find_webhooks(WebhookQuery::Store(store_id(1))).await,
        Ok(vec![webhook(8, 1)])
    );
    assert_eq!(host.webhook(webhook_id(7)).await, Ok(None));
    let backend = backend.restart().await;
    assert_eq!(
        backend.host().webhook(webhook_id(8)).await,
        Ok(Some(webhook(8, 1)))
    );
}

async fn due<H: Host>(host: &H, minutes: i64) -> Vec<u64> {
    host.find_webhooks(WebhookQuery::Due {
        now: at(minutes),
        limit: 10,
    })
    .await
    .unwrap()
    .iter()
    .map(|webhook| webhook.id.get())
    .collect()
}

pub(crate) async fn webhook_is_due_by_its_events_and_messages(backend: impl Backend) {
    let host = backend.host();
    put_merchant(host).await;
    let quiet = |id, store| Webhook {
        due_at: None,
        lease: None,
        position: 0,
        ..webhook(id, store)
    };
    let webhooks = [quiet(7, 1), quiet(8, 2), quiet(9, 3)]
        .map(Write::insert)
        .into();
    host.commit(&Changes {
        webhooks,
        ..changes()
    })
    .await
    .unwrap();
    assert_eq!(due(host, 0).await, [0_u64; 0]);
    host.commit(&event_changes(&[(2, 60, 1)])).await.unwrap();
    assert_eq!(
        due(host, 0).await,
        [7, 8],
        "the parent store and the branch, but not its sibling"
    );
    let write = |expected, value| Changes {
        webhooks: vec![update(expected, value)],
        ..changes()
    };
    let lease = Some(Lease {
        holder: "me".to_owned(),
        until: at(5),
    });
    host.commit(&write(
        1,
        Webhook {
            lease,
            ..quiet(7, 1)
        },
    ))
    .await
    .unwrap();
    host.commit(&write(
        1,
        Webhook {
            position: 1,
            due_at: Some(at(3)),
            seen_at: at(1),
            ..quiet(8, 2)
        },
    ))
    .await
    .unwrap();
    assert_eq!(due(host, 2).await, [0_u64; 0]);
    assert_eq!(due(host, 3).await, [8]);
    assert_eq!(
        due(host, 5).await,
        [7, 8],
        "after the lease expires, the webhook that waited longest is first"
    );
    host.commit(&write(
        2,
        Webhook {
            state: WebhookState::Disabled { at: at(4) },
            ..quiet(7, 1)
        },
    ))
    .await
    .unwrap();
    assert_eq!(due(host, 5).await, [8]);
}

pub(crate) async fn merchants_and_receivers_take_turns(backend: impl Backend) {
    let host = backend.host();
    let due_at = Some(at(0));
    let of = |id: u64, merchant: u64, receiver: &str| {
        let (store, url) = (
            store_id(merchant),
            format!("https://{receiver}.example/hook"),
        );
        Webhook {
            due_at,
            lease: None,
            store,
            merchant: store,
            url,
            ..webhook(id, merchant)
        }
    };
    // One merchant with 300 webhooks that have waited longest, and one with two that were processed
    // last.
    let mut webhooks: Vec<Webhook> = (100..400).map(|id| of(id, 1, &format!("a{id}"))).collect();
    webhooks.extend([500, 501].map(|id| Webhook {
        seen_at: at(1),
        ..of(id, 2, &format!("b{id}"))
    }));
    let webhooks = webhooks.into_iter().map(Write::insert).collect();
    host.commit(&Changes {
        webhooks,
        ..changes()
    })
    .await
    .unwrap();
    assert_eq!(
        due(host, 2).await,
        [100, 500, 101, 501, 102, 103, 104, 105, 106, 107],
        "in turns, up to the limit per merchant"
    );
    // Webhooks that any instance is sending count towards the limit.
    let lease = Some(Lease {
        holder: "me".to_owned(),
        until: at(5),
    });
    let taken = (100..105)
        .map(|id| {
            update(
                1,
                Webhook {
                    lease: lease.clone(),
                    ..of(id, 1, &format!("a{id}"))
                },
            )
        })
        .collect();
    host.commit(&Changes {
        webhooks: taken,
        ..changes()
    })
    .await
    .unwrap();
    assert_eq!(due(host, 2).await, [500, 501, 105, 106, 107]);
    assert_eq!(due(host, 5).await.len(), 10, "the leases have expired");

    // Forty merchants with the same receiver.
    let shared = (1_000..1_040)
        .map(|id| {
            Write::insert(Webhook {
                seen_at: at(-1),
                ..of(id, id, "shared")
            })
        })
        .collect();
    host.commit(&Changes {
        webhooks: shared,
        ..changes()
    })
    .await
    .unwrap();
    let all = host
        .find_webhooks(WebhookQuery::Due {
            now: at(2),
            limit: 100,
        })
        .await
        .unwrap();
    assert_eq!(
        all.iter()
            .filter(|webhook| webhook.receiver() == "shared.example")
            .count(),
        16
    );
    assert_eq!(all.len(), 16 + 5);
}

pub(crate) async fn backlog_does_not_block_other_merchants_of_a_receiver(backend: impl Backend) {
    let host = backend.host();
    let of = |id: u64, merchant: u64| {
        let store = store_id(merchant);
        Webhook {
            due_at: Some(at(0)),
            lease: None,
            store,
            merchant: store,
            ..webhook(id, merchant)
        }
    };
    let mut webhooks: Vec<Webhook> = (100..400).map(|id| of(id, 1)).collect();
    webhooks.push(Webhook {
        seen_at: at(1),
        ..of(500, 2)
    });
    let webhooks = webhooks.into_iter().map(Write::insert).collect();
    host.commit(&Changes {
        webhooks,
        ..changes()
    })
    .await
    .unwrap();
    assert_eq!(
        due(host, 2).await,
        [100, 500, 101, 102, 103, 104, 105, 106, 107]
    );
    let lease = Some(Lease {
        holder: "me".to_owned(),
        until: at(5),
    });
    let taken = (100..108)
        .map(|id| {
            update(
                1,
                Webhook {
                    lease: lease.clone(),
                    ..of(id, 1)
                },
            )
        })
        .collect();
    host.commit(&Changes {
        webhooks: taken,
        ..changes()
    })
    .await
    .unwrap();
    assert_eq!(due(host, 2).await, [500]);
}

pub(crate) async fn branches_and_webhooks_are_counted_per_merchant(backend: impl Backend) {
    let host = backend.host();
    put_merchant(host).await;
    let webhooks = [webhook(7, 1), webhook(8, 2)].map(Write::insert).into();
    host.commit(&Changes {
        webhooks,
        ..changes()
    })
    .await
    .unwrap();
    assert_eq!(merchant_size(host, 1).await, [2, 2]);
    assert_eq!(merchant_size(host, 9).await, [0, 0]);
    let removed = Webhook {
        state: WebhookState::Removed { at: at(1) },
        ..webhook(8, 2)
    };
    let stores = vec![update(
        1,
        Store {
            deleted_at: Some(at(1)),
            ..store(3)
        },
    )];
    host.commit(&Changes {
        stores,
        webhooks: vec![update(1, removed)],
        ..changes()
    })
    .await
    .unwrap();
    assert_eq!(merchant_size(host, 1).await, [1, 1]);
}

pub(crate) async fn messages_are_listed_by_position(backend: impl Backend) {
    let host = backend.host();
    let (one, two) = (webhook_id(7), webhook_id(8));
    let change = |messages| Changes {
        messages,
        ..changes()
    };
    let put = |webhook, place| MessageChange::Put(message(webhook, place, 0));
    host.commit(&change(vec![put(7, 12), put(7, 3), put(8, 5)]))
        .await
        .unwrap();
    assert_eq!(
        host.messages(one).await,
        Ok(vec![message(7, 3, 0), message(7, 12, 0)])
    );
    let later = message(7, 3, 4);
    let removed = MessageChange::Remove {
        webhook: one,
        name: message(7, 12, 0).name,
    };
    host.commit(&change(vec![MessageChange::Put(later.clone()), removed]))
        .await
        .unwrap();
    assert_eq!(host.messages(one).await, Ok(vec![later]));
    host.commit(&change(vec![MessageChange::Clear(one)]))
        .await
        .unwrap();
    assert_eq!(
        (host.messages(one).await, host.messages(two).await),
        (Ok(vec![]), Ok(vec![message(8, 5, 0)]))
    );
}

pub(crate) async fn log_keeps_the_newest_attempts(backend: impl Backend) {
    let host = backend.host();
    let log = |attempts: Vec<Attempt>| Changes {
        attempts,
        ..changes()
    };
    host.commit(&log(vec![attempt(8, 1)])).await.unwrap();
    for start in [0, 100, 200] {
        host.commit(&log((1..=70)
            .map(|number| attempt(7, start + number))
            .collect()))
            .await
            .unwrap();
    }
    let of = async |webhook: WebhookId, before: Option<AttemptId>, limit| {
        host.find_attempts(AttemptQuery::Webhook {
            webhook,
            before,
            limit,
        })
        .await
        .unwrap()
    };
    let all = of(webhook_id(7), None, 1_000).await;
    assert_eq!(
        (all.len(), all.first().map(|one| one.attempt.number)),
        (MAX_STORED_ATTEMPTS, Some(270))
    );
    let page = of(webhook_id(7), Some(all[2].id), 2).await;
    assert_eq!(page, all[3..5]);
    assert_eq!(
        host.find_attempts(AttemptQuery::Id(all[9].id)).await,
        Ok(vec![all[9].clone()])
    );
    assert_eq!(
        of(webhook_id(8), None, 9).await.len(),
        1,
        "the log of another webhook is unchanged"
    );
    assert_eq!(
        host.find_attempts(AttemptQuery::Id(AttemptId::new(9_999).unwrap()))
            .await,
        Ok(vec![])
    );
}

fn tried(batch: &outbox::Batch, response: AttemptResult) -> Vec<MessageResult> {
    let sent = |job: &outbox::Job| MessageResult {
        message: job.message.clone(),
        sent: Some((at(0), 5, response)),
    };
    batch.lanes.iter().flatten().map(sent).collect()
}

fn names(batch: &outbox::Batch) -> Vec<String> {
    batch
        .lanes
        .iter()
        .flatten()
        .map(|job| job.message.name.clone())
        .collect()
}

pub(crate) async fn webhook_lease_has_a_single_holder(backend: impl Backend) {
    let host = backend.host();
    let settings = Settings::default();
    put_merchant(host).await;
    let fresh = Webhook {
        due_at: None,
        lease: None,
        position: 0,
        events: vec![],
        ..webhook(7, 1)
    };
    host.commit(&Changes {
        webhooks: vec![Write::insert(fresh.clone())],
        ..changes()
    })
    .await
    .unwrap();
    host.commit(&event_changes(&[(1, 50, 1), (2, 60, 1), (1, 50, 2)]))
        .await
        .unwrap();
    let takes = (0..5).map(|_| outbox::take(host, &settings, &fresh));
    let taken: Vec<_> = join_all(takes)
        .await
        .into_iter()
        .filter_map(Result::unwrap)
        .collect();
    assert_eq!(taken.len(), 1, "only one of five callers gets the lease");
    let first = &taken[0];
    assert_eq!(
        first.lanes.iter().map(Vec::len).collect::<Vec<_>>(),
        [2, 1],
        "by order"
    );
    assert_eq!(due(host, 0).await, [0_u64; 0], "the webhook is leased");

    // The holder crashes. After the lease, the next holder sends the same messages with the same
    // names.
    let left = host.webhook(webhook_id(7)).await.unwrap().unwrap();
    let second = outbox::take(host, &settings, &left).await.unwrap().unwrap();
    assert_eq!(names(&second), names(first));
    outbox::finish(
        host,
        &settings,
        first,
        tried(first, AttemptResult::Status(500)),
    )
    .await
    .unwrap();
    assert_eq!(
        host.find_attempts(AttemptQuery::Webhook {
            webhook: webhook_id(7),
            before: None,
            limit: 9
        })
        .await,
        Ok(vec![]),
        "the previous holder stores no results"
    );
    outbox::finish(
        host,
        &settings,
        &second,
        tried(&second, AttemptResult::Status(200)),
    )
    .await
    .unwrap();
    let settled = host.webhook(webhook_id(7)).await.unwrap().unwrap();
    assert_eq!(
        (settled.position, &settled.lease, settled.failures),
        (3, &None, 0)
    );
    assert_eq!(
        host.find_attempts(AttemptQuery::Webhook {
            webhook: webhook_id(7),
            before: None,
            limit: 9
        })
        .await
        .unwrap()
        .len(),
        3
    );
    assert!(host.messages(webhook_id(7)).await.unwrap().is_empty());
    assert_eq!(
        outbox::take(host, &settings, &settled)
            .await
            .map(|batch| batch.is_none()),
        Ok(true),
        "no message is left"
    );
}

pub(crate) async fn stopped_webhook_creates_a_notification(backend: impl Backend) {
    let host = backend.host();
    let settings = Settings::default();
    put_merchant(host).await;
    let fresh = Webhook {
        due_at: None,
        lease: None,
        position: 0,
        events: vec![],
        ..webhook(7, 1)
    };
    host.commit(&Changes {
        webhooks: vec![Write::insert(fresh.clone())],
        ..changes()
    })
    .await
    .unwrap();
    host.commit(&event_changes(&[(1, 50, 1)])).await.unwrap();
    let batch = outbox::take(host, &settings, &fresh)
        .await
        .unwrap()
        .unwrap();
    // The store rotates the secret in the meantime. Both the rotation and the result of the
    // delivery are stored.
    let held = host.webhook(webhook_id(7)).await.unwrap().unwrap();
    let rotated = held.rotated("c".to_owned(), at(0));
    host.commit(&Changes {
        webhooks: vec![update(held.version, rotated)],
        ..changes()
    })
    .await
    .unwrap();
    outbox::finish(
        host,
        &settings,
        &batch,
        tried(&batch, AttemptResult::Status(410)),
    )
    .await
    .unwrap();
    let ended = host.webhook(webhook_id(7)).await.unwrap().unwrap();
    assert!(
        matches!(ended.state, WebhookState::Ended { .. }) && ended.secrets[0].nonce == "c",
        "{ended:?}"
    );
    let received = host.notifications(store_id(1), None, 9).await.unwrap();
    assert_eq!(
        received
            .iter()
            .map(|one| one.kind.name())
            .collect::<Vec<_>>(),
        ["webhook_stopped"]
    );
    assert_eq!(due(host, 1_000_000).await, [0_u64; 0]);
}
