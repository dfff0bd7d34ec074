<?php

declare(strict_types=1);

/** @return array<string, array<string, mixed>> the fields of one address, after the filters of plugins, by priority */
function wc_double_fields(string $type): array
{
    $address = ['address-field'];
    $fields = [
        'first_name' => ['label' => 'Nome', 'required' => true, 'priority' => 10],
        'last_name' => ['label' => 'Sobrenome', 'required' => true, 'priority' => 20],
        'postcode' => ['label' => 'CEP', 'required' => true, 'priority' => 30, 'class' => $address],
        'address_1' => ['label' => 'Endereço', 'required' => true, 'priority' => 50, 'class' => $address],
        'address_2' => ['label' => 'Complemento', 'required' => false, 'priority' => 60, 'class' => $address],
        'city' => ['label' => 'Cidade', 'required' => true, 'priority' => 70, 'class' => $address],
        'state' => ['label' => 'Estado', 'required' => true, 'priority' => 80, 'class' => $address],
        'phone' => ['label' => 'Telefone', 'required' => true, 'priority' => 100],
        'email' => ['label' => 'E-mail', 'required' => true, 'priority' => 110],
    ];
    $named = [];
    foreach ($fields as $name => $field) {
        $named["{$type}_$name"] = $field + ['type' => 'text'];
    }
    $named = apply_filters("woocommerce_{$type}_fields", $named, 'BR');
    uasort($named, static fn (array $a, array $b) => ($a['priority'] ?? 0) <=> ($b['priority'] ?? 0));
    return $named;
}

/** @param array<string, string> $data the posted form */
function wc_double_set_customer(array $data): void
{
    $fields = [];
    foreach (['postcode', 'address_1', 'address_2', 'city', 'state'] as $name) {
        $fields["shipping_$name"] = sanitize_text_field($data["billing_$name"] ?? '');
    }
    WC()->customer->set($fields);
}

$wc_double_update = static function (): void {
    check_ajax_referer('update-order-review', 'security');
    $postData = wp_unslash($_POST['post_data'] ?? '');
    do_action('woocommerce_checkout_update_order_review', $postData);
    WC()->session->set('chosen_payment_method', sanitize_key($_POST['payment_method'] ?? ''));
    parse_str($postData, $data);
    wc_double_set_customer($data);
    WC()->cart->calculate_totals();
    wc_double_review(false);
    wp_die();
};
add_action('wp_ajax_woocommerce_update_order_review', $wc_double_update);
add_action('wp_ajax_nopriv_woocommerce_update_order_review', $wc_double_update);

function wc_double_checkout(): void
{
    $errors = new WP_Error();
    if ($_SERVER['REQUEST_METHOD'] === 'POST' && check_admin_referer('woocommerce-process_checkout')) {
        $errors = wc_double_process();
    }
    WC()->cart->calculate_totals();
    echo '<h1>Finalizar compra</h1>';
    if ($errors->has_errors()) {
        echo '<ul class="woocommerce-error" role="alert"><li>' . implode('</li><li>', array_map('esc_html', $errors->get_error_messages())) . '</li></ul>';
    }
    echo '<form method="post" class="checkout" action="' . esc_url(home_url('/?loja=checkout')) . '">';
    wp_nonce_field('woocommerce-process_checkout');
    foreach (wc_double_fields('billing') as $name => $field) {
        $value = is_string($_POST[$name] ?? null) ? wp_unslash($_POST[$name]) : ($name === 'billing_postcode' ? WC()->customer->all()['shipping_postcode'] ?? '' : '');
        echo '<p class="' . esc_attr(implode(' ', $field['class'] ?? [])) . '"><label for="' . esc_attr($name) . '">' . esc_html($field['label']) . ($field['required'] ? ' *' : ' (opcional)') . '</label>';
        echo '<input type="text" id="' . esc_attr($name) . '" name="' . esc_attr($name) . '" value="' . esc_attr($value) . '"></p>';
    }
    foreach (['pix' => 'Pix (pago na hora)', 'bacs' => 'Transferência (confirmada depois)', 'cod' => 'Pagamento na entrega'] as $id => $label) {
        echo '<label><input type="radio" name="payment_method" value="' . $id . '"' . checked($id, $_POST['payment_method'] ?? 'pix', false) . '> ' . esc_html($label) . '</label>';
    }
    wc_double_review(false);
    echo '<button id="place_order">Fazer pedido</button></form>';
}

/** Validates the form, creates the order and processes the payment, in the order of WC_Checkout::process_checkout. */
function wc_double_process(): WP_Error
{
    do_action('woocommerce_checkout_process');
    $data = array_map(static fn ($value) => is_string($value) ? sanitize_text_field(wp_unslash($value)) : '', $_POST);
    foreach (wc_double_fields('shipping') as $name => $field) {
        $data[$name] = $data['billing_' . substr($name, 9)] ?? '';
    }
    WC()->session->set('chosen_payment_method', $data['payment_method']);
    wc_double_set_customer($data);
    WC()->cart->calculate_totals();
    $errors = new WP_Error();
    foreach (wc_double_fields('billing') as $name => $field) {
        if ($field['required'] && ($data[$name] ?? '') === '') {
            $errors->add("{$name}_required", "O campo \"{$field['label']}\" do endereço de faturamento é obrigatório.", ['id' => $name]);
        }
    }
    $rate = WC()->cart->rate();
    if ($rate === null) {
        $errors->add('shipping', 'Nenhum método de entrega foi selecionado. Confira o endereço.');
    }
    $data['shipping_method'] = $rate === null ? [] : [$rate->id];
    do_action('woocommerce_after_checkout_validation', $data, $errors);
    if (!$errors->has_errors() && $rate !== null) {
        $order = wc_double_create_order($data, $rate);
        $data['payment_method'] === 'bacs' ? $order->update_status('on-hold') : null;
        $data['payment_method'] === 'cod' ? $order->update_status('processing') : null;
        $data['payment_method'] === 'pix' ? $order->payment_complete() : null;
        WC()->cart->empty_cart();
        wp_safe_redirect(home_url('/?loja=pedido&id=' . $order->get_id() . '&key=' . $order->get_meta('_double_key')));
        exit;
    }
    return $errors;
}

/** @param array<string, mixed> $data */
function wc_double_create_order(array $data, WC_Shipping_Rate $rate): WC_Order
{
    $row = ['status' => 'pending', 'payment_method' => $data['payment_method'], 'notes' => [], 'meta' => ['_double_key' => wp_generate_password(20, false)]];
    // Fields with a setter become properties, and other fields of the addresses become metadata.
    foreach ($data as $name => $value) {
        if (preg_match('/^(billing|shipping)_(first_name|last_name|postcode|address_1|address_2|city|state|phone|email)$/', $name)) {
            $row[$name] = $value;
        } elseif (preg_match('/^(billing|shipping)_/', $name) && $name !== 'shipping_method') {
            $row['meta']["_$name"] = $value;
        }
    }
    $cart = WC()->cart;
    $row['total'] = number_format($cart->subtotal() + $rate->cost, 2, '.', '');
    $row['shipping'] = [['method' => $rate->id, 'name' => $rate->label, 'cost' => $rate->cost, 'meta' => $rate->get_meta_data()]];
    foreach ($cart->contents() as $product => $item) {
        $row['items'][] = ['name' => $item['data']->get_name(), 'quantity' => $item['quantity'], 'product' => WC_Cart::PRODUCTS[$product]];
    }
    return new WC_Order(WC_Double_Store::insert('order', $row));
}
