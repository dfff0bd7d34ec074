//! Previews, and what a page needs to make its own.

use super::pages;
use crate::{
    api::{
        call::{Answer, Call, Stop},
        page,
        planning::{Planned, acting_store, planned},
        read::read,
        validate,
    },
    host::Host,
    model::{Distance, Leg},
    rules::pricing::{Inquiry, Quote},
    wire::{Kilometres, PreviewStopView, PreviewView, PriceLineView, QuoteView, Reais},
};

/// `POST /delivery/orders/preview`
pub(super) async fn preview<H: Host>(call: &mut Call<'_, H>) -> Result<Answer, Stop> {
    let inquiry = validate::preview(read(call.body)?, &call.settings.limits)?;
    let store = acting_store(call, &inquiry).await?;
    let planned = planned(call, &store, &inquiry).await?;
    let content = inquiry.content(&planned.pickup.address);
    let (lines, version) = (planned.plan.lines.clone(), call.settings.tariff.version.clone());
    let quote = Quote::new(store.id, content, version, lines, call.moment.now);
    let quote = QuoteView {
        id: quote.seal(&call.settings.secret),
        expires_at: quote.expires_at.to_string(),
        tariff_version: quote.tariff_version,
    };
    let answer = Answer::json(200, &preview_view(&inquiry, &planned, Some(quote)))?;
    Ok(Answer { recomputable: true, ..answer })
}

/// The answer to a preview, with the quote where somebody could sign one.
pub(in crate::api) fn preview_view(inquiry: &Inquiry, planned: &Planned, quote: Option<QuoteView>) -> PreviewView {
    let plan = &planned.plan;
    let stop = |(at, (sent, leg)): (usize, (&usize, &Leg))| {
        let asked = inquiry.stops.get(*sent)?;
        Some(PreviewStopView {
            order_route: at + 1,
            address: (&asked.address).into(),
            online_payment: asked.online_payment,
            distance: Kilometres(Distance(leg.metres)),
            precision: planned.located.get(*sent)?.precision,
        })
    };
    let times = inquiry.wants_times.then_some(plan.times);
    PreviewView {
        deliveries: plan.order.iter().zip(&plan.legs).enumerate().filter_map(stop).collect(),
        total_distance: Kilometres(plan.total_distance),
        online_payment: inquiry.stops.iter().all(|stop| stop.online_payment),
        delivery_fee: Reais(plan.fee),
        price_breakdown: plan.lines.iter().map(PriceLineView::of).collect(),
        expected_delivery: times.map(|times| times.delivery.to_string()),
        expected_pickup: times.map(|times| times.pickup.to_string()),
        estimated: plan.estimated,
        quote,
    }
}

/// `GET /delivery/preview-context?storeId=`
pub(super) async fn context<H: Host>(call: &mut Call<'_, H>) -> Result<Answer, Stop> {
    let store = pages::named_store(call).await?;
    let exact = call.host.is_embedded();
    Ok(Answer::json(200, &page::context(&store, call.settings, exact, call.moment.now))?)
}
