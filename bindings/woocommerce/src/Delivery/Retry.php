<?php

declare(strict_types=1);

namespace Despacho\WooCommerce\Delivery;

use Despacho\WooCommerce\Api\ApiError;

/** Decides when a failed request is sent again. */
final class Retry
{
    private const FIRST_DELAY = 60;
    private const MAX_DELAY = 3600;
    /** After this time the merchant has to act. */
    private const GIVE_UP_AFTER = 259_200;
    /** The merchant can correct these without opening the order: the key, the account, the balance. */
    private const WAITING = ['api_key_invalid', 'api_key_expired', 'api_key_revoked', 'api_key_missing', 'store_disabled', 'insufficient_balance'];

    /** Returns the time of the next attempt, or null if a repetition cannot succeed. */
    public static function at(ApiError $error, int $attempt, int $failingSince, int $now): ?int
    {
        if ($error->problemCode === 'store_closed') {
            $opening = $error->nextOpening();
            return $opening === null ? null : max($opening, $now + self::FIRST_DELAY);
        }
        $repeatable = $error->isUnavailable() || in_array($error->problemCode, self::WAITING, true);
        if (!$repeatable || $now - $failingSince > self::GIVE_UP_AFTER) {
            return null;
        }
        $delay = min(self::MAX_DELAY, self::FIRST_DELAY * 2 ** min($attempt, 10));
        return $now + max($delay, $error->retryAfter ?? 0);
    }
}
