//! Balances and the ledger.

use despacho_core::{
    changes::{Changes, Write},
    host::{Host, HostError, StatementQuery, Storage, StoreQuery},
    model::{
        Timestamp,
        order::{Order, OrderStatus},
        store::{EntryKind, LedgerEntry, Period, StatementLine, Store, TopUp},
    },
    rules::stores,
};
use futures_util::future::join_all;

use super::{
    Backend,
    fixtures::{
        Rng, at, changes, cnpj, entry, key, money, order, order_id, store, store_id, top_up, update,
    },
};

fn book(entries: Vec<LedgerEntry>) -> Changes {
    Changes {
        ledger: entries,
        ..changes()
    }
}

async fn balance<H: Host>(host: &H, number: u64) -> i64 {
    host.store(store_id(number))
        .await
        .unwrap()
        .unwrap()
        .balance
        .centavos()
}

async fn put_store<H: Host>(host: &H) {
    host.commit(&Changes {
        stores: vec![Write::insert(store(1))],
        ..changes()
    })
    .await
    .unwrap();
}

pub(crate) async fn balance_is_the_sum_of_its_entries(backend: impl Backend) {
    let host = backend.host();
    put_store(host).await;
    assert_eq!(balance(host, 1).await, 0);
    host.commit(&book(vec![entry(1, 10_000, None), entry(1, -2_550, None)]))
        .await
        .unwrap();
    assert_eq!(balance(host, 1).await, 7_450);
    host.commit(&book(vec![entry(1, -9_000, None)]))
        .await
        .unwrap();
    assert_eq!(
        balance(host, 1).await,
        -1_550,
        "without a floor, the balance can be negative"
    );
    let keys = vec![Write::insert(key(5, 1))];
    host.commit(&Changes { keys, ..changes() }).await.unwrap();
    let holder = host.key(&key(5, 1).hash).await.unwrap().unwrap();
    assert_eq!(holder.store.balance.centavos(), -1_550);
    let by_cnpj = host
        .find_stores(StoreQuery::Cnpj(cnpj(1).as_str()))
        .await
        .unwrap()
        .pop()
        .unwrap();
    assert_eq!(by_cnpj.balance.centavos(), -1_550);

    assert_eq!(
        host.commit(&book(vec![entry(2, 1, None)])).await,
        Err(HostError::Conflict),
        "the store does not exist"
    );
    let beyond = book(vec![
        entry(1, 1_000_000_000_000_000, None),
        entry(1, 1_000_000_000_000_000, None),
    ]);
    assert_eq!(
        host.commit(&beyond).await,
        Err(HostError::Conflict),
        "the balance would leave the range of `Money`"
    );
    assert_eq!(balance(host, 1).await, -1_550);
}

pub(crate) async fn concurrent_debits_never_pass_the_floor(backend: impl Backend) {
    let host = backend.host();
    put_store(host).await;
    host.commit(&book(vec![entry(1, 1_000, None)]))
        .await
        .unwrap();
    let debits: Vec<Changes> = (0..60)
        .map(|_| book(vec![entry(1, -30, Some(-50))]))
        .collect();
    let results = join_all(debits.iter().map(|debit| host.commit(debit))).await;
    // From 10.00 to -0.50 in steps of 0.30, exactly 35 debits succeed, in any order.
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 35);
    assert!(
        results
            .iter()
            .all(|result| matches!(result, Ok(()) | Err(HostError::Conflict))),
        "{results:?}"
    );
    assert_eq!(balance(host, 1).await, -50);
    assert_eq!(
        host.commit(&book(vec![entry(1, -1, Some(-50))])).await,
        Err(HostError::Conflict)
    );
    assert_eq!(
        host.commit(&book(vec![entry(1, -1, Some(-51))])).await,
        Ok(()),
        "each entry has its own floor"
    );
    let back_and_forth = book(vec![entry(1, -1, Some(-51)), entry(1, 500, None)]);
    assert_eq!(
        host.commit(&back_and_forth).await,
        Err(HostError::Conflict),
        "every entry is checked in order"
    );
    assert_eq!(balance(host, 1).await, -51);
}

pub(crate) async fn store_write_does_not_change_the_balance(backend: impl Backend) {
    let host = backend.host();
    let with_balance = Store {
        balance: money(99_999),
        ..store(1)
    };
    host.commit(&Changes {
        stores: vec![Write::insert(with_balance)],
        ..changes()
    })
    .await
    .unwrap();
    assert_eq!(balance(host, 1).await, 0);
    host.commit(&book(vec![entry(1, 700, None)])).await.unwrap();
    let stale = Store {
        balance: money(-5),
        ..store(1)
    };
    // A change of the balance does not change the version of the store.
    host.commit(&Changes {
        stores: vec![update(1, stale)],
        ..changes()
    })
    .await
    .unwrap();
    assert_eq!(balance(host, 1).await, 700);
}

fn ever() -> Period {
    Period {
        from: Timestamp::default(),
        until: Timestamp::from_millis(i64::MAX),
        after: None,
    }
}

/// Reads all lines of a statement, page by page.
async fn lines<H: Host>(host: &H, number: u64) -> Vec<StatementLine> {
    let (mut all, mut period) = (Vec::new(), ever());
    loop {
        let page = host
            .statement(store_id(number), StatementQuery::Period(period, 700))
            .await
            .unwrap();
        let Some(last) = page.last() else { return all };
        period.after = Some(last.id);
        all.extend(page);
    }
}

pub(crate) async fn statement_adds_up_at_every_entry(backend: impl Backend) {
    let host = backend.host();
    let stores = vec![Write::insert(store(1)), Write::insert(store(2))];
    host.commit(&Changes {
        stores,
        ..changes()
    })
    .await
    .unwrap();
    let mut rng = Rng::new(11);
    let (mut sums, mut counts) = ([0_i64; 2], [0_usize; 2]);
    for _ in 0..1_000 {
        // Each commit has ten entries for both stores. Some commits pass a floor and store nothing.
        let (mut then, mut kept) = (sums, [0_usize; 2]);
        let (mut entries, mut fits) = (Vec::new(), true);
        for _ in 0..10 {
            let index = usize::try_from(rng.below(2)).unwrap();
            let amount = i64::try_from(rng.below(4_000)).unwrap() - 1_900;
            let floor = rng.once_in(4).then_some(-20_000);
            then[index] += amount;
            kept[index] += 1;
            fits &= floor.is_none_or(|floor| then[index] >= floor);
            entries.push(entry(index as u64 + 1, amount, floor));
        }
        let expected = if fits {
            Ok(())
        } else {
            Err(HostError::Conflict)
        };
        assert_eq!(host.commit(&book(entries)).await, expected);
        if fits {
            sums = then;
            counts = [counts[0] + kept[0], counts[1] + kept[1]];
        }
        assert_eq!([balance(host, 1).await, balance(host, 2).await], sums);
    }
    for (at, number) in [1, 2].into_iter().enumerate() {
        let lines = lines(host, number).await;
        let mut sum = 0;
        for line in &lines {
            sum += line.amount.centavos();
            assert_eq!(line.balance.centavos(), sum, "{line:?}");
        }
        assert_eq!((lines.len(), sum), (counts[at], sums[at]));
        assert!(
            lines.is_sorted_by_key(|line| line.id) && lines.len() > 3_000,
            "{}",
            lines.len()
        );
    }
}

pub(crate) async fn reference_is_booked_once(backend: impl Backend) {
    let host = backend.host();
    let stores = vec![Write::insert(store(1)), Write::insert(store(2))];
    host.commit(&Changes {
        stores,
        ..changes()
    })
    .await
    .unwrap();
    let at_minute = |minute, top_up: TopUp| TopUp {
        at: at(minute),
        ..top_up
    };
    let booked = |top_up| Changes {
        top_ups: vec![top_up],
        ..changes()
    };
    let same: Vec<Changes> = (0..10)
        .map(|_| booked(at_minute(1, top_up(1, 500, "PIX-1"))))
        .collect();
    let results = join_all(same.iter().map(|changes| host.commit(changes))).await;
    assert_eq!(
        results.iter().filter(|result| result.is_ok()).count(),
        1,
        "{results:?}"
    );
    assert_eq!(balance(host, 1).await, 500);
    host.commit(&booked(at_minute(2, top_up(2, 900, "PIX-1"))))
        .await
        .unwrap();
    host.commit(&booked(at_minute(3, top_up(1, 70, "PIX \"2\", x"))))
        .await
        .unwrap();
    let line = host
        .statement(store_id(1), StatementQuery::TopUp("PIX \"2\", x"))
        .await
        .unwrap()
        .pop()
        .unwrap();
    assert_eq!(
        (line.kind, line.order, line.amount, line.balance),
        (EntryKind::TopUp, None, money(70), money(570))
    );
    assert_eq!(
        host.statement(store_id(2), StatementQuery::TopUp("PIX-2"))
            .await,
        Ok(vec![])
    );
    let between = Period {
        from: at(1),
        until: at(3),
        after: None,
    };
    let page = host
        .statement(store_id(1), StatementQuery::Period(between, 9))
        .await
        .unwrap();
    assert_eq!(
        page.iter()
            .map(|line| line.reference.as_deref())
            .collect::<Vec<_>>(),
        [Some("PIX-1")],
        "from is inclusive, until is exclusive"
    );
    assert_eq!(
        host.commit(&booked(top_up(9, 1, "PIX-9"))).await,
        Err(HostError::Conflict),
        "the store does not exist"
    );
}

async fn put_stores<H: Host>(host: &H, numbers: &[u64]) {
    let stores = numbers
        .iter()
        .map(|number| Write::insert(store(*number)))
        .collect();
    host.commit(&Changes {
        stores,
        ..changes()
    })
    .await
    .unwrap();
}

pub(crate) async fn parent_and_branches_share_one_floor(backend: impl Backend) {
    let host = backend.host();
    put_stores(host, &[1, 2, 3, 5]).await;
    // A top-up of any of the stores adds to the shared balance.
    let top_ups = vec![top_up(3, 800, "PIX-3"), top_up(1, 200, "PIX-1")];
    host.commit(&Changes {
        top_ups,
        ..changes()
    })
    .await
    .unwrap();
    for number in [1, 3, 5] {
        assert_eq!(balance(host, number).await, 1_000, "store {number}");
    }
    assert_eq!(
        balance(host, 2).await,
        0,
        "an invoiced branch has its own balance"
    );
    let debits: Vec<Changes> = (0..60)
        .map(|at| book(vec![entry([1, 3, 5][at % 3], -30, Some(-50))]))
        .collect();
    let results = join_all(debits.iter().map(|debit| host.commit(debit))).await;
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 35);
    assert!(
        results
            .iter()
            .all(|result| matches!(result, Ok(()) | Err(HostError::Conflict))),
        "{results:?}"
    );
    for number in [1, 3, 5] {
        assert_eq!(balance(host, number).await, -50, "store {number}");
        assert_eq!(
            host.commit(&book(vec![entry(number, -1, Some(-50))])).await,
            Err(HostError::Conflict)
        );
    }
    // Another branch can spend the refund of a branch.
    host.commit(&book(vec![entry(3, 30, None)])).await.unwrap();
    host.commit(&book(vec![entry(5, -30, Some(-50))]))
        .await
        .unwrap();
    assert_eq!(balance(host, 1).await, -50);
}

pub(crate) async fn shared_balance_statements_name_the_branches(backend: impl Backend) {
    let host = backend.host();
    put_stores(host, &[1, 2, 3, 5]).await;
    for number in 0..4 {
        let entries = vec![
            entry(1, -1, None),
            entry(3, -10, None),
            entry(5, -100, None),
            entry(2, -1_000, None),
        ];
        host.commit(&book(entries)).await.unwrap();
        let payment = top_up(3, 60, &format!("PIX-{number}"));
        host.commit(&Changes {
            top_ups: vec![payment],
            ..changes()
        })
        .await
        .unwrap();
    }
    let all = lines(host, 1).await;
    assert_eq!(all.len(), 16);
    let mut sum = 0;
    for line in &all {
        sum += line.amount.centavos();
        assert_eq!(line.balance.centavos(), sum, "{line:?}");
    }
    assert_eq!(sum, balance(host, 5).await);
    for (number, count) in [(3, 8), (5, 4)] {
        let own = lines(host, number).await;
        let expected: Vec<_> = all
            .iter()
            .filter(|line| line.store == store_id(number))
            .cloned()
            .collect();
        assert_eq!((own.len(), &own), (count, &expected), "store {number}");
    }
    assert!(
        lines(host, 2)
            .await
            .iter()
            .all(|line| line.store == store_id(2) && line.amount == money(-1_000))
    );
    // Pages of any size contain both kinds of lines in the same order.
    let (mut paged, mut period) = (Vec::new(), ever());
    while let Some(line) = host
        .statement(store_id(3), StatementQuery::Period(period, 1))
        .await
        .unwrap()
        .pop()
    {
        period.after = Some(line.id);
        paged.push(line);
    }
    assert_eq!(paged, lines(host, 3).await);
    for number in [1, 3, 5] {
        let found = host
            .statement(store_id(number), StatementQuery::TopUp("PIX-2"))
            .await
            .unwrap()
            .pop()
            .unwrap();
        assert_eq!(
            (found.store, found.amount),
            (store_id(3), money(60)),
            "a reference is unique per balance"
        );
    }
    assert_eq!(
        host.statement(store_id(2), StatementQuery::TopUp("PIX-2"))
            .await,
        Ok(vec![])
    );
    let again = Changes {
        top_ups: vec![top_up(5, 60, "PIX-2")],
        ..changes()
    };
    assert_eq!(
        host.commit(&again).await,
        Err(HostError::Conflict),
        "another branch has already booked the reference"
    );
}

pub(crate) async fn removed_branch_leaves_no_balance(backend: impl Backend) {
    let host = backend.host();
    put_stores(host, &[1, 2, 3, 4]).await;
    host.commit(&book(vec![
        entry(2, -4_516, None),
        entry(3, -7, None),
        entry(4, 90, None),
    ]))
    .await
    .unwrap();
    let debtor = host.store(store_id(2)).await.unwrap().unwrap();
    let unsettled = Changes {
        stores: vec![update(
            1,
            Store {
                deleted_at: Some(at(1)),
                ..debtor.clone()
            },
        )],
        ..changes()
    };
    assert_eq!(
        host.commit(&unsettled).await,
        Err(HostError::Conflict),
        "a branch with a debt cannot be removed"
    );
    // The balance changes after the removal was decided.
    let stale = stores::remove(&debtor, store_id(1), at(1));
    host.commit(&book(vec![entry(2, -1, None)])).await.unwrap();
    assert_eq!(host.commit(&stale).await, Err(HostError::Conflict));
    for number in [2, 3, 4] {
        let branch = host.store(store_id(number)).await.unwrap().unwrap();
        host.commit(&stores::remove(&branch, store_id(1), at(1)))
            .await
            .unwrap();
        assert_eq!(host.store(store_id(number)).await, Ok(None));
        assert!(
            host.find_stores(StoreQuery::IdOrRemoved(store_id(number)))
                .await
                .unwrap()
                .pop()
                .unwrap()
                .deleted_at
                .is_some()
        );
        assert_eq!(
            host.commit(&book(vec![entry(number, 5, None)])).await,
            Err(HostError::Conflict)
        );
        let late = Changes {
            top_ups: vec![top_up(number, 5, "late")],
            ..changes()
        };
        assert_eq!(host.commit(&late).await, Err(HostError::Conflict));
    }
    assert_eq!(balance(host, 1).await, -4_517 - 7 + 90);
    let moved = |lines: Vec<StatementLine>| -> Vec<(EntryKind, u64, i64, i64)> {
        let columns = |line: StatementLine| {
            (
                line.kind,
                line.store.get(),
                line.amount.centavos(),
                line.balance.centavos(),
            )
        };
        lines.into_iter().map(columns).collect()
    };
    let (fee, transfer) = (EntryKind::Fee, EntryKind::Transfer);
    let expected = [
        (fee, 2, -4_516, -4_516),
        (fee, 2, -1, -4_517),
        (transfer, 2, 4_517, 0),
        (transfer, 2, -4_517, -4_524),
    ];
    assert_eq!(moved(lines(host, 2).await), expected);
    assert_eq!(
        moved(lines(host, 3).await),
        [(fee, 3, -7, -7)],
        "shared entries remain with the parent store"
    );
    let expected = [
        (fee, 3, -7, -7),
        (transfer, 2, -4_517, -4_524),
        (transfer, 4, 90, -4_434),
    ];
    assert_eq!(moved(lines(host, 1).await), expected);
}

pub(crate) async fn branch_removal_and_order_exclude_each_other(backend: impl Backend) {
    let host = backend.host();
    let branches = 10..40_u64;
    let numbers: Vec<u64> = std::iter::once(1).chain(branches.clone()).collect();
    put_stores(host, &numbers).await;
    for number in branches {
        let branch = host.store(store_id(number)).await.unwrap().unwrap();
        let removal = stores::remove(&branch, store_id(1), at(1));
        let placed = Changes {
            orders: vec![Write::insert(Order {
                status: OrderStatus::Ready,
                ..order(number, number, "P")
            })],
            ledger: vec![entry(number, -1, None)],
            ..changes()
        };
        let both = [removal, placed];
        let results = join_all(both.iter().map(|changes| host.commit(changes))).await;
        let removed = host.store(store_id(number)).await.unwrap().is_none();
        let placed = host.order(order_id(number)).await.unwrap().is_some();
        assert!(
            removed != placed,
            "store {number}: removed {removed}, with an order {placed}: {results:?}"
        );
        assert_eq!(
            results.iter().filter(|result| result.is_ok()).count(),
            1,
            "{results:?}"
        );
    }
}
