<?php

declare(strict_types=1);

namespace Despacho\WooCommerce\Delivery;

/** The effect of a webhook on a shop order. */
final class EventPlan
{
    public const COMPLETED = 500;
    private const FIRST_FINAL = 500;
    private const NOT_DELIVERED = 520;
    private const FIRST_CANCELLED = 600;
    private const NO_COURIER = [620, 630, 640];

    /** @param string|null $event the event to write into the order's notes */
    private function __construct(
        public readonly int $sequence,
        public readonly int $situation,
        public readonly ?string $event,
        public readonly ?string $trackingUrl,
        public readonly ?string $courier,
        public readonly float $cancellationFee,
    ) {
    }

    /** Events that the shop receives. */
    public const EVENTS = [
        'order.created', 'order.allocated', 'order.courier_released', 'order.picked_up', 'delivery.arrived', 'delivery.delivered',
        'delivery.returning', 'order.returned', 'delivery.discarded', 'delivery.lost', 'order.expired', 'order.cancelled',
    ];

    /**
     * Returns the effect of an event, or null if it has none: it was applied before, or a later event was.
     *
     * @param array<string, mixed> $data the field `data` of the payload
     */
    public static function of(array $data, int $lastSequence): ?self
    {
        $event = $data['event'] ?? null;
        $order = $data['order'] ?? null;
        $sequence = is_array($event) ? $event['sequence'] ?? null : null;
        if (!is_int($sequence) || $sequence <= $lastSequence || !is_array($order) || !is_int($order['situation'] ?? null)) {
            return null;
        }
        $delivery = is_array($order['deliveries'][0] ?? null) ? $order['deliveries'][0] : [];
        $type = is_string($event['type'] ?? null) ? $event['type'] : null;
        $courier = $event['deliveryMan']['name'] ?? $order['deliveryMan']['name'] ?? null;
        $fee = $order['cancellationFee'] ?? 0;
        return new self(
            $sequence,
            $order['situation'],
            in_array($type, self::EVENTS, true) ? $type : null,
            is_string($delivery['trackingUrl'] ?? null) ? $delivery['trackingUrl'] : null,
            is_string($courier) ? $courier : null,
            is_numeric($fee) ? (float) $fee : 0.0,
        );
    }

    public function isDelivered(): bool
    {
        return $this->situation === self::COMPLETED;
    }

    /** Returns whether the delivery ended without a courier, so that the merchant has to act. */
    public function needsNewDelivery(): bool
    {
        return in_array($this->situation, self::NO_COURIER, true);
    }

    /** Returns whether the delivery was cancelled, with or without a fee. */
    public static function isCancelled(int $situation): bool
    {
        return in_array($situation, [600, 610], true);
    }

    /** Returns whether the delivery ended and nothing was delivered. */
    public static function isUndelivered(int $situation): bool
    {
        return $situation === self::NOT_DELIVERED || $situation >= self::FIRST_CANCELLED;
    }

    public static function isFinal(int $situation): bool
    {
        return $situation >= self::FIRST_FINAL;
    }
}
