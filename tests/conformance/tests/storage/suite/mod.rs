//! The storage suite. Every storage must pass it, including the in-memory reference host. A host
//! outside this repository includes this file by its path, implements [`Backend`] and calls
//! `run_suite!`: see core/HOSTING.md. The files in this folder use no database.

pub(crate) mod accounts;
pub(crate) mod aggregates;
pub(crate) mod blobs;
pub(crate) mod boundary;
pub(crate) mod cash;
pub(crate) mod changes;
pub(crate) mod dispatch;
pub(crate) mod exactness;
pub(crate) mod fairness;
pub(crate) mod fixtures;
pub(crate) mod journal;
pub(crate) mod links;
pub(crate) mod lists;
mod model;
pub(crate) mod money;
pub(crate) mod notices;
pub(crate) mod outward;
pub(crate) mod pay;
pub(crate) mod privacy;
pub(crate) mod push;
pub(crate) mod search;
pub(crate) mod tariffs;
pub(crate) mod trips;

use despacho_core::host::Host;

/// A storage under test.
pub(crate) trait Backend: Sized {
    /// The host.
    type Host: Host;

    /// Creates an empty storage. It assigns IDs from 1,000 on; the cases use lower ones.
    async fn start() -> Self;
    /// Calls `start`, or returns `None` to ignore the test if this machine has no such database.
    async fn find() -> Option<Self> {
        Some(Self::start().await)
    }
    /// Returns the open host.
    fn host(&self) -> &Self::Host;
    /// Returns all stored data as text. The cases search it for erased data.
    async fn dump(&self) -> String;
    /// Closes the host and opens it again on the same data.
    async fn restart(self) -> Self;
}

/// Creates a module with a test of every case for a [`Backend`].
macro_rules! run_suite {
    ($backend:ident in $name:ident) => {
        crate::suite::run_suite! { $backend in $name:
            accounts {
                users_are_read_as_written, removed_user_frees_the_email, stores_and_users_share_no_email,
                racing_users_get_an_email_once, audit_log_is_read_by_store_and_merchant,
                old_entries_and_removed_users_are_purged,
            }
            aggregates {
                store_is_read_as_written, removed_store_frees_its_cnpj_and_email, duplicate_cnpj_or_email_conflicts,
                keys_are_found_by_hash_and_listed_newest_first, order_is_read_as_written,
                order_code_is_held_until_cancellation, couriers_are_listed_by_id, courier_is_found_by_key,
                free_couriers_have_a_recent_position, longest_search_comes_first, version_is_written_once,
                racing_writes_commit_once,
            }
            blobs { photos_are_read_as_written, photo_is_written_once, orders_with_proofs_are_found_by_age }
            boundary { every_read_is_implemented }
            cash {
                cash_is_read_as_written, cash_is_found_by_every_filter, delivery_is_collected_once, racing_closings_commit_once,
            }
            changes {
                conflict_undoes_the_entire_commit, ids_are_never_repeated, hostile_text_is_stored_unchanged, restart_keeps_all_data,
                random_commits_match_the_reference_host,
            }
            dispatch {
                pass_assigns_each_courier_once, unresponsive_courier_loses_the_order, order_in_transit_keeps_its_courier,
                sandbox_orders_get_only_sandbox_couriers,
                pass_optimises_all_assignments_together, figures_count_stored_work,
            }
            exactness { amounts_and_distances_are_stored_exactly }
            fairness {
                unservable_orders_leave_others_their_nearest_courier, stuck_due_orders_delay_no_others,
                couriers_that_keep_their_order_delay_no_others,
            }
            journal {
                events_keep_their_order, due_orders_come_longest_due_first, concurrent_passes_move_each_order_once,
                scheduled_order_starts_after_a_restart,
            }
            money {
                balance_is_the_sum_of_its_entries, concurrent_debits_never_pass_the_floor, store_write_does_not_change_the_balance,
                statement_adds_up_at_every_entry, reference_is_booked_once, parent_and_branches_share_one_floor,
                shared_balance_statements_name_the_branches, removed_branch_leaves_no_balance,
                branch_removal_and_order_exclude_each_other,
            }
            outward {
                journal_has_the_events_of_its_merchant, no_event_appears_behind_a_cursor, webhooks_are_read_as_written,
                webhook_is_due_by_its_events_and_messages, merchants_and_receivers_take_turns,
                backlog_does_not_block_other_merchants_of_a_receiver,
                branches_and_webhooks_are_counted_per_merchant, messages_are_listed_by_position,
                log_keeps_the_newest_attempts, webhook_lease_has_a_single_holder, stopped_webhook_creates_a_notification,
            }
            links { link_is_read_in_every_state, ended_links_are_purged, link_ends_with_its_delivery }
            lists {
                orders_are_listed_newest_first, large_orders_are_read_in_parts, parent_store_is_listed_with_its_branches,
                store_with_open_orders_is_not_removed, every_filter_selects_the_orders_that_match,
                reports_count_the_orders_of_a_period,
            }
            privacy {
                erasure_leaves_no_marker, open_orders_are_listed_but_not_erased, orders_of_a_phone_are_found_in_pages,
                retention_follows_the_clock,
            }
            search {
                orders_are_found_by_words, all_stores_orders_are_listed, open_orders_are_late_after_their_expected_delivery,
                erased_recipients_are_not_found,
            }
            tariffs {
                tariffs_are_read_as_written_latest_first, schedule_has_the_last_rows_only, tariff_change_requires_its_revision,
                racing_tariff_changes_commit_once, key_lookup_returns_the_tariff_revision, order_prices_are_read_newest_first,
                order_prices_continue_after_each_page,
            }
            pay {
                plans_are_read_as_written_latest_first, plan_versions_are_unique, started_plan_is_not_removed,
                entries_are_read_by_courier_and_period, calculated_entry_is_written_once,
            }
            push { couriers_are_found_by_their_first_due_push, assignment_is_pushed_once_by_several_instances }
            trips {
                candidates_are_all_available_couriers, trips_and_shifts_are_read_as_written, lead_time_starts_the_search_early,
                waiting_order_of_a_trip_is_watched, orders_of_a_store_share_a_trip,
            }
            notices {
                notifications_are_read_in_pages, store_keeps_the_newest_500_notifications, claim_has_a_single_holder, expired_claim_is_free,
                expired_claims_do_not_accumulate, stored_responses_are_counted_by_owner_and_hour,
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
