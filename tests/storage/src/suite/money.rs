//! Balances and the ledger.

use despacho_core::{
    domain::Timestamp,
    host::{Changes, Fault, Host, Write},
    store::{EntryKind, LedgerEntry, Period, StatementLine, Store, TopUp},
};
use futures_util::future::join_all;

use crate::{
    backend::Backend,
    fixtures::{Dice, at, changes, cnpj, entry, key, money, over, store, store_id, top_up},
};

fn book(entries: Vec<LedgerEntry>) -> Changes {
    Changes { ledger: entries, ..changes() }
}

async fn balance<H: Host>(host: &H, number: u64) -> i64 {
    host.store(store_id(number)).await.unwrap().unwrap().balance.centavos()
}

async fn put_store<H: Host>(host: &H) {
    host.commit(&Changes { stores: vec![Write::insert(store(1))], ..changes() }).await.unwrap();
}

pub(crate) async fn a_balance_is_the_sum_of_its_entries(backend: impl Backend) {
    let host = backend.host();
    put_store(host).await;
    assert_eq!(balance(host, 1).await, 0);
    host.commit(&book(vec![entry(1, 10_000, None), entry(1, -2_550, None)])).await.unwrap();
    assert_eq!(balance(host, 1).await, 7_450);
    host.commit(&book(vec![entry(1, -9_000, None)])).await.unwrap();
    assert_eq!(balance(host, 1).await, -1_550, "no floor, no end");
    let keys = vec![Write::insert(key(5, 1))];
    host.commit(&Changes { keys, ..changes() }).await.unwrap();
    let holder = host.key(&key(5, 1).hash).await.unwrap().unwrap();
    assert_eq!(holder.store.balance.centavos(), -1_550);
    let by_cnpj = host.store_by_cnpj(cnpj(1).as_str()).await.unwrap().unwrap();
    assert_eq!(by_cnpj.balance.centavos(), -1_550);

    assert_eq!(host.commit(&book(vec![entry(2, 1, None)])).await, Err(Fault::Conflict), "there is no such store");
    let beyond = book(vec![entry(1, 1_000_000_000_000_000, None), entry(1, 1_000_000_000_000_000, None)]);
    assert_eq!(host.commit(&beyond).await, Err(Fault::Conflict), "beyond any amount");
    assert_eq!(balance(host, 1).await, -1_550);
}

pub(crate) async fn debits_at_once_never_pass_the_floor(backend: impl Backend) {
    let host = backend.host();
    put_store(host).await;
    host.commit(&book(vec![entry(1, 1_000, None)])).await.unwrap();
    let debits: Vec<Changes> = (0..60).map(|_| book(vec![entry(1, -30, Some(-50))])).collect();
    let results = join_all(debits.iter().map(|debit| host.commit(debit))).await;
    // From 10.00 in steps of 0.30 down to -0.50: 35 of them fit, to the centavo, in whatever order they come.
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 35);
    assert!(results.iter().all(|result| matches!(result, Ok(()) | Err(Fault::Conflict))), "{results:?}");
    assert_eq!(balance(host, 1).await, -50);
    assert_eq!(host.commit(&book(vec![entry(1, -1, Some(-50))])).await, Err(Fault::Conflict));
    assert_eq!(host.commit(&book(vec![entry(1, -1, Some(-51))])).await, Ok(()), "a floor is what the entry says");
    let back_and_forth = book(vec![entry(1, -1, Some(-51)), entry(1, 500, None)]);
    assert_eq!(host.commit(&back_and_forth).await, Err(Fault::Conflict), "each entry in its turn");
    assert_eq!(balance(host, 1).await, -51);
}

pub(crate) async fn a_store_write_moves_no_money(backend: impl Backend) {
    let host = backend.host();
    let boastful = Store { balance: money(99_999), ..store(1) };
    host.commit(&Changes { stores: vec![Write::insert(boastful)], ..changes() }).await.unwrap();
    assert_eq!(balance(host, 1).await, 0);
    host.commit(&book(vec![entry(1, 700, None)])).await.unwrap();
    let stale = Store { balance: money(-5), ..store(1) };
    // Money that moved meanwhile is no new version of the store.
    host.commit(&Changes { stores: vec![over(1, stale)], ..changes() }).await.unwrap();
    assert_eq!(balance(host, 1).await, 700);
}

fn ever() -> Period {
    Period { from: Timestamp::default(), until: Timestamp::from_millis(i64::MAX), after: None }
}

/// All lines of a statement, page by page.
async fn lines<H: Host>(host: &H, number: u64) -> Vec<StatementLine> {
    let (mut all, mut period) = (Vec::new(), ever());
    loop {
        let page = host.statement(store_id(number), period, 700).await.unwrap();
        let Some(last) = page.last() else { return all };
        period.after = Some(last.id);
        all.extend(page);
    }
}

pub(crate) async fn a_statement_adds_up_at_every_step(backend: impl Backend) {
    let host = backend.host();
    let stores = vec![Write::insert(store(1)), Write::insert(store(2))];
    host.commit(&Changes { stores, ..changes() }).await.unwrap();
    let mut dice = Dice::new(11);
    let (mut sums, mut counts) = ([0_i64; 2], [0_usize; 2]);
    for _ in 0..1_000 {
        // Ten operations a commit, of both stores; one commit in some passes a floor and leaves nothing.
        let (mut then, mut kept) = (sums, [0_usize; 2]);
        let (mut entries, mut fits) = (Vec::new(), true);
        for _ in 0..10 {
            let whose = usize::try_from(dice.below(2)).unwrap();
            let amount = i64::try_from(dice.below(4_000)).unwrap() - 1_900;
            let floor = dice.once_in(4).then_some(-20_000);
            then[whose] += amount;
            kept[whose] += 1;
            fits &= floor.is_none_or(|floor| then[whose] >= floor);
            entries.push(entry(whose as u64 + 1, amount, floor));
        }
        let wanted = if fits { Ok(()) } else { Err(Fault::Conflict) };
        assert_eq!(host.commit(&book(entries)).await, wanted);
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
        assert!(lines.is_sorted_by_key(|line| line.id) && lines.len() > 3_000, "{}", lines.len());
    }
}

pub(crate) async fn a_reference_books_once(backend: impl Backend) {
    let host = backend.host();
    let stores = vec![Write::insert(store(1)), Write::insert(store(2))];
    host.commit(&Changes { stores, ..changes() }).await.unwrap();
    let at_minute = |minute, top_up: TopUp| TopUp { at: at(minute), ..top_up };
    let booked = |top_up| Changes { top_ups: vec![top_up], ..changes() };
    let same: Vec<Changes> = (0..10).map(|_| booked(at_minute(1, top_up(1, 500, "PIX-1")))).collect();
    let results = join_all(same.iter().map(|changes| host.commit(changes))).await;
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1, "{results:?}");
    assert_eq!(balance(host, 1).await, 500);
    host.commit(&booked(at_minute(2, top_up(2, 900, "PIX-1")))).await.unwrap();
    host.commit(&booked(at_minute(3, top_up(1, 70, "PIX \"2\", x")))).await.unwrap();
    let line = host.top_up(store_id(1), "PIX \"2\", x").await.unwrap().unwrap();
    assert_eq!((line.kind, line.order, line.amount, line.balance), (EntryKind::TopUp, None, money(70), money(570)));
    assert_eq!(host.top_up(store_id(2), "PIX-2").await, Ok(None));
    let between = Period { from: at(1), until: at(3), after: None };
    let page = host.statement(store_id(1), between, 9).await.unwrap();
    assert_eq!(
        page.iter().map(|line| line.reference.as_deref()).collect::<Vec<_>>(),
        [Some("PIX-1")],
        "from, and before"
    );
    assert_eq!(host.commit(&booked(top_up(9, 1, "PIX-9"))).await, Err(Fault::Conflict), "there is no such store");
}
