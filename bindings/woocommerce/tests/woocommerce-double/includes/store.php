<?php

declare(strict_types=1);

/** Stores orders and scheduled actions as rows of JSON. */
final class WC_Double_Store
{
    public static function install(): void
    {
        global $wpdb;
        $wpdb->query("CREATE TABLE IF NOT EXISTS {$wpdb->prefix}double_rows (id BIGINT AUTO_INCREMENT PRIMARY KEY, kind VARCHAR(20) NOT NULL, data LONGTEXT NOT NULL) AUTO_INCREMENT = 101");
    }

    /** @param array<string, mixed> $data */
    public static function insert(string $kind, array $data): int
    {
        global $wpdb;
        $wpdb->insert("{$wpdb->prefix}double_rows", ['kind' => $kind, 'data' => wp_json_encode($data)]);
        return (int) $wpdb->insert_id;
    }

    /** @return array<string, mixed>|null */
    public static function load(string $kind, int $id): ?array
    {
        global $wpdb;
        $data = $wpdb->get_var($wpdb->prepare("SELECT data FROM {$wpdb->prefix}double_rows WHERE kind = %s AND id = %d", $kind, $id));
        return is_string($data) ? json_decode($data, true) : null;
    }

    /** @param array<string, mixed> $data */
    public static function update(int $id, array $data): void
    {
        global $wpdb;
        $wpdb->update("{$wpdb->prefix}double_rows", ['data' => wp_json_encode($data)], ['id' => $id]);
    }

    /** @return array<int, array<string, mixed>> */
    public static function all(string $kind): array
    {
        global $wpdb;
        $rows = $wpdb->get_results($wpdb->prepare("SELECT id, data FROM {$wpdb->prefix}double_rows WHERE kind = %s ORDER BY id", $kind));
        return array_map(static fn ($row) => json_decode($row->data, true), array_column($rows, null, 'id'));
    }
}
