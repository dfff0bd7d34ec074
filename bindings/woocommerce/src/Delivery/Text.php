<?php

declare(strict_types=1);

namespace Despacho\WooCommerce\Delivery;

/** Texts of a shop in the form that the API accepts: valid UTF-8 without control characters and invisible characters, of limited length. */
final class Text
{
    private const ELLIPSIS = '…';

    /** Returns a text on one line. */
    public static function line(mixed $text, int $maxLength): string
    {
        $plain = preg_replace('/[\p{Cc}\s]+/u', ' ', self::visible($text)) ?? '';
        return self::shortened(trim($plain), $maxLength);
    }

    /** Returns a text with its line breaks. */
    public static function lines(mixed $text, int $maxLength): string
    {
        $plain = preg_replace('/[^\P{Cc}\t\r\n]+/u', ' ', self::visible($text)) ?? '';
        return self::shortened(trim($plain), $maxLength);
    }

    public static function length(string $text): int
    {
        return mb_strlen($text, 'UTF-8');
    }

    private static function visible(mixed $text): string
    {
        $text = is_scalar($text) ? (string) $text : '';
        // Replaces invalid UTF-8 without the extension mbstring, which WordPress does not require.
        $valid = htmlspecialchars_decode(htmlspecialchars($text, ENT_NOQUOTES | ENT_SUBSTITUTE, 'UTF-8'), ENT_NOQUOTES);
        // The joiner U+200D remains: emoji consist of several characters with it.
        return preg_replace('/[\x{AD}\x{200B}\x{200E}\x{200F}\x{202A}-\x{202E}\x{2060}-\x{2064}\x{2066}-\x{2069}\x{FEFF}]/u', '', $valid) ?? '';
    }

    private static function shortened(string $text, int $maxLength): string
    {
        return self::length($text) <= $maxLength ? $text : mb_substr($text, 0, $maxLength - 1, 'UTF-8') . self::ELLIPSIS;
    }
}
