<?php

declare(strict_types=1);

namespace Despacho\WooCommerce\Shop;

use WP_Error;

/** Adds the missing address fields to the checkout, requires them, and adds them to the packages that are priced. */
final class Checkout
{
    public static function register(): void
    {
        // Brazilian Market on WooCommerce adds the same fields with the default priority.
        add_filter('woocommerce_billing_fields', static fn ($fields, $country = 'BR') => self::withFields($fields, 'billing', $country), 1000, 2);
        add_filter('woocommerce_shipping_fields', static fn ($fields, $country = 'BR') => self::withFields($fields, 'shipping', $country), 1000, 2);
        add_action('woocommerce_init', [self::class, 'registerBlockFields']);
        add_action('woocommerce_checkout_update_order_review', [self::class, 'onUpdate']);
        add_action('woocommerce_checkout_process', [self::class, 'onProcess']);
        add_action('woocommerce_after_checkout_validation', [self::class, 'validate'], 10, 2);
        add_filter('woocommerce_cart_shipping_packages', [self::class, 'withAddress']);
        add_filter('woocommerce_no_shipping_available_html', [self::class, 'withReason']);
        add_filter('woocommerce_cart_no_shipping_available_html', [self::class, 'withReason']);
        add_action('woocommerce_after_shipping_rate', [self::class, 'showHint']);
        add_action('wp_enqueue_scripts', [self::class, 'enqueueScript']);
    }

    /**
     * @param mixed $fields
     * @param mixed $country
     * @return mixed
     */
    public static function withFields($fields, string $type, $country)
    {
        if (!is_array($fields)) {
            return $fields;
        }
        $own = [
            'number' => ['label' => __('Number', 'despacho'), 'required' => $country === 'BR', 'priority' => 55, 'class' => ['form-row-first', 'address-field']],
            'neighborhood' => ['label' => __('Neighbourhood', 'despacho'), 'required' => false, 'priority' => 65, 'class' => ['form-row-last', 'address-field']],
        ];
        foreach ($own as $name => $field) {
            if (!isset($fields["{$type}_$name"])) {
                $fields["{$type}_$name"] = $field + ['type' => 'text', 'maxlength' => 255];
            }
        }
        return $fields;
    }

    /** The checkout block takes its fields from this function, which exists since WooCommerce 8.9. */
    public static function registerBlockFields(): void
    {
        if (!function_exists('woocommerce_register_additional_checkout_field') || WC()->countries->get_base_country() !== 'BR') {
            return;
        }
        $labels = ['number' => __('Number', 'despacho'), 'neighborhood' => __('Neighbourhood', 'despacho')];
        foreach (AddressFields::BLOCK_FIELDS as $name => $id) {
            woocommerce_register_additional_checkout_field([
                'id' => $id,
                'label' => $labels[$name],
                'location' => 'address',
                'type' => 'text',
                'required' => $name === 'number',
            ]);
        }
    }

    /** @param mixed $form the checkout form in URL encoding; WooCommerce has verified its nonce */
    public static function onUpdate($form): void
    {
        parse_str(is_string($form) ? $form : '', $fields);
        AddressFields::remember($fields);
    }

    public static function onProcess(): void
    {
        // phpcs:ignore WordPress.Security.NonceVerification.Missing -- WooCommerce verifies the nonce before this action.
        AddressFields::remember($_POST);
    }

    /**
     * @param array<string, mixed> $data
     * @param WP_Error $errors
     */
    public static function validate($data, $errors): void
    {
        if (!self::isChosen((array) ($data['shipping_method'] ?? []))) {
            return;
        }
        $type = empty($data['ship_to_different_address']) ? 'billing' : 'shipping';
        $names = ['zipCode' => 'postcode', 'street' => 'address_1', 'number' => 'number', 'city' => 'city', 'state' => 'state'];
        foreach ($names as $field => $name) {
            $key = "{$type}_$name";
            $value = is_string($data[$key] ?? null) ? trim($data[$key]) : '';
            // WooCommerce reports required fields that the form contains.
            if ($value === '' && !in_array("{$key}_required", $errors->get_error_codes(), true)) {
                /* translators: %s: name of a field */
                $text = sprintf(__('Enter the field "%s" of the delivery address.', 'despacho'), AddressFields::label($field));
                if ($name === 'number') {
                    $text .= ' ' . __('If the house has no number, enter S/N.', 'despacho');
                }
                $errors->add("{$key}_required", $text, ['id' => $key]);
            }
        }
    }

    /**
     * Adds the number and the neighbourhood to each package. WooCommerce stores rates in the session until a package changes, so
     * the packages also contain the period of the cached price and whether the service is available.
     *
     * @param mixed $packages
     * @return mixed
     */
    public static function withAddress($packages)
    {
        if (!is_array($packages)) {
            return $packages;
        }
        $current = AddressFields::current();
        foreach ($packages as &$package) {
            $package['destination']['despacho_number'] = $current['number'];
            $package['destination']['despacho_neighborhood'] = $current['neighborhood'];
            $package['despacho'] = [
                'period' => intdiv(time(), Quotes::CACHE_SECONDS),
                'down' => Quotes::isDown(),
                'cod' => WC()->session?->get('chosen_payment_method') === 'cod',
            ];
        }
        return $packages;
    }

    /**
     * @param mixed $html
     * @return mixed
     */
    public static function withReason($html)
    {
        $reason = WC()->session?->get(ShippingMethod::REASON);
        return is_string($reason) && $reason !== '' ? $html . '<p class="despacho-reason" role="status">' . esc_html($reason) . '</p>' : $html;
    }

    /** @param mixed $rate a WC_Shipping_Rate */
    public static function showHint($rate): void
    {
        $hint = is_object($rate) && $rate->get_method_id() === ShippingMethod::ID ? $rate->get_meta_data()['_despacho_hint'] ?? '' : '';
        if (is_string($hint) && $hint !== '') {
            echo '<p class="despacho-hint" role="status"><small>' . esc_html($hint) . '</small></p>';
        }
    }

    /** The price depends on whether the courier collects the payment. */
    public static function enqueueScript(): void
    {
        if (function_exists('is_checkout') && is_checkout()) {
            wp_add_inline_script('wc-checkout', "jQuery(document.body).on('change','input[name=\"payment_method\"]',function(){jQuery(document.body).trigger('update_checkout')});");
        }
    }

    /** @param array<mixed> $methods */
    private static function isChosen(array $methods): bool
    {
        foreach ($methods as $method) {
            if (is_string($method) && explode(':', $method)[0] === ShippingMethod::ID) {
                return true;
            }
        }
        return false;
    }
}
