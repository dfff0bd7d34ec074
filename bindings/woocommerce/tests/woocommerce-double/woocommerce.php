<?php
/**
 * Plugin Name: WooCommerce (test double)
 * Description: Reproduces the documented hooks of WooCommerce that Despacho's tests need. This is not WooCommerce.
 * Version:     0.0.0
 * License:     MIT OR Apache-2.0
 */

declare(strict_types=1);

defined('ABSPATH') || exit;

foreach (['store', 'order', 'shipping', 'shop', 'scheduler', 'pages', 'checkout', 'mails', 'admin'] as $name) {
    require_once __DIR__ . "/includes/$name.php";
}

register_activation_hook(__FILE__, ['WC_Double_Store', 'install']);
add_action('init', static function (): void {
    do_action('before_woocommerce_init');
    WC()->start();
    do_action('woocommerce_init');
}, 0);
