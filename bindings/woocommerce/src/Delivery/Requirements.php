<?php

declare(strict_types=1);

namespace Despacho\WooCommerce\Delivery;

/** The weight, the volume and the number of packages of a cart. */
final class Requirements
{
    private const MAX_PACKAGES = 100;

    /**
     * @param list<array{quantity: int, grams: float, cubicCentimetres: float}> $lines
     * @param bool $separate whether every item is a package of its own
     * @return array<string, int>
     */
    public static function of(array $lines, bool $separate): array
    {
        $grams = $volume = 0.0;
        $items = 0;
        foreach ($lines as $line) {
            $grams += $line['quantity'] * $line['grams'];
            $volume += $line['quantity'] * $line['cubicCentimetres'];
            $items += $line['quantity'];
        }
        $requirements = ['packages' => $separate ? max(1, min($items, self::MAX_PACKAGES)) : 1];
        // A cubic centimetre is a millilitre. Products without a weight or size count as 0, and 0 is not sent.
        if (ceil($grams) >= 1) {
            $requirements['weightGrams'] = (int) ceil(round($grams, 3));
        }
        if (ceil($volume) >= 1) {
            $requirements['volumeMillilitres'] = (int) ceil(round($volume, 3));
        }
        return $requirements;
    }
}
