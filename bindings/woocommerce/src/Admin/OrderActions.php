<?php

declare(strict_types=1);

namespace Despacho\WooCommerce\Admin;

use Despacho\WooCommerce\Plugin;
use Despacho\WooCommerce\Shop\Record;
use WC_Order;

/** Adds the delivery to the page of an order, and actions that create it again. */
final class OrderActions
{
    private const CREATE = 'despacho_create';
    private const CREATE_AT_ANY_FEE = 'despacho_create_any_fee';

    public static function register(): void
    {
        add_filter('woocommerce_order_actions', [self::class, 'withActions'], 10, 2);
        add_action('woocommerce_order_action_' . self::CREATE, static fn ($order) => self::create($order, false));
        add_action('woocommerce_order_action_' . self::CREATE_AT_ANY_FEE, static fn ($order) => self::create($order, true));
        add_action('woocommerce_admin_order_data_after_shipping_address', [self::class, 'show']);
    }

    /**
     * @param mixed $actions
     * @param mixed $order WooCommerce passes it since version 5.8
     * @return mixed
     */
    public static function withActions($actions, $order = null)
    {
        $record = $order instanceof WC_Order ? new Record($order) : null;
        if (!is_array($actions) || $record === null || !$record->usesDespacho() || !$record->canCreate()) {
            return $actions;
        }
        $actions[self::CREATE] = __('Create the delivery', 'despacho');
        if (str_starts_with($record->failure(), 'fee_above_maximum')) {
            $actions[self::CREATE_AT_ANY_FEE] = __("Create the delivery at today's fee", 'despacho');
        }
        return $actions;
    }

    /** @param mixed $order the order, after WooCommerce has checked the nonce and the capability */
    public static function create($order, bool $atAnyFee): void
    {
        if (!$order instanceof WC_Order) {
            return;
        }
        $record = new Record($order);
        if (!$record->canCreate()) {
            return;
        }
        if ($record->deliveryId() !== 0) {
            // The previous delivery has ended, so that its code is free.
            $record->reset();
        }
        $atAnyFee ? $order->update_meta_data('_despacho_accept_any_fee', 'yes') : $order->delete_meta_data('_despacho_accept_any_fee');
        $order->save();
        if (!$order->has_status('processing')) {
            $order->add_order_note(__('Set the status to "Processing" first. Deliveries are created only for paid orders.', 'despacho'));
            return;
        }
        Plugin::creator()->run($order->get_id(), 0, time());
    }

    /** @param mixed $order */
    public static function show($order): void
    {
        $record = $order instanceof WC_Order ? new Record($order) : null;
        if ($record === null || !$record->usesDespacho()) {
            return;
        }
        echo '<div class="despacho-delivery"><h3>' . esc_html__('Delivery', 'despacho') . '</h3>';
        if ($record->deliveryId() !== 0) {
            /* translators: 1: ID of the delivery, 2: status code, 3: pickup code */
            $text = sprintf(__('Delivery %1$d, status %2$d, pickup code %3$s', 'despacho'), $record->deliveryId(), $record->situation(), $record->pickupCode());
            echo '<p>' . esc_html($text) . '</p>';
        } elseif ($record->failureText() === '') {
            echo '<p>' . esc_html__('Not created yet.', 'despacho') . '</p>';
        }
        if ($record->failureText() !== '') {
            echo '<p class="despacho-failure"><strong>' . esc_html($record->failureText()) . '</strong></p>';
        }
        if ($record->trackingUrl() !== '') {
            echo '<p><a href="' . esc_url($record->trackingUrl()) . '">' . esc_html__('Page for the recipient', 'despacho') . '</a></p>';
        }
        echo '</div>';
    }
}
