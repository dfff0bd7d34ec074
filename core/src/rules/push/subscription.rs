//! Subscriptions of couriers' browsers, and the attempts of their pushes.

use super::{FIRST_RETRY, MAX_ATTEMPTS};
use crate::{
    changes::{Changes, Write},
    model::{
        Duration, Timestamp,
        courier::{Courier, PushDue, PushSubscription},
        store::KeyHash,
        webhook::AttemptResult,
    },
};

/// Maximum number of subscriptions of a courier. One more replaces the oldest, which probably
/// belongs to a former phone.
pub const MAX_SUBSCRIPTIONS: usize = 5;

/// The result of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PushResult {
    /// URL of the subscription.
    pub endpoint: String,
    /// The push, as [`take`] marked it.
    pub due: PushDue,
    /// The push service's response.
    pub result: AttemptResult,
}

/// Adds a subscription. If a session adds it, it ends with that session; a later session of the
/// same browser takes it over. Returns `None` if it exists.
pub fn subscribe(
    courier: &Courier,
    endpoint: String,
    session: Option<&str>,
    now: Timestamp,
) -> Option<Changes> {
    let session = session.map(KeyHash::of);
    let mut push = courier.push.clone();
    if let Some(existing) = push
        .iter_mut()
        .find(|subscription| subscription.endpoint == endpoint)
    {
        if existing.session == session || existing.session.is_none() {
            return None;
        }
        existing.session = session;
        return Some(with_push(courier, push, now));
    }
    push.push(PushSubscription {
        endpoint,
        created_at: now,
        session,
        due: None,
    });
    push.drain(..push.len().saturating_sub(MAX_SUBSCRIPTIONS));
    Some(with_push(courier, push, now))
}

/// Removes a subscription. Returns `None` if there is none.
pub fn unsubscribe(courier: &Courier, endpoint: &str, now: Timestamp) -> Option<Changes> {
    let mut push = courier.push.clone();
    push.retain(|subscription| subscription.endpoint != endpoint);
    (push != courier.push).then(|| with_push(courier, push, now))
}

/// Takes the due pushes of a courier. Returns the changes, which prevent other instances from
/// sending them until `lease` is over, and the subscriptions with the marks of their pushes. A push
/// is dropped after `ttl`, if the courier carries no order any more, or if its session has ended.
pub fn take(
    courier: &Courier,
    lease: Duration,
    ttl: Duration,
    now: Timestamp,
) -> (Changes, Vec<(PushSubscription, PushDue)>) {
    let (mut push, mut taken) = (courier.push.clone(), Vec::new());
    for subscription in &mut push {
        let Some(due) = subscription.due.filter(|due| due.at <= now) else {
            continue;
        };
        let is_useful = !courier.trip.is_empty() && now < due.since.after(ttl);
        let is_useful = is_useful && courier.has_session(subscription.session.as_ref(), now);
        subscription.due = is_useful.then(|| PushDue {
            at: now.after(lease),
            tries: due.tries + 1,
            ..due
        });
        taken.extend(subscription.due.map(|due| (subscription.clone(), due)));
    }
    (with_push(courier, push, now), taken)
}

/// Applies the results of attempts. Returns `None` if nothing changes. The push of a later
/// assignment is kept.
pub fn settle(courier: &Courier, results: &[PushResult], now: Timestamp) -> Option<Changes> {
    let mut push = courier.push.clone();
    for PushResult {
        endpoint,
        due,
        result,
    } in results
    {
        // The browser's user ended the subscription, or the push service dropped it.
        if matches!(result.status(), Some(404 | 410)) {
            push.retain(|subscription| subscription.endpoint != *endpoint);
            continue;
        }
        let next = (!result.is_success() && due.tries < MAX_ATTEMPTS).then(|| {
            let wait = FIRST_RETRY.as_millis() * 3_i64.saturating_pow(due.tries.saturating_sub(1));
            PushDue {
                at: now.after(Duration::millis(wait)),
                ..*due
            }
        });
        let current = push
            .iter_mut()
            .find(|one| one.endpoint == *endpoint && one.due == Some(*due));
        if let Some(subscription) = current {
            subscription.due = next;
        }
    }
    (push != courier.push).then(|| with_push(courier, push, now))
}

fn with_push(courier: &Courier, push: Vec<PushSubscription>, now: Timestamp) -> Changes {
    let value = Courier {
        push,
        version: courier.version + 1,
        ..courier.clone()
    };
    Changes {
        at: now,
        couriers: vec![Write {
            expected: courier.version,
            value,
        }],
        ..Changes::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::{OrderId, courier::CourierKey, webhook::SendError},
        rules::trips::tests::courier,
    };

    const LEASE: Duration = Duration::seconds(30);
    const TTL: Duration = Duration::minutes(10);

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(1_000_000_000).after(Duration::seconds(seconds))
    }

    fn written(changes: &Changes) -> Courier {
        let [write] = &changes.couriers[..] else {
            panic!("one courier is written")
        };
        assert_eq!(write.value.version, write.expected + 1);
        write.value.clone()
    }

    /// Returns a courier with this number of subscriptions, and an order that was assigned at
    /// second 0.
    fn assigned(subscriptions: usize) -> Courier {
        let mut courier = courier(7, None, at(0), &[]);
        for number in 0..subscriptions {
            courier = written(
                &subscribe(
                    &courier,
                    format!("https://push.example/{number}"),
                    None,
                    at(0),
                )
                .unwrap(),
            );
        }
        assert_eq!(courier.push_at(), None);
        courier.with_order(OrderId::new(9).unwrap(), at(0))
    }

    fn endpoints(courier: &Courier) -> Vec<&str> {
        courier
            .push
            .iter()
            .map(|one| one.endpoint.trim_start_matches("https://push.example/"))
            .collect()
    }

    #[test]
    fn sixth_subscription_replaces_the_oldest() {
        let courier = assigned(6);
        assert_eq!(endpoints(&courier), ["1", "2", "3", "4", "5"]);
        assert_eq!(
            subscribe(&courier, "https://push.example/3".to_owned(), None, at(1)),
            None
        );
        let removed = written(&unsubscribe(&courier, "https://push.example/3", at(1)).unwrap());
        assert_eq!(endpoints(&removed), ["1", "2", "4", "5"]);
        assert_eq!(unsubscribe(&removed, "https://push.example/3", at(1)), None);
    }

    #[test]
    fn push_is_taken_once_until_the_lease_is_over() {
        let courier = assigned(2);
        assert_eq!(courier.push_at(), Some(at(0)));
        let (changes, taken) = take(&courier, LEASE, TTL, at(1));
        let courier = written(&changes);
        assert_eq!((taken.len(), courier.push_at()), (2, Some(at(31))));
        assert!(take(&courier, LEASE, TTL, at(30)).1.is_empty());
        let repeated = take(&courier, LEASE, TTL, at(31)).1;
        assert_eq!(
            repeated[0].1,
            PushDue {
                since: at(0),
                at: at(61),
                tries: 2
            }
        );
    }

    #[test]
    fn push_is_dropped_after_its_ttl_or_without_an_order() {
        let (changes, taken) = take(&assigned(1), LEASE, TTL, at(600));
        assert_eq!((taken, written(&changes).push_at()), (vec![], None));
        let idle = Courier {
            trip: Vec::new(),
            ..assigned(1)
        };
        let (changes, taken) = take(&idle, LEASE, TTL, at(1));
        assert_eq!((taken, written(&changes).push_at()), (vec![], None));
    }

    #[test]
    fn subscription_of_a_session_ends_with_it_or_is_taken_over() {
        let session = |text: &str| CourierKey {
            hash: KeyHash::of(text),
            expires_at: at(600),
        };
        let of = |sessions: &[&str], by: &str, courier: &Courier| {
            let courier = Courier {
                sessions: sessions.iter().map(|text| session(text)).collect(),
                ..courier.clone()
            };
            written(
                &subscribe(
                    &courier,
                    "https://push.example/0".to_owned(),
                    Some(by),
                    at(0),
                )
                .unwrap(),
            )
        };
        let own = of(&["one"], "one", &courier(7, None, at(0), &[]));
        let order = OrderId::new(9).unwrap();
        assert_eq!(
            take(&own.clone().with_order(order, at(0)), LEASE, TTL, at(1))
                .1
                .len(),
            1
        );
        let ended = Courier {
            sessions: vec![session("two")],
            ..own.clone()
        }
        .with_order(order, at(0));
        assert!(
            take(&ended, LEASE, TTL, at(1)).1.is_empty(),
            "the session has ended"
        );
        let again = of(&["two"], "two", &own).with_order(order, at(0));
        assert_eq!(
            (again.push.len(), take(&again, LEASE, TTL, at(1)).1.len()),
            (1, 1)
        );
    }

    fn results(
        taken: &[(PushSubscription, PushDue)],
        results: &[AttemptResult],
    ) -> Vec<PushResult> {
        let pairs = taken.iter().zip(results);
        pairs
            .map(|((one, due), result)| PushResult {
                endpoint: one.endpoint.clone(),
                due: *due,
                result: *result,
            })
            .collect()
    }

    #[test]
    fn accepted_pushes_end_and_gone_subscriptions_are_removed() {
        let (changes, taken) = take(&assigned(4), LEASE, TTL, at(0));
        let responses = [201, 404, 410, 503].map(AttemptResult::Status);
        let courier =
            written(&settle(&written(&changes), &results(&taken, &responses), at(2)).unwrap());
        assert_eq!(endpoints(&courier), ["0", "3"]);
        assert_eq!(
            (courier.push[0].due, courier.push_at()),
            (None, Some(at(7)))
        );
    }

    #[test]
    fn failed_push_is_repeated_four_times_with_growing_delays() {
        let (mut courier, mut now, mut times) = (assigned(1), at(0), Vec::new());
        while let Some(due) = courier.push_at() {
            now = now.max(due);
            times.push(now.since(at(0)).as_millis() / 1_000);
            let (changes, taken) = take(&courier, LEASE, TTL, now);
            let failed = results(&taken, &[AttemptResult::Failed(SendError::Timeout)]);
            courier = written(&settle(&written(&changes), &failed, now).unwrap());
        }
        assert_eq!(times, [0, 5, 20, 65, 200]);
        assert_eq!(courier.push.len(), 1);
    }

    #[test]
    fn result_does_not_end_the_push_of_a_later_order() {
        let (changes, taken) = take(&assigned(1), LEASE, TTL, at(0));
        let courier = written(&changes).with_order(OrderId::new(10).unwrap(), at(1));
        assert_eq!(
            settle(
                &courier,
                &results(&taken, &[AttemptResult::Status(201)]),
                at(2)
            ),
            None
        );
        assert_eq!(courier.push_at(), Some(at(1)));
    }
}
