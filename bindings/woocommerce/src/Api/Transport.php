<?php

declare(strict_types=1);

namespace Despacho\WooCommerce\Api;

/** Sends one HTTP request. */
interface Transport
{
    /**
     * @param array<string, string> $headers
     * @return array{status: int, body: string, retryAfter: ?int}
     * @throws ApiError if there is no response
     */
    public function send(string $method, string $url, array $headers, ?string $body, float $timeout): array;
}
