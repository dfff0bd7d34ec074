<?php

declare(strict_types=1);

use Despacho\WooCommerce\Admin\OrderActions;
use Despacho\WooCommerce\Delivery\Address;
use Despacho\WooCommerce\Settings;
use Despacho\WooCommerce\Shop\Canceller;
use Despacho\WooCommerce\Shop\OrderCreator;
use Despacho\WooCommerce\Shop\OrderUpdater;
use Despacho\WooCommerce\Shop\Queue;
use Despacho\WooCommerce\Shop\Quote;
use Despacho\WooCommerce\Shop\Quotes;
use Despacho\WooCommerce\Shop\Record;

const NOW = 1_800_000_000;

/** Creates a paid order with a quoted delivery. */
function paidOrder(array $changes = [], array $meta = []): WC_Order
{
    $rate = ['_despacho_fee' => '12.5', '_despacho_quote' => 'quote-1', '_despacho_quote_expires' => (string) (NOW + 600), '_despacho_requirements' => '{"packages":1}'];
    $id = WC_Double_Store::insert('order', $changes + [
        'status' => 'processing', 'payment_method' => 'pix', 'total' => '54.50',
        'shipping_first_name' => 'Maria', 'shipping_last_name' => 'Silva', 'billing_phone' => '(11) 99999-0000',
        'shipping_postcode' => '01304-001', 'shipping_address_1' => 'Rua Augusta', 'shipping_city' => 'São Paulo', 'shipping_state' => 'SP',
        'shipping' => [['method' => 'despacho:1', 'name' => 'Entrega', 'meta' => array_replace($rate, $meta)]],
        'meta' => ['_shipping_number' => '900'], 'notes' => [],
    ]);
    return new WC_Order($id);
}

/** Returns a delivery order as the API returns it, with the reference of a shop order. */
function delivery(WC_Order $order, array $changes = []): array
{
    $reference = (new WC_Order($order->get_id()))->get_meta('_despacho_reference');
    return $changes + [
        'id' => 1013, 'code' => 'WC-' . $order->get_id(), 'fullCode' => $reference, 'situation' => 110, 'deliveryFee' => 12.5,
        'pickupCode' => '4326', 'cancellationFee' => 0, 'deliveries' => [['trackingUrl' => 'https://entregas.example/t/1']],
    ];
}

function problem(int $status, string $code, array $more = []): array
{
    return [$status, $more + ['code' => $code, 'detail' => "detail of $code"]];
}

/** Runs one attempt and returns the requests. */
function attempt(WC_Order $order, array $responses, int $attempt = 0, int $now = NOW): array
{
    $transport = new FakeTransport($responses);
    (new OrderCreator($transport->client(), Settings::load(), new Queue()))->run($order->get_id(), $attempt, $now);
    equal($transport->responses, []);
    return $transport->requests;
}

function cancelAttempt(WC_Order $order, array $responses): array
{
    $transport = new FakeTransport($responses);
    (new Canceller($transport->client(), Settings::load(), new Queue()))->run($order->get_id(), 0, NOW);
    equal($transport->responses, []);
    return $transport->requests;
}

function notes(WC_Order $order): string
{
    return implode("\n", $order->double_notes());
}

function record(WC_Order $order): Record
{
    return new Record(new WC_Order($order->get_id()));
}

/** @return list<array<string, mixed>> the pending actions */
function pending(): array
{
    return array_values(array_filter(WC_Double_Store::all('action'), static fn (array $action) => $action['status'] === 'pending'));
}

test('both_payment_hooks_schedule_one_creation', function (): void {
    $order = paidOrder();
    $creator = new OrderCreator((new FakeTransport([]))->client(), Settings::load(), new Queue());
    $creator->onPaid($order->get_id());
    $creator->onPaid($order->get_id());
    $creator->onPaid(999);
    equal(count(pending()), 1);
});

test('paid_order_creates_the_quoted_delivery_once', function (): void {
    $order = paidOrder();
    record($order)->reference();
    [$request] = attempt($order, [[201, delivery($order)]]);
    $body = $request['body'];
    equal([$body['code'], $body['quoteId'], isset($body['maxDeliveryFee'])], ['WC-' . $order->get_id(), 'quote-1', false]);
    equal($body['deliveries'][0]['address']['number'], '900');
    equal($body['deliveries'][0]['phone'], '(11) 99999-0000');
    equal([$body['deliveries'][0]['onlinePayment'], $body['deliveries'][0]['productValue']], [true, 54.5]);
    equal($body['requirements'], ['packages' => 1]);
    contains(notes($order), 'Delivery 1013 created. Fee: R$ 12,50. Pickup code: 4326.');
    equal(attempt($order, []), []);
});

test('recipient_is_the_contact_of_the_shipping_address_or_else_of_the_billing_address', function (): void {
    $other = ['shipping_phone' => '(11) 98888-0000', 'billing_first_name' => 'Ana', 'billing_last_name' => 'Lima'];
    $nameless = ['shipping_first_name' => '', 'shipping_last_name' => '', 'billing_first_name' => 'Ana', 'billing_last_name' => 'Lima'];
    foreach ([['Maria Silva', '(11) 98888-0000', $other], ['Ana Lima', '(11) 99999-0000', $nameless]] as [$name, $phone, $changes]) {
        $order = paidOrder($changes);
        [$request] = attempt($order, [[201, delivery($order)]]);
        $recipient = $request['body']['deliveries'][0];
        equal([$recipient['name'], $recipient['phone']], [$name, $phone]);
    }
});

test('expired_quote_is_replaced_by_a_limit_of_the_fee', function (): void {
    update_option(Settings::OPTION, ['fee_tolerance' => 1.5]);
    $order = paidOrder();
    record($order)->reference();
    [$request] = attempt($order, [[201, delivery($order)]], now: NOW + 3600);
    equal([$request['body']['maxDeliveryFee'], isset($request['body']['quoteId'])], [14, false]);
});

test('quote_that_the_service_rejects_is_replaced_by_a_limit', function (): void {
    foreach ([problem(410, 'quote_expired'), problem(422, 'quote_mismatch')] as $rejection) {
        $order = paidOrder();
        record($order)->reference();
        [, $request] = attempt($order, [$rejection, [201, delivery($order, ['deliveryFee' => 11.0])]]);
        equal($request['body']['maxDeliveryFee'], 12.5);
        contains(notes($order), 'The quoted fee was R$ 12,50.');
    }
});

test('fee_above_the_quote_needs_a_decision', function (): void {
    $order = paidOrder(meta: ['_despacho_quote' => '']);
    attempt($order, [problem(422, 'fee_above_maximum')]);
    contains(notes($order), 'The delivery was not created: detail of fee_above_maximum.');
    equal([record($order)->failure(), pending()], ['fee_above_maximum!', []]);
    $order->update_meta_data('_despacho_accept_any_fee', 'yes');
    $order->save();
    [$request] = attempt($order, [[201, delivery($order)]]);
    equal(isset($request['body']['maxDeliveryFee']), false);
    equal(record($order)->failure(), '');
});

test('outage_is_one_note_and_later_attempts', function (): void {
    $order = paidOrder();
    attempt($order, [null]);
    attempt($order, [null], 1, NOW + 60);
    equal(array_column(pending(), 'args'), [[$order->get_id(), 1], [$order->get_id(), 2]]);
    equal(array_column(pending(), 'time'), [NOW + 60, NOW + 180]);
    equal(count($order->double_notes()), 1);
    record($order)->reference();
    attempt($order, [[200, delivery($order)]], 2, NOW + 180);
    equal([record($order)->deliveryId(), record($order)->failingSince()], [1013, 0]);
});

test('repeated_request_has_the_same_idempotency_key', function (): void {
    $order = paidOrder();
    [$first] = attempt($order, [null]);
    [$second] = attempt($order, [[201, delivery($order)]], 1);
    equal($first['headers']['idempotency-key'], $second['headers']['idempotency-key']);
    equal($first['body'], $second['body']);
});

test('conflict_with_the_own_delivery_links_it', function (): void {
    $order = paidOrder();
    record($order)->reference();
    $requests = attempt($order, [problem(409, 'order_code_conflict', ['orderId' => 1013]), [200, delivery($order)]]);
    equal(end($requests)['path'], '/delivery/orders/1013');
    equal(record($order)->deliveryId(), 1013);
});

test('conflict_with_another_shop_is_not_linked', function (): void {
    $order = paidOrder();
    attempt($order, [problem(409, 'order_code_conflict', ['orderId' => 7]), [200, delivery($order, ['id' => 7, 'fullCode' => 'other'])]]);
    equal(record($order)->deliveryId(), 0);
    contains(notes($order), 'detail of order_code_conflict');
});

test('reused_key_finds_the_delivery_by_its_code', function (): void {
    $order = paidOrder();
    record($order)->reference();
    attempt($order, [problem(422, 'idempotency_key_reused'), [200, ['orders' => [delivery($order, ['fullCode' => 'x', 'id' => 5]), delivery($order)]]]]);
    equal(record($order)->deliveryId(), 1013);
});

test('missing_number_is_named_without_a_request', function (): void {
    $order = paidOrder(['meta' => []]);
    equal(attempt($order, []), []);
    contains(notes($order), 'no value for: Number.');
});

test('unpaid_or_foreign_order_creates_nothing', function (): void {
    foreach (['pending', 'on-hold', 'cancelled', 'completed'] as $status) {
        equal(attempt(paidOrder(['status' => $status]), []), []);
    }
    equal(attempt(paidOrder(['shipping' => [['method' => 'flat_rate:2', 'name' => 'Sedex', 'meta' => []]]]), []), []);
});

test('notice_of_the_service_is_in_the_note', function (): void {
    $order = paidOrder(['billing_phone' => '3333-4444']);
    [$request] = attempt($order, [[201, delivery($order, ['notices' => [['code' => 'contact_omitted', 'detail' => 'This is not a telephone number.']]])]]);
    equal($request['body']['deliveries'][0]['phone'], '3333-4444');
    contains(notes($order), 'Pickup code: 4326. This is not a telephone number.');
});

test('contacts_that_a_service_rejects_become_a_note', function (): void {
    $order = paidOrder(['billing_phone' => '3333-4444', 'billing_email' => 'maria..silva@gmail.com']);
    $rejected = problem(422, 'validation_failed', ['errors' => [['pointer' => '/deliveries/0/phone'], ['pointer' => '/deliveries/0/email']]]);
    [$first, $second] = attempt($order, [$rejected, [201, delivery($order)]]);
    $delivery = $second['body']['deliveries'][0];
    equal([isset($delivery['phone']), isset($delivery['email'])], [false, false]);
    equal($delivery['observation'], "Telefone: 3333-4444\nE-mail: maria..silva@gmail.com");
    equal($first['headers']['idempotency-key'] === $second['headers']['idempotency-key'], false);
});

test('rejected_field_is_named_and_a_corrected_order_is_created', function (): void {
    $order = paidOrder(['shipping_state' => 'Narnia'], ['_despacho_quote' => '']);
    attempt($order, [problem(422, 'validation_failed', ['errors' => [['pointer' => '/deliveries/0/address/state', 'detail' => 'Expected a state.'], ['pointer' => '/deliveries/0/phone', 'detail' => 'Expected a phone.']]])]);
    contains(notes($order), 'address/state: Expected a state. phone: Expected a phone.');
    equal(pending(), []);
    $row = WC_Double_Store::load('order', $order->get_id());
    WC_Double_Store::update($order->get_id(), ['shipping_state' => 'São Paulo'] + $row);
    record($order)->reference();
    [$request] = attempt($order, [[201, delivery($order)]]);
    equal($request['body']['deliveries'][0]['address']['state'], 'SP');
    equal([record($order)->deliveryId(), record($order)->failure()], [1013, '']);
});

test('cash_on_delivery_is_collected_by_the_courier', function (): void {
    $order = paidOrder(['payment_method' => 'cod']);
    [$request] = attempt($order, [[201, delivery($order)]]);
    equal([$request['body']['deliveries'][0]['onlinePayment'], $request['body']['deliveries'][0]['payment']], [false, ['method' => 'CASH']]);
});

test('order_without_quote_has_the_configured_limit', function (): void {
    update_option(Settings::OPTION, ['max_fee' => 30.0]);
    $order = paidOrder();
    $row = WC_Double_Store::load('order', $order->get_id());
    $row['shipping'][0]['meta'] = ['_despacho_fallback' => 'yes'];
    WC_Double_Store::update($order->get_id(), $row);
    [$request] = attempt($order, [[201, delivery($order)]]);
    equal($request['body']['maxDeliveryFee'], 30);
    contains(notes($order), 'while the service is unavailable');
});

test('cancellation_states_its_cost', function (): void {
    $order = paidOrder(['status' => 'cancelled']);
    record($order)->link(delivery($order));
    cancelAttempt($order, [[200, ['allowed' => true, 'mode' => 'paid', 'fee' => 5]], [200, delivery($order, ['situation' => 610, 'cancellationFee' => 5])]]);
    contains(notes($order), 'Delivery 1013 cancelled. The cancellation costs R$ 5,00.');
    equal(record($order)->situation(), 610);
});

test('cancellation_after_the_pickup_is_reported', function (): void {
    $order = paidOrder(['status' => 'cancelled']);
    record($order)->link(delivery($order));
    cancelAttempt($order, [[200, ['allowed' => false, 'mode' => 'return_required', 'fee' => 0]]]);
    contains(notes($order), 'NOT cancelled: the courier has the goods');
    cancelAttempt($order, [problem(409, 'return_required')]);
    equal(count($order->double_notes()), 1);
});

test('cancellation_during_an_outage_is_repeated', function (): void {
    $order = paidOrder(['status' => 'cancelled']);
    record($order)->link(delivery($order));
    cancelAttempt($order, [null]);
    equal([pending()[0]['hook'], pending()[0]['args']], [Queue::CANCEL, [$order->get_id(), 1]]);
});

test('cancellation_finds_a_delivery_whose_response_was_lost', function (): void {
    $order = paidOrder(['status' => 'cancelled']);
    record($order)->reference();
    cancelAttempt($order, [[200, ['orders' => [delivery($order)]]], [200, ['allowed' => true, 'mode' => 'free', 'fee' => 0]], [200, delivery($order, ['situation' => 600])]]);
    contains(notes($order), 'Delivery 1013 cancelled free of charge.');
});

test('order_cancelled_during_the_creation_is_cancelled', function (): void {
    $order = paidOrder();
    $transport = new class ($order) extends ArrayObject implements Despacho\WooCommerce\Api\Transport {
        public function __construct(private readonly WC_Order $order)
        {
        }

        public function send(string $method, string $url, array $headers, ?string $body, float $timeout): array
        {
            (new WC_Order($this->order->get_id()))->update_status('cancelled');
            return ['status' => 201, 'body' => (string) json_encode(delivery($this->order)), 'retryAfter' => null];
        }
    };
    $client = new Despacho\WooCommerce\Api\Client($transport, 'https://despacho.example', 'k', 'en');
    (new OrderCreator($client, Settings::load(), new Queue()))->run($order->get_id(), 0, NOW);
    equal(array_column(pending(), 'hook'), [Queue::CANCEL]);
    equal((new WC_Order($order->get_id()))->get_status(), 'cancelled');
});

test('ended_delivery_can_be_created_again_unless_delivered', function (): void {
    foreach ([110 => false, 330 => false, 500 => false, 510 => false, 520 => true, 600 => true, 630 => true] as $situation => $expected) {
        $order = paidOrder();
        record($order)->link(delivery($order, ['situation' => $situation]));
        equal([$situation, isset(OrderActions::withActions([], new WC_Order($order->get_id()))['despacho_create'])], [$situation, $expected]);
    }
    equal(array_keys(OrderActions::withActions([], paidOrder())), ['despacho_create']);
});

test('new_delivery_has_a_reference_of_its_own', function (): void {
    $order = paidOrder();
    $first = record($order)->reference();
    record($order)->link(delivery($order, ['situation' => 630]));
    record($order)->reset();
    equal([record($order)->deliveryId(), record($order)->sequence(), record($order)->reference() === $first], [0, 0, false]);
});

test('webhook_completes_the_order_once', function (): void {
    $order = paidOrder();
    record($order)->reference();
    $data = ['event' => ['sequence' => 7, 'type' => 'delivery.delivered'], 'order' => delivery($order, ['situation' => 500])];
    $updater = new OrderUpdater(Settings::load(), new Queue());
    equal([$updater->apply($data), $updater->apply($data)], [true, false]);
    equal((new WC_Order($order->get_id()))->get_status(), 'completed');
    equal([record($order)->deliveryId(), record($order)->trackingUrl()], [1013, 'https://entregas.example/t/1']);
    equal(substr_count(notes($order), 'The order was delivered.'), 1);
});

test('webhook_of_another_shop_changes_nothing', function (): void {
    $order = paidOrder();
    record($order)->reference();
    $updater = new OrderUpdater(Settings::load(), new Queue());
    foreach ([['fullCode' => 'other'], ['fullCode' => null], ['code' => 'X-' . $order->get_id()], ['code' => 'WC-abc']] as $change) {
        equal($updater->apply(['event' => ['sequence' => 1, 'type' => 'order.created'], 'order' => $change + delivery($order)]), false);
    }
    equal(record($order)->deliveryId(), 0);
});

/** @return Quote the price of an address with a CEP */
function quote(FakeTransport $transport): Quote
{
    $address = Address::of(['zipCode' => '01304-001']);
    return (new Quotes($transport->client(), Settings::load()))->get($address, ['packages' => 1], true);
}

test('price_is_requested_once_for_each_address', function (): void {
    $transport = new FakeTransport([[200, ['deliveryFee' => 9.9, 'quote' => ['id' => 'q', 'expiresAt' => '2027-01-15T08:00:00.000Z']]]]);
    equal([quote($transport)->fee, quote($transport)->fee, quote($transport)->isFinal], [9.9, 9.9, false]);
    equal(count($transport->requests), 1);
});

test('outage_delays_one_page_only', function (): void {
    $transport = new FakeTransport([null]);
    equal([quote($transport)->state, quote($transport)->state], [Quote::UNAVAILABLE, Quote::UNAVAILABLE]);
    equal(count($transport->requests), 1);
});

test('address_outside_the_area_is_no_outage', function (): void {
    $quote = quote(new FakeTransport([problem(422, 'out_of_area')]));
    equal([$quote->state, $quote->reason, Quotes::isDown()], [Quote::REJECTED, 'detail of out_of_area', false]);
    equal(quote(new FakeTransport([problem(422, 'out_of_area')]))->state, Quote::REJECTED);
});

test('wrong_key_is_an_outage_for_the_shopper', function (): void {
    equal(quote(new FakeTransport([problem(401, 'api_key_invalid')]))->state, Quote::UNAVAILABLE);
});

test('closed_store_is_priced_for_its_opening', function (): void {
    $opening = gmdate('Y-m-d\TH:i:s.000\Z', time() + 7200);
    $transport = new FakeTransport([problem(422, 'store_closed', ['nextOpening' => $opening]), [200, ['deliveryFee' => 8]]]);
    equal(quote($transport)->fee, 8.0);
    equal($transport->requests[1]['body']['preparationTime'] >= 120, true);
});
