<?php

declare(strict_types=1);

use Despacho\WooCommerce\Api\ApiError;
use Despacho\WooCommerce\Api\Signature;
use Despacho\WooCommerce\Delivery\Address;
use Despacho\WooCommerce\Delivery\EventPlan;
use Despacho\WooCommerce\Delivery\OrderRequest;
use Despacho\WooCommerce\Delivery\Requirements;
use Despacho\WooCommerce\Delivery\Retry;
use Despacho\WooCommerce\Settings;

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
// The example of the Standard Webhooks specification's reference libraries.
const SIGNED = ['msg_p5jXN8AQM9LWM0D4loKWxJek', '1614265330', 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=', '{"test": 2432232314}'];

function accepted(array $secrets, array $changes = [], int $now = 1614265330): bool
{
    return (new Signature($secrets))->isValid(...[...array_replace(SIGNED, $changes), $now]);
}

test('signature_of_the_specification_is_accepted', function (): void {
    equal(accepted([SECRET]), true);
    equal(accepted(['whsec_AAAA', SECRET]), true);
    equal(accepted([SECRET], [2 => 'v1,AAAA v2,x ' . SIGNED[2]]), true);
});

test('altered_or_old_message_is_rejected', function (): void {
    equal(accepted([SECRET], [3 => '{"test": 2432232315}']), false);
    equal(accepted([SECRET], [0 => 'msg_other']), false);
    equal(accepted([SECRET], [0 => '']), false);
    equal(accepted([SECRET], [2 => substr(SIGNED[2], 3)]), false);
    equal(accepted([SECRET], now: 1614265330 + 301), false);
    equal(accepted([SECRET], now: 1614265330 - 301), false);
    equal(accepted([SECRET], [1 => '1614265330x']), false);
});

test('missing_secret_accepts_no_message', function (): void {
    $empty = 'v1,' . base64_encode(hash_hmac('sha256', SIGNED[0] . '.' . SIGNED[1] . '.' . SIGNED[3], '', true));
    equal(accepted([]), false);
    equal(accepted(['', 'whsec_'], [2 => $empty]), false);
});

test('number_in_street_is_not_taken_as_number', function (): void {
    $address = Address::of(['street' => 'Rua Augusta, 900', 'city' => 'São Paulo', 'state' => 'sp', 'zipCode' => '01304001']);
    equal($address->missing(), ['number']);
    equal($address->isQuotable(), true);
    equal($address->toApi(), ['zipCode' => '01304-001']);
});

test('complete_address_contains_no_empty_field', function (): void {
    $address = Address::of(['street' => " Rua\tAugusta ", 'number' => 'S/N', 'city' => 'São Paulo', 'state' => 'sp', 'zipCode' => '01.304-001', 'complement' => '']);
    equal($address->toApi(), ['street' => 'Rua Augusta', 'number' => 'S/N', 'city' => 'São Paulo', 'state' => 'SP', 'zipCode' => '01304-001']);
});

test('malformed_cep_is_missing', function (): void {
    equal(Address::of(['zipCode' => '0130-001'])->isQuotable(), false);
    equal(Address::of(['zipCode' => ['01304-001']])->missing(), ['zipCode', 'street', 'number', 'city', 'state']);
});

test('requirements_sum_the_cart_and_omit_zero', function (): void {
    $lines = [
        ['quantity' => 2, 'grams' => 1200.0, 'cubicCentimetres' => 7500.0],
        ['quantity' => 1, 'grams' => 0.4, 'cubicCentimetres' => 0.0],
    ];
    equal(Requirements::of($lines, false), ['packages' => 1, 'weightGrams' => 2401, 'volumeMillilitres' => 15000]);
    equal(Requirements::of([['quantity' => 300, 'grams' => 0.0, 'cubicCentimetres' => 0.0]], true), ['packages' => 100]);
    equal(Requirements::of([], true), ['packages' => 1]);
});

/** Returns the delivery of a request for a recipient. */
function requested(array $recipient): array
{
    $recipient += ['name' => 'Maria', 'phone' => '', 'country' => 'BR', 'email' => '', 'note' => '', 'number' => '12', 'total' => 10.0];
    return OrderRequest::create('WC-12', 'reference', Address::of([]), $recipient, [], true, 0)['deliveries'][0];
}

test('contact_is_sent_as_the_shopper_wrote_it', function (): void {
    foreach (['(11) 9876-4321', '(11) 7777-8888', '+1 415 555 2671', '+34 912 345 678', '0800 123 4567', '11111111111'] as $phone) {
        equal(requested(['phone' => $phone, 'email' => 'maria..silva@gmail.com'])['phone'], $phone);
    }
    equal(requested(['phone' => "\u{202A}+55 11 98765-4321\u{202C}\0"])['phone'], '+55 11 98765-4321');
    equal(requested(['email' => 'maria..silva@gmail.com'])['email'], 'maria..silva@gmail.com');
    equal(array_keys(requested(['phone' => " \v"])), ['address', 'onlinePayment', 'productValue', 'code', 'name']);
});

test('number_of_another_country_without_its_code_is_a_note', function (): void {
    $delivery = requested(['phone' => '(415) 555-2671', 'country' => 'US', 'note' => 'Ring twice']);
    equal([isset($delivery['phone']), $delivery['observation']], [false, "Ring twice\nTelefone: (415) 555-2671"]);
    equal(requested(['phone' => '+1 415 555 2671', 'country' => 'US'])['phone'], '+1 415 555 2671');
    $long = requested(['phone' => '(415) 555-2671', 'country' => 'US', 'note' => str_repeat('é', 2_000)])['observation'];
    equal([mb_strlen($long), mb_substr($long, -26)], [1000, "…\nTelefone: (415) 555-2671"]);
});

test('any_text_of_a_shop_is_sent_in_a_form_that_the_service_accepts', function (): void {
    $delivery = requested([
        'name' => "Maria\u{200B} \n" . str_repeat('a', 300), 'note' => "Portão\v azul\0\r\n👩‍👧 \x1b[31m\xff" . str_repeat('b', 2_000), 'number' => str_repeat('9', 80),
    ]);
    equal([mb_strlen($delivery['name']), mb_strlen($delivery['observation']), mb_strlen($delivery['code'])], [255, 1000, 64]);
    contains($delivery['observation'], "Portão  azul \r\n👩‍👧  [31m\u{FFFD}bbb");
    contains($delivery['name'], 'Maria aaa');
    equal(preg_match('/[^\P{Cc}\t\r\n]/u', implode('', array_filter($delivery, 'is_string'))), 0);
    equal(isset(requested(['name' => "\u{200B}\u{FEFF} "])['name']), false);
    equal(isset(requested(['total' => 2_000_000.0])['productValue']), false);
});

test('state_is_its_code', function (): void {
    foreach (['São Paulo' => 'SP', 'sp' => 'SP', 'BR-RJ' => 'RJ', 'CEARÁ' => 'CE', 'Mato Grosso do Sul' => 'MS', 'Pará' => 'PA', 'Paraná' => 'PR', 'X' => 'X', '' => ''] as $state => $code) {
        equal(Address::of(['state' => $state])->state, $code);
    }
});

test('unavailable_service_is_retried_with_backoff', function (): void {
    $error = ApiError::withoutResponse('timeout');
    equal(Retry::at($error, 0, 1000, 1000), 1060);
    equal(Retry::at($error, 3, 1000, 1000), 1480);
    equal(Retry::at($error, 50, 1000, 1000), 4600);
    equal(Retry::at($error, 50, 1000, 1000 + 259_201), null);
    equal(Retry::at(ApiError::fromResponse(429, '{"code":"rate_limited"}', 300), 0, 0, 0), 300);
});

test('rejected_order_is_not_retried', function (): void {
    equal(Retry::at(ApiError::fromResponse(422, '{"code":"out_of_area"}', null), 0, 0, 0), null);
    equal(Retry::at(ApiError::fromResponse(402, '{"code":"insufficient_balance"}', null), 0, 0, 0), 60);
});

test('closed_store_is_retried_when_it_opens', function (): void {
    $error = ApiError::fromResponse(422, '{"code":"store_closed","nextOpening":"2026-11-24T11:00:00.000Z"}', null);
    $opening = gmmktime(11, 0, 0, 11, 24, 2026);
    equal(Retry::at($error, 0, $opening - 3600, $opening - 3600), $opening);
    equal(Retry::at($error, 0, $opening, $opening), $opening + 60);
});

test('problem_names_its_invalid_fields', function (): void {
    $error = ApiError::fromResponse(422, '{"code":"validation_failed","detail":"1 field.","errors":[{"detail":"Unknown CEP."}]}', null);
    equal($error->getMessage(), '1 field. Unknown CEP.');
    equal(ApiError::fromResponse(404, '<html>', null)->problemCode, ApiError::UNEXPECTED_RESPONSE);
    equal(ApiError::fromResponse(503, '<html>', null)->isUnavailable(), true);
});

test('repeated_or_earlier_event_has_no_effect', function (): void {
    $data = ['event' => ['sequence' => 4, 'type' => 'order.picked_up'], 'order' => ['situation' => 300, 'deliveries' => []]];
    equal(EventPlan::of($data, 4), null);
    equal(EventPlan::of($data, 9), null);
    equal(EventPlan::of($data, 3)?->event, 'order.picked_up');
    equal(EventPlan::of(['event' => null, 'order' => null], 0), null);
});

test('unknown_event_updates_the_status_without_note', function (): void {
    $plan = EventPlan::of(['event' => ['sequence' => 1, 'type' => 'order.painted'], 'order' => ['situation' => 210]], 0);
    equal([$plan?->event, $plan?->situation], [null, 210]);
});

test('settings_keep_the_key_and_reject_insecure_addresses', function (): void {
    $form = ['base_url' => 'http://entregas.example', 'api_key' => '', 'preparation_minutes' => '2000', 'code_prefix' => 'WC-', 'fee_tolerance' => '1,50'];
    $result = Settings::validated($form, ['api_key' => 'dsp_1', 'base_url' => 'https://old.example', 'webhook_id' => 7, 'other' => 1]);
    equal($result['values']['api_key'], 'dsp_1');
    equal($result['values']['base_url'], 'https://old.example');
    equal($result['values']['fee_tolerance'], 1.5);
    equal([$result['values']['webhook_id'], isset($result['values']['other']), count($result['errors'])], [7, false, 2]);
    equal(Settings::validated(['base_url' => 'https://a.example/'] + $form, [])['values']['base_url'], 'https://a.example');
    equal(count(Settings::validated(['base_url' => 'https://a.example/api'] + $form, [])['errors']), 2);
});

test('every_text_of_the_plugin_has_a_translation', function (): void {
    $po = (string) file_get_contents(__DIR__ . '/../../languages/despacho-pt_BR.po');
    $count = 0;
    foreach (new RecursiveIteratorIterator(new RecursiveDirectoryIterator(__DIR__ . '/../../src')) as $file) {
        $tokens = $file->isFile() ? array_values(array_filter(token_get_all((string) file_get_contents($file->getPathname())), static fn ($token) => $token[0] !== T_WHITESPACE)) : [];
        foreach ($tokens as $index => $token) {
            $isCall = is_array($token) && in_array($token[1], ['__', 'esc_html__'], true) && ($tokens[$index + 1] ?? '') === '(';
            if ($isCall && $tokens[$index + 2][0] === T_CONSTANT_ENCAPSED_STRING) {
                $text = str_replace(["\\'", '\\\\'], ["'", '\\'], substr($tokens[$index + 2][1], 1, -1));
                contains($po, 'msgid "' . addcslashes($text, '"\\') . '"');
                $count++;
            }
        }
    }
    equal($count > 100, true);
});
