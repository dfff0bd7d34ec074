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
    fixtures::{at, changes, claim, notification, responded, store_id},
};

fn notify(notifications: Vec<Notification>) -> Changes {
    Changes { notifications, ..changes() }
}

async fn numbers<H: Host>(host: &H, before: Option<u64>, limit: u32) -> Vec<u64> {
    let before = before.and_then(NotificationId::new);
    let page = host.notifications(store_id(1), before, limit).await.unwrap();
    page.iter().map(|notification| notification.id.get()).collect()
}

pub(crate) async fn notifications_come_in_pages(backend: impl Backend) {
    let host = backend.host();
    host.commit(&notify((1..=7).map(|number| notification(number, 1)).collect())).await.unwrap();
    host.commit(&notify(vec![notification(20, 2)])).await.unwrap();
    assert_eq!(numbers(host, None, 3).await, [7, 6, 5]);
    assert_eq!(numbers(host, Some(5), 3).await, [4, 3, 2]);
    assert_eq!(numbers(host, Some(2), 3).await, [1]);
    assert_eq!(numbers(host, Some(1), 3).await, [0_u64; 0]);
    assert_eq!(numbers(host, None, 0).await, [0_u64; 0]);
    let read = Notification { read_at: Some(at(3)), ..notification(6, 1) };
    host.commit(&notify(vec![read.clone()])).await.unwrap();
    assert_eq!(host.notifications(store_id(1), NotificationId::new(7), 1).await, Ok(vec![read]));
    assert_eq!(numbers(host, None, 100).await.len(), 7, "it was replaced, not added");
    assert_eq!(host.notifications(store_id(2), None, 9).await, Ok(vec![notification(20, 2)]));
}

pub(crate) async fn a_store_keeps_the_newest_500(backend: impl Backend) {
    let host = backend.host();
    host.commit(&notify(vec![notification(1_000, 2)])).await.unwrap();
    for hundred in 0..5 {
        host.commit(&notify((1..=100).map(|number| notification(hundred * 100 + number, 1)).collect())).await.unwrap();
    }
    assert_eq!(numbers(host, None, 1_000).await.len(), 500);
    host.commit(&notify(vec![notification(501, 1), notification(502, 1)])).await.unwrap();
    let kept = numbers(host, None, 1_000).await;
    assert_eq!((kept.len(), kept.first(), kept.last()), (500, Some(&502), Some(&3)));
    let gone = Notification { read_at: Some(at(1)), ..notification(2, 1) };
    host.commit(&notify(vec![gone])).await.unwrap();
    assert_eq!(numbers(host, None, 1_000).await, kept, "reading one that is gone does not bring it back");
    assert_eq!(host.notifications(store_id(2), None, 9).await.unwrap().len(), 1, "another store keeps its own");
}

fn take(minutes: i64, claim: Claim) -> Changes {
    Changes { at: at(minutes), claim: Some(ClaimChange::Take(claim)), ..Changes::default() }
}

fn finish(claim: Claim) -> Changes {
    Changes { claim: Some(ClaimChange::Finish(claim)), ..changes() }
}

fn release(claim: &Claim) -> Changes {
    let Claim { scope, key, holder, expires_at: until, .. } = claim.clone();
    Changes { claim: Some(ClaimChange::Release { scope, key, holder, until }), ..changes() }
}

pub(crate) async fn a_claim_has_one_holder(backend: impl Backend) {
    let host = backend.host();
    let racers: Vec<Changes> = (0..20).map(|racer| take(0, claim("k", &format!("holder {racer}")))).collect();
    let results = join_all(racers.iter().map(|racer| host.commit(racer))).await;
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
    let held = host.claim("store/1", "k").await.unwrap().unwrap();
    assert_eq!(held, claim("k", &held.holder));
    assert_eq!(host.claim("store/2", "k").await, Ok(None), "another caller's key");
    assert_eq!(host.claim("store/1", "K").await, Ok(None));

    let other = claim("k", "stranger");
    assert_eq!(host.commit(&finish(responded(other.clone()))).await, Err(HostError::Conflict));
    host.commit(&release(&other)).await.unwrap();
    assert_eq!(host.claim("store/1", "k").await, Ok(Some(held.clone())), "a stranger's release changes nothing");
    host.commit(&finish(responded(held.clone()))).await.unwrap();
    assert_eq!(host.claim("store/1", "k").await, Ok(Some(responded(held.clone()))));
    host.commit(&release(&held)).await.unwrap();
    assert_eq!(host.claim("store/1", "k").await, Ok(Some(responded(held))), "an answer that is kept is not given up");
    assert_eq!(host.commit(&take(6, other)).await, Err(HostError::Conflict), "the answer is kept for a day");

    host.commit(&take(0, claim("other", "a"))).await.unwrap();
    host.commit(&release(&claim("other", "a"))).await.unwrap();
    assert_eq!(host.claim("store/1", "other").await, Ok(None));
    host.commit(&release(&claim("other", "a"))).await.unwrap();
    assert_eq!(host.commit(&take(0, claim("other", "b"))).await, Ok(()), "given up, so it is free");
}

pub(crate) async fn stored_responses_are_counted_by_owner_and_hour(backend: impl Backend) {
    let host = backend.host();
    let usage = async |minutes| host.usage(UsageQuery::Claims("merchant/1", at(minutes))).await.unwrap();
    let size = responded(claim("k1", "a")).size();
    for (minutes, key) in [(0, "k1"), (1, "k2"), (70, "k3")] {
        host.commit(&take(minutes, claim(key, "a"))).await.unwrap();
        assert_eq!(usage(minutes).await.bytes % size, 0);
        host.commit(&Changes { at: at(minutes), ..finish(responded(claim(key, "a"))) }).await.unwrap();
    }
    assert_eq!(usage(0).await, StorageUsage { records: 3, bytes: 3 * size });
    assert_eq!(usage(65).await, StorageUsage { records: 1, bytes: size }, "by the hour");
    assert_eq!(usage(24 * 60).await, StorageUsage::default());
    assert_eq!(host.usage(UsageQuery::Claims("merchant/2", at(0))).await, Ok(StorageUsage::default()));
    let other = responded(claim("k1", "stranger"));
    assert_eq!(host.commit(&finish(other)).await, Err(HostError::Conflict));
    let unowned = Claim { owner: None, ..claim("k4", "a") };
    host.commit(&take(0, unowned.clone())).await.unwrap();
    host.commit(&finish(responded(unowned))).await.unwrap();
    assert_eq!(usage(0).await.records, 3, "a conflict and a claim without an owner count for nobody");
}

pub(crate) async fn an_ended_claim_is_free(backend: impl Backend) {
    let host = backend.host();
    host.commit(&take(0, claim("k", "a"))).await.unwrap();
    let heir = Claim { expires_at: at(60), ..claim("k", "b") };
    assert_eq!(host.commit(&take(4, heir.clone())).await, Err(HostError::Conflict), "it runs until minute 5");
    assert_eq!(host.commit(&take(5, heir.clone())).await, Ok(()));
    assert_eq!(
        host.commit(&finish(responded(claim("k", "a")))).await,
        Err(HostError::Conflict),
        "it has passed to another"
    );
    assert_eq!(host.claim("store/1", "k").await, Ok(Some(heir)));
}

pub(crate) async fn ended_claims_do_not_pile_up(backend: impl Backend) {
    let host = backend.host();
    for number in 0..400 {
        let ended = Claim { expires_at: at(number + 1), ..claim(&format!("k{number}"), &format!("holder {number}")) };
        host.commit(&take(number, ended)).await.unwrap();
    }
    // Whether an ended claim is still there nobody may ask; one that runs is there whatever was cleared away.
    let running = host.claim("store/1", "k399").await.unwrap();
    assert_eq!(running.map(|claim| claim.expires_at), Some(at(400)));
}
