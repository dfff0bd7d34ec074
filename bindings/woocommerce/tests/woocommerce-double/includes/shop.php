<?php

declare(strict_types=1);

/** The shopper's session: a cookie and a transient. */
final class WC_Session
{
    private string $id;
    /** @var array<string, mixed> */
    private array $data;

    public function __construct()
    {
        $cookie = $_COOKIE['wc_double_session'] ?? '';
        $this->id = is_string($cookie) && preg_match('/^[0-9a-f]{32}$/', $cookie) ? $cookie : md5(random_bytes(16));
        if (!headers_sent()) {
            setcookie('wc_double_session', $this->id, ['path' => '/', 'httponly' => true, 'samesite' => 'Lax']);
        }
        $this->data = get_transient("wc_double_session_{$this->id}") ?: [];
    }

    public function get(string $key): mixed
    {
        return $this->data[$key] ?? null;
    }

    public function set(string $key, mixed $value): void
    {
        $this->data[$key] = $value;
        set_transient("wc_double_session_{$this->id}", $this->data, DAY_IN_SECONDS);
    }
}

final class WC_Customer
{
    /** @param array<string, string> $fields */
    public function set(array $fields): void
    {
        WC()->session->set('customer', $fields + $this->all());
    }

    /** @return array<string, string> */
    public function all(): array
    {
        return WC()->session->get('customer') ?? [];
    }

    public function get_meta(string $key): string
    {
        return '';
    }
}

final class WC_Cart
{
    public const PRODUCTS = [
        'bolo' => ['name' => 'Bolo de fubá', 'price' => 42.0, 'weight' => '1.2', 'length' => '25', 'width' => '25', 'height' => '12'],
        'pao' => ['name' => 'Pão italiano', 'price' => 15.9, 'weight' => '0.5', 'length' => '30', 'width' => '12', 'height' => '10'],
    ];

    /** @return array<string, int> */
    public function quantities(): array
    {
        return WC()->session->get('cart') ?? [];
    }

    public function add(string $product): void
    {
        $cart = $this->quantities();
        $cart[$product] = ($cart[$product] ?? 0) + 1;
        WC()->session->set('cart', $cart);
    }

    public function empty_cart(): void
    {
        WC()->session->set('cart', []);
    }

    /** @return array<string, array<string, mixed>> */
    public function contents(): array
    {
        $contents = [];
        foreach ($this->quantities() as $product => $quantity) {
            $contents[$product] = ['product_id' => $product, 'quantity' => $quantity, 'data' => new WC_Product(self::PRODUCTS[$product])];
        }
        return $contents;
    }

    public function subtotal(): float
    {
        return array_sum(array_map(static fn (array $item) => $item['quantity'] * $item['data']->get_price(), $this->contents()));
    }

    public function calculate_totals(): void
    {
        $customer = WC()->customer->all();
        $destination = ['country' => 'BR'];
        foreach (['state', 'postcode', 'city', 'address_1', 'address_2'] as $name) {
            $destination[$name] = $customer["shipping_$name"] ?? '';
        }
        $destination['address'] = $destination['address_1'];
        $packages = [['contents' => $this->contents(), 'contents_cost' => $this->subtotal(), 'destination' => $destination]];
        WC()->shipping()->calculate_shipping(apply_filters('woocommerce_cart_shipping_packages', $packages));
    }

    public function rate(): ?WC_Shipping_Rate
    {
        $rates = WC()->shipping()->get_packages()[0]['rates'] ?? [];
        return $rates === [] ? null : reset($rates);
    }
}

final class WooCommerce
{
    public ?WC_Session $session = null;
    public ?WC_Customer $customer = null;
    public ?WC_Cart $cart = null;
    private ?WC_Shipping $shipping = null;

    /** Starts the session in the shop only, as WooCommerce does. */
    public function start(): void
    {
        if (!is_admin() || wp_doing_ajax()) {
            $this->session = new WC_Session();
            $this->customer = new WC_Customer();
            $this->cart = new WC_Cart();
        }
    }

    public function shipping(): WC_Shipping
    {
        return $this->shipping ??= new WC_Shipping();
    }
}

function WC(): WooCommerce
{
    static $instance = null;
    return $instance ??= new WooCommerce();
}

/** The double's products have kilograms and centimetres. */
function wc_get_weight(float $weight, string $to_unit): float
{
    return $weight * ['g' => 1000, 'kg' => 1][$to_unit];
}

function wc_get_dimension(float $dimension, string $to_unit): float
{
    return $dimension * ['cm' => 1, 'mm' => 10][$to_unit];
}

function get_woocommerce_currency(): string
{
    return 'BRL';
}

function wc_get_logger(): object
{
    return new class () {
        /** @param array<string, mixed> $context */
        public function warning(string $message, array $context = []): void
        {
            error_log("{$context['source']}: $message");
        }
    };
}
