<?php
/**
 * Plugin Name:          Despacho for WooCommerce
 * Description:          Live delivery prices of the Despacho dispatch service at the checkout, and deliveries for paid orders.
 * Version:              0.0.0
 * Requires at least:    6.1
 * Requires PHP:         8.1
 * WC requires at least: 8.2
 * Author:               Despacho
 * License:              MIT OR Apache-2.0 (both are compatible with GPL-3.0-or-later)
 * Text Domain:          despacho
 * Domain Path:          /languages
 *
 * The build replaces the version with that of the repository.
 */

declare(strict_types=1);

defined('ABSPATH') || exit;

require_once __DIR__ . '/src/autoload.php';

Despacho\WooCommerce\Plugin::start(__FILE__);
