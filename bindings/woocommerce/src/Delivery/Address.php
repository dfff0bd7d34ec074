<?php

declare(strict_types=1);

namespace Despacho\WooCommerce\Delivery;

/** The address of a delivery, as the shopper wrote it. */
final class Address
{
    private const MAX_LENGTH = 255;

    private function __construct(
        public readonly string $street,
        public readonly string $number,
        public readonly string $complement,
        public readonly string $neighborhood,
        public readonly string $city,
        public readonly string $state,
        public readonly string $zipCode,
    ) {
    }

    /** @param array<string, mixed> $fields */
    public static function of(array $fields): self
    {
        $text = static function (string $name) use ($fields): string {
            $value = is_scalar($fields[$name] ?? null) ? (string) $fields[$name] : '';
            $plain = preg_replace('/[\x00-\x1f\x7f\s]+/u', ' ', $value) ?? '';
            return mb_substr(trim($plain), 0, self::MAX_LENGTH);
        };
        $digits = preg_replace('/[-. ]/', '', $text('zipCode')) ?? '';
        $zipCode = preg_match('/^\d{8}$/', $digits) ? substr($digits, 0, 5) . '-' . substr($digits, 5) : '';
        return new self(
            $text('street'),
            $text('number'),
            $text('complement'),
            $text('neighborhood'),
            $text('city'),
            strtoupper($text('state')),
            $zipCode,
        );
    }

    /** Returns whether a price can be calculated: the CEP is known. */
    public function isQuotable(): bool
    {
        return $this->zipCode !== '';
    }

    /** Returns whether the price is the final one, because a delivery can be created for the address. */
    public function isComplete(): bool
    {
        return $this->missing() === [];
    }

    /**
     * Returns the fields without which no delivery can be created. The number is never guessed from the street.
     *
     * @return list<string>
     */
    public function missing(): array
    {
        $required = ['zipCode', 'street', 'number', 'city', 'state'];
        return array_values(array_filter($required, fn (string $name): bool => $this->{$name} === ''));
    }

    /**
     * Returns the address for the API. An incomplete address consists of its CEP, because the city of an earlier address can
     * remain in the shopper's session.
     *
     * @return array<string, string>
     */
    public function toApi(): array
    {
        if (!$this->isComplete()) {
            return ['zipCode' => $this->zipCode];
        }
        return array_filter(get_object_vars($this), static fn (string $value): bool => $value !== '');
    }
}
