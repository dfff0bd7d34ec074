<?php

declare(strict_types=1);

namespace Despacho\WooCommerce\Shop;

/** Amounts in order notes, which are plain text. */
final class Money
{
    public static function text(float $amount): string
    {
        return 'R$ ' . number_format($amount, 2, ',', '.');
    }
}
