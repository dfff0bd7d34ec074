<?php

declare(strict_types=1);

namespace Despacho\WooCommerce\Shop;

use Despacho\WooCommerce\Api\ApiError;
use Despacho\WooCommerce\Api\Client;
use Despacho\WooCommerce\Delivery\OrderRequest;
use Despacho\WooCommerce\Delivery\Requirements;
use Despacho\WooCommerce\Delivery\Retry;
use Despacho\WooCommerce\Settings;
use WC_Order;

/** Creates the delivery of a paid order, once. */
final class OrderCreator
{
    /** Statuses in which a shop order is to be delivered. A completed order has been delivered, or is delivered otherwise. */
    private const STATUSES = ['processing'];

    public function __construct(
        private readonly Client $client,
        private readonly Settings $settings,
        private readonly Queue $queue,
    ) {
    }

    /** Schedules the creation for a paid order. */
    public function onPaid(int $orderId): void
    {
        $order = wc_get_order($orderId);
        if (!$order instanceof WC_Order) {
            return;
        }
        $record = new Record($order);
        if ($record->usesDespacho() && $record->deliveryId() === 0) {
            $record->reference();
            $this->queue->enqueue(Queue::CREATE, $orderId);
        }
    }

    /** Creates the delivery, or schedules the next attempt. */
    public function run(int $orderId, int $attempt, int $now): void
    {
        $order = wc_get_order($orderId);
        if (!$order instanceof WC_Order || !$order->has_status(self::STATUSES)) {
            return;
        }
        $record = new Record($order);
        if (!$record->usesDespacho() || $record->deliveryId() !== 0) {
            return;
        }
        $missing = AddressFields::ofOrder($order)->missing();
        if ($missing !== []) {
            /* translators: %s: list of field names */
            $text = sprintf(__('The delivery address has no value for: %s. Correct the address and choose "Create the delivery" in the order actions.', 'despacho'), implode(', ', array_map([AddressFields::class, 'label'], $missing)));
            $this->fail($order, $record, 'address_incomplete', $text, $now);
            return;
        }
        try {
            $delivery = $this->create($order, $record, $now);
        } catch (ApiError $error) {
            $this->onError($order, $record, $error, $attempt, $now);
            return;
        }
        Quotes::markUp();
        // A webhook can have stored the delivery in the meantime.
        $order->read_meta_data(true);
        $record->link($delivery);
        $order->add_order_note($this->createdNote($record, $delivery));
        $this->cancelIfUnwanted($orderId);
    }

    /**
     * Sends the order with the quote, and with the quoted fee as the limit if the quote is no longer valid.
     *
     * @return array<string, mixed>
     */
    private function create(WC_Order $order, Record $record, int $now): array
    {
        $body = $this->body($order, $record);
        $limited = $body + $this->limit($order, $record);
        $quote = $record->rate('quote');
        try {
            if ($quote === '' || (int) $record->rate('quote_expires') <= $now) {
                return $this->send($limited);
            }
            try {
                return $this->send($body + ['quoteId' => $quote]);
            } catch (ApiError $error) {
                if (!in_array($error->problemCode, ['quote_expired', 'quote_mismatch'], true)) {
                    throw $error;
                }
                return $this->send($limited);
            }
        } catch (ApiError $error) {
            $id = $error->existingOrderId();
            if ($id === null && $error->problemCode !== 'idempotency_key_reused') {
                throw $error;
            }
            return $this->existing($body, $id) ?? throw $error;
        }
    }

    /**
     * Returns the delivery that an earlier attempt created with other content, or null if another shop's order has the code.
     *
     * @param array<string, mixed> $body
     * @return array<string, mixed>|null
     */
    private function existing(array $body, ?int $id): ?array
    {
        $found = $id === null ? $this->client->findOrder($body['code'], $body['fullCode']) : $this->client->order($id);
        return ($found['fullCode'] ?? null) === $body['fullCode'] ? $found : null;
    }

    /**
     * @param array<string, mixed> $body
     * @return array<string, mixed>
     */
    private function send(array $body): array
    {
        // A lost response is replayed even if the order has ended and its code could be used again.
        $content = json_encode($body, JSON_INVALID_UTF8_SUBSTITUTE | JSON_THROW_ON_ERROR);
        $key = $body['fullCode'] . '-' . substr(hash('sha256', $content), 0, 16);
        try {
            return $this->client->createOrder($body, $key);
        } catch (ApiError $error) {
            $without = OrderRequest::withoutContacts($body, $error->invalidFields());
            return $without === null ? throw $error : $this->send($without);
        }
    }

    /** @return array<string, mixed> */
    private function body(WC_Order $order, Record $record): array
    {
        $name = trim($order->get_formatted_shipping_full_name()) ?: trim($order->get_formatted_billing_full_name());
        $recipient = [
            'name' => $name,
            'phone' => $order->get_shipping_phone() ?: $order->get_billing_phone(),
            'country' => $order->get_shipping_phone() ? $order->get_shipping_country() : $order->get_billing_country(),
            'email' => $order->get_billing_email(),
            'note' => $order->get_customer_note(),
            'number' => (string) $order->get_order_number(),
            'total' => (float) $order->get_total(),
        ];
        return OrderRequest::create(
            $this->settings->codePrefix() . $order->get_id(),
            $record->reference(),
            AddressFields::ofOrder($order),
            $recipient,
            $this->requirements($order, $record),
            $order->get_payment_method() !== 'cod',
            $this->settings->preparationMinutes(),
        );
    }

    /** @return array{maxDeliveryFee?: float} */
    private function limit(WC_Order $order, Record $record): array
    {
        if ($order->get_meta('_despacho_accept_any_fee') === 'yes') {
            return [];
        }
        $fee = $record->rate('fee');
        $limit = is_numeric($fee) ? (float) $fee + $this->settings->feeTolerance() : $this->settings->maxFee();
        return $limit === null ? [] : ['maxDeliveryFee' => round($limit, 2)];
    }

    /** @return array<string, int> */
    private function requirements(WC_Order $order, Record $record): array
    {
        $stored = json_decode($record->rate('requirements'), true);
        if (is_array($stored) && $stored !== []) {
            return array_map('intval', $stored);
        }
        $contents = array_map(
            static fn ($item): array => ['data' => $item->get_product() ?: null, 'quantity' => $item->get_quantity()],
            $order->get_items(),
        );
        return Requirements::of(ShippingMethod::lines($contents), false);
    }

    private function onError(WC_Order $order, Record $record, ApiError $error, int $attempt, int $now): void
    {
        $since = $record->failingSince() ?: $now;
        $next = Retry::at($error, $attempt, $since, $now);
        if ($next !== null) {
            $this->queue->schedule($next, Queue::CREATE, $order->get_id(), $attempt + 1);
            /* translators: 1: reason, 2: time */
            $text = sprintf(__('The delivery was not created yet: %1$s Next attempt: %2$s. Later attempts follow automatically.', 'despacho'), self::reason($error), wp_date(__('m/d H:i', 'despacho'), $next));
        } else {
            /* translators: %s: reason */
            $text = sprintf(__('The delivery was not created: %s Correct the cause and choose "Create the delivery" in the order actions.', 'despacho'), self::reason($error));
        }
        $this->fail($order, $record, $error->problemCode . ($next === null ? '!' : ''), $text, $now);
    }

    private function fail(WC_Order $order, Record $record, string $code, string $text, int $now): void
    {
        // Only a new failure is a note, so that attempts during an outage do not fill the order.
        if ($record->fail($code, $text, $now)) {
            $order->add_order_note($text);
        }
    }

    /** The shop order can be cancelled while the delivery is created. */
    private function cancelIfUnwanted(int $orderId): void
    {
        $current = wc_get_order($orderId);
        if ($current instanceof WC_Order && $current->has_status(['cancelled', 'refunded', 'failed'])) {
            $this->queue->enqueue(Queue::CANCEL, $orderId);
        }
    }

    /** @param array<string, mixed> $delivery */
    private function createdNote(Record $record, array $delivery): string
    {
        $fee = (float) ($delivery['deliveryFee'] ?? 0);
        /* translators: 1: ID of the delivery, 2: fee, 3: pickup code */
        $note = sprintf(__('Delivery %1$d created. Fee: %2$s. Pickup code: %3$s.', 'despacho'), $delivery['id'], Money::text($fee), $record->pickupCode());
        $quoted = $record->rate('fee');
        if (is_numeric($quoted) && abs((float) $quoted - $fee) >= 0.005) {
            /* translators: %s: fee */
            $note .= ' ' . sprintf(__('The quoted fee was %s.', 'despacho'), Money::text((float) $quoted));
        }
        foreach ($delivery['notices'] ?? [] as $notice) {
            $note .= is_string($notice['detail'] ?? null) ? " {$notice['detail']}" : '';
        }
        if ($record->rate('fallback') === 'yes') {
            $note .= ' ' . __('The shopper paid the price that applies while the service is unavailable.', 'despacho');
        }
        return $note;
    }

    public static function reason(ApiError $error): string
    {
        $text = $error->problemCode === ApiError::NO_RESPONSE
            /* translators: %s: error of the connection */
            ? sprintf(__('the service did not respond (%s)', 'despacho'), $error->getMessage())
            : $error->getMessage();
        return rtrim($text, '.') . '.';
    }
}
