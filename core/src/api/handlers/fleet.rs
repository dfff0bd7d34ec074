//! Couriers as the operator sees them, and a round of dispatch for hosts that run none by themselves.

use super::pages;
use crate::{
    api::{
        call::{Answer, Call, Stop, Told, plain, too_few},
        problem::{Code, Problem},
        read::read,
        validate,
    },
    drivers::{dispatch::round, erasure},
    host::{CourierQuery, Host},
    model::{CourierId, OrderId, courier::Courier, hex, store::Key},
    rules::{
        couriers::{self, CourierTerms},
        settings::Settings,
    },
    wire::{CourierKeyView, CourierList, CourierRecord, DispatchRound},
};

/// `POST /admin/couriers`
pub(super) async fn register<H: Host>(call: &mut Call<'_, H>) -> Result<Answer, Stop> {
    let (new, days) = validate::new_courier(read(call.body)?)?;
    let mut ids = call.ids(1).await?;
    let terms = terms(call.settings, days);
    let (courier, nonce, changes) = couriers::register(new, terms, &mut ids, &mut call.moment).ok_or_else(too_few)?;
    let answer = told(call.settings, 201, &courier, Some(nonce))?;
    call.commit(changes, &answer).await?;
    Ok(answer)
}

/// `GET /admin/couriers?cursor=&limit=`
pub(super) async fn list<H: Host>(call: &mut Call<'_, H>) -> Result<Answer, Stop> {
    let limit = pages::limit(call)?;
    let after = pages::cursor(call, CourierId::parse)?;
    let mut page = call.host.find_couriers(CourierQuery::All { after, limit: limit + 1 }).await?;
    let next_cursor = pages::cut(&mut page, limit, |last| last.id.to_string());
    Ok(Answer::json(200, &CourierList { couriers: page.iter().map(CourierRecord::of).collect(), next_cursor })?)
}

/// `GET /admin/couriers/{courierId}`
pub(super) async fn get<H: Host>(call: &mut Call<'_, H>) -> Result<Answer, Stop> {
    Ok(Answer::json(200, &CourierRecord::of(&find(call).await?))?)
}

/// `PATCH /admin/couriers/{courierId}`
pub(super) async fn alter<H: Host>(call: &mut Call<'_, H>) -> Result<Answer, Stop> {
    let (alteration, days) = validate::altered_courier(read(call.body)?)?;
    let standing = find(call).await?;
    let order = match standing.order {
        Some(id) => call.host.order(id).await?,
        None => None,
    };
    let terms = terms(call.settings, days);
    let altered = couriers::alter(&standing, order.as_ref(), alteration, terms, &mut call.moment).map_err(carries)?;
    let answer = told(call.settings, 200, &altered.courier, altered.nonce)?;
    if let Some(changes) = altered.changes {
        call.commit(changes, &answer).await?;
    }
    Ok(answer)
}

/// `POST /admin/dispatch`
pub(super) async fn dispatch<H: Host>(call: &mut Call<'_, H>) -> Result<Answer, Stop> {
    let mut done = round(call.host, call.settings, &mut call.moment).await?;
    // A host without background tasks applies the retention here.
    done.more |= erasure::retain(call.host, call.settings, call.moment.now).await?.more;
    Ok(Answer::json(200, &DispatchRound::from(done))?)
}

/// The courier in the path.
async fn find<H: Host>(call: &Call<'_, H>) -> Result<Courier, Stop> {
    let courier = match CourierId::parse(call.id) {
        Some(id) => call.host.courier(id).await?,
        None => None,
    };
    courier.ok_or_else(|| plain(Code::CourierNotFound).into())
}

fn terms(settings: &Settings, days: Option<u32>) -> CourierTerms<'_> {
    CourierTerms { days: days.unwrap_or(settings.keys.days), secret: &settings.secret }
}

/// The courier, with a new key's text where there is one.
fn told(settings: &Settings, status: u16, courier: &Courier, nonce: Option<[u8; 32]>) -> Result<Answer, Problem> {
    let text = nonce.map(|nonce| Key::text(&settings.secret.0, &nonce));
    let answer = Answer::json(status, &CourierKeyView::of(courier, text.clone()))?;
    let told = text.zip(nonce).map(|(text, nonce)| {
        let nonce = hex(&nonce);
        Told { text, placeholder: nonce.clone(), nonce }
    });
    Ok(Answer { told, ..answer })
}

fn carries(order: OrderId) -> Problem {
    Problem::new(
        Code::InvalidTransition,
        format!("The courier carries the goods of order {order}. Remove the courier when it is done."),
        format!("O entregador está com a mercadoria do pedido {order}. Remova-o quando terminar."),
    )
}
