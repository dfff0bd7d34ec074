<?php

declare(strict_types=1);

namespace Despacho\WooCommerce\Shop;

use Despacho\WooCommerce\Delivery\EventPlan;
use WC_Order;

/** What the plugin stores about a delivery: metadata of the shop order. */
final class Record
{
    public function __construct(private readonly WC_Order $order)
    {
    }

    /** Returns whether the shopper chose a Despacho delivery. */
    public function usesDespacho(): bool
    {
        return $this->shippingItem() !== null;
    }

    /** Returns a value that the rate stored when the order was placed. */
    public function rate(string $name): string
    {
        $value = $this->shippingItem()?->get_meta("_despacho_$name");
        return is_string($value) ? $value : '';
    }

    /** Returns the ID of the delivery order, or 0 if none was created. */
    public function deliveryId(): int
    {
        return (int) $this->order->get_meta('_despacho_order_id');
    }

    public function situation(): int
    {
        return (int) $this->order->get_meta('_despacho_situation');
    }

    public function sequence(): int
    {
        return (int) $this->order->get_meta('_despacho_sequence');
    }

    public function trackingUrl(): string
    {
        return (string) $this->order->get_meta('_despacho_tracking_url');
    }

    public function pickupCode(): string
    {
        return (string) $this->order->get_meta('_despacho_pickup_code');
    }

    public function failure(): string
    {
        return (string) $this->order->get_meta('_despacho_failure');
    }

    public function failureText(): string
    {
        return (string) $this->order->get_meta('_despacho_failure_text');
    }

    public function failingSince(): int
    {
        return (int) $this->order->get_meta('_despacho_failing_since');
    }

    /** Returns whether a delivery is under way. */
    public function isActive(): bool
    {
        return $this->deliveryId() !== 0 && !EventPlan::isFinal($this->situation());
    }

    /** Returns whether a delivery can be created: there is none, or it ended undelivered, which frees its code. */
    public function canCreate(): bool
    {
        return $this->deliveryId() === 0 || EventPlan::isUndelivered($this->situation());
    }

    /**
     * Returns the order's unique reference, which is stored before the first attempt. It identifies this shop's own delivery if
     * another shop uses the same code.
     */
    public function reference(): string
    {
        $reference = (string) $this->order->get_meta('_despacho_reference');
        if ($reference === '') {
            $reference = wp_generate_uuid4();
            $this->set(['reference' => $reference]);
        }
        return $reference;
    }

    public function hasReference(): bool
    {
        return (string) $this->order->get_meta('_despacho_reference') !== '';
    }

    /** @param array<string, mixed> $delivery the delivery order as the API returns it */
    public function link(array $delivery): void
    {
        $this->set([
            'order_id' => (int) $delivery['id'],
            'situation' => max($this->situation(), (int) ($delivery['situation'] ?? 0)),
            'pickup_code' => (string) ($delivery['pickupCode'] ?? ''),
            'delivery_fee' => (string) ($delivery['deliveryFee'] ?? ''),
            'tracking_url' => (string) ($delivery['deliveries'][0]['trackingUrl'] ?? $this->trackingUrl()),
            'failure' => '',
            'failure_text' => '',
            'failing_since' => '',
        ]);
    }

    public function apply(EventPlan $plan): void
    {
        $this->set([
            'sequence' => $plan->sequence,
            'situation' => $plan->situation,
            'tracking_url' => $plan->trackingUrl ?? $this->trackingUrl(),
        ]);
    }

    /** Stores a failure and returns whether it differs from the previous one. */
    public function fail(string $code, string $text, int $now): bool
    {
        $isNew = $this->failure() !== $code;
        $since = $this->failingSince() ?: $now;
        $this->set(['failure' => $code, 'failure_text' => $text, 'failing_since' => $since]);
        return $isNew;
    }

    /** Prepares the order for another delivery after the previous one ended or failed. */
    public function reset(): void
    {
        $names = ['reference', 'order_id', 'situation', 'sequence', 'tracking_url', 'pickup_code', 'delivery_fee', 'failure', 'failure_text', 'failing_since'];
        $this->set(array_fill_keys($names, ''));
    }

    public function setSituation(int $situation): void
    {
        $this->set(['situation' => $situation]);
    }

    /** @param array<string, int|string> $values */
    private function set(array $values): void
    {
        foreach ($values as $name => $value) {
            $value === '' ? $this->order->delete_meta_data("_despacho_$name") : $this->order->update_meta_data("_despacho_$name", (string) $value);
        }
        $this->order->save();
    }

    private function shippingItem(): ?object
    {
        foreach ($this->order->get_shipping_methods() as $item) {
            if ($item->get_method_id() === ShippingMethod::ID) {
                return $item;
            }
        }
        return null;
    }
}
