<?php

declare(strict_types=1);

namespace Despacho\WooCommerce\Shop;

/** The result of a price request: a fee, or the reason that there is none. */
final class Quote
{
    public const PRICED = 'priced';
    public const INCOMPLETE = 'incomplete';
    public const REJECTED = 'rejected';
    public const UNAVAILABLE = 'unavailable';

    /** @param array<string, int> $requirements */
    private function __construct(
        public readonly string $state,
        public readonly array $requirements,
        public readonly float $fee = 0.0,
        public readonly string $id = '',
        public readonly int $expiresAt = 0,
        public readonly bool $isFinal = false,
        public readonly ?int $expectedAt = null,
        public readonly string $reason = '',
    ) {
    }

    /**
     * @param array<string, mixed> $preview
     * @param array<string, int> $requirements
     */
    public static function priced(array $preview, array $requirements, bool $isComplete): self
    {
        $expires = strtotime((string) ($preview['quote']['expiresAt'] ?? ''));
        $expected = strtotime((string) ($preview['expectedDelivery'] ?? ''));
        return new self(
            self::PRICED,
            $requirements,
            (float) $preview['deliveryFee'],
            (string) ($preview['quote']['id'] ?? ''),
            $expires === false ? 0 : $expires,
            $isComplete,
            $expected === false ? null : $expected,
        );
    }

    /** @param array<string, int> $requirements */
    public static function without(string $state, string $reason, array $requirements): self
    {
        return new self($state, $requirements, reason: $reason);
    }
}
