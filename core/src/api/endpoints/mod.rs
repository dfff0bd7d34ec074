//! The list of all endpoints. Each is a file below this folder, in the folder of its resource:
//!
//! - `ROUTE`: method, path, access, quota, role, entry in the audit log, and whatever else the
//!   service does before and after the handler;
//! - `DOC`: its operation in the OpenAPI document;
//! - `handle`: the handler, which loads, decides and commits.
//!
//! The other files of a resource contain what its endpoints share.

use super::{
    call::{Call, HandlerError, retry},
    problem::Problem,
    response::ApiResponse,
    route::Route,
};
use crate::host::Host;

mod addresses {
    pub(super) mod coverage;
    pub(super) mod locate;
}

mod audit {
    pub(super) mod admin_list;
    pub(super) mod list;
}

mod cash {
    mod access;
    pub(super) mod admin_courier;
    pub(super) mod admin_differences;
    mod balances;
    pub(super) mod close;
    pub(super) mod courier_entries;
    pub(super) mod courier_list;
    pub(super) mod entries;
    pub(super) mod explain;
    pub(super) mod give_float;
    pub(super) mod hand_over;
    pub(super) mod list;
    mod moving;
}

mod courier {
    pub(super) mod end_session;
    pub(super) mod position;
    pub(super) mod report_position;
    pub(super) mod set_availability;
    pub(super) mod show;
    pub(super) mod start_session;
    pub(super) mod suspension;
}

mod couriers {
    pub(super) mod alter;
    pub(super) mod create_sign_in;
    pub(super) mod get;
    pub(super) mod list;
    pub(super) mod record;
    pub(super) mod register;
}

mod devices {
    pub(super) mod create_key;
    pub(super) mod osmand;
    pub(super) mod osmand_query;
    pub(super) mod owntracks;
    pub(super) mod remove_key;
    mod report;
}

mod dispatch {
    pub(super) mod compare;
    pub(super) mod explain;
    pub(super) mod run;
    pub(super) mod settings;
}

mod events {
    mod journal;
    pub(super) mod list;
    pub(super) mod stream;
}

mod keys {
    pub(super) mod admin_issue;
    pub(super) mod admin_list;
    pub(super) mod admin_revoke;
    pub(super) mod issue;
    pub(super) mod list;
    pub(super) mod revoke;
}

mod money {
    pub(super) mod admin_list_top_ups;
    pub(super) mod admin_statement;
    pub(super) mod list_top_ups;
    pub(super) mod request_top_up;
    pub(super) mod statement;
    pub(super) mod top_up;
}

mod notifications {
    pub(super) mod list;
    pub(super) mod read;
}

mod open_delivery {
    mod access;
    pub(super) mod availability;
    pub(super) mod cancel;
    pub(super) mod finish;
    pub(super) mod get;
    pub(super) mod handle_problem;
    pub(super) mod issue_token;
    pub(super) mod request;
    pub(super) mod set_picked;
    pub(super) mod set_ready;
    mod standard;
    mod steps;
}

mod operator {
    pub(super) mod end_session;
    pub(super) mod health;
    pub(super) mod start_session;
}

mod orders {
    pub(super) mod access;
    pub(super) mod admin_cancel;
    pub(super) mod admin_get;
    pub(super) mod admin_list;
    pub(super) mod admin_lose;
    pub(super) mod admin_route;
    pub(super) mod cancel;
    pub(super) mod cancellation;
    pub(super) mod create;
    pub(super) mod creation;
    pub(super) mod delay;
    mod details;
    pub(super) mod discard;
    pub(super) mod get;
    pub(super) mod list;
    pub(super) mod listing;
    pub(super) mod preview;
    pub(super) mod preview_context;
    pub(super) mod ready;
    pub(super) mod reassign;
    pub(super) mod record_payment;
    mod replan;
    pub(super) mod return_delivery;
    pub(super) mod route;
    pub(super) mod signal;
    pub(super) mod steps;
    pub(super) mod waive_return;
}

mod passwords {
    pub(super) mod admin_create_link;
    pub(super) mod change;
    pub(super) mod create_link;
    pub(super) mod links;
    pub(super) mod reset;
    pub(super) mod sessions;
}

mod pay {
    pub(super) mod admin_statement;
    pub(super) mod create_entry;
    pub(super) mod create_plan;
    pub(super) mod earnings;
    pub(super) mod get_terms;
    pub(super) mod list_plans;
    pub(super) mod own_statement;
    pub(super) mod preview_plan;
    pub(super) mod remove_plan;
    pub(super) mod set_terms;
    mod statement;
}

mod photos {
    pub(super) mod admin_get;
    pub(super) mod courier_get;
    pub(super) mod get;
    mod stored;
    pub(super) mod upload;
}

mod privacy {
    pub(super) mod erase;
    pub(super) mod export;
    pub(super) mod list_erasures;
}

mod proofs {
    pub(super) mod get;
    pub(super) mod key;
}

mod push {
    pub(super) mod key;
    pub(super) mod subscribe;
    pub(super) mod unsubscribe;
}

mod recipients {
    pub(super) mod change_link;
    pub(super) mod choose;
    mod delivery;
    pub(super) mod events;
    pub(super) mod links;
    pub(super) mod page;
    pub(super) mod rate;
}

mod reports {
    pub(super) mod admin_days;
    pub(super) mod days;
}

mod service {
    pub(super) mod description;
}

mod sessions {
    pub(super) mod confirm;
    pub(super) mod create;
    pub(super) mod end;
    pub(super) mod list;
}

mod stores {
    pub(super) mod access;
    pub(super) mod admin_alter;
    pub(super) mod admin_create;
    pub(super) mod admin_get;
    pub(super) mod admin_list;
    pub(super) mod create;
    pub(super) mod get;
    pub(super) mod get_area;
    pub(super) mod get_dispatch;
    pub(super) mod get_hours;
    pub(super) mod get_payments;
    pub(super) mod get_proof_rules;
    pub(super) mod get_tracking;
    pub(super) mod list;
    pub(super) mod registration;
    pub(super) mod remove;
    pub(super) mod set_area;
    pub(super) mod set_dispatch;
    pub(super) mod set_hours;
    pub(super) mod set_payments;
    pub(super) mod set_proof_rules;
    pub(super) mod set_tracking;
    pub(super) mod update;
}

mod tariffs {
    pub(super) mod compare;
    pub(super) mod create;
    pub(super) mod list;
    pub(super) mod preview;
    pub(super) mod remove;
}

mod trips {
    pub(super) mod access;
    pub(super) mod current_order;
    pub(super) mod current_trip;
    pub(super) mod decline;
    pub(super) mod deliver;
    pub(super) mod fail;
    pub(super) mod hand_back;
    pub(super) mod pick_up;
    pub(super) mod reach_door;
    pub(super) mod reach_pickup;
    pub(super) mod reach_return;
    pub(super) mod resequence;
    pub(super) mod set_out;
    mod step;
}

mod users {
    pub(super) mod access;
    pub(super) mod admin_list;
    pub(super) mod create;
    pub(super) mod list;
    pub(super) mod remove;
    pub(super) mod update;
}

mod webhooks {
    mod access;
    pub(super) mod attempts;
    pub(super) mod create;
    pub(super) mod enable;
    pub(super) mod list;
    mod queue;
    pub(super) mod remove;
    pub(super) mod retry;
    pub(super) mod rotate;
    mod secrets;
    pub(super) mod test;
}

/// Declares the tables of all endpoints, and the function that calls their handlers.
macro_rules! endpoints {
    ($($resource:ident::$operation:ident,)*) => {
        /// The routes of all endpoints, in the order of the documentation.
        pub static ROUTES: &[Route] = &[$($resource::$operation::ROUTE),*];

        /// The operations of all endpoints, in the order of [`ROUTES`].
        #[cfg(feature = "openapi")]
        pub(super) static OPERATIONS: &[super::operation::Operation] =
            &[$($resource::$operation::DOC),*];

        $(const _: () = {
            let _ = $resource::$operation::DOC;
            assert!(
                $resource::$operation::ROUTE.is_complete(),
                concat!(stringify!($resource::$operation), " must state what it leaves behind")
            );
        };)*

        /// Calls the handler of an endpoint, by its index in [`ROUTES`]. Each future is on the
        /// heap, because otherwise every request's state has the size of the largest handler's.
        async fn attempt<H: Host>(
            call: &mut Call<'_, H>,
            index: usize,
        ) -> Result<ApiResponse, HandlerError> {
            // The compiler knows the value of `at` in each line, so this is a table of jumps.
            let mut at = 0;
            $(
                if index == at {
                    return Box::pin($resource::$operation::handle(call)).await;
                }
                at += 1;
            )*
            debug_assert!(index < at, "the index is one of the table");
            Err(super::call::plain(super::problem::ProblemCode::EndpointNotFound).into())
        }
    };
}

endpoints! {
    orders::create,
    orders::preview,
    orders::preview_context,
    addresses::locate,
    addresses::coverage,
    orders::get,
    stores::create,
    stores::update,
    stores::get,
    sessions::create,
    sessions::confirm,
    sessions::list,
    sessions::end,
    passwords::change,
    passwords::reset,
    users::create,
    users::list,
    users::update,
    users::remove,
    passwords::create_link,
    passwords::admin_create_link,
    users::admin_list,
    audit::list,
    audit::admin_list,
    keys::issue,
    keys::list,
    keys::revoke,
    notifications::list,
    notifications::read,
    events::list,
    events::stream,
    webhooks::create,
    webhooks::list,
    webhooks::remove,
    webhooks::rotate,
    webhooks::enable,
    webhooks::test,
    webhooks::attempts,
    webhooks::retry,
    money::statement,
    money::request_top_up,
    money::list_top_ups,
    money::admin_list_top_ups,
    money::top_up,
    money::admin_statement,
    cash::list,
    cash::entries,
    cash::give_float,
    cash::hand_over,
    cash::close,
    cash::explain,
    cash::courier_list,
    cash::courier_entries,
    cash::admin_courier,
    cash::admin_differences,
    stores::admin_create,
    keys::admin_issue,
    keys::admin_list,
    keys::admin_revoke,
    couriers::register,
    couriers::list,
    couriers::get,
    couriers::alter,
    couriers::create_sign_in,
    dispatch::run,
    dispatch::settings,
    dispatch::compare,
    dispatch::explain,
    stores::get_dispatch,
    stores::set_dispatch,
    courier::start_session,
    courier::end_session,
    courier::show,
    courier::report_position,
    courier::set_availability,
    devices::create_key,
    devices::remove_key,
    push::key,
    push::subscribe,
    push::unsubscribe,
    devices::osmand_query,
    devices::osmand,
    devices::owntracks,
    orders::list,
    orders::cancel,
    orders::cancellation,
    orders::route,
    orders::ready,
    orders::delay,
    orders::discard,
    orders::return_delivery,
    orders::waive_return,
    orders::record_payment,
    recipients::change_link,
    stores::get_tracking,
    stores::set_tracking,
    stores::get_payments,
    stores::set_payments,
    stores::get_hours,
    stores::set_hours,
    stores::get_area,
    stores::set_area,
    recipients::page,
    recipients::events,
    recipients::choose,
    recipients::rate,
    stores::list,
    stores::remove,
    trips::current_order,
    trips::current_trip,
    trips::reach_pickup,
    trips::decline,
    trips::pick_up,
    trips::set_out,
    trips::resequence,
    trips::reach_door,
    trips::deliver,
    trips::fail,
    trips::reach_return,
    trips::hand_back,
    operator::start_session,
    operator::end_session,
    reports::days,
    reports::admin_days,
    operator::health,
    tariffs::list,
    tariffs::create,
    tariffs::remove,
    tariffs::preview,
    tariffs::compare,
    pay::list_plans,
    pay::create_plan,
    pay::remove_plan,
    pay::preview_plan,
    pay::get_terms,
    pay::set_terms,
    pay::admin_statement,
    pay::create_entry,
    pay::earnings,
    pay::own_statement,
    stores::admin_list,
    stores::admin_get,
    stores::admin_alter,
    orders::admin_list,
    orders::admin_get,
    orders::admin_route,
    orders::reassign,
    orders::admin_cancel,
    orders::admin_lose,
    privacy::export,
    privacy::erase,
    privacy::list_erasures,
    photos::upload,
    photos::get,
    photos::courier_get,
    photos::admin_get,
    stores::get_proof_rules,
    stores::set_proof_rules,
    proofs::get,
    proofs::key,
    open_delivery::issue_token,
    open_delivery::availability,
    open_delivery::request,
    open_delivery::get,
    open_delivery::set_ready,
    open_delivery::set_picked,
    open_delivery::finish,
    open_delivery::handle_problem,
    open_delivery::cancel,
    service::description,
}

/// Handles a request. If a concurrent write won, it retries a limited number of times.
pub(super) async fn handle<H: Host>(
    call: &mut Call<'_, H>,
    index: usize,
) -> Result<ApiResponse, Problem> {
    Ok(retry!(call, attempt(call, index))?)
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    #[test]
    fn template_is_method_and_path() {
        for route in ROUTES {
            assert_eq!(route.template, format!("{} {}", route.method, route.path));
        }
    }

    #[cfg(feature = "openapi")]
    #[test]
    fn endpoints_that_read_a_body_describe_it() {
        use crate::api::route::Content;

        for (route, operation) in ROUTES.iter().zip(OPERATIONS) {
            let is_described = operation.request.schema().is_some();
            assert_eq!(
                is_described,
                route.content != Content::Ignored,
                "{}",
                route.template
            );
        }
    }

    #[test]
    fn requests_that_take_more_work_count_as_several() {
        let cost = |route: &Route, query: &str, accept: &str, body: usize| {
            let request = Request::get(format!("/{query}"))
                .header("accept", accept)
                .body(())
                .expect("a request");
            route.cost_of(&request.into_parts().0, &vec![b' '; body])
        };
        for (route, query, accept, body, expected) in [
            (reports::days::ROUTE, "", "text/csv", 0, 60),
            (money::statement::ROUTE, "", "text/csv", 0, 60),
            (money::statement::ROUTE, "", "application/json", 0, 1),
            (proofs::get::ROUTE, "", "text/html", 0, 15),
            (orders::list::ROUTE, "?limit=20", "application/json", 0, 1),
            (orders::list::ROUTE, "?q=Maria", "application/json", 0, 10),
            (orders::list::ROUTE, "?%71=Maria", "application/json", 0, 10),
            (orders::list::ROUTE, "?q=", "application/json", 0, 1),
            (photos::upload::ROUTE, "", "*/*", 1 << 20, 2),
            (orders::create::ROUTE, "", "*/*", 2_000, 1),
            (orders::create::ROUTE, "", "*/*", 16 * 1024, 2),
            (orders::preview::ROUTE, "", "*/*", 256 * 1024, 17),
        ] {
            assert_eq!(
                cost(&route, query, accept, body),
                expected,
                "{} {query} {accept} {body}",
                route.template
            );
        }
    }
}
