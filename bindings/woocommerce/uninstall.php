<?php

declare(strict_types=1);

use Despacho\WooCommerce\Api\ApiError;
use Despacho\WooCommerce\Plugin;
use Despacho\WooCommerce\Settings;
use Despacho\WooCommerce\Shop\Queue;

defined('WP_UNINSTALL_PLUGIN') || exit;

require_once __DIR__ . '/src/autoload.php';

// The metadata of orders stays, because it belongs to the shop's records: see readme.txt.
(static function (): void {
    global $wpdb;

    $settings = Settings::load();
    if ($settings->isConfigured() && $settings->webhookId() !== 0) {
        try {
            Plugin::client()->deleteWebhook($settings->webhookId());
        } catch (ApiError) {
            // The service ends a webhook without a receiver by itself.
        }
    }
    if (function_exists('as_unschedule_all_actions')) {
        as_unschedule_all_actions(Queue::CREATE);
        as_unschedule_all_actions(Queue::CANCEL);
    }
    delete_option(Settings::OPTION);
    $patterns = ['_transient_despacho_', '_transient_timeout_despacho_', 'woocommerce_despacho_'];
    foreach ($patterns as $pattern) {
        $names = $wpdb->get_col($wpdb->prepare("SELECT option_name FROM {$wpdb->options} WHERE option_name LIKE %s", $wpdb->esc_like($pattern) . '%'));
        array_map('delete_option', $names);
    }
})();
