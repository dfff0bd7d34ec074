<?php

// Installs WordPress with the test double and the built plugin: `php install.php SITE URL ZIP`.

declare(strict_types=1);

[, $site, $url, $zip] = $argv;
$_SERVER['HTTP_HOST'] = (string) parse_url($url, PHP_URL_HOST) . ':' . parse_url($url, PHP_URL_PORT);
define('WP_INSTALLING', true);

/** WordPress sends no mail about the new site. */
function wp_new_blog_notification(): void
{
}

require "$site/wp-load.php";
require_once ABSPATH . 'wp-admin/includes/upgrade.php';
require_once ABSPATH . 'wp-admin/includes/plugin.php';
require_once ABSPATH . 'wp-admin/includes/file.php';

wp_install('Padaria Demo', 'admin', 'admin@loja.example', false, '', 'senha-de-teste', 'pt_BR');
update_option('siteurl', $url);
update_option('home', $url);
update_option('timezone_string', 'America/Sao_Paulo');
WP_Filesystem();
// WordPress unpacks the archive as for an upload in the admin.
$unpacked = unzip_file($zip, WP_PLUGIN_DIR);
foreach ([$unpacked, activate_plugin('woocommerce/woocommerce.php'), activate_plugin('despacho/despacho.php')] as $result) {
    if (is_wp_error($result)) {
        fwrite(STDERR, $result->get_error_message() . "\n");
        exit(1);
    }
}
