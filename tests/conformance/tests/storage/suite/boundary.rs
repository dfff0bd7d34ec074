//! The reads that a host may leave out.

use despacho_core::{
    host::{
        AttemptQuery, AuditQuery, CashBalanceQuery, CashEntryQuery, Host, HostError, PayEntryQuery,
        PayPlanQuery, PriceQuery, StatementQuery, TariffQuery, UsageQuery, UserQuery, WebhookQuery,
    },
    model::{
        StoreId,
        order::{Journal, OrderFilter},
        pay::PayPeriod,
        privacy::PersonalQuery,
        store::{KeyHash, Period},
    },
};

use super::{
    Backend,
    fixtures::{at, courier_id, photo_id, store_id, webhook_id},
};

/// Every read that has a default, and what the API lacks without it.
async fn unsupported(host: &impl Host) -> Vec<(&'static str, &'static str)> {
    let store: StoreId = store_id(1);
    let journal = Journal {
        merchant: store,
        branch: None,
    };
    let period = Period {
        from: at(0),
        until: at(1),
        after: None,
    };
    let attempts = AttemptQuery::Webhook {
        webhook: webhook_id(1),
        before: None,
        limit: 1,
    };
    let pay = PayPeriod {
        from: at(0),
        until: at(1),
        after: None,
    };
    let tariffs = TariffQuery::Before {
        before: None,
        limit: 1,
    };
    let prices = PriceQuery {
        store: None,
        before: None,
    };
    let personal = PersonalQuery::OldNotifications { limit: 1 };
    let hash = KeyHash::of("unknown");
    let mut missing = Vec::new();
    macro_rules! check {
        ($($method:ident($($argument:expr),*): $use:literal,)*) => {$(
            if let Err(HostError::Unsupported { method }) = host.$method($($argument),*).await {
                missing.push((method, $use));
            }
        )*};
    }
    check! {
        find_users(UserQuery::Store(store)): "users of a store",
        audit(AuditQuery::default()): "the audit log",
        find_tariffs(tariffs): "stored tariffs",
        find_pay_plans(PayPlanQuery::InForce(at(0))): "pay plans",
        pay_entries(courier_id(1), PayEntryQuery::Period(pay, 1)): "couriers' pay",
        order_prices(prices): "the comparison of a tariff with past orders",
        reported_orders(&OrderFilter::all(), 1): "reports",
        blob(photo_id(1)): "photos",
        journal(journal, 0, 1): "lists and streams of events, and webhooks",
        journal_span(journal): "lists and streams of events, and webhooks",
        notifications(store, None, 1): "notifications",
        statement(store, StatementQuery::Period(period, 1)): "statements and top-ups",
        cash_balances(CashBalanceQuery::Couriers(&[])): "the cash that couriers carry",
        cash_entries(CashEntryQuery::Notes(&[])): "the cash that couriers carry",
        find_webhooks(WebhookQuery::Store(store)): "webhooks",
        messages(webhook_id(1)): "webhooks",
        find_attempts(attempts): "the log of a webhook",
        claim("scope", "key"): "idempotency keys",
        tracking_link(&hash): "recipients' pages",
        personal_data(&personal): "erasure, export and retention of personal data",
        usage(UsageQuery::Branches(store)): "branches and webhooks, which are limited",
        figures(at(0), at(0)): "metrics and the operator's health page",
    }
    missing
}

pub(crate) async fn every_read_is_implemented(backend: impl Backend) {
    let missing = unsupported(backend.host()).await;
    let lines = missing
        .iter()
        .map(|(method, use_of_it)| format!("without `{method}`: no {use_of_it}\n"));
    assert!(
        missing.is_empty(),
        "the API responds to these with 501 on this host:\n{}",
        lines.collect::<String>()
    );
}
