<?php

declare(strict_types=1);

namespace Despacho\WooCommerce\Admin;

use Despacho\WooCommerce\Api\ApiError;
use Despacho\WooCommerce\Api\Client;
use Despacho\WooCommerce\Settings;
use Despacho\WooCommerce\Shop\Money;
use Despacho\WooCommerce\Shop\Quotes;

/** Sends real requests and reports what works, what does not, and what to do. */
final class ConnectionTest
{
    public function __construct(private readonly Client $client, private readonly Settings $settings)
    {
    }

    /** @return list<array{type: string, text: string}> messages with the type of WordPress's notices */
    public function run(): array
    {
        if (!$this->settings->isConfigured()) {
            return [self::message('error', __('Enter the base address and the API key, and save them.', 'despacho'))];
        }
        if (get_woocommerce_currency() !== 'BRL') {
            return [self::message('error', __('The currency of the shop is not the real (BRL), so no prices are shown. Change it in WooCommerce > Settings > General.', 'despacho'))];
        }
        try {
            $context = $this->client->previewContext();
            $storeId = (int) ($context['store']['id'] ?? 0);
            $store = $this->client->store($storeId);
            $address = array_filter((array) ($context['store']['address'] ?? []), static fn ($value) => $value !== null);
            $preview = $this->client->preview(['deliveries' => [['address' => $address]]]);
        } catch (ApiError $error) {
            return [self::message('error', self::advice($error))];
        }
        Quotes::markUp();
        /* translators: 1: name of the store, 2: fee */
        $text = sprintf(__('Connected to the store "%1$s". A delivery next door costs %2$s.', 'despacho'), $store['name'] ?? $storeId, Money::text((float) $preview['deliveryFee']));
        $messages = [self::message('success', $text)];
        if (!empty($store['sandbox'])) {
            $messages[] = self::message('warning', __('This is a sandbox store: simulated couriers deliver, and nothing is billed.', 'despacho'));
        }
        return [...$messages, ...$this->webhook(), ...$this->tracking($storeId)];
    }

    /** Returns the cause of an error and its remedy. */
    public static function advice(ApiError $error): string
    {
        if ($error->problemCode === ApiError::NO_RESPONSE) {
            /* translators: %s: error of the connection */
            return sprintf(__('No response: %s. Check the base address, and whether your hosting permits outgoing connections.', 'despacho'), rtrim($error->getMessage(), '.'));
        }
        if ($error->status === 401) {
            return __('The service does not accept the API key. Copy the whole key from the panel (Access, API keys), or create a new one.', 'despacho');
        }
        if ($error->problemCode === ApiError::UNEXPECTED_RESPONSE) {
            /* translators: %d: HTTP status */
            return sprintf(__('The base address responded, but not as Despacho does (HTTP %d). Enter the address of the API, without a path.', 'despacho'), $error->status);
        }
        return $error->getMessage();
    }

    /** @return list<array{type: string, text: string}> */
    private function webhook(): array
    {
        $missing = self::message('warning', __('There is no webhook, so orders do not show the progress of their deliveries. Choose "Create the webhook".', 'despacho'));
        if ($this->settings->webhookId() === 0) {
            return [$missing];
        }
        try {
            foreach ($this->client->webhooks() as $webhook) {
                if (($webhook['id'] ?? null) === $this->settings->webhookId()) {
                    return ($webhook['status'] ?? '') === 'active'
                        ? [self::message('success', __('The webhook is active.', 'despacho'))]
                        : [self::message('error', __('The service has stopped the webhook, because requests to this site failed. Check that the site is reachable, then choose "Create the webhook".', 'despacho'))];
                }
            }
        } catch (ApiError $error) {
            return [self::message('error', self::advice($error))];
        }
        return [$missing];
    }

    /** @return list<array{type: string, text: string}> */
    private function tracking(int $storeId): array
    {
        try {
            $isEnabled = !empty($this->client->tracking($storeId)['enabled']);
        } catch (ApiError) {
            return [];
        }
        return $isEnabled ? [] : [self::message('info', __('Pages for recipients are off, so shoppers get no tracking link. Enable them in the panel (Settings).', 'despacho'))];
    }

    /** @return array{type: string, text: string} */
    private static function message(string $type, string $text): array
    {
        return ['type' => $type, 'text' => $text];
    }
}
