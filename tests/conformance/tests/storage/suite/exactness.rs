//! Amounts and distances are stored without rounding.

use despacho_core::{
    changes::{Changes, Write},
    host::{Host, OrderQuery, Storage},
    model::{
        Distance, Money,
        order::Order,
        price::{PriceLine, Rule},
        store::LedgerEntry,
    },
    wire::{Kilometres, Reais},
};
use rust_decimal::Decimal;

use super::{
    Backend,
    fixtures::{Rng, at, changes, entry, order, order_id, store, store_id},
};

/// The number of orders with random amounts and distances, in commits of `BATCH`.
const VALUES: u64 = 10_000;
const BATCH: u64 = 250;

/// Returns an order with random amounts of up to 15 digits, distances of the entire range, and
/// quantities with up to 11 decimals.
fn random_order(rng: &mut Rng, number: u64) -> Order {
    let digits = u32::try_from(rng.below(16)).unwrap();
    let centavos = i64::try_from(rng.below(10_u64.pow(digits))).unwrap();
    let fee = Money::from_centavos(if rng.once_in(4) { -centavos } else { centavos }).unwrap();
    let metres = u32::try_from(rng.below(u64::from(u32::MAX) + 1)).unwrap();
    let quantity = Decimal::new(
        i64::try_from(rng.below(1 << 40)).unwrap(),
        u32::try_from(rng.below(12)).unwrap(),
    );
    let mut order = Order {
        fee,
        total_distance: Distance(metres),
        price_breakdown: vec![PriceLine {
            rule: Rule::Distance,
            quantity,
            amount: fee,
        }],
        ..order(number, 1, &number.to_string())
    };
    order.deliveries.truncate(1);
    order
}

/// Returns the numbers of an order as the API writes them.
fn written(order: &Order) -> [String; 3] {
    let quantity = order
        .price_breakdown
        .first()
        .map(|line| line.quantity.to_string());
    let fee = serde_json::to_string(&Reais(order.fee)).unwrap();
    [
        fee,
        serde_json::to_string(&Kilometres(order.total_distance)).unwrap(),
        quantity.unwrap(),
    ]
}

pub(crate) async fn amounts_and_distances_are_stored_exactly(backend: impl Backend) {
    let mut rng = Rng::new(42);
    let orders: Vec<Order> = (1..=VALUES)
        .map(|number| random_order(&mut rng, number))
        .collect();
    let host = backend.host();
    host.commit(&Changes {
        stores: vec![Write::insert(store(1))],
        ..changes()
    })
    .await
    .unwrap();
    let mut sum = 0_i64;
    for batch in orders.chunks(usize::try_from(BATCH).unwrap()) {
        // Entries have up to ten digits, so their sum is within the range of `Money`.
        let entries = batch
            .iter()
            .map(|order| entry(1, order.fee.centavos() % 10_000_000_000, None));
        let ledger: Vec<LedgerEntry> = entries.collect();
        sum += ledger
            .iter()
            .map(|entry| entry.amount.centavos())
            .sum::<i64>();
        let orders = batch.iter().cloned().map(Write::insert).collect();
        host.commit(&Changes {
            orders,
            ledger,
            ..changes()
        })
        .await
        .unwrap();
    }
    let backend = backend.restart().await;
    let host = backend.host();
    for order in &orders {
        let read = host.order(order.id).await.unwrap().unwrap();
        assert_eq!(&read, order);
        assert_eq!(written(&read), written(order));
        let number: f64 = written(&read)[0].parse().unwrap();
        assert_eq!(
            Money::from_number(number),
            Ok(order.fee),
            "the amount survives a JSON number"
        );
        let kilometres: Decimal = written(&read)[1].parse().unwrap();
        assert_eq!(
            kilometres,
            Decimal::new(order.total_distance.metres().into(), 3)
        );
    }
    assert_eq!(
        host.store(store_id(1))
            .await
            .unwrap()
            .unwrap()
            .balance
            .centavos(),
        sum
    );
    assert_eq!(
        host.find_orders(OrderQuery::Due {
            now: at(10),
            skipped: 0,
            limit: 1
        })
        .await
        .unwrap()
        .first()
        .map(|order| order.id),
        Some(order_id(1))
    );
}
