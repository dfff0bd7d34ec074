<?php

declare(strict_types=1);

namespace Despacho\WooCommerce\Delivery;

/** Converts Brazilian phone numbers to E.164. */
final class Phone
{
    /** Returns the number in E.164 format, or null if it is not a Brazilian number with its area code. */
    public static function e164(string $text): ?string
    {
        $digits = preg_replace('/\D/', '', $text) ?? '';
        $digits = ltrim($digits, '0');
        if (strlen($digits) === 12 || strlen($digits) === 13) {
            return str_starts_with($digits, '55') ? "+$digits" : null;
        }
        return strlen($digits) === 10 || strlen($digits) === 11 ? "+55$digits" : null;
    }
}
