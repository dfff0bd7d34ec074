<?php

declare(strict_types=1);

namespace Despacho\WooCommerce\Delivery;

/** The bodies of previews and of new orders. Both contain the same address, payment and requirements, which a quote covers. */
final class OrderRequest
{
    private const MAX_OBSERVATION = 1000;
    private const MAX_NAME = 255;
    private const MAX_CODE = 64;
    private const MAX_CONTACT = 250;
    private const MAX_VALUE = 1_000_000;

    /**
     * @param array<string, int> $requirements
     * @return array<string, mixed>
     */
    public static function preview(Address $address, array $requirements, bool $isPaid, int $preparationMinutes): array
    {
        return [
            'deliveries' => [['address' => $address->toApi(), 'onlinePayment' => $isPaid]],
            'preparationTime' => $preparationMinutes,
            'previewDeliveryTime' => true,
            'requirements' => $requirements,
        ];
    }

    /**
     * @param array{name: string, phone: string, country: string, email: string, note: string, number: string, total: float} $recipient
     *     `country` is that of the address with the phone number
     * @param array<string, int> $requirements
     * @return array<string, mixed>
     */
    public static function create(
        string $code,
        string $reference,
        Address $address,
        array $recipient,
        array $requirements,
        bool $isPaid,
        int $preparationMinutes,
    ): array {
        $delivery = [
            'address' => $address->toApi(),
            'onlinePayment' => $isPaid,
        ];
        $value = round($recipient['total'], 2);
        if (!$isPaid || ($value >= 0 && $value <= self::MAX_VALUE)) {
            $delivery['productValue'] = $value;
        }
        // The service reads the contacts as the shopper wrote them, and keeps those that it cannot read for the courier.
        $phone = Text::line($recipient['phone'], self::MAX_CONTACT);
        $unread = self::needsCountryCode($phone, $recipient['country']) ? "Telefone: $phone" : '';
        $optional = [
            'code' => Text::line($recipient['number'], self::MAX_CODE),
            'name' => Text::line($recipient['name'], self::MAX_NAME),
            'phone' => $unread === '' ? $phone : '',
            'email' => Text::line($recipient['email'], self::MAX_CONTACT),
            'observation' => self::observation($recipient['note'], $unread),
        ];
        $delivery += array_filter($optional, static fn (string $value): bool => $value !== '');
        if (!$isPaid) {
            $delivery['payment'] = ['method' => 'CASH'];
        }
        return [
            'code' => $code,
            'fullCode' => $reference,
            'deliveries' => [$delivery],
            'preparationTime' => $preparationMinutes,
            'previewDeliveryTime' => true,
            'requirements' => $requirements,
        ];
    }

    /**
     * Returns the body without contacts that the service rejected, which then are part of the note, or null if it rejected anything else. Only
     * earlier versions of the service reject contacts.
     *
     * @param array<string, mixed> $body
     * @param list<string> $rejected JSON pointers
     * @return array<string, mixed>|null
     */
    public static function withoutContacts(array $body, array $rejected): ?array
    {
        $labels = ['/deliveries/0/phone' => 'Telefone', '/deliveries/0/email' => 'E-mail'];
        if ($rejected === [] || array_diff($rejected, array_keys($labels)) !== []) {
            return null;
        }
        $delivery = $body['deliveries'][0];
        foreach ($rejected as $pointer) {
            $name = basename($pointer);
            $line = $labels[$pointer] . ': ' . ($delivery[$name] ?? '');
            $delivery['observation'] = self::observation($delivery['observation'] ?? '', $line);
            unset($delivery[$name]);
        }
        $body['deliveries'] = [$delivery];
        return $body;
    }

    /** Returns whether a number without a country code belongs to another country than Brazil, so that the service would misread it. */
    private static function needsCountryCode(string $phone, string $country): bool
    {
        return $phone !== '' && !in_array($country, ['', 'BR'], true) && !str_starts_with($phone, '+') && !str_starts_with($phone, '00');
    }

    /** Returns the note for the courier, shortened so that the last line remains. */
    private static function observation(string $note, string $line): string
    {
        $space = $line === '' ? 0 : Text::length($line) + 1;
        return trim(Text::lines($note, self::MAX_OBSERVATION - $space) . "\n$line");
    }
}
