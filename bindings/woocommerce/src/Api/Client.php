<?php

declare(strict_types=1);

namespace Despacho\WooCommerce\Api;

/** The requests to Despacho that the plugin needs. */
final class Client
{
    /** A shopper waits for a preview. */
    public const PREVIEW_TIMEOUT = 4.0;
    private const TIMEOUT = 15.0;

    public function __construct(
        private readonly Transport $transport,
        private readonly string $baseUrl,
        private readonly string $apiKey,
        private readonly string $language,
    ) {
    }

    /**
     * @param array<string, mixed> $order
     * @return array<string, mixed>
     */
    public function preview(array $order): array
    {
        return $this->request('POST', '/delivery/orders/preview', $order, [], self::PREVIEW_TIMEOUT);
    }

    /**
     * @param array<string, mixed> $order
     * @return array<string, mixed>
     */
    public function createOrder(array $order, string $idempotencyKey): array
    {
        return $this->request('POST', '/delivery/orders', $order, ['idempotency-key' => $idempotencyKey]);
    }

    /** @return array<string, mixed> */
    public function order(int $id): array
    {
        return $this->request('GET', "/delivery/orders/$id");
    }

    /**
     * Returns the newest order with this code and reference, or null.
     *
     * @return array<string, mixed>|null
     */
    public function findOrder(string $code, string $reference): ?array
    {
        $page = $this->request('GET', '/delivery/orders?q=' . rawurlencode($code));
        foreach ($page['orders'] ?? [] as $order) {
            if (($order['code'] ?? null) === $code && ($order['fullCode'] ?? null) === $reference) {
                return $order;
            }
        }
        return null;
    }

    /** @return array<string, mixed> */
    public function cancellation(int $id): array
    {
        return $this->request('GET', "/delivery/orders/$id/cancellation");
    }

    /** @return array<string, mixed> */
    public function cancel(int $id, string $reason): array
    {
        return $this->request('POST', '/delivery/orders/cancel', ['orderId' => $id, 'reason' => $reason]);
    }

    /** @return array<string, mixed> */
    public function previewContext(): array
    {
        return $this->request('GET', '/delivery/preview-context');
    }

    /** @return array<string, mixed> */
    public function store(int $id): array
    {
        return $this->request('GET', "/delivery/stores/$id");
    }

    /** @return array<string, mixed> */
    public function tracking(int $storeId): array
    {
        return $this->request('GET', "/delivery/stores/$storeId/tracking");
    }

    /** @return list<array<string, mixed>> */
    public function webhooks(): array
    {
        return $this->request('GET', '/delivery/webhooks')['webhooks'] ?? [];
    }

    /**
     * @param list<string> $events
     * @return array<string, mixed>
     */
    public function createWebhook(string $url, array $events): array
    {
        return $this->request('POST', '/delivery/webhooks', ['url' => $url, 'events' => $events]);
    }

    public function deleteWebhook(int $id): void
    {
        $this->request('DELETE', "/delivery/webhooks/$id");
    }

    /**
     * @param array<string, mixed>|null $body
     * @param array<string, string> $headers
     * @return array<string, mixed>
     */
    private function request(string $method, string $path, ?array $body = null, array $headers = [], float $timeout = self::TIMEOUT): array
    {
        $headers += ['x-api-token' => $this->apiKey, 'accept' => 'application/json', 'accept-language' => $this->language];
        $text = null;
        if ($body !== null) {
            $headers['content-type'] = 'application/json';
            $text = json_encode($body, JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_INVALID_UTF8_SUBSTITUTE | JSON_THROW_ON_ERROR);
        }
        $response = $this->transport->send($method, $this->baseUrl . $path, $headers, $text, $timeout);
        if ($response['status'] === 204) {
            return [];
        }
        $decoded = json_decode($response['body'], true);
        if ($response['status'] < 200 || $response['status'] > 299 || !is_array($decoded)) {
            throw ApiError::fromResponse($response['status'], $response['body'], $response['retryAfter']);
        }
        return $decoded;
    }
}
