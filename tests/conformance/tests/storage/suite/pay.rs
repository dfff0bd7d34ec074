//! Pay plans, and the entries of couriers' pay.

use std::sync::Arc;

use despacho_core::{
    changes::{Changes, PayPlanChange},
    host::{Host, HostError, PayEntryQuery, PayPlanQuery, Storage},
    model::{
        PayEntryId, PayPlanId,
        audit::{Actor, ActorKind},
        pay::{PayEntry, PayKind, PayPeriod, PayPlan, PaySource, RecordedPayEntry, StoredPayPlan},
    },
};
use futures_util::future::join_all;

use super::{
    Backend,
    fixtures::{at, changes, courier_id, money, order_id, store_id},
};

/// Returns a version of a plan that takes effect at a minute.
pub(crate) fn plan(name: &str, number: u64, minute: i64) -> StoredPayPlan {
    let plan = PayPlan {
        version: format!("2026.{number}"),
        per_km: "1.2345".parse().unwrap(),
        ..PayPlan::default()
    };
    StoredPayPlan {
        id: PayPlanId::new(number).unwrap(),
        name: name.to_owned(),
        effective_from: at(minute),
        created_at: at(-1),
        plan: Arc::new(plan),
    }
}

/// Returns the entry of a line of order 50, or of the operator if `line` is `None`.
pub(crate) fn entry(courier: u64, minute: i64, line: Option<u32>) -> PayEntry {
    let operator = Actor {
        kind: ActorKind::Operator,
        id: None,
        name: None,
    };
    let is_calculated = line.is_some();
    PayEntry {
        at: at(minute),
        courier: courier_id(courier),
        payer: is_calculated.then(|| store_id(1)),
        kind: if is_calculated {
            PayKind::Distance
        } else {
            PayKind::Correction
        },
        quantity: line.map(|_| "1.4".parse().unwrap()),
        amount: money(if is_calculated { 210 } else { -33 }),
        order: Some(order_id(50)),
        order_code: Some("P-1".to_owned()),
        delivery: None,
        plan_version: line.map(|_| "2026.1".to_owned()),
        corrects: PayEntryId::new(3).filter(|_| !is_calculated),
        reason: (!is_calculated).then(|| "km errados".to_owned()),
        actor: (!is_calculated).then_some(operator),
        source: line.map_or(PaySource::Operator, |line| PaySource::Order {
            attempt: 1,
            line,
        }),
    }
}

fn insert(plan: StoredPayPlan) -> Changes {
    Changes {
        pay_plans: vec![PayPlanChange::Insert(plan)],
        ..changes()
    }
}

fn append(pay: Vec<PayEntry>) -> Changes {
    Changes { pay, ..changes() }
}

async fn numbers<H: Host>(host: &H, query: PayPlanQuery<'_>) -> Vec<u64> {
    let plans = host.find_pay_plans(query).await.unwrap();
    plans.iter().map(|plan| plan.id.get()).collect()
}

/// Returns the entries of a courier, without the IDs that the commits assigned.
pub(crate) async fn entries(host: &impl Host, courier: u64) -> Vec<PayEntry> {
    let read = period(host, courier, (-1_000, 1_000), None, 100).await;
    read.into_iter().map(|one| one.entry).collect()
}

async fn period(
    host: &impl Host,
    courier: u64,
    (from, until): (i64, i64),
    after: Option<&RecordedPayEntry>,
    limit: u32,
) -> Vec<RecordedPayEntry> {
    let period = PayPeriod {
        from: at(from),
        until: at(until),
        after: after.map(RecordedPayEntry::order),
    };
    let query = PayEntryQuery::Period(period, limit);
    host.pay_entries(courier_id(courier), query).await.unwrap()
}

pub(crate) async fn plans_are_read_as_written_latest_first(backend: impl Backend) {
    let host = backend.host();
    let all = [
        plan("moto", 7, -20),
        plan("bike", 5, -10),
        plan("moto", 8, 10),
        plan("moto", 9, 5),
    ];
    for plan in &all {
        host.commit(&insert(plan.clone())).await.unwrap();
    }
    let page = |before, limit| PayPlanQuery::Before { before, limit };
    assert_eq!(numbers(host, page(None, 9)).await, [8, 9, 5, 7]);
    let after = Some(all[3].order());
    assert_eq!(numbers(host, page(after, 1)).await, [5]);
    assert_eq!(
        host.find_pay_plans(PayPlanQuery::Version("2026.9")).await,
        Ok(vec![all[3].clone()])
    );
    let id = PayPlanId::new(7).unwrap();
    assert_eq!(numbers(host, PayPlanQuery::Id(id)).await, [7]);
    for (minute, expected) in [(-21, &[][..]), (-10, &[5, 7]), (5, &[9, 5]), (99, &[8, 5])] {
        let in_force = numbers(host, PayPlanQuery::InForce(at(minute))).await;
        assert_eq!(in_force, expected, "at minute {minute}");
    }
}

pub(crate) async fn plan_versions_are_unique(backend: impl Backend) {
    let host = backend.host();
    host.commit(&insert(plan("moto", 7, 10))).await.unwrap();
    let same_time = plan("moto", 8, 10);
    let same_version = StoredPayPlan {
        id: PayPlanId::new(8).unwrap(),
        effective_from: at(11),
        ..plan("bike", 7, 11)
    };
    for conflict in [plan("bike", 7, 11), same_time, same_version] {
        let done = host.commit(&insert(conflict)).await;
        assert_eq!(done, Err(HostError::Conflict));
    }
    let racing: Vec<Changes> = (20..26)
        .map(|number| insert(plan("race", number, 1)))
        .collect();
    let done = join_all(racing.iter().map(|changes| host.commit(changes))).await;
    assert_eq!(done.iter().filter(|done| done.is_ok()).count(), 1);
}

pub(crate) async fn started_plan_is_not_removed(backend: impl Backend) {
    let host = backend.host();
    host.commit(&insert(plan("moto", 7, 0))).await.unwrap();
    host.commit(&insert(plan("moto", 8, 1))).await.unwrap();
    let remove = |number| Changes {
        pay_plans: vec![PayPlanChange::Remove(PayPlanId::new(number).unwrap())],
        at: at(0),
        ..changes()
    };
    assert_eq!(host.commit(&remove(7)).await, Err(HostError::Conflict));
    host.commit(&remove(8)).await.unwrap();
    assert_eq!(host.commit(&remove(8)).await, Err(HostError::Conflict));
    let all = PayPlanQuery::InForce(at(99));
    assert_eq!(numbers(host, all).await, [7]);
}

pub(crate) async fn entries_are_read_by_courier_and_period(backend: impl Backend) {
    let host = backend.host();
    let written = [
        entry(9, 5, Some(0)),
        entry(9, 5, Some(1)),
        entry(8, 5, None),
        entry(9, 3, None),
        entry(9, 7, None),
    ];
    for entry in &written {
        host.commit(&append(vec![entry.clone()])).await.unwrap();
    }
    let expected = [3, 0, 1, 4].map(|at| written[at].clone());
    assert_eq!(entries(host, 9).await, expected);
    assert_eq!(entries(host, 8).await, [written[2].clone()]);
    assert_eq!(entries(host, 7).await, []);
    let first = period(host, 9, (4, 7), None, 1).await;
    assert_eq!(first[0].entry, written[0]);
    let rest = period(host, 9, (4, 7), first.first(), 9).await;
    let rest: Vec<_> = rest.into_iter().map(|one| one.entry).collect();
    assert_eq!(rest, [written[1].clone()]);
    let by_id = PayEntryQuery::Id(first[0].id);
    assert_eq!(host.pay_entries(courier_id(9), by_id).await, Ok(first));
    assert_eq!(host.pay_entries(courier_id(8), by_id).await, Ok(vec![]));
}

pub(crate) async fn calculated_entry_is_written_once(backend: impl Backend) {
    let host = backend.host();
    let racing = append(vec![entry(9, 5, Some(0)), entry(9, 5, Some(1))]);
    let done = join_all((0..6).map(|_| host.commit(&racing))).await;
    assert_eq!(done.iter().filter(|done| done.is_ok()).count(), 1);
    assert_eq!(entries(host, 9).await, racing.pay);
    let late = append(vec![entry(9, 8, Some(2)), entry(9, 8, Some(1))]);
    assert_eq!(host.commit(&late).await, Err(HostError::Conflict));
    assert_eq!(
        entries(host, 9).await,
        racing.pay,
        "nothing of it is written"
    );
    // The operator's entries can be equal.
    for _ in 0..2 {
        host.commit(&append(vec![entry(9, 9, None)])).await.unwrap();
    }
    assert_eq!(entries(host, 9).await.len(), 4);
}
