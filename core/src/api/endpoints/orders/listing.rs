//! Lists of orders.

use super::access::store_names;
use crate::{
    api::{
        call::{Call, HandlerError},
        endpoints::recipients::links,
        paging::{cursor, instant, invalid_parameter, limit, page_response, parameter},
        problem::Problem,
        response::ApiResponse,
    },
    host::{Host, OrderQuery},
    model::{
        OrderId, SearchWords, StoreId,
        order::{Order, OrderFilter, OrderStatus},
    },
    wire::{ListedOrder, OrderList},
};

/// Responds with a page of the orders that match `all` and the query.
pub(super) async fn list<H: Host>(
    call: &Call<'_, H>,
    all: OrderFilter,
    with_names: bool,
) -> Result<ApiResponse, HandlerError> {
    let (page, limit, more) = page(call, all).await?;
    let stores: Vec<StoreId> = page
        .iter()
        .filter(|_| with_names)
        .map(|order| order.store)
        .collect();
    let names = store_names(call, &stores).await?;
    let cursor = |order: &Order| order.id.to_string();
    let listed = |order: &Order| {
        let mut listed = ListedOrder::of(order, call.language);
        links::add_links(call.settings, &mut listed.order, order);
        listed.store_name = names
            .iter()
            .find(|(id, _)| *id == order.store)
            .map(|(_, name)| name.clone());
        listed
    };
    let view = |orders: &[Order], next_cursor| OrderList {
        orders: orders.iter().map(listed).collect(),
        next_cursor,
    };
    Ok(page_response(page, limit, more, cursor, view)?)
}

/// Reads a page of the orders that match `all` and the query, the limit, and whether there are more
/// orders.
async fn page<H: Host>(
    call: &Call<'_, H>,
    all: OrderFilter,
) -> Result<(Vec<Order>, u32, bool), HandlerError> {
    let limit = limit(call)?;
    let filter = filter(call, all)?;
    let page = call
        .host
        .find_orders(OrderQuery::Matching(&filter, limit + 1))
        .await?;
    // A host may return fewer orders than requested if they are large.
    let more = match page.last() {
        Some(last) if page.len() <= limit as usize => {
            let rest = OrderFilter {
                before: Some(last.id),
                ..filter
            };
            !call
                .host
                .find_orders(OrderQuery::Matching(&rest, 1))
                .await?
                .is_empty()
        }
        _ => false,
    };
    Ok((page, limit, more))
}

/// Reads `q=`.
pub(in crate::api) fn search<H: Host>(call: &Call<'_, H>) -> Result<Option<SearchWords>, Problem> {
    parameter(call, "q", SearchWords::parse, || {
        invalid_parameter(
            "q",
            "Invalid `q`. Send 2 to 60 characters with at most 6 words of letters and digits.",
            "`q` inválido. Envie de 2 a 60 caracteres, com no máximo 6 palavras de letras e dígitos.",
        )
    })
}

/// Adds the conditions in the query to a filter.
fn filter<H: Host>(call: &Call<'_, H>, all: OrderFilter) -> Result<OrderFilter, Problem> {
    let status = parameter(
        call,
        "situation",
        |text| OrderStatus::from_number(text.parse().ok()?),
        || {
            invalid_parameter(
                "situation",
                "Invalid `situation`. Send the number of an order's situation, such as 300.",
                "`situation` inválida. Envie o número da situação de um pedido, como 300.",
            )
        },
    )?;
    let search = search(call)?;
    let flag = |name| {
        parameter(
            call,
            name,
            |text| text.parse().ok(),
            || {
                invalid_parameter(
                    name,
                    format!("Invalid `{name}`. Send true or false."),
                    format!("`{name}` inválido. Envie true ou false."),
                )
            },
        )
    };
    let (late, open) = (flag("late")?, flag("open")?);
    let (min, max) = status.map_or(all.statuses, |one| (one.number(), one.number()));
    Ok(OrderFilter {
        statuses: (
            min,
            if open == Some(true) {
                max.min(OrderFilter::LAST_OPEN)
            } else {
                max
            },
        ),
        code: call.query("code").map(|code| code.trim().to_owned()),
        from: instant(call, "from")?.unwrap_or(all.from),
        until: instant(call, "to")?.unwrap_or(all.until),
        before: cursor(call, OrderId::parse)?,
        late_at: late.filter(|late| *late).map(|_| call.context.now),
        search,
        ..all
    })
}
