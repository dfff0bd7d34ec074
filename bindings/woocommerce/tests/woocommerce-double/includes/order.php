<?php

declare(strict_types=1);

class WC_Product
{
    /** @param array<string, mixed> $data */
    public function __construct(private readonly array $data)
    {
    }

    public function get_name(): string
    {
        return $this->data['name'];
    }

    public function get_price(): float
    {
        return $this->data['price'];
    }

    public function needs_shipping(): bool
    {
        return $this->data['virtual'] ?? false ? false : true;
    }

    public function get_weight(): string
    {
        return (string) ($this->data['weight'] ?? '');
    }

    public function get_length(): string
    {
        return (string) ($this->data['length'] ?? '');
    }

    public function get_width(): string
    {
        return (string) ($this->data['width'] ?? '');
    }

    public function get_height(): string
    {
        return (string) ($this->data['height'] ?? '');
    }
}

/** An item of an order: a product or a shipping method. */
class WC_Order_Item
{
    /** @param array<string, mixed> $data */
    public function __construct(private readonly array $data)
    {
    }

    public function get_method_id(): string
    {
        return explode(':', $this->data['method'])[0];
    }

    public function get_name(): string
    {
        return $this->data['name'];
    }

    public function get_meta(string $key): string
    {
        return (string) ($this->data['meta'][$key] ?? '');
    }

    public function get_quantity(): int
    {
        return $this->data['quantity'];
    }

    public function get_product(): WC_Product
    {
        return new WC_Product($this->data['product']);
    }
}

/** An order. As in WooCommerce, saving writes only what this object changed. */
class WC_Order
{
    /** @var array<string, mixed> */
    private array $data;
    /** @var array<string, ?string> */
    private array $changedMeta = [];
    private ?string $changedStatus = null;

    public function __construct(private readonly int $id)
    {
        $this->data = WC_Double_Store::load('order', $id) ?? throw new RuntimeException("no order $id");
    }

    /** @param array<mixed> $arguments */
    public function __call(string $name, array $arguments): string
    {
        if (preg_match('/^get_((?:billing|shipping)_\w+)$/', $name, $match)) {
            return (string) ($this->data[$match[1]] ?? '');
        }
        throw new BadMethodCallException("the test double has no WC_Order::$name");
    }

    public function get_id(): int
    {
        return $this->id;
    }

    public function get_order_number(): string
    {
        return (string) $this->id;
    }

    public function get_total(): string
    {
        return (string) $this->data['total'];
    }

    public function get_status(): string
    {
        return $this->data['status'];
    }

    public function get_payment_method(): string
    {
        return $this->data['payment_method'];
    }

    public function get_customer_note(): string
    {
        return $this->data['customer_note'] ?? '';
    }

    public function get_formatted_shipping_full_name(): string
    {
        return trim($this->get_shipping_first_name() . ' ' . $this->get_shipping_last_name());
    }

    public function get_formatted_billing_full_name(): string
    {
        return trim($this->get_billing_first_name() . ' ' . $this->get_billing_last_name());
    }

    /** @return list<WC_Order_Item> */
    public function get_shipping_methods(): array
    {
        return array_map(static fn (array $item) => new WC_Order_Item($item), $this->data['shipping'] ?? []);
    }

    /** @return list<WC_Order_Item> */
    public function get_items(): array
    {
        return array_map(static fn (array $item) => new WC_Order_Item($item), $this->data['items'] ?? []);
    }

    /** @param string|list<string> $status */
    public function has_status(string|array $status): bool
    {
        return in_array($this->data['status'], (array) $status, true);
    }

    public function get_meta(string $key): string
    {
        return (string) ($this->data['meta'][$key] ?? '');
    }

    public function update_meta_data(string $key, string $value): void
    {
        $this->data['meta'][$key] = $this->changedMeta[$key] = $value;
    }

    public function delete_meta_data(string $key): void
    {
        unset($this->data['meta'][$key]);
        $this->changedMeta[$key] = null;
    }

    public function read_meta_data(bool $force_read = false): void
    {
        $this->data['meta'] = WC_Double_Store::load('order', $this->id)['meta'] ?? [];
    }

    public function save(): int
    {
        $stored = WC_Double_Store::load('order', $this->id) ?? [];
        foreach ($this->changedMeta as $key => $value) {
            $stored['meta'][$key] = $value;
        }
        $stored['meta'] = array_filter($stored['meta'] ?? [], static fn ($value) => $value !== null);
        $stored['status'] = $this->changedStatus ?? $stored['status'];
        WC_Double_Store::update($this->id, $stored);
        [$this->changedMeta, $this->changedStatus] = [[], null];
        return $this->id;
    }

    public function add_order_note(string $note): void
    {
        $stored = WC_Double_Store::load('order', $this->id) ?? [];
        $stored['notes'][] = $note;
        WC_Double_Store::update($this->id, $stored);
    }

    /** @return list<string> */
    public function double_notes(): array
    {
        return WC_Double_Store::load('order', $this->id)['notes'] ?? [];
    }

    public function update_status(string $status, string $note = ''): bool
    {
        $from = $this->data['status'];
        $this->data['status'] = $this->changedStatus = $status;
        $this->save();
        $this->add_order_note(trim("$note Status: $from → $status."));
        if ($from !== $status) {
            do_action("woocommerce_order_status_$status", $this->id, $this);
            do_action("woocommerce_order_status_{$from}_to_$status", $this->id, $this);
            do_action('woocommerce_order_status_changed', $this->id, $from, $status, $this);
        }
        return true;
    }

    public function payment_complete(string $transaction_id = ''): bool
    {
        do_action('woocommerce_pre_payment_complete', $this->id, $transaction_id);
        $this->update_status('processing');
        do_action('woocommerce_payment_complete', $this->id, $transaction_id);
        return true;
    }
}

function wc_get_order(int $id): WC_Order|false
{
    return WC_Double_Store::load('order', $id) === null ? false : new WC_Order($id);
}
