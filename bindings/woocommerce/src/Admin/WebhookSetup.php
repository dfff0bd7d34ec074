<?php

declare(strict_types=1);

namespace Despacho\WooCommerce\Admin;

use Despacho\WooCommerce\Api\ApiError;
use Despacho\WooCommerce\Api\Client;
use Despacho\WooCommerce\Delivery\EventPlan;
use Despacho\WooCommerce\Settings;

/** Creates the webhook at the service and stores its secret. */
final class WebhookSetup
{
    public function __construct(private readonly Client $client, private readonly Settings $settings)
    {
    }

    /** @return list<array{type: string, text: string}> */
    public function create(string $url): array
    {
        if (!$this->settings->isConfigured()) {
            return [['type' => 'error', 'text' => __('Enter the base address and the API key, and save them.', 'despacho')]];
        }
        try {
            $webhook = $this->client->createWebhook($url, EventPlan::EVENTS);
        } catch (ApiError $error) {
            /* translators: 1: address of this site, 2: reason */
            $text = sprintf(__('The service did not accept the webhook %1$s. %2$s', 'despacho'), $url, ConnectionTest::advice($error));
            return [['type' => 'error', 'text' => $text]];
        }
        $previous = $this->settings->webhookId();
        // Messages on the way have a signature with the previous secret.
        $secrets = [(string) $webhook['secret'], ...array_slice($this->settings->webhookSecrets(), 0, 1)];
        Settings::store(['webhook_id' => (int) $webhook['id'], 'webhook_secrets' => $secrets]);
        if ($previous !== 0) {
            try {
                $this->client->deleteWebhook($previous);
            } catch (ApiError) {
                // The previous webhook can have been deleted in the panel.
            }
        }
        /* translators: %s: address of this site */
        return [['type' => 'success', 'text' => sprintf(__('The webhook was created. Events are sent to %s.', 'despacho'), $url)]];
    }
}
