<?php

// Prints the site's state as JSON: `php inspect.php SITE URL [uninstall]`. With `uninstall` it first removes the plugin.

declare(strict_types=1);

[, $site, $url] = $argv;
$_SERVER['HTTP_HOST'] = (string) parse_url($url, PHP_URL_HOST) . ':' . parse_url($url, PHP_URL_PORT);
require "$site/wp-load.php";

if (($argv[3] ?? '') === 'uninstall') {
    require_once ABSPATH . 'wp-admin/includes/plugin.php';
    deactivate_plugins('despacho/despacho.php');
    uninstall_plugin('despacho/despacho.php');
    wp_cache_flush();
}
global $wpdb;
echo wp_json_encode([
    'settings' => get_option('despacho_settings', null),
    'options' => $wpdb->get_col("SELECT option_name FROM {$wpdb->options} WHERE option_name LIKE '%despacho%'"),
    'orders' => (object) WC_Double_Store::all('order'),
    'actions' => array_values(WC_Double_Store::all('action')),
    'mails' => array_values(WC_Double_Store::all('mail')),
]);
