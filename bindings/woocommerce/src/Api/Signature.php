<?php

declare(strict_types=1);

namespace Despacho\WooCommerce\Api;

/** Verifies signatures according to the Standard Webhooks specification. */
final class Signature
{
    private const TOLERANCE_SECONDS = 300;

    /** @param list<string> $secrets the newest secret, and earlier ones that are still valid */
    public function __construct(private readonly array $secrets)
    {
    }

    /** Returns whether one of the signatures in the header is valid for the message. */
    public function isValid(string $id, string $timestamp, string $signatures, string $body, int $now): bool
    {
        if ($id === '' || !preg_match('/^\d{1,12}$/', $timestamp) || abs($now - (int) $timestamp) > self::TOLERANCE_SECONDS) {
            return false;
        }
        foreach ($this->secrets as $secret) {
            $key = base64_decode(preg_replace('/^whsec_/', '', $secret) ?? '', true);
            if ($key === false || $key === '') {
                continue;
            }
            $wanted = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
            foreach (explode(' ', $signatures) as $signature) {
                if (hash_equals($wanted, $signature)) {
                    return true;
                }
            }
        }
        return false;
    }
}
