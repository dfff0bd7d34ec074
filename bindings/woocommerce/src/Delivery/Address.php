<?php

declare(strict_types=1);

namespace Despacho\WooCommerce\Delivery;

/** The address of a delivery, as the shopper wrote it. */
final class Address
{
    private const MAX_LENGTH = 255;
    private const ACCENTS = [
        'á' => 'a', 'Á' => 'a', 'â' => 'a', 'Â' => 'a', 'ã' => 'a', 'Ã' => 'a', 'é' => 'e', 'É' => 'e', 'ê' => 'e', 'Ê' => 'e',
        'í' => 'i', 'Í' => 'i', 'ó' => 'o', 'Ó' => 'o', 'ô' => 'o', 'Ô' => 'o', 'õ' => 'o', 'Õ' => 'o', 'ç' => 'c', 'Ç' => 'c',
    ];
    private const STATES = [
        'acre' => 'AC', 'alagoas' => 'AL', 'amapa' => 'AP', 'amazonas' => 'AM', 'bahia' => 'BA', 'ceara' => 'CE', 'distrito federal' => 'DF',
        'espirito santo' => 'ES', 'goias' => 'GO', 'maranhao' => 'MA', 'mato grosso' => 'MT', 'mato grosso do sul' => 'MS',
        'minas gerais' => 'MG', 'para' => 'PA', 'paraiba' => 'PB', 'parana' => 'PR', 'pernambuco' => 'PE', 'piaui' => 'PI',
        'rio de janeiro' => 'RJ', 'rio grande do norte' => 'RN', 'rio grande do sul' => 'RS', 'rondonia' => 'RO', 'roraima' => 'RR',
        'santa catarina' => 'SC', 'sao paulo' => 'SP', 'sergipe' => 'SE', 'tocantins' => 'TO',
    ];

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
        $text = static fn (string $name): string => Text::line($fields[$name] ?? '', self::MAX_LENGTH);
        $digits = preg_replace('/\D/', '', $text('zipCode')) ?? '';
        $zipCode = preg_match('/^\d{8}$/', $digits) ? substr($digits, 0, 5) . '-' . substr($digits, 5) : '';
        return new self(
            $text('street'),
            $text('number'),
            $text('complement'),
            $text('neighborhood'),
            $text('city'),
            self::stateCode($text('state')),
            $zipCode,
        );
    }

    /** Returns the two-letter code of a state. Orders from other systems can contain its name, or `BR-SP`. Other text stays as it is. */
    private static function stateCode(string $state): string
    {
        $code = preg_replace('/^BR-/', '', strtoupper($state)) ?? '';
        $plain = strtolower(strtr($state, self::ACCENTS));
        return self::STATES[$plain] ?? $code;
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
