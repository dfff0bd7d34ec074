//! Recipients' pages: the settings of stores, the links of deliveries, and the requests of
//! recipients.

use super::{
    life::{known, step_problem, visible},
    stores::overseen,
};
use crate::{
    api::{
        call::{ApiResponse, Call, HandlerError, LinkToken, plain},
        media::{sent_type, takes},
        pages,
        problem::{Problem, ProblemCode},
        read::Body,
        routes::{Endpoint, FORM},
        validate::{self, LinkChange},
    },
    drivers::{
        stream::{self, DeliverySubscription, Subscription},
        tracking,
    },
    host::Host,
    model::{
        OrderId,
        order::Order,
        store::{Store, StoreTracking},
    },
    rules::{
        lifecycle::{RecipientStep, RecipientStepError, StepError, StepOutcome, recipient_step},
        recipient::RecipientStatus,
        settings::Settings,
        stores,
        tracking::{new_link, replace_link, token},
    },
    wire::{
        ChooseDelivery, LinkView, OrderView, RateDelivery, RecipientTracking, StoreTrackingView,
    },
};

/// Returns whether the deliveries of a store's new orders have links.
pub(super) fn has_links(settings: &Settings, store: &Store) -> bool {
    store.tracking.enabled && settings.public_url.is_some()
}

/// Adds the links to an order's representation. Returns their tokens.
pub(super) fn add_links(
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

/// `GET` and `PUT /delivery/stores/{storeId}/tracking`
pub(super) async fn settings<H: Host>(
    call: &mut Call<'_, H>,
    endpoint: Endpoint,
) -> Result<ApiResponse, HandlerError> {
    let sent: Option<StoreTracking> = match endpoint {
        Endpoint::SetStoreTracking => Some(validate::store_tracking(call.read()?)?),
        _ => None,
    };
    let store = overseen(call).await?;
    let Some(sent) = sent else {
        return Ok(ApiResponse::json(
            200,
            &StoreTrackingView::of(&store.tracking),
        )?);
    };
    let (changed, changes) = stores::replace(
        Store {
            tracking: sent,
            ..store
        },
        call.context.now,
    );
    let response = ApiResponse::json(200, &StoreTrackingView::of(&changed.tracking))?;
    call.commit(changes, &response).await?;
    Ok(response)
}

/// `POST /delivery/orders/{orderId}/tracking`
pub(super) async fn change_link<H: Host>(
    call: &mut Call<'_, H>,
) -> Result<ApiResponse, HandlerError> {
    let order = visible(call, OrderId::parse(call.id)).await?;
    let (stop, change) = validate::link_change(call.read()?)?;
    let stop = known(stop)?;
    let key = match (change, &call.settings.public_url) {
        (LinkChange::Rotate, Some(_)) => Some(new_link(&call.settings.secret, &mut call.context)),
        (LinkChange::Rotate, None) => {
            return Err(Problem::new(
                ProblemCode::Unavailable,
                "This deployment has no public URL, so it has no links. The operator must set `public-url`.",
                "Esta instalação não tem URL pública e, por isso, não tem links. O operador deve definir `public-url`.",
            )
            .into());
        }
        (LinkChange::Revoke, _) => None,
    };
    let replaced = replace_link(&order, stop, key, call.context.now);
    let Some((changed, changes)) = replaced else {
        return Err(step_problem(&StepError::UnknownStop, call.context.now).into());
    };
    let mut view = OrderView::of(&changed, call.language);
    let mut links = add_links(call.settings, &mut view, &changed);
    let own = view
        .deliveries
        .into_iter()
        .find(|delivery| delivery.id == stop.get());
    let tracking_url = own.and_then(|delivery| delivery.tracking_url);
    links.retain(|link| {
        tracking_url
            .as_ref()
            .is_some_and(|url| url.ends_with(&link.text))
    });
    let view = LinkView {
        delivery_id: stop.get(),
        tracking_url,
    };
    let response = ApiResponse {
        links,
        ..ApiResponse::json(200, &view)?
    };
    call.commit(changes, &response).await?;
    Ok(response)
}

/// Reads the order of the call's link and its store, and what the recipient may see.
async fn load<H: Host>(
    call: &Call<'_, H>,
) -> Result<((Order, Store), RecipientStatus), HandlerError> {
    let unknown = || plain(ProblemCode::TrackingNotFound);
    let loaded = tracking::load_order(call.host, call.link()?)
        .await?
        .ok_or_else(unknown)?;
    let status = status(call, &loaded).await?;
    Ok((loaded, status))
}

async fn status<H: Host>(
    call: &Call<'_, H>,
    loaded: &(Order, Store),
) -> Result<RecipientStatus, HandlerError> {
    let status = tracking::status(
        call.host,
        call.settings,
        call.link()?,
        loaded,
        call.context.now,
    )
    .await?;
    Ok(status.ok_or_else(|| plain(ProblemCode::TrackingNotFound))?)
}

/// `GET /t/{token}`
pub(super) async fn page<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let (_, status) = load(call).await?;
    if takes(&call.parts.headers, "text/html") {
        let html = pages::recipient_page(&status, call.id, call.language);
        return Ok(ApiResponse {
            media: pages::HTML,
            ..ApiResponse::of(200, html)
        });
    }
    Ok(ApiResponse::json(
        200,
        &RecipientTracking::of(&status, call.language),
    )?)
}

/// `GET /t/{token}/events`: the current content, and the continuation.
pub(super) async fn events<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let ((order, _), status) = load(call).await?;
    let mut subscription =
        DeliverySubscription::new(call.link()?.clone(), order.store, call.language);
    let text = stream::first_status(&mut subscription, &status)?;
    call.stream = Some(Subscription::Delivery(subscription));
    Ok(ApiResponse {
        media: "text/event-stream",
        ..ApiResponse::of(200, text)
    })
}

/// `POST /t/{token}/choice` and `POST /t/{token}/rating`. A form is redirected to the page, so that
/// reloading it repeats nothing.
pub(super) async fn step<H: Host>(
    call: &mut Call<'_, H>,
    endpoint: Endpoint,
) -> Result<ApiResponse, HandlerError> {
    let (loaded, seen) = load(call).await?;
    let act = match endpoint {
        Endpoint::RecipientChoice => {
            RecipientStep::Choose(validate::choice(choice_body(call)?, &seen.choices)?)
        }
        _ if seen.rating.is_none() && !seen.can_rate => return Err(not_ended().into()),
        _ => {
            let (stars, text) = validate::rating(rating_body(call)?)?;
            RecipientStep::Rate { stars, text }
        }
    };
    let now = call.context.now;
    let (order, changes) = match recipient_step(&loaded.0, call.link()?.delivery, &act, now) {
        Ok(StepOutcome::Now(moved)) => (moved.0, Some(moved.1)),
        Ok(StepOutcome::Already) => (loaded.0, None),
        Err(RecipientStepError::AlreadyRated) => {
            return Err(plain(ProblemCode::AlreadyRated).into());
        }
        Err(RecipientStepError::Step(error)) => return Err(step_problem(&error, now).into()),
    };
    let response = if sent_type(call.parts) == FORM && takes(&call.parts.headers, "text/html") {
        let path = call.parts.uri.path();
        let page = path.rsplit_once('/').map(|(page, _)| page.to_owned());
        ApiResponse {
            location: page,
            ..ApiResponse::of(303, "")
        }
    } else {
        let status = status(call, &(order, loaded.1)).await?;
        ApiResponse::json(200, &RecipientTracking::of(&status, call.language))?
    };
    if let Some(changes) = changes {
        call.commit(changes, &response).await?;
    }
    Ok(response)
}

fn not_ended() -> Problem {
    Problem::new(
        ProblemCode::InvalidTransition,
        "The delivery has not ended. You can rate it afterwards.",
        "A entrega ainda não terminou. Você poderá avaliá-la depois.",
    )
}

fn choice_body<H: Host>(call: &Call<'_, H>) -> Result<Body<ChooseDelivery>, Problem> {
    if sent_type(call.parts) != FORM {
        return call.read();
    }
    Ok(Body {
        value: ChooseDelivery {
            choice: form_field(call, "choice"),
        },
        wrong: Vec::new(),
    })
}

fn rating_body<H: Host>(call: &Call<'_, H>) -> Result<Body<RateDelivery>, Problem> {
    if sent_type(call.parts) != FORM {
        return call.read();
    }
    let stars = form_field(call, "stars")
        .and_then(|stars| stars.parse::<u8>().ok())
        .map(f64::from);
    // A browser sends line breaks, which are not part of a one-line text.
    let text =
        form_field(call, "text").map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
    Ok(Body {
        value: RateDelivery { stars, text },
        wrong: Vec::new(),
    })
}

fn form_field<H: Host>(call: &Call<'_, H>, name: &str) -> Option<String> {
    form_urlencoded::parse(call.body)
        .find(|(key, _)| key == name)
        .map(|(_, value)| value.into_owned())
}
