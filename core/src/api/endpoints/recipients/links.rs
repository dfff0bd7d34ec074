//! Links of deliveries for their recipients.

use crate::{
    api::response::LinkToken,
    model::{order::Order, store::Store},
    rules::{settings::Settings, tracking::token},
    wire::OrderView,
};

/// Returns whether the deliveries of a store's new orders have links.
pub(in crate::api) fn has_links(settings: &Settings, store: &Store) -> bool {
    store.tracking.enabled && settings.public_url.is_some()
}

/// Adds the links to an order's representation. Returns their tokens.
pub(in crate::api) fn add_links(
    settings: &Settings,
    view: &mut OrderView,
    order: &Order,
) -> Vec<LinkToken> {
    let Some(base) = &settings.public_url else {
        return Vec::new();
    };
    let mut tokens = Vec::new();
    for (view, delivery) in view.deliveries.iter_mut().zip(&order.deliveries) {
        let link = delivery
            .tracking
            .as_ref()
            .and_then(|tracking| tracking.link.as_ref());
        if let Some(link) = link {
            let text = token(&settings.secret, &link.nonce);
            view.tracking_url = Some(format!("{base}/t/{text}"));
            tokens.push(LinkToken {
                text,
                nonce: link.nonce.clone(),
            });
        }
    }
    tokens
}
