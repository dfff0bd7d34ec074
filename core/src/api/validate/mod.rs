//! Validates request bodies and reports all invalid fields at once, each with its JSON pointer.
//! Previews and orders share the checks: a preview that is accepted can be created.

mod account;
mod address;
mod cash;
mod checker;
mod contact;
mod coverage;
mod delivery_steps;
mod dispatch;
mod fleet;
mod life;
mod open_delivery;
mod order;
mod pay;
mod payments;
mod privacy;
mod proof;
mod push;
mod report;
mod requirements;
mod run;
mod schedule;
mod store;
mod tariff;
mod tracking;
mod webhook;

pub use account::{
    NewUser, confirmation, login_name, new_user, password_change, password_reset,
    session_confirmation, user_update,
};
pub use address::{Need, address};
pub use cash::{cash_count, cash_float, cash_handover, difference_reason};
pub use checker::{Checker, Path, UNKNOWN_FIELD};
pub use coverage::{store_area, store_hours};
pub use delivery_steps::{
    Decision, delivery_cancellation, finish_date, problem_decision, token_request,
};
pub use dispatch::{dispatch_draft, store_dispatch};
pub use fleet::{
    altered_courier, availability, new_courier, operator_token, position, sign_in_code,
};
pub use life::{
    Cancelled, HandedOver, cancel, delay, delivery, delivery_code, delivery_reason, failure,
    handover_code, reason, reassignment, step_time,
};
pub use open_delivery::{availability_request, delivery_request, standard_pointer};
pub use order::{order, preview};
pub use pay::{
    NewPayEntry, PayDraft, courier_pay, new_pay_entry, new_pay_plan, pay_preview, unknown_in_terms,
};
pub use payments::{received_payment, store_payments};
pub use privacy::recipient;
pub use proof::{proof_rules, unknown_photo};
pub use push::{push_endpoint, stored_push_endpoint};
pub(super) use report::device_position;
pub use run::cursor as run_cursor;
pub use schedule::times;
pub use store::{altered_store, contact_and_address, key, session, store, update};
pub use tariff::{TariffDraft, new_tariff, tariff_comparison, tariff_preview};
pub use tracking::{LinkChange, choice, link_change, rating, store_tracking};
pub use webhook::{NewWebhook, requested_top_up, top_up, webhook};
