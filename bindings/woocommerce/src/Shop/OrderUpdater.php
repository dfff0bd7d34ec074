<?php

declare(strict_types=1);

namespace Despacho\WooCommerce\Shop;

use Despacho\WooCommerce\Delivery\EventPlan;
use Despacho\WooCommerce\Settings;
use WC_Order;

/** Applies events of the service to shop orders. */
final class OrderUpdater
{
    public function __construct(private readonly Settings $settings, private readonly Queue $queue)
    {
    }

    /**
     * Applies an event and returns whether it changed an order. Repeated and earlier events change nothing.
     *
     * @param array<string, mixed> $data the field `data` of the payload
     */
    public function apply(array $data): bool
    {
        $delivery = is_array($data['order'] ?? null) ? $data['order'] : [];
        $order = $this->find($delivery);
        if ($order === null) {
            return false;
        }
        $record = new Record($order);
        $plan = EventPlan::of($data, $record->sequence());
        if ($plan === null) {
            return false;
        }
        if ($record->deliveryId() === 0) {
            // The event can arrive before the response that created the order, or replace a lost one.
            $record->link($delivery);
        }
        // A cancellation by this shop has a note of its own.
        $isKnown = $plan->event === 'order.cancelled' && EventPlan::isCancelled($record->situation());
        $record->apply($plan);
        $note = self::note($plan);
        if ($note !== null && !$isKnown) {
            $order->add_order_note($note);
        }
        $this->finish($order, $plan);
        return true;
    }

    /**
     * Returns the shop order of a delivery: its code contains the ID, and its reference matches.
     *
     * @param array<string, mixed> $delivery
     */
    private function find(array $delivery): ?WC_Order
    {
        $code = is_string($delivery['code'] ?? null) ? $delivery['code'] : '';
        $prefix = $this->settings->codePrefix();
        $id = $prefix === '' || str_starts_with($code, $prefix) ? substr($code, strlen($prefix)) : '';
        $order = preg_match('/^\d{1,18}$/', $id) ? wc_get_order((int) $id) : null;
        if (!$order instanceof WC_Order) {
            return null;
        }
        $record = new Record($order);
        $isOwn = $record->hasReference() && hash_equals($record->reference(), (string) ($delivery['fullCode'] ?? ''));
        $isLinked = $record->deliveryId() === 0 || $record->deliveryId() === ($delivery['id'] ?? null);
        return $isOwn && $isLinked ? $order : null;
    }

    private function finish(WC_Order $order, EventPlan $plan): void
    {
        $isUnwanted = $order->has_status(['cancelled', 'refunded', 'failed']);
        if ($isUnwanted && !EventPlan::isFinal($plan->situation) && $plan->event === 'order.created') {
            $this->queue->enqueue(Queue::CANCEL, $order->get_id());
        } elseif ($plan->isDelivered() && $this->settings->completesOrder() && $order->has_status(['processing', 'on-hold'])) {
            $order->update_status('completed', __('Delivered.', 'despacho') . ' ');
        }
    }

    private static function note(EventPlan $plan): ?string
    {
        $courier = $plan->courier ?? __('the courier', 'despacho');
        return match ($plan->event) {
            /* translators: %s: name of the courier */
            'order.allocated' => sprintf(__('Courier on the way to the pickup: %s.', 'despacho'), $courier),
            'order.courier_released' => __('The courier was released. The search for another courier continues.', 'despacho'),
            'order.picked_up' => __('The courier has picked up the order.', 'despacho'),
            'delivery.arrived' => __('The courier has arrived at the delivery address.', 'despacho'),
            'delivery.delivered' => __('The order was delivered.', 'despacho'),
            'delivery.returning' => __('The delivery failed. The courier returns the goods.', 'despacho'),
            'order.returned' => __('The goods were returned to the shop.', 'despacho'),
            'delivery.discarded' => __('The order was not delivered, and the goods are not returned.', 'despacho'),
            'delivery.lost' => __('The goods were lost or stolen. Contact your operator.', 'despacho'),
            'order.expired' => __('No courier was found in time. Choose "Create the delivery" in the order actions to try again.', 'despacho'),
            'order.cancelled' => self::cancelledNote($plan),
            default => null,
        };
    }

    private static function cancelledNote(EventPlan $plan): string
    {
        if ($plan->needsNewDelivery()) {
            return __('The platform cancelled the delivery. Choose "Create the delivery" in the order actions to try again.', 'despacho');
        }
        /* translators: %s: fee */
        return sprintf(__('The delivery was cancelled. Cost of the cancellation: %s.', 'despacho'), Money::text($plan->cancellationFee));
    }
}
