//! Photos: bytes that are stored as they are.

use bytes::Bytes;
use despacho_core::{
    changes::{Changes, Write},
    host::{Host, HostError, Storage},
    model::{
        order::{Blob, Order, OrderProof, OrderStatus},
        privacy::PersonalQuery,
    },
};

use super::{
    Backend,
    fixtures::{at, changes, order, order_id, photo_id, store, update},
};

pub(crate) fn blob(number: u64, order: u64, bytes: &[u8]) -> Blob {
    let bytes = Bytes::copy_from_slice(bytes);
    Blob {
        id: photo_id(number),
        order: order_id(order),
        created_at: at(7),
        bytes,
    }
}

/// Returns bytes of every value, in sequences that are invalid as text, and of the maximum size
/// that the service stores.
fn hostile() -> Vec<Blob> {
    let all: Vec<u8> = (0..=255).chain((0..=255).rev()).collect();
    let large: Vec<u8> = (0..8 << 20)
        .map(|index: u32| index.to_le_bytes()[(index % 3) as usize])
        .collect();
    vec![
        blob(80, 50, b""),
        blob(81, 50, b"\0"),
        blob(82, 50, b"\\x00'; --\0\""),
        blob(83, 51, &all),
        blob(84, 50, &large),
    ]
}

pub(crate) async fn photos_are_read_as_written(backend: impl Backend) {
    let blobs = hostile();
    backend
        .host()
        .commit(&Changes {
            blobs: blobs.clone(),
            ..changes()
        })
        .await
        .unwrap();
    let backend = backend.restart().await;
    let host = backend.host();
    for blob in &blobs {
        let read = host.blob(blob.id).await.unwrap().unwrap();
        assert!(read == *blob, "photo {} is read as written", blob.id);
    }
    let removed = vec![photo_id(83), photo_id(84), photo_id(9)];
    host.commit(&Changes {
        removed_blobs: removed,
        ..changes()
    })
    .await
    .unwrap();
    for blob in blobs {
        let remains = !matches!(blob.id.get(), 83 | 84);
        assert_eq!(
            host.blob(blob.id).await.unwrap().is_some(),
            remains,
            "photo {}",
            blob.id
        );
    }
}

pub(crate) async fn photo_is_written_once(backend: impl Backend) {
    let host = backend.host();
    host.commit(&Changes {
        blobs: vec![blob(80, 50, b"first")],
        ..changes()
    })
    .await
    .unwrap();
    let second = Changes {
        stores: vec![Write::insert(store(1))],
        orders: vec![Write::insert(order(50, 1, "P-1"))],
        blobs: vec![blob(81, 50, b"other"), blob(80, 50, b"second")],
        ..changes()
    };
    assert_eq!(host.commit(&second).await, Err(HostError::Conflict));
    assert_eq!(
        host.blob(photo_id(80)).await,
        Ok(Some(blob(80, 50, b"first")))
    );
    assert_eq!(host.blob(photo_id(81)).await, Ok(None));
    assert_eq!(host.order(order_id(50)).await, Ok(None));
}

pub(crate) async fn orders_with_proofs_are_found_by_age(backend: impl Backend) {
    let host = backend.host();
    let ended = |number, minutes, proof: OrderProof| {
        let (status, created_at) = (OrderStatus::Completed, at(minutes));
        Order {
            status,
            created_at,
            proof,
            ..order(number, 1, &format!("P-{number}"))
        }
    };
    let (with, rules_only) = (
        order(50, 1, "").proof,
        OrderProof {
            rules: vec![],
            photos: vec![],
            steps: vec![],
        },
    );
    let rules_only = OrderProof {
        rules: with.rules.clone(),
        ..rules_only
    };
    let open = Order {
        status: OrderStatus::OutForDelivery,
        created_at: at(0),
        ..order(53, 1, "P-53")
    };
    let orders = vec![
        ended(50, 3, with.clone()),
        ended(51, 2, with.clone()),
        ended(52, 1, rules_only.clone()),
        open,
        ended(54, 9, with.clone()),
    ];
    let stores = vec![Write::insert(store(1))];
    let orders = orders.into_iter().map(Write::insert).collect();
    host.commit(&Changes {
        stores,
        orders,
        ..changes()
    })
    .await
    .unwrap();
    let found = async |limit| {
        let query = PersonalQuery::Proofs {
            before: at(9),
            limit,
        };
        let orders = host.personal_data(&query).await.unwrap().orders;
        orders
            .into_iter()
            .map(|order| order.id.get())
            .collect::<Vec<_>>()
    };
    assert_eq!((found(10).await, found(1).await), (vec![51, 50], vec![51]));
    let erased = update(1, ended(51, 2, rules_only));
    host.commit(&Changes {
        orders: vec![erased],
        ..changes()
    })
    .await
    .unwrap();
    assert_eq!(found(10).await, [50]);
}
