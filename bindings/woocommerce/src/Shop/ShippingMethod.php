<?php

declare(strict_types=1);

namespace Despacho\WooCommerce\Shop;

use Despacho\WooCommerce\Delivery\Requirements;
use Despacho\WooCommerce\Plugin;
use Despacho\WooCommerce\Settings;
use WC_Shipping_Method;

/** Despacho as a shipping method of a zone. */
final class ShippingMethod extends WC_Shipping_Method
{
    public const ID = 'despacho';
    /** The session's entry with the reason that there is no rate. */
    public const REASON = 'despacho_reason';

    /** @param int $instance_id */
    public function __construct($instance_id = 0)
    {
        parent::__construct($instance_id);
        $this->id = self::ID;
        $this->method_title = __('Despacho delivery', 'despacho');
        $this->method_description = __('Live prices of your Despacho store. A paid order creates the delivery.', 'despacho');
        $this->supports = ['shipping-zones', 'instance-settings', 'instance-settings-modal'];
        $this->instance_form_fields = self::fields();
        $this->title = (string) $this->get_option('title');
        $this->tax_status = 'none';
        add_action('woocommerce_update_options_shipping_' . $this->id, [$this, 'process_admin_options']);
    }

    /** @param array<string, mixed> $package */
    public function calculate_shipping($package = []): void
    {
        WC()->session?->set(self::REASON, '');
        // Fees are in reais, and the service delivers in Brazil.
        if (($package['destination']['country'] ?? '') !== 'BR' || get_woocommerce_currency() !== 'BRL') {
            return;
        }
        $isPaid = empty($package['despacho']['cod']);
        $requirements = Requirements::of(self::lines($package['contents'] ?? []), $this->get_option('packages') === 'items');
        $quote = Plugin::quotes()->get(AddressFields::ofDestination($package['destination']), $requirements, $isPaid);
        $rate = match ($quote->state) {
            Quote::PRICED => $this->pricedRate($quote),
            Quote::UNAVAILABLE => $this->fallbackRate(),
            default => null,
        };
        if ($rate === null) {
            $reason = $quote->state === Quote::UNAVAILABLE ? __('The delivery price cannot be calculated at present. Try again in a few minutes.', 'despacho') : $quote->reason;
            WC()->session?->set(self::REASON, $reason);
            return;
        }
        $rate['meta_data'] += ['_despacho_requirements' => wp_json_encode($requirements)];
        $this->add_rate($rate + ['taxes' => false]);
    }

    /** @return array<string, mixed> */
    private function pricedRate(Quote $quote): array
    {
        $cost = $quote->fee + (Settings::amount((string) $this->get_option('surcharge')) ?? 0.0);
        $hint = '';
        if (!$quote->isFinal) {
            $hint = __('Price for the CEP. Enter the street and the number at the checkout for the final price.', 'despacho');
        } elseif ($quote->expectedAt !== null) {
            /* translators: %s: date and time */
            $hint = sprintf(__('Expected by %s if you order now.', 'despacho'), wp_date(__('m/d H:i', 'despacho'), $quote->expectedAt));
        }
        return [
            'label' => $this->title,
            'cost' => $cost,
            'meta_data' => [
                '_despacho_fee' => (string) $quote->fee,
                '_despacho_quote' => $quote->isFinal ? $quote->id : '',
                '_despacho_quote_expires' => (string) $quote->expiresAt,
                '_despacho_hint' => $hint,
            ],
        ];
    }

    /** @return array<string, mixed>|null the rate while the service is unavailable, or null if the shop then sells no delivery */
    private function fallbackRate(): ?array
    {
        $meta = static fn (string $hint): array => ['_despacho_fallback' => 'yes', '_despacho_hint' => $hint];
        switch ($this->get_option('fallback')) {
            case 'flat':
                $hint = __('The live price is unavailable at present, so a fixed price applies. We schedule the delivery after your payment.', 'despacho');
                $label = sprintf('%s (%s)', $this->title, __('fixed price', 'despacho'));
                return ['label' => $label, 'cost' => Settings::amount((string) $this->get_option('fallback_fee')) ?? 0.0, 'meta_data' => $meta($hint)];
            case 'contact':
                $hint = __('The delivery price is unavailable at present and not included. We will contact you about the delivery.', 'despacho');
                $label = sprintf('%s (%s)', $this->title, __('price to be agreed', 'despacho'));
                return ['label' => $label, 'cost' => 0.0, 'meta_data' => $meta($hint)];
            default:
                return null;
        }
    }

    /**
     * Returns the quantities, weights and volumes of a package's contents.
     *
     * @param array<mixed> $contents
     * @return list<array{quantity: int, grams: float, cubicCentimetres: float}>
     */
    public static function lines(array $contents): array
    {
        $lines = [];
        foreach ($contents as $item) {
            $product = $item['data'] ?? null;
            if (!is_object($product) || !$product->needs_shipping()) {
                continue;
            }
            $size = static fn ($value): float => (float) wc_get_dimension((float) $value, 'cm');
            $lines[] = [
                'quantity' => (int) $item['quantity'],
                'grams' => (float) wc_get_weight((float) $product->get_weight(), 'g'),
                'cubicCentimetres' => $size($product->get_length()) * $size($product->get_width()) * $size($product->get_height()),
            ];
        }
        return $lines;
    }

    /** @return array<string, array<string, mixed>> */
    private static function fields(): array
    {
        return [
            'title' => ['title' => __('Title', 'despacho'), 'type' => 'text', 'default' => __('Delivery by courier', 'despacho'), 'description' => __('The name of the delivery at the checkout.', 'despacho')],
            'surcharge' => ['title' => __('Surcharge (R$)', 'despacho'), 'type' => 'text', 'default' => '0', 'description' => __('Added to the live price, for instance for packaging.', 'despacho')],
            'packages' => [
                'title' => __('Packages', 'despacho'),
                'type' => 'select',
                'default' => 'single',
                'options' => ['single' => __('One package for the order', 'despacho'), 'items' => __('One package for each item', 'despacho')],
            ],
            'fallback' => [
                'title' => __('If the service is unavailable', 'despacho'),
                'type' => 'select',
                'default' => 'flat',
                'options' => [
                    'flat' => __('Sell with the fixed price below', 'despacho'),
                    'contact' => __('Sell without a delivery price; we contact the shopper', 'despacho'),
                    'none' => __('Do not offer this delivery', 'despacho'),
                ],
                'description' => __('The checkout shows that the price is not the live one. The delivery is created as soon as the service responds again.', 'despacho'),
            ],
            'fallback_fee' => ['title' => __('Fixed price (R$)', 'despacho'), 'type' => 'text', 'default' => '15'],
        ];
    }
}
