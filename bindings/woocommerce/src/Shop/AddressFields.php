<?php

declare(strict_types=1);

namespace Despacho\WooCommerce\Shop;

use Despacho\WooCommerce\Delivery\Address;
use WC_Order;

/** Reads the number and the neighbourhood, which WooCommerce does not have, and the address that contains them. */
final class AddressFields
{
    /** The fields of the checkout block. Their names in the classic checkout are those of Brazilian Market on WooCommerce. */
    public const BLOCK_FIELDS = ['number' => 'despacho/number', 'neighborhood' => 'despacho/neighborhood'];
    private const SESSION = 'despacho_address';

    /** Returns the address to which an order is shipped. */
    public static function ofOrder(WC_Order $order): Address
    {
        $type = $order->get_shipping_address_1() !== '' || $order->get_shipping_postcode() !== '' ? 'shipping' : 'billing';
        $get = static fn (string $name): string => (string) $order->{"get_{$type}_$name"}();
        return Address::of([
            'street' => $get('address_1'),
            'number' => self::orderField($order, $type, 'number'),
            'complement' => $get('address_2'),
            'neighborhood' => self::orderField($order, $type, 'neighborhood'),
            'city' => $get('city'),
            'state' => $get('state'),
            'zipCode' => $get('postcode'),
        ]);
    }

    /**
     * Returns the destination of a package, to which {@see self::current()} was added.
     *
     * @param array<string, mixed> $destination
     */
    public static function ofDestination(array $destination): Address
    {
        return Address::of([
            'street' => $destination['address_1'] ?? $destination['address'] ?? '',
            'number' => $destination['despacho_number'] ?? '',
            'complement' => $destination['address_2'] ?? '',
            'neighborhood' => $destination['despacho_neighborhood'] ?? '',
            'city' => $destination['city'] ?? '',
            'state' => $destination['state'] ?? '',
            'zipCode' => $destination['postcode'] ?? '',
        ]);
    }

    /**
     * Stores the fields of a posted checkout form in the shopper's session.
     *
     * @param array<string, mixed> $form
     */
    public static function remember(array $form): void
    {
        $type = empty($form['ship_to_different_address']) ? 'billing' : 'shipping';
        $values = [];
        foreach (array_keys(self::BLOCK_FIELDS) as $name) {
            $value = $form["{$type}_$name"] ?? '';
            $values[$name] = is_string($value) ? sanitize_text_field(wp_unslash($value)) : '';
        }
        WC()->session?->set(self::SESSION, $values);
    }

    /** @return array{number: string, neighborhood: string} the shopper's fields: of the session, else of the account */
    public static function current(): array
    {
        $session = WC()->session?->get(self::SESSION);
        $values = [];
        foreach (self::BLOCK_FIELDS as $name => $field) {
            $value = is_array($session) ? $session[$name] ?? '' : '';
            foreach (["_wc_shipping/$field", "shipping_$name", "_wc_billing/$field", "billing_$name"] as $key) {
                if ($value === '' && !is_array($session) && WC()->customer !== null) {
                    $value = (string) WC()->customer->get_meta($key);
                }
            }
            $values[$name] = $value;
        }
        return $values;
    }

    /** Returns the name of a field of {@see Address} for people. */
    public static function label(string $field): string
    {
        return match ($field) {
            'zipCode' => __('CEP', 'despacho'),
            'street' => __('Street', 'despacho'),
            'number' => __('Number', 'despacho'),
            'city' => __('City', 'despacho'),
            'state' => __('State', 'despacho'),
            default => $field,
        };
    }

    private static function orderField(WC_Order $order, string $type, string $name): string
    {
        foreach (["_{$type}_$name", "_wc_$type/" . self::BLOCK_FIELDS[$name]] as $key) {
            $value = $order->get_meta($key);
            if (is_string($value) && $value !== '') {
                return $value;
            }
        }
        return '';
    }
}
