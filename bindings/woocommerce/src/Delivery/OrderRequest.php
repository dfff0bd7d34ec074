<?php

declare(strict_types=1);

namespace Despacho\WooCommerce\Delivery;

/** The bodies of previews and of new orders. Both contain the same address, payment and requirements, which a quote covers. */
final class OrderRequest
{
    private const MAX_OBSERVATION = 1000;
    private const MAX_NAME = 255;

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
     * @param array{name: string, phone: string, email: string, note: string, number: string, total: float} $recipient
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
            'code' => mb_substr($recipient['number'], 0, 64),
            'name' => mb_substr($recipient['name'], 0, self::MAX_NAME),
            'address' => $address->toApi(),
            'onlinePayment' => $isPaid,
            'productValue' => round($recipient['total'], 2),
        ];
        // The phone number and the email address are optional. An invalid one must not prevent the delivery.
        $phone = Phone::e164($recipient['phone']);
        $optional = ['phone' => $phone, 'email' => $recipient['email'], 'observation' => mb_substr($recipient['note'], 0, self::MAX_OBSERVATION)];
        $delivery += array_filter($optional, static fn (?string $value): bool => $value !== null && $value !== '');
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
}
