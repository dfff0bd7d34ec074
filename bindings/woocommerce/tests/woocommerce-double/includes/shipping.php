<?php

declare(strict_types=1);

class WC_Shipping_Rate
{
    /** @param array<string, mixed> $meta */
    public function __construct(
        public string $id,
        public string $method_id,
        public string $label,
        public float $cost,
        private array $meta,
    ) {
    }

    public function get_method_id(): string
    {
        return $this->method_id;
    }

    /** @return array<string, mixed> */
    public function get_meta_data(): array
    {
        return $this->meta;
    }
}

/** A shipping method with instance settings. */
abstract class WC_Shipping_Method
{
    /** @var list<string> */
    public $supports = ['settings'];
    public $id = '';
    public $method_title = '';
    public $method_description = '';
    public $enabled = 'yes';
    public $title;
    /** @var array<string, WC_Shipping_Rate> */
    public $rates = [];
    public $tax_status = 'taxable';
    public $instance_id = 0;
    /** @var array<string, array<string, mixed>> */
    public $instance_form_fields = [];

    /** @param int $instance_id */
    public function __construct($instance_id = 0)
    {
        $this->instance_id = $instance_id;
    }

    /** @param array<string, mixed> $package */
    public function calculate_shipping($package = [])
    {
    }

    /** @return string */
    public function get_option($key, $empty_value = null)
    {
        $stored = get_option("woocommerce_{$this->id}_{$this->instance_id}_settings", []);
        return $stored[$key] ?? $this->instance_form_fields[$key]['default'] ?? '';
    }

    /** @return bool */
    public function process_admin_options()
    {
        return false;
    }

    /** @param array<string, mixed> $args */
    public function add_rate($args = [])
    {
        $id = "{$this->id}:{$this->instance_id}";
        $this->rates[$id] = new WC_Shipping_Rate($id, $this->id, $args['label'], round((float) $args['cost'], 2), $args['meta_data'] ?? []);
    }

    /** @return array<string, WC_Shipping_Rate> */
    public function get_rates_for_package($package)
    {
        $this->rates = [];
        $this->calculate_shipping($package);
        return $this->rates;
    }
}

/** The shipping of one package in one zone, whose methods have the instance 1. Rates stay in the session until the package changes. */
final class WC_Shipping
{
    /** @var list<array<string, mixed>> */
    public array $packages = [];

    /** @param list<array<string, mixed>> $packages */
    public function calculate_shipping(array $packages): void
    {
        $this->packages = array_map(fn (array $package, int $key) => $this->calculate_shipping_for_package($package, $key), $packages, array_keys($packages));
    }

    /** @return list<array<string, mixed>> */
    public function get_packages(): array
    {
        return $this->packages;
    }

    /**
     * @param array<string, mixed> $package
     * @return array<string, mixed>
     */
    private function calculate_shipping_for_package(array $package, int $key): array
    {
        $hashed = $package;
        foreach (array_keys($hashed['contents']) as $item) {
            unset($hashed['contents'][$item]['data']);
        }
        $hash = md5((string) wp_json_encode($hashed));
        $stored = WC()->session->get("shipping_for_package_$key");
        if (is_array($stored) && $stored['package_hash'] === $hash) {
            return ['rates' => $stored['rates']] + $package;
        }
        $package['rates'] = [];
        foreach (apply_filters('woocommerce_shipping_methods', []) as $class) {
            $package['rates'] += (new $class(1))->get_rates_for_package($package);
        }
        $package['rates'] = apply_filters('woocommerce_package_rates', $package['rates'], $package);
        WC()->session->set("shipping_for_package_$key", ['package_hash' => $hash, 'rates' => $package['rates']]);
        return $package;
    }
}
