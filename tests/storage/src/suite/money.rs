//! Balances and the ledger.

use despacho_core::{
    host::{Changes, Fault, Host, Write},
    store::{LedgerEntry, Store},
};
use futures_util::future::join_all;

use crate::{
    backend::Backend,
    fixtures::{changes, cnpj, entry, key, money, over, store, store_id},
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
