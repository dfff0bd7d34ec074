<?php

declare(strict_types=1);

namespace Despacho\WooCommerce;

use Despacho\WooCommerce\Admin\OrderActions;
use Despacho\WooCommerce\Admin\SettingsPage;
use Despacho\WooCommerce\Api\Client;
use Despacho\WooCommerce\Api\WordPressTransport;
use Despacho\WooCommerce\Shop\Canceller;
use Despacho\WooCommerce\Shop\Checkout;
use Despacho\WooCommerce\Shop\OrderCreator;
use Despacho\WooCommerce\Shop\OrderUpdater;
use Despacho\WooCommerce\Shop\Queue;
use Despacho\WooCommerce\Shop\Quotes;
use Despacho\WooCommerce\Shop\ShippingMethod;
use Despacho\WooCommerce\Shop\Tracking;
use Despacho\WooCommerce\Shop\WebhookReceiver;
use WP_REST_Request;

/** Connects the classes to the hooks of WordPress and WooCommerce. */
final class Plugin
{
    public static function start(string $file): void
    {
        add_action('before_woocommerce_init', static function () use ($file): void {
            if (class_exists(\Automattic\WooCommerce\Utilities\FeaturesUtil::class)) {
                \Automattic\WooCommerce\Utilities\FeaturesUtil::declare_compatibility('custom_order_tables', $file, true);
            }
        });
        add_action('init', static function () use ($file): void {
            load_plugin_textdomain('despacho', false, dirname(plugin_basename($file)) . '/languages');
        });
        add_action('plugins_loaded', static function () use ($file): void {
            if (!class_exists('WooCommerce')) {
                add_action('admin_notices', [self::class, 'showMissingWooCommerce']);
                return;
            }
            self::register();
            SettingsPage::register($file);
        });
    }

    public static function client(): Client
    {
        $settings = Settings::load();
        $language = str_starts_with(determine_locale(), 'pt') ? 'pt-BR' : 'en';
        return new Client(new WordPressTransport(), $settings->baseUrl(), $settings->apiKey(), $language);
    }

    public static function quotes(): Quotes
    {
        return new Quotes(self::client(), Settings::load());
    }

    public static function creator(): OrderCreator
    {
        return new OrderCreator(self::client(), Settings::load(), new Queue());
    }

    public static function showMissingWooCommerce(): void
    {
        echo '<div class="notice notice-error"><p>' . esc_html__('Despacho needs WooCommerce. Install and activate WooCommerce.', 'despacho') . '</p></div>';
    }

    private static function register(): void
    {
        add_filter('woocommerce_shipping_methods', static function ($methods) {
            return Settings::load()->isConfigured() ? [...(array) $methods, ShippingMethod::ID => ShippingMethod::class] : $methods;
        });
        Checkout::register();
        Tracking::register();
        OrderActions::register();

        $onPaid = static fn ($id) => self::creator()->onPaid((int) $id);
        add_action('woocommerce_payment_complete', $onPaid);
        add_action('woocommerce_order_status_processing', $onPaid);
        add_action(Queue::CREATE, static fn ($id, $attempt = 0) => self::creator()->run((int) $id, (int) $attempt, time()), 10, 2);

        $canceller = static fn (): Canceller => new Canceller(self::client(), Settings::load(), new Queue());
        foreach (['cancelled', 'refunded', 'failed'] as $status) {
            add_action("woocommerce_order_status_$status", static fn ($id) => $canceller()->onCancelled((int) $id));
        }
        add_action(Queue::CANCEL, static fn ($id, $attempt = 0) => $canceller()->run((int) $id, (int) $attempt, time()), 10, 2);

        add_action('rest_api_init', static function (): void {
            register_rest_route(WebhookReceiver::NAMESPACE, WebhookReceiver::ROUTE, [
                'methods' => 'POST',
                // The receiver verifies the signature.
                'permission_callback' => '__return_true',
                'callback' => static function (WP_REST_Request $request) {
                    $settings = Settings::load();
                    return (new WebhookReceiver($settings, new OrderUpdater($settings, new Queue())))->receive($request);
                },
            ]);
        });
    }
}
