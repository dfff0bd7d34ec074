//! The storage suite. Every storage must pass it, the reference host in memory first. A host outside this repository includes this
//! file by its path, implements [`Backend`] and calls `run_suite!`: see core/HOSTING.md. The files in this folder use no database.

pub(crate) mod aggregates;
pub(crate) mod changes;
pub(crate) mod dispatch;
pub(crate) mod exactness;
pub(crate) mod fairness;
pub(crate) mod fixtures;
pub(crate) mod journal;
pub(crate) mod lists;
mod model;
pub(crate) mod money;
pub(crate) mod notices;
pub(crate) mod outward;
pub(crate) mod privacy;

use despacho_core::host::Host;

/// A storage under test.
pub(crate) trait Backend: Sized {
    /// The host.
    type Host: Host;

    /// Creates an empty storage, with IDs from 1,000 on: the cases use lower ones.
    async fn start() -> Self;
    /// Does the same; `None` if this machine has no such database, after the reason was printed.
    async fn find() -> Option<Self> {
        Some(Self::start().await)
    }
    /// Returns the open host.
    fn host(&self) -> &Self::Host;
    /// Returns everything that is stored, as text: the erasure is checked by it.
    async fn dump(&self) -> String;
    /// Closes the host and opens it again on the same data.
    async fn restart(self) -> Self;
}

/// Creates a test of every case for a [`Backend`], in a module.
macro_rules! run_suite {
    ($backend:ident in $name:ident) => {
        crate::suite::run_suite! { $backend in $name:
            aggregates {
                a_store_is_read_as_written, a_removed_store_frees_its_cnpj_and_its_email, a_store_takes_no_taken_value,
                keys_are_found_by_hash_and_listed_newest_first, an_order_is_read_as_written,
                a_code_is_held_until_its_order_lets_go, couriers_are_listed_by_number, a_courier_is_found_by_the_key,
                free_couriers_were_seen_lately, the_longest_search_comes_first, a_version_is_written_once,
                a_racing_write_wins_once,
            }
            changes {
                all_or_nothing, identifiers_are_never_repeated, hostile_text_is_text, a_restart_keeps_everything,
                what_a_model_does,
            }
            dispatch {
                a_round_gives_each_courier_one_order, a_silent_courier_loses_the_order, goods_on_board_are_not_taken,
                sandbox_orders_and_real_couriers_never_meet,
                the_nearest_go_where_all_ride_least,
            }
            exactness { no_digit_changes }
            fairness {
                unservable_orders_leave_others_their_nearest_courier, stuck_due_orders_delay_no_others,
                couriers_that_keep_their_order_delay_no_others,
            }
            journal { events_keep_their_order, due_orders_come_longest_due_first, a_round_moves_each_order_once }
            money {
                a_balance_is_the_sum_of_its_entries, debits_at_once_never_pass_the_floor, a_store_write_moves_no_money,
                a_statement_adds_up_at_every_step, a_reference_books_once, parent_and_branches_share_one_floor,
                statements_of_a_shared_balance_name_its_branches, removed_branch_leaves_no_balance,
                removal_and_order_of_a_branch_exclude_each_other,
            }
            outward {
                a_journal_is_a_merchants, nothing_appears_behind_a_cursor, subscriptions_are_read_as_written,
                a_subscription_is_due_by_its_news_and_its_messages, merchants_and_receivers_take_turns,
                a_backlog_keeps_no_other_merchant_from_its_receiver,
                a_merchants_branches_and_webhooks_are_counted, messages_wait_by_their_place,
                a_log_keeps_the_newest_attempts, a_round_is_one_senders, a_subscription_that_stops_is_told,
            }
            lists {
                orders_are_found_newest_first, large_orders_are_found_in_parts, a_matrix_is_listed_with_its_branches,
                a_store_with_open_orders_is_not_removed,
            }
            privacy {
                erasure_leaves_no_marker, open_orders_are_listed_and_stay, orders_are_found_in_windows,
                retention_follows_the_clock,
            }
            notices {
                notifications_come_in_pages, a_store_keeps_the_newest_500, a_claim_has_one_holder, an_ended_claim_is_free,
                ended_claims_do_not_pile_up, stored_responses_are_counted_by_owner_and_hour,
            }
        }
    };
    ($backend:ident in $name:ident: $($theme:ident { $($case:ident),* $(,)? })*) => {
        mod $name {$(
            mod $theme {$(
                #[tokio::test]
                async fn $case() {
                    let Some(backend) = <super::super::$backend as crate::suite::Backend>::find().await else { return };
                    crate::suite::$theme::$case(backend).await;
                }
            )*}
        )*}
    };
}
pub(crate) use run_suite;
