<?php

declare(strict_types=1);

namespace Despacho\WooCommerce;

/** The plugin's settings, stored in one option. */
final class Settings
{
    public const OPTION = 'despacho_settings';
    /** Constants of wp-config.php that override the stored values. */
    private const CONSTANTS = ['base_url' => 'DESPACHO_BASE_URL', 'api_key' => 'DESPACHO_API_KEY'];
    private const DEFAULTS = [
        'base_url' => '',
        'api_key' => '',
        'preparation_minutes' => 30,
        'code_prefix' => 'WC-',
        'fee_tolerance' => 0.0,
        'max_fee' => null,
        'complete_order' => true,
        'webhook_id' => 0,
        'webhook_secrets' => [],
        'webhook_tested_at' => 0,
    ];

    /** @param array<string, mixed> $values */
    private function __construct(private readonly array $values)
    {
    }

    public static function load(): self
    {
        $stored = get_option(self::OPTION, []);
        $values = array_intersect_key(is_array($stored) ? $stored : [], self::DEFAULTS) + self::DEFAULTS;
        foreach (self::CONSTANTS as $name => $constant) {
            if (defined($constant)) {
                $values[$name] = (string) constant($constant);
            }
        }
        return new self($values);
    }

    /** @param array<string, mixed> $changes */
    public static function store(array $changes): void
    {
        $stored = get_option(self::OPTION, []);
        update_option(self::OPTION, array_merge(is_array($stored) ? $stored : [], $changes), false);
    }

    /**
     * Returns the valid settings of a form. An empty API key keeps the stored one, because the page does not contain it.
     *
     * @param array<string, mixed> $form
     * @param array<string, mixed> $stored
     * @return array{values: array<string, mixed>, errors: list<string>}
     */
    public static function validated(array $form, array $stored): array
    {
        $values = array_intersect_key($stored, self::DEFAULTS);
        $errors = [];
        $text = static fn (string $name): string => is_scalar($form[$name] ?? null) ? trim((string) $form[$name]) : '';
        $url = rtrim($text('base_url'), '/');
        if ($url === '' || self::isPermitted($url)) {
            $values['base_url'] = $url;
        } else {
            $errors[] = __('The base address must start with https:// and have no path. It was not saved.', 'despacho');
        }
        if (preg_match('/^[\x21-\x7e]{1,512}$/', $text('api_key'))) {
            $values['api_key'] = $text('api_key');
        }
        if (preg_match('/^\d{1,4}$/', $text('preparation_minutes')) && (int) $text('preparation_minutes') <= 1440) {
            $values['preparation_minutes'] = (int) $text('preparation_minutes');
        } else {
            $errors[] = __('The preparation time must be between 0 and 1440 minutes. It was not saved.', 'despacho');
        }
        if (preg_match('/^[A-Za-z0-9._-]{0,20}$/', $text('code_prefix'))) {
            $values['code_prefix'] = $text('code_prefix');
        } else {
            $errors[] = __('The prefix can have at most 20 letters, digits, dots, hyphens and underscores. It was not saved.', 'despacho');
        }
        $values['fee_tolerance'] = self::amount($text('fee_tolerance')) ?? 0.0;
        $values['max_fee'] = self::amount($text('max_fee'));
        $values['complete_order'] = !empty($form['complete_order']);
        return ['values' => $values, 'errors' => $errors];
    }

    /** Parses an amount with a decimal comma or point. */
    public static function amount(string $text): ?float
    {
        $text = str_replace(',', '.', trim($text));
        return preg_match('/^\d{1,6}(\.\d{1,2})?$/', $text) ? (float) $text : null;
    }

    public function isConfigured(): bool
    {
        return $this->baseUrl() !== '' && $this->apiKey() !== '';
    }

    public function baseUrl(): string
    {
        return rtrim((string) $this->values['base_url'], '/');
    }

    public function apiKey(): string
    {
        return (string) $this->values['api_key'];
    }

    public function preparationMinutes(): int
    {
        return (int) $this->values['preparation_minutes'];
    }

    public function codePrefix(): string
    {
        return (string) $this->values['code_prefix'];
    }

    public function feeTolerance(): float
    {
        return (float) $this->values['fee_tolerance'];
    }

    public function maxFee(): ?float
    {
        return $this->values['max_fee'] === null ? null : (float) $this->values['max_fee'];
    }

    public function completesOrder(): bool
    {
        return (bool) $this->values['complete_order'];
    }

    public function webhookId(): int
    {
        return (int) $this->values['webhook_id'];
    }

    /** @return list<string> */
    public function webhookSecrets(): array
    {
        return array_values(array_filter((array) $this->values['webhook_secrets'], 'is_string'));
    }

    public function webhookTestedAt(): int
    {
        return (int) $this->values['webhook_tested_at'];
    }

    private static function isPermitted(string $url): bool
    {
        $parts = parse_url($url);
        if (!is_array($parts) || empty($parts['host']) || !empty($parts['path']) || !empty($parts['query']) || !empty($parts['user'])) {
            return false;
        }
        $isLocal = in_array($parts['host'], ['127.0.0.1', 'localhost', '[::1]'], true);
        return ($parts['scheme'] ?? '') === 'https' || ($isLocal && ($parts['scheme'] ?? '') === 'http');
    }
}
