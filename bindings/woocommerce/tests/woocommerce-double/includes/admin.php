<?php

declare(strict_types=1);

// The admin's menu and the page of an order, with WooCommerce's hooks.

add_action('admin_menu', static function (): void {
    add_menu_page('WooCommerce', 'WooCommerce', 'manage_options', 'woocommerce', 'wc_double_admin_orders');
}, 5);

// WooCommerce gives this capability to administrators and shop managers.
add_filter('user_has_cap', static fn (array $caps) => !empty($caps['manage_options']) ? ['manage_woocommerce' => true] + $caps : $caps);

add_action('admin_post_wc_double_order', static function (): void {
    check_admin_referer('wc_double_order');
    $order = current_user_can('manage_woocommerce') ? wc_get_order((int) ($_POST['id'] ?? 0)) : false;
    if ($order !== false) {
        $status = sanitize_key($_POST['status'] ?? '');
        $action = sanitize_key($_POST['order_action'] ?? '');
        if ($status !== '' && $status !== $order->get_status()) {
            $order->update_status($status);
        } elseif ($action !== '') {
            do_action("woocommerce_order_action_$action", $order);
        }
    }
    wp_safe_redirect(admin_url('admin.php?page=woocommerce&id=' . (int) ($_POST['id'] ?? 0)));
    exit;
});

function wc_double_admin_orders(): void
{
    $order = wc_get_order((int) ($_GET['id'] ?? 0));
    echo '<div class="wrap">';
    if ($order === false) {
        echo '<h1>Pedidos</h1><ul>';
        foreach (WC_Double_Store::all('order') as $id => $row) {
            echo '<li><a href="' . esc_url(admin_url("admin.php?page=woocommerce&id=$id")) . '">' . (int) $id . '</a> ' . esc_html($row['status']) . '</li>';
        }
        echo '</ul></div>';
        return;
    }
    echo '<h1>Pedido ' . esc_html($order->get_order_number()) . ': <span id="status">' . esc_html($order->get_status()) . '</span></h1><div>';
    do_action('woocommerce_admin_order_data_after_shipping_address', $order);
    echo '</div><form method="post" action="' . esc_url(admin_url('admin-post.php')) . '"><input type="hidden" name="action" value="wc_double_order"><input type="hidden" name="id" value="' . $order->get_id() . '">';
    wp_nonce_field('wc_double_order');
    echo '<select name="status" id="order_status">';
    foreach (['pending', 'on-hold', 'processing', 'completed', 'cancelled', 'refunded', 'failed'] as $status) {
        echo '<option' . selected($status, $order->get_status(), false) . '>' . $status . '</option>';
    }
    echo '</select> <select name="order_action" id="order_action"><option value="">Ações</option>';
    foreach (apply_filters('woocommerce_order_actions', [], $order) as $action => $label) {
        echo '<option value="' . esc_attr($action) . '">' . esc_html($label) . '</option>';
    }
    echo '</select> <button class="button" id="update">Atualizar</button></form><h2>Notas</h2><ol id="notes">';
    foreach ($order->double_notes() as $note) {
        echo '<li>' . esc_html($note) . '</li>';
    }
    echo '</ol></div>';
}
