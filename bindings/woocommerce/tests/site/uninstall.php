<?php

// Removes the plugin as its page in the admin does: `php uninstall.php SITE URL`.

declare(strict_types=1);

[, $site, $url] = $argv;
$_SERVER['HTTP_HOST'] = (string) parse_url($url, PHP_URL_HOST) . ':' . parse_url($url, PHP_URL_PORT);
require "$site/wp-load.php";
require_once ABSPATH . 'wp-admin/includes/plugin.php';

deactivate_plugins('despacho/despacho.php');
uninstall_plugin('despacho/despacho.php');
