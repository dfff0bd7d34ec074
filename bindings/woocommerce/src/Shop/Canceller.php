<?php

declare(strict_types=1);

namespace Despacho\WooCommerce\Shop;

use Despacho\WooCommerce\Api\ApiError;
use Despacho\WooCommerce\Api\Client;
use Despacho\WooCommerce\Delivery\EventPlan;
use Despacho\WooCommerce\Delivery\Retry;
use Despacho\WooCommerce\Settings;
use WC_Order;

/** Cancels the delivery of a cancelled or refunded shop order. */
final class Canceller
{
    public function __construct(
        private readonly Client $client,
        private readonly Settings $settings,
        private readonly Queue $queue,
    ) {
    }

    public function onCancelled(int $orderId): void
    {
        $order = wc_get_order($orderId);
        if (!$order instanceof WC_Order) {
            return;
        }
        $record = new Record($order);
        // With a reference but no ID, a delivery can exist whose response was lost.
        if ($record->isActive() || ($record->deliveryId() === 0 && $record->hasReference())) {
            $this->queue->enqueue(Queue::CANCEL, $orderId);
        }
    }

    /** Cancels the delivery, or schedules the next attempt. */
    public function run(int $orderId, int $attempt, int $now): void
    {
        $order = wc_get_order($orderId);
        // The merchant can have restored the order in the meantime.
        if (!$order instanceof WC_Order || !$order->has_status(['cancelled', 'refunded', 'failed'])) {
            return;
        }
        $record = new Record($order);
        try {
            $this->cancel($order, $record);
        } catch (ApiError $error) {
            $next = $error->isUnavailable() ? Retry::at($error, $attempt, $record->failingSince() ?: $now, $now) : null;
            if ($next !== null) {
                $this->queue->schedule($next, Queue::CANCEL, $orderId, $attempt + 1);
                /* translators: 1: reason, 2: time */
                $text = sprintf(__('The delivery was not cancelled yet: %1$s Next attempt: %2$s.', 'despacho'), OrderCreator::reason($error), wp_date(__('m/d H:i', 'despacho'), $next));
            } else {
                /* translators: %s: reason */
                $text = sprintf(__('The delivery was NOT cancelled: %s', 'despacho'), OrderCreator::reason($error));
            }
            if ($record->fail('cancel:' . $error->problemCode, $text, $now)) {
                $order->add_order_note($text);
            }
        }
    }

    private function cancel(WC_Order $order, Record $record): void
    {
        if ($record->deliveryId() === 0) {
            $found = $this->client->findOrder($this->settings->codePrefix() . $order->get_id(), $record->reference());
            if ($found === null) {
                return;
            }
            $record->link($found);
        }
        $id = $record->deliveryId();
        $terms = $this->client->cancellation($id);
        if (($terms['mode'] ?? null) === null) {
            $record->setSituation((int) ($this->client->order($id)['situation'] ?? $record->situation()));
            if (!EventPlan::isCancelled($record->situation())) {
                $order->add_order_note(__('The delivery had ended before the order was cancelled.', 'despacho'));
            }
            return;
        }
        if (empty($terms['allowed'])) {
            $text = __('The delivery was NOT cancelled: the courier has the goods, which must be returned first. Contact the courier or your operator.', 'despacho');
            if ($record->fail('cancel:return_required', $text, time())) {
                $order->add_order_note($text);
            }
            return;
        }
        $delivery = $this->client->cancel($id, __('The shop order was cancelled.', 'despacho'));
        $record->link($delivery);
        $fee = (float) ($delivery['cancellationFee'] ?? 0);
        $order->add_order_note($fee > 0
            /* translators: 1: ID of the delivery, 2: fee */
            ? sprintf(__('Delivery %1$d cancelled. The cancellation costs %2$s.', 'despacho'), $id, Money::text($fee))
            /* translators: %d: ID of the delivery */
            : sprintf(__('Delivery %d cancelled free of charge.', 'despacho'), $id));
    }
}
