<?php

declare(strict_types=1);

namespace Despacho\WooCommerce\Shop;

/** Runs work later with Action Scheduler, which is a part of WooCommerce. */
final class Queue
{
    public const CREATE = 'despacho_create_delivery';
    public const CANCEL = 'despacho_cancel_delivery';
    public const GROUP = 'despacho';

    /** Schedules an action as soon as possible, unless the same one is scheduled. */
    public function enqueue(string $hook, int $orderId, int $attempt = 0): void
    {
        if (!as_has_scheduled_action($hook, [$orderId, $attempt], self::GROUP)) {
            as_enqueue_async_action($hook, [$orderId, $attempt], self::GROUP);
        }
    }

    public function schedule(int $time, string $hook, int $orderId, int $attempt): void
    {
        if (!as_has_scheduled_action($hook, [$orderId, $attempt], self::GROUP)) {
            as_schedule_single_action($time, $hook, [$orderId, $attempt], self::GROUP);
        }
    }
}
