<?php

declare(strict_types=1);

// The shop's pages: `/?loja=carrinho`, `/?loja=checkout` and `/?loja=pedido`, without a theme.

add_action('wp_enqueue_scripts', static function (): void {
    wp_register_script('wc-checkout', plugins_url('checkout.js', __DIR__ . '/../woocommerce.php'), ['jquery'], '0', true);
    wp_localize_script('wc-checkout', 'wc_checkout_params', ['ajax_url' => admin_url('admin-ajax.php'), 'nonce' => wp_create_nonce('update-order-review')]);
    if (is_checkout()) {
        wp_enqueue_script('wc-checkout');
    }
}, 5);

add_action('template_redirect', static function (): void {
    $page = isset($_GET['loja']) ? sanitize_key($_GET['loja']) : '';
    $render = ['carrinho' => 'wc_double_cart', 'checkout' => 'wc_double_checkout', 'pedido' => 'wc_double_received', 'tarefas' => 'wc_double_tasks', 'estado' => 'wc_double_state'][$page] ?? null;
    if ($render === null) {
        return;
    }
    // The content runs first, because a form can redirect.
    ob_start();
    $render();
    $content = (string) ob_get_clean();
    nocache_headers();
    echo '<!doctype html><html lang="pt-BR"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Padaria Demo</title><style>'
        . 'body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;max-width:640px;padding:16px;color:#222}h1{font-size:1.5rem}label{display:block;margin-top:8px}'
        . 'input[type=text],input[type=email],input[type=tel],select{width:100%;box-sizing:border-box;padding:8px;font:inherit;border:1px solid #888;border-radius:4px}'
        . 'button,.button{display:inline-block;padding:10px 16px;font:inherit;background:#0a5;color:#fff;border:0;border-radius:4px;text-decoration:none;margin-top:12px}'
        . '.woocommerce-error{background:#fde8e8;border-left:4px solid #c00;padding:8px 12px 8px 28px}.total{font-weight:700}table{width:100%;border-collapse:collapse}td,th{text-align:left;padding:6px 0;border-bottom:1px solid #ddd;vertical-align:top}td:last-child{text-align:right}td p{margin:0}</style>';
    wp_head();
    echo '</head><body>' . $content;
    wp_footer();
    echo '</body></html>';
    exit;
});

function is_checkout(): bool
{
    return ($_GET['loja'] ?? '') === 'checkout';
}

function wc_double_price(float $amount): string
{
    return 'R$&nbsp;' . number_format($amount, 2, ',', '.');
}

/** Prints the order's lines, the rate with the hooks of WooCommerce's templates, and the total. */
function wc_double_review(bool $isCart): void
{
    $cart = WC()->cart;
    echo '<table id="order_review">';
    foreach ($cart->contents() as $item) {
        echo '<tr><td>' . esc_html($item['data']->get_name()) . ' × ' . (int) $item['quantity'] . '</td><td>' . wc_double_price($item['quantity'] * $item['data']->get_price()) . '</td></tr>';
    }
    $rate = $cart->rate();
    echo '<tr class="shipping"><td>';
    if ($rate === null) {
        $hook = $isCart ? 'woocommerce_cart_no_shipping_available_html' : 'woocommerce_no_shipping_available_html';
        echo wp_kses_post(apply_filters($hook, 'Nenhuma entrega disponível.')) . '</td><td></td></tr>';
    } else {
        echo '<span class="label">' . esc_html($rate->label) . '</span>';
        do_action('woocommerce_after_shipping_rate', $rate, 0);
        echo '</td><td class="cost">' . wc_double_price($rate->cost) . '</td></tr>';
    }
    echo '<tr class="total"><td>Total</td><td>' . wc_double_price($cart->subtotal() + ($rate->cost ?? 0)) . '</td></tr></table>';
}

function wc_double_cart(): void
{
    if (isset($_GET['add']) && isset(WC_Cart::PRODUCTS[$_GET['add']])) {
        WC()->cart->add($_GET['add']);
    }
    if (isset($_POST['calc_shipping_postcode']) && check_admin_referer('shipping-calculator')) {
        WC()->customer->set(['shipping_postcode' => sanitize_text_field(wp_unslash($_POST['calc_shipping_postcode']))]);
    }
    WC()->cart->calculate_totals();
    echo '<h1>Carrinho</h1>';
    wc_double_review(true);
    echo '<form method="post" action="' . esc_url(home_url('/?loja=carrinho')) . '">';
    wp_nonce_field('shipping-calculator');
    $postcode = WC()->customer->all()['shipping_postcode'] ?? '';
    echo '<label>CEP <input type="text" id="calc_shipping_postcode" name="calc_shipping_postcode" value="' . esc_attr($postcode) . '"></label><button>Calcular entrega</button></form>';
    echo '<a class="button" id="to-checkout" href="' . esc_url(home_url('/?loja=checkout')) . '">Finalizar compra</a>';
}

function wc_double_received(): void
{
    $order = wc_get_order((int) ($_GET['id'] ?? 0));
    if ($order === false || !hash_equals($order->get_meta('_double_key'), (string) ($_GET['key'] ?? ''))) {
        echo '<h1>Pedido não encontrado</h1>';
        return;
    }
    echo '<h1>Pedido ' . esc_html($order->get_order_number()) . '</h1><p>Status: <strong id="status">' . esc_html($order->get_status()) . '</strong></p>';
    echo '<p class="total">Total: ' . wc_double_price((float) $order->get_total()) . '</p>';
    do_action('woocommerce_order_details_after_order_table', $order);
}

/** Runs scheduled actions for a test: `/?loja=tarefas&ate=SECONDS`. */
function wc_double_tasks(): void
{
    echo '<p id="count">' . wc_double_run_actions((int) ($_GET['ate'] ?? 0)) . '</p>';
}

/** Prints what a test inspects: settings, orders, actions and mails. */
function wc_double_state(): void
{
    global $wpdb;
    wp_send_json([
        'settings' => get_option('despacho_settings', null),
        'options' => $wpdb->get_col("SELECT option_name FROM {$wpdb->options} WHERE option_name LIKE '%despacho%'"),
        'orders' => (object) WC_Double_Store::all('order'),
        'actions' => array_values(WC_Double_Store::all('action')),
        'mails' => array_values(WC_Double_Store::all('mail')),
    ]);
}
