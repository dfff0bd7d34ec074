<?php

declare(strict_types=1);

namespace Despacho\WooCommerce\Shop;

use Despacho\WooCommerce\Api\Signature;
use Despacho\WooCommerce\Settings;
use WP_REST_Request;
use WP_REST_Response;

/** The endpoint that receives webhooks: verifies the signature and applies the event. */
final class WebhookReceiver
{
    public const NAMESPACE = 'despacho/v1';
    public const ROUTE = '/webhook';
    private const MAX_BYTES = 1_048_576;

    public function __construct(private readonly Settings $settings, private readonly OrderUpdater $updater)
    {
    }

    public static function url(): string
    {
        return rest_url(self::NAMESPACE . self::ROUTE);
    }

    public function receive(WP_REST_Request $request): WP_REST_Response
    {
        $body = $request->get_body();
        $header = static fn (string $name): string => (string) $request->get_header($name);
        $signature = new Signature($this->settings->webhookSecrets());
        if (
            strlen($body) > self::MAX_BYTES
            || !$signature->isValid($header('webhook-id'), $header('webhook-timestamp'), $header('webhook-signature'), $body, time())
        ) {
            return new WP_REST_Response(['code' => 'signature_invalid'], 401);
        }
        $payload = json_decode($body, true);
        if (!is_array($payload)) {
            return new WP_REST_Response(['code' => 'malformed'], 400);
        }
        if (($payload['type'] ?? '') === 'webhook.test') {
            Settings::store(['webhook_tested_at' => time()]);
            return new WP_REST_Response(['result' => 'test'], 200);
        }
        // Unknown orders are not an error: the store also delivers orders of other channels.
        $applied = is_array($payload['data'] ?? null) && $this->updater->apply($payload['data']);
        return new WP_REST_Response(['result' => $applied ? 'applied' : 'ignored'], 200);
    }
}
