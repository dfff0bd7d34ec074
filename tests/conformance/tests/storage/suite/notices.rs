//! Notifications, and claims on idempotency keys.

use despacho_core::{
    changes::Changes,
    host::{Host, HostError, Storage, StorageUsage, UsageQuery},
    model::{
        NotificationId,
        store::{Claim, ClaimChange, Notification},
    },
};
use futures_util::future::join_all;

use super::{
    Backend,
    fixtures::{at, changes, claim, notification, store_id, with_response},
};

fn notify(notifications: Vec<Notification>) -> Changes {
    Changes {
        notifications,
        ..changes()
    }
}

async fn numbers<H: Host>(host: &H, before: Option<u64>, limit: u32) -> Vec<u64> {
    let before = before.and_then(NotificationId::new);
    let page = host
        .notifications(store_id(1), before, limit)
        .await
        .unwrap();
    page.iter()
        .map(|notification| notification.id.get())
        .collect()
}

pub(crate) async fn notifications_are_read_in_pages(backend: impl Backend) {
    let host = backend.host();
    host.commit(&notify(
        (1..=7).map(|number| notification(number, 1)).collect(),
    ))
    .await
    .unwrap();
    host.commit(&notify(vec![notification(20, 2)]))
        .await
        .unwrap();
    assert_eq!(numbers(host, None, 3).await, [7, 6, 5]);
    assert_eq!(numbers(host, Some(5), 3).await, [4, 3, 2]);
    assert_eq!(numbers(host, Some(2), 3).await, [1]);
    assert_eq!(numbers(host, Some(1), 3).await, [0_u64; 0]);
    assert_eq!(numbers(host, None, 0).await, [0_u64; 0]);
    let read = Notification {
        read_at: Some(at(3)),
        ..notification(6, 1)
    };
    host.commit(&notify(vec![read.clone()])).await.unwrap();
    assert_eq!(
        host.notifications(store_id(1), NotificationId::new(7), 1)
            .await,
        Ok(vec![read])
    );
    assert_eq!(
        numbers(host, None, 100).await.len(),
        7,
        "the notification was replaced, not added"
    );
    assert_eq!(
        host.notifications(store_id(2), None, 9).await,
        Ok(vec![notification(20, 2)])
    );
}

pub(crate) async fn store_keeps_the_newest_500_notifications(backend: impl Backend) {
    let host = backend.host();
    host.commit(&notify(vec![notification(1_000, 2)]))
        .await
        .unwrap();
    for hundred in 0..5 {
        host.commit(&notify(
            (1..=100)
                .map(|number| notification(hundred * 100 + number, 1))
                .collect(),
        ))
        .await
        .unwrap();
    }
    assert_eq!(numbers(host, None, 1_000).await.len(), 500);
    host.commit(&notify(vec![notification(501, 1), notification(502, 1)]))
        .await
        .unwrap();
    let stored = numbers(host, None, 1_000).await;
    assert_eq!(
        (stored.len(), stored.first(), stored.last()),
        (500, Some(&502), Some(&3))
    );
    let removed = Notification {
        read_at: Some(at(1)),
        ..notification(2, 1)
    };
    host.commit(&notify(vec![removed])).await.unwrap();
    assert_eq!(
        numbers(host, None, 1_000).await,
        stored,
        "marking a removed notification as read does not restore it"
    );
    assert_eq!(
        host.notifications(store_id(2), None, 9)
            .await
            .unwrap()
            .len(),
        1,
        "another store keeps its notifications"
    );
}

fn take(minutes: i64, claim: Claim) -> Changes {
    Changes {
        at: at(minutes),
        claim: Some(ClaimChange::Take(claim)),
        ..Changes::default()
    }
}

fn finish(claim: Claim) -> Changes {
    Changes {
        claim: Some(ClaimChange::Finish(claim)),
        ..changes()
    }
}

fn release(claim: &Claim) -> Changes {
    let Claim {
        scope,
        key,
        holder,
        expires_at: until,
        ..
    } = claim.clone();
    Changes {
        claim: Some(ClaimChange::Release {
            scope,
            key,
            holder,
            until,
        }),
        ..changes()
    }
}

pub(crate) async fn claim_has_a_single_holder(backend: impl Backend) {
    let host = backend.host();
    let racers: Vec<Changes> = (0..20)
        .map(|racer| take(0, claim("k", &format!("holder {racer}"))))
        .collect();
    let results = join_all(racers.iter().map(|racer| host.commit(racer))).await;
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
    let held = host.claim("store/1", "k").await.unwrap().unwrap();
    assert_eq!(held, claim("k", &held.holder));
    assert_eq!(
        host.claim("store/2", "k").await,
        Ok(None),
        "another caller's key"
    );
    assert_eq!(host.claim("store/1", "K").await, Ok(None));

    let other = claim("k", "another holder");
    assert_eq!(
        host.commit(&finish(with_response(other.clone()))).await,
        Err(HostError::Conflict)
    );
    host.commit(&release(&other)).await.unwrap();
    assert_eq!(
        host.claim("store/1", "k").await,
        Ok(Some(held.clone())),
        "a release by another holder changes nothing"
    );
    host.commit(&finish(with_response(held.clone())))
        .await
        .unwrap();
    assert_eq!(
        host.claim("store/1", "k").await,
        Ok(Some(with_response(held.clone())))
    );
    host.commit(&release(&held)).await.unwrap();
    assert_eq!(
        host.claim("store/1", "k").await,
        Ok(Some(with_response(held))),
        "a stored response is not released"
    );
    assert_eq!(
        host.commit(&take(6, other)).await,
        Err(HostError::Conflict),
        "the response is stored for a day"
    );

    host.commit(&take(0, claim("other", "a"))).await.unwrap();
    host.commit(&release(&claim("other", "a"))).await.unwrap();
    assert_eq!(host.claim("store/1", "other").await, Ok(None));
    host.commit(&release(&claim("other", "a"))).await.unwrap();
    assert_eq!(
        host.commit(&take(0, claim("other", "b"))).await,
        Ok(()),
        "a released claim is free"
    );
}

pub(crate) async fn stored_responses_are_counted_by_owner_and_hour(backend: impl Backend) {
    let host = backend.host();
    let usage = async |minutes| {
        host.usage(UsageQuery::Claims("merchant/1", at(minutes)))
            .await
            .unwrap()
    };
    let size = with_response(claim("k1", "a")).size();
    for (minutes, key) in [(0, "k1"), (1, "k2"), (70, "k3")] {
        host.commit(&take(minutes, claim(key, "a"))).await.unwrap();
        assert_eq!(usage(minutes).await.bytes % size, 0);
        host.commit(&Changes {
            at: at(minutes),
            ..finish(with_response(claim(key, "a")))
        })
        .await
        .unwrap();
    }
    assert_eq!(
        usage(0).await,
        StorageUsage {
            records: 3,
            bytes: 3 * size
        }
    );
    assert_eq!(
        usage(65).await,
        StorageUsage {
            records: 1,
            bytes: size
        },
        "by the hour"
    );
    assert_eq!(usage(24 * 60).await, StorageUsage::default());
    assert_eq!(
        host.usage(UsageQuery::Claims("merchant/2", at(0))).await,
        Ok(StorageUsage::default())
    );
    let other = with_response(claim("k1", "another holder"));
    assert_eq!(host.commit(&finish(other)).await, Err(HostError::Conflict));
    let unowned = Claim {
        owner: None,
        ..claim("k4", "a")
    };
    host.commit(&take(0, unowned.clone())).await.unwrap();
    host.commit(&finish(with_response(unowned))).await.unwrap();
    assert_eq!(
        usage(0).await.records,
        3,
        "a conflict and a claim without an owner are not counted"
    );
}

pub(crate) async fn expired_claim_is_free(backend: impl Backend) {
    let host = backend.host();
    host.commit(&take(0, claim("k", "a"))).await.unwrap();
    let successor = Claim {
        expires_at: at(60),
        ..claim("k", "b")
    };
    assert_eq!(
        host.commit(&take(4, successor.clone())).await,
        Err(HostError::Conflict),
        "the claim expires at minute 5"
    );
    assert_eq!(host.commit(&take(5, successor.clone())).await, Ok(()));
    assert_eq!(
        host.commit(&finish(with_response(claim("k", "a")))).await,
        Err(HostError::Conflict),
        "the claim has another holder"
    );
    assert_eq!(host.claim("store/1", "k").await, Ok(Some(successor)));
}

pub(crate) async fn expired_claims_do_not_accumulate(backend: impl Backend) {
    let host = backend.host();
    for number in 0..400 {
        let ended = Claim {
            expires_at: at(number + 1),
            ..claim(&format!("k{number}"), &format!("holder {number}"))
        };
        host.commit(&take(number, ended)).await.unwrap();
    }
    // An expired claim may or may not be stored. A current claim must be stored.
    let current = host.claim("store/1", "k399").await.unwrap();
    assert_eq!(current.map(|claim| claim.expires_at), Some(at(400)));
}
