<?php

declare(strict_types=1);

// The shopper's mails of two statuses. They are stored instead of sent.

add_filter('pre_wp_mail', static function ($result, array $mail) {
    WC_Double_Store::insert('mail', ['to' => $mail['to'], 'subject' => $mail['subject'], 'message' => $mail['message']]);
    return true;
}, 10, 2);

foreach (['processing' => 'Recebemos seu pedido', 'completed' => 'Seu pedido foi concluído'] as $status => $subject) {
    add_action("woocommerce_order_status_$status", static function (int $id, WC_Order $order) use ($subject): void {
        ob_start();
        do_action('woocommerce_email_after_order_table', wc_get_order($id), false, false, null);
        wp_mail($order->get_billing_email(), "$subject ($id)", "<h1>$subject</h1>" . ob_get_clean());
    }, 10, 2);
}
