<?php

declare(strict_types=1);

namespace Despacho\WooCommerce\Shop;

use WC_Order;

/** Shows the link to the delivery's page to the shopper: in the order and in mails. */
final class Tracking
{
    public static function register(): void
    {
        add_action('woocommerce_order_details_after_order_table', [self::class, 'show']);
        add_action('woocommerce_email_after_order_table', [self::class, 'showInMail'], 10, 3);
    }

    /** @param mixed $order */
    public static function show($order): void
    {
        $record = $order instanceof WC_Order ? new Record($order) : null;
        if ($record === null || !$record->usesDespacho()) {
            return;
        }
        $url = self::url($record);
        echo '<section class="despacho-tracking"><h2>' . esc_html__('Delivery', 'despacho') . '</h2>';
        if ($url !== '') {
            echo '<p><a class="button" href="' . esc_url($url) . '" rel="noopener">' . esc_html__('Track the delivery', 'despacho') . '</a></p>';
        } else {
            echo '<p>' . esc_html(self::state($order, $record)) . '</p>';
        }
        echo '</section>';
    }

    /**
     * @param mixed $order
     * @param mixed $toAdmin
     * @param mixed $isPlain
     */
    public static function showInMail($order, $toAdmin = false, $isPlain = false): void
    {
        $url = $order instanceof WC_Order ? self::url(new Record($order)) : '';
        if ($url === '') {
            return;
        }
        if ($isPlain) {
            echo "\n" . esc_html__('Track the delivery', 'despacho') . ': ' . esc_url($url) . "\n";
            return;
        }
        echo '<p><a href="' . esc_url($url) . '">' . esc_html__('Track the delivery', 'despacho') . '</a></p>';
    }

    private static function url(Record $record): string
    {
        return esc_url_raw($record->trackingUrl(), ['http', 'https']);
    }

    private static function state(WC_Order $order, Record $record): string
    {
        if ($record->deliveryId() !== 0) {
            return $order->has_status('completed') ? __('Delivered.', 'despacho') : __('Your delivery is being prepared.', 'despacho');
        }
        return $order->has_status('processing')
            ? __('Your delivery is being scheduled.', 'despacho')
            : __('The delivery is scheduled after the payment.', 'despacho');
    }
}
