<?php

declare(strict_types=1);

namespace Despacho\WooCommerce\Api;

/** Sends requests with WordPress's HTTP API, so that its proxies and certificates apply. */
final class WordPressTransport implements Transport
{
    private const MAX_RESPONSE_BYTES = 1_048_576;

    public function send(string $method, string $url, array $headers, ?string $body, float $timeout): array
    {
        $response = wp_remote_request($url, [
            'method' => $method,
            'headers' => $headers,
            'body' => $body ?? '',
            'timeout' => $timeout,
            // A redirect would send the API key to another host.
            'redirection' => 0,
            'limit_response_size' => self::MAX_RESPONSE_BYTES,
        ]);
        if (is_wp_error($response)) {
            throw ApiError::withoutResponse($response->get_error_message());
        }
        $retryAfter = wp_remote_retrieve_header($response, 'retry-after');
        return [
            'status' => (int) wp_remote_retrieve_response_code($response),
            'body' => wp_remote_retrieve_body($response),
            'retryAfter' => is_numeric($retryAfter) ? (int) $retryAfter : null,
        ];
    }
}
