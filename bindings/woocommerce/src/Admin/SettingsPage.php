<?php

declare(strict_types=1);

namespace Despacho\WooCommerce\Admin;

use Despacho\WooCommerce\Plugin;
use Despacho\WooCommerce\Settings;
use Despacho\WooCommerce\Shop\WebhookReceiver;

/** The page WooCommerce > Despacho: the settings, the connection test and the webhook. */
final class SettingsPage
{
    private const SLUG = 'despacho';
    private const CAPABILITY = 'manage_woocommerce';

    public static function register(string $file): void
    {
        add_action('admin_menu', static function (): void {
            add_submenu_page('woocommerce', 'Despacho', 'Despacho', self::CAPABILITY, self::SLUG, [self::class, 'show']);
        });
        add_action('admin_post_despacho_save', static fn () => self::handle('despacho_save', [self::class, 'save']));
        add_action('admin_post_despacho_test', static fn () => self::handle('despacho_test', static fn () => (new ConnectionTest(Plugin::client(), Settings::load()))->run()));
        add_action('admin_post_despacho_webhook', static fn () => self::handle('despacho_webhook', static fn () => (new WebhookSetup(Plugin::client(), Settings::load()))->create(WebhookReceiver::url())));
        add_filter('plugin_action_links_' . plugin_basename($file), static fn ($links) => [
            '<a href="' . esc_url(self::url()) . '">' . esc_html__('Settings', 'despacho') . '</a>',
            ...(array) $links,
        ]);
    }

    /** @return list<array{type: string, text: string}> */
    public static function save(): array
    {
        // phpcs:ignore WordPress.Security.NonceVerification.Missing -- handle() verifies the nonce.
        $form = wp_unslash($_POST['despacho'] ?? []);
        $stored = get_option(Settings::OPTION, []);
        $result = Settings::validated(is_array($form) ? $form : [], is_array($stored) ? $stored : []);
        update_option(Settings::OPTION, $result['values'], false);
        $messages = array_map(static fn (string $text): array => ['type' => 'error', 'text' => $text], $result['errors']);
        return [...$messages, ['type' => 'success', 'text' => __('The settings were saved.', 'despacho')]];
    }

    public static function show(): void
    {
        if (!current_user_can(self::CAPABILITY)) {
            return;
        }
        $settings = Settings::load();
        echo '<div class="wrap"><h1>Despacho</h1>';
        self::showMessages();
        echo '<form method="post" action="' . esc_url(admin_url('admin-post.php')) . '"><input type="hidden" name="action" value="despacho_save">';
        wp_nonce_field('despacho_save');
        echo '<table class="form-table" role="presentation">';
        self::row('base_url', __('Base address', 'despacho'), 'url', $settings->baseUrl(), __('For example https://api.entregas.example', 'despacho'));
        $stored = $settings->apiKey() === '' ? __('From the panel: Access, API keys.', 'despacho') : __('A key is stored. Leave the field empty to keep it.', 'despacho');
        self::row('api_key', __('API key', 'despacho'), 'password', '', $stored);
        self::row('preparation_minutes', __('Preparation time (minutes)', 'despacho'), 'number', (string) $settings->preparationMinutes(), __('From the payment until the courier can pick up the goods.', 'despacho'));
        self::row('fee_tolerance', __('Accepted difference (R$)', 'despacho'), 'text', number_format($settings->feeTolerance(), 2, ',', ''), __('A quoted fee holds for 15 minutes. If the payment takes longer, a fee above it by more than this amount needs your decision.', 'despacho'));
        $max = $settings->maxFee();
        self::row('max_fee', __('Highest fee without a quote (R$)', 'despacho'), 'text', $max === null ? '' : number_format($max, 2, ',', ''), __('For orders that were placed while the service was unavailable. Empty: any fee.', 'despacho'));
        self::row('code_prefix', __('Prefix of order codes', 'despacho'), 'text', $settings->codePrefix(), __('Use another prefix in each shop that shares a Despacho store. Do not change it while deliveries are open.', 'despacho'));
        echo '<tr><th scope="row">' . esc_html__('After the delivery', 'despacho') . '</th><td><label><input type="checkbox" name="despacho[complete_order]" value="1" ' . checked($settings->completesOrder(), true, false) . '> ' . esc_html__('Set the order to "Completed"', 'despacho') . '</label></td></tr>';
        echo '</table>';
        submit_button(__('Save', 'despacho'));
        echo '</form><h2>' . esc_html__('Connection', 'despacho') . '</h2>';
        self::button('despacho_test', __('Test the connection', 'despacho'));
        self::button('despacho_webhook', $settings->webhookId() === 0 ? __('Create the webhook', 'despacho') : __('Create the webhook again', 'despacho'));
        echo '<p class="description">' . esc_html(sprintf(
            /* translators: %s: address of this site */
            __('The webhook sends the progress of deliveries to %s. Each request is signed.', 'despacho'),
            WebhookReceiver::url(),
        )) . '</p></div>';
    }

    private static function handle(string $action, callable $run): void
    {
        if (!current_user_can(self::CAPABILITY)) {
            wp_die(esc_html__('You are not allowed to do this.', 'despacho'), '', ['response' => 403]);
        }
        check_admin_referer($action);
        set_transient(self::messagesKey(), $run(), 60);
        wp_safe_redirect(self::url());
        exit;
    }

    private static function showMessages(): void
    {
        $messages = get_transient(self::messagesKey());
        delete_transient(self::messagesKey());
        foreach (is_array($messages) ? $messages : [] as $message) {
            echo '<div class="notice notice-' . esc_attr($message['type']) . '"><p>' . esc_html($message['text']) . '</p></div>';
        }
    }

    private static function row(string $name, string $label, string $type, string $value, string $help): void
    {
        $id = "despacho-$name";
        echo '<tr><th scope="row"><label for="' . esc_attr($id) . '">' . esc_html($label) . '</label></th><td>';
        echo '<input class="regular-text" id="' . esc_attr($id) . '" name="despacho[' . esc_attr($name) . ']" type="' . esc_attr($type) . '" value="' . esc_attr($value) . '" autocomplete="off" aria-describedby="' . esc_attr($id) . '-help">';
        echo '<p class="description" id="' . esc_attr($id) . '-help">' . esc_html($help) . '</p></td></tr>';
    }

    private static function button(string $action, string $label): void
    {
        echo '<form method="post" action="' . esc_url(admin_url('admin-post.php')) . '" style="display:inline-block;margin-right:8px"><input type="hidden" name="action" value="' . esc_attr($action) . '">';
        wp_nonce_field($action);
        echo '<button class="button" id="' . esc_attr($action) . '">' . esc_html($label) . '</button></form>';
    }

    private static function messagesKey(): string
    {
        return 'despacho_messages_' . get_current_user_id();
    }

    private static function url(): string
    {
        return admin_url('admin.php?page=' . self::SLUG);
    }
}
