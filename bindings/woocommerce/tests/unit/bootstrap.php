<?php

// The functions of WordPress that the tested classes use, in memory, and the order of WooCommerce's test double.

declare(strict_types=1);

use Despacho\WooCommerce\Api\ApiError;
use Despacho\WooCommerce\Api\Client;
use Despacho\WooCommerce\Api\Transport;

require_once __DIR__ . '/../../src/autoload.php';

define('ABSPATH', __DIR__);

$GLOBALS['options'] = $GLOBALS['transients'] = $GLOBALS['rows'] = [];

/** The test double's store, in memory. */
final class WC_Double_Store
{
    /** @param array<string, mixed> $data */
    public static function insert(string $kind, array $data): int
    {
        $id = count($GLOBALS['rows']) + 1;
        $GLOBALS['rows'][$id] = [$kind, json_encode($data)];
        return $id;
    }

    /** @return array<string, mixed>|null */
    public static function load(string $kind, int $id): ?array
    {
        return ($GLOBALS['rows'][$id][0] ?? '') === $kind ? json_decode($GLOBALS['rows'][$id][1], true) : null;
    }

    /** @param array<string, mixed> $data */
    public static function update(int $id, array $data): void
    {
        $GLOBALS['rows'][$id][1] = json_encode($data);
    }

    /** @return array<int, array<string, mixed>> */
    public static function all(string $kind): array
    {
        $rows = array_filter($GLOBALS['rows'], static fn (array $row) => $row[0] === $kind);
        return array_map(static fn (array $row) => json_decode($row[1], true), $rows);
    }
}

/** A service with prepared responses, which records the requests. */
final class FakeTransport implements Transport
{
    /** @var list<array{method: string, path: string, headers: array<string, string>, body: mixed}> */
    public array $requests = [];

    /** @param list<array{0: int, 1: mixed}|null> $responses each a status and a body, or null for a lost response */
    public function __construct(public array $responses)
    {
    }

    public function send(string $method, string $url, array $headers, ?string $body, float $timeout): array
    {
        $path = substr($url, strlen('https://despacho.example'));
        $this->requests[] = ['method' => $method, 'path' => $path, 'headers' => $headers, 'body' => $body === null ? null : json_decode($body, true)];
        if ($this->responses === []) {
            throw new LogicException("unexpected request: $method $path");
        }
        $response = array_shift($this->responses) ?? throw ApiError::withoutResponse('timeout');
        return ['status' => $response[0], 'body' => (string) json_encode($response[1]), 'retryAfter' => null];
    }

    public function client(): Client
    {
        return new Client($this, 'https://despacho.example', 'dsp_key', 'en');
    }
}

function __(string $text, string $domain): string
{
    return $text;
}

function get_option(string $name, mixed $default = false): mixed
{
    return $GLOBALS['options'][$name] ?? $default;
}

function update_option(string $name, mixed $value, bool $autoload = true): bool
{
    $GLOBALS['options'][$name] = $value;
    return true;
}

function get_transient(string $name): mixed
{
    return $GLOBALS['transients'][$name] ?? false;
}

function set_transient(string $name, mixed $value, int $seconds): bool
{
    $GLOBALS['transients'][$name] = $value;
    return true;
}

function delete_transient(string $name): bool
{
    unset($GLOBALS['transients'][$name]);
    return true;
}

function do_action(string $hook, mixed ...$arguments): void
{
    $GLOBALS['hooks'][] = $hook;
}

function determine_locale(): string
{
    return 'en_US';
}

function wp_date(string $format, int $time): string
{
    return gmdate($format, $time);
}

function wp_generate_uuid4(): string
{
    return bin2hex(random_bytes(16));
}

foreach (['order', 'shipping', 'shop', 'scheduler'] as $name) {
    require_once __DIR__ . "/../woocommerce-double/includes/$name.php";
}
