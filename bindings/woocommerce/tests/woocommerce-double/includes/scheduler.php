<?php

declare(strict_types=1);

// Action Scheduler's functions. A test runs the due actions, as WP-Cron does every minute.

/** @param array<mixed> $args */
function as_enqueue_async_action(string $hook, array $args = [], string $group = '', bool $unique = false, int $priority = 10): int
{
    return as_schedule_single_action(time(), $hook, $args, $group);
}

/** @param array<mixed> $args */
function as_schedule_single_action(int $timestamp, string $hook, array $args = [], string $group = '', bool $unique = false, int $priority = 10): int
{
    return WC_Double_Store::insert('action', ['time' => $timestamp, 'hook' => $hook, 'args' => $args, 'group' => $group, 'status' => 'pending']);
}

/** @param array<mixed>|null $args */
function as_has_scheduled_action(string $hook, ?array $args = null, string $group = ''): bool
{
    foreach (WC_Double_Store::all('action') as $action) {
        $isSame = $action['hook'] === $hook && ($args === null || $action['args'] === $args);
        if ($isSame && $action['status'] === 'pending') {
            return true;
        }
    }
    return false;
}

/** @param array<mixed> $args */
function as_unschedule_all_actions(string $hook, array $args = [], string $group = ''): void
{
    foreach (WC_Double_Store::all('action') as $id => $action) {
        if ($action['hook'] === $hook && $action['status'] === 'pending') {
            WC_Double_Store::update($id, ['status' => 'canceled'] + $action);
        }
    }
}

/** Runs the pending actions that are due within some seconds, and returns their number. */
function wc_double_run_actions(int $within): int
{
    $count = 0;
    foreach (WC_Double_Store::all('action') as $id => $action) {
        if ($action['status'] === 'pending' && $action['time'] <= time() + $within) {
            WC_Double_Store::update($id, ['status' => 'complete'] + $action);
            do_action_ref_array($action['hook'], $action['args']);
            $count++;
        }
    }
    return $count;
}
