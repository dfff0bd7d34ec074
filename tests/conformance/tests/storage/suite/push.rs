//! Pushes to couriers: they are due from the assignment on, in its commit, and one instance takes
//! each.

use despacho_core::{
    changes::{Changes, Write},
    drivers::{
        dispatch::run_pass,
        push::{PushBatch, finish, take},
    },
    host::{CourierQuery, Host, Platform, Storage},
    model::{
        CourierId,
        courier::{Courier, PushDue, PushSubscription},
        webhook::AttemptResult,
    },
    rules::{
        push::{PushConfig, VapidKey},
        settings::Settings,
    },
};
use futures_util::future::join;

use super::{
    Backend,
    dispatch::{at_minute, free_courier, put, searching_order},
    fixtures::{at, changes, courier, update},
};

/// Returns a courier with a subscription for each of these times, at which a push is due.
fn subscribed(courier: Courier, due: &[Option<i64>]) -> Courier {
    let subscription = |(number, due): (usize, &Option<i64>)| PushSubscription {
        endpoint: format!("https://push.example/{}/{number}", courier.id),
        created_at: at(0),
        session: None,
        due: due.map(|minutes| PushDue {
            since: at(0),
            at: at(minutes),
            tries: 1,
        }),
    };
    Courier {
        push: due.iter().enumerate().map(subscription).collect(),
        ..courier
    }
}

async fn due(host: &impl Host, minutes: i64, limit: u32) -> Vec<u64> {
    let found = host
        .find_couriers(CourierQuery::PushDue {
            now: at(minutes),
            limit,
        })
        .await
        .unwrap();
    found.iter().map(|courier| courier.id.get()).collect()
}

pub(crate) async fn couriers_are_found_by_their_first_due_push(backend: impl Backend) {
    let host = backend.host();
    let couriers = vec![
        subscribed(courier(20), &[Some(9), Some(5), None]),
        subscribed(courier(21), &[Some(4)]),
        subscribed(courier(22), &[Some(5)]),
        subscribed(courier(23), &[None]),
        subscribed(courier(24), &[]),
    ];
    let couriers = couriers.into_iter().map(Write::insert).collect();
    host.commit(&Changes {
        couriers,
        ..changes()
    })
    .await
    .unwrap();
    assert_eq!(due(host, 3, 9).await, [0; 0]);
    assert_eq!(due(host, 4, 9).await, [21]);
    assert_eq!(due(host, 5, 9).await, [21, 20, 22]);
    assert_eq!(due(host, 60, 2).await, [21, 20]);
    let next = vec![
        update(1, subscribed(courier(20), &[Some(9)])),
        update(1, subscribed(courier(21), &[None])),
    ];
    host.commit(&Changes {
        couriers: next,
        ..changes()
    })
    .await
    .unwrap();
    assert_eq!(due(host, 8, 9).await, [22]);
    assert_eq!(due(host, 9, 9).await, [22, 20]);
    assert_eq!(
        host.courier(CourierId::new(22).unwrap())
            .await
            .unwrap()
            .unwrap()
            .push,
        subscribed(courier(22), &[Some(5)]).push
    );
}

fn settings() -> Settings {
    let push = PushConfig {
        vapid_key: VapidKey::new([7; 32]),
        contact: Some("mailto:a@entregas.example".to_owned()),
    };
    Settings {
        push,
        ..Settings::default()
    }
}

pub(crate) async fn assignment_is_pushed_once_by_several_instances(backend: impl Backend) {
    let (settings, now) = (settings(), backend.host().exec_context().now);
    let host = backend.host();
    // The host's clock decides when a push is due, so the order searches at that time.
    let minutes = (now.millis() - at(0).millis()) / 60_000;
    let idle = subscribed(free_courier(21), &[None]);
    put(
        host,
        vec![searching_order(50, minutes)],
        vec![subscribed(free_courier(20), &[None, None])],
        minutes,
    )
    .await;
    host.commit(&Changes {
        couriers: vec![Write::insert(idle)],
        ..changes()
    })
    .await
    .unwrap();
    assert_eq!(take(host, &settings, 9).await.unwrap().0, 0);
    let done = run_pass(host, &settings, &mut at_minute(minutes))
        .await
        .unwrap();
    assert_eq!(done.allocated, 1);
    let backend = backend.restart().await;
    let host = backend.host();
    let (first, second) = join(take(host, &settings, 9), take(host, &settings, 9)).await;
    let batches: Vec<PushBatch> = [first, second]
        .into_iter()
        .flat_map(|taken| taken.unwrap().1)
        .collect();
    let [batch] = &batches[..] else {
        panic!("{} batches", batches.len())
    };
    assert_eq!(batch.jobs.len(), 2);
    assert_eq!(
        take(host, &settings, 9).await.unwrap().0,
        0,
        "until the lease is over"
    );
    finish(
        host,
        batch,
        &[AttemptResult::Status(201), AttemptResult::Status(410)],
    )
    .await
    .unwrap();
    let left = host
        .courier(CourierId::new(20).unwrap())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(left.push, subscribed(free_courier(20), &[None]).push);
    assert_eq!(
        host.find_couriers(CourierQuery::PushDue {
            now: at(i64::from(u32::MAX)),
            limit: 9
        })
        .await
        .unwrap(),
        []
    );
}
