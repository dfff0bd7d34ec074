<?php

declare(strict_types=1);

namespace Despacho\WooCommerce\Shop;

use Despacho\WooCommerce\Api\ApiError;
use Despacho\WooCommerce\Api\Client;
use Despacho\WooCommerce\Delivery\Address;
use Despacho\WooCommerce\Delivery\OrderRequest;
use Despacho\WooCommerce\Settings;

/** Requests prices and caches them briefly for each address and cart. */
final class Quotes
{
    /** Below a third of a quote's validity of 15 minutes, so that the shopper has time to pay. */
    public const CACHE_SECONDS = 300;
    /** While the service does not respond, a page does not wait for it again. */
    public const DOWN_SECONDS = 30;
    private const DOWN = 'despacho_down';

    public function __construct(private readonly Client $client, private readonly Settings $settings)
    {
    }

    /** Returns whether the last request failed within {@see self::DOWN_SECONDS}. */
    public static function isDown(): bool
    {
        return get_transient(self::DOWN) !== false;
    }

    /** Records that the service responds, so that the next page requests a price again. */
    public static function markUp(): void
    {
        delete_transient(self::DOWN);
    }

    /** @param array<string, int> $requirements */
    public function get(Address $address, array $requirements, bool $isPaid): Quote
    {
        if (!$address->isQuotable()) {
            return Quote::without(Quote::INCOMPLETE, __('Enter the CEP to calculate the delivery.', 'despacho'), $requirements);
        }
        $order = OrderRequest::preview($address, $requirements, $isPaid, $this->settings->preparationMinutes());
        $account = $this->settings->baseUrl() . ' ' . $this->settings->apiKey() . ' ' . determine_locale();
        $key = 'despacho_rate_' . hash('sha256', $account . json_encode($order));
        $cached = get_transient($key);
        if ($cached instanceof Quote) {
            return $cached;
        }
        $reason = get_transient(self::DOWN);
        if (is_string($reason)) {
            return Quote::without(Quote::UNAVAILABLE, $reason, $requirements);
        }
        $quote = $this->request($order, $requirements, $address->isComplete());
        if ($quote->state === Quote::UNAVAILABLE) {
            set_transient(self::DOWN, $quote->reason, self::DOWN_SECONDS);
        } else {
            set_transient($key, $quote, self::CACHE_SECONDS);
        }
        return $quote;
    }

    /**
     * @param array<string, mixed> $order
     * @param array<string, int> $requirements
     */
    private function request(array $order, array $requirements, bool $isComplete): Quote
    {
        try {
            try {
                $preview = $this->client->preview($order);
            } catch (ApiError $error) {
                $minutes = $this->minutesUntil($error->nextOpening());
                if ($minutes === null) {
                    throw $error;
                }
                $preview = $this->client->preview(['preparationTime' => $minutes] + $order);
            }
        } catch (ApiError $error) {
            // The detail can contain the address.
            wc_get_logger()->warning("preview failed: {$error->problemCode}", ['source' => 'despacho']);
            // A wrong key is the merchant's problem, which the shopper cannot solve.
            $isAddress = in_array($error->status, [400, 422], true);
            return Quote::without($isAddress ? Quote::REJECTED : Quote::UNAVAILABLE, $error->getMessage(), $requirements);
        }
        if (!is_numeric($preview['deliveryFee'] ?? null)) {
            return Quote::without(Quote::UNAVAILABLE, ApiError::UNEXPECTED_RESPONSE, $requirements);
        }
        return Quote::priced($preview, $requirements, $isComplete);
    }

    /** Returns the preparation time with which a closed store hands the order over after it opens. */
    private function minutesUntil(?int $opening): ?int
    {
        $minutes = $opening === null ? null : (int) ceil(($opening - time()) / 60) + 1;
        return $minutes !== null && $minutes > $this->settings->preparationMinutes() && $minutes <= 1440 ? $minutes : null;
    }
}
