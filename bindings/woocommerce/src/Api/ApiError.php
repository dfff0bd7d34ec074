<?php

declare(strict_types=1);

namespace Despacho\WooCommerce\Api;

use RuntimeException;

/** A request that did not succeed: a problem document of the service, another response, or no response. */
final class ApiError extends RuntimeException
{
    /** Codes that this client assigns if the response is not a problem document. */
    public const NO_RESPONSE = 'no_response';
    public const UNEXPECTED_RESPONSE = 'unexpected_response';

    /** @param array<string, mixed> $problem */
    private function __construct(
        public readonly int $status,
        public readonly string $problemCode,
        string $detail,
        public readonly ?int $retryAfter = null,
        private readonly array $problem = [],
    ) {
        parent::__construct($detail);
    }

    public static function withoutResponse(string $detail): self
    {
        return new self(0, self::NO_RESPONSE, $detail);
    }

    public static function fromResponse(int $status, string $body, ?int $retryAfter): self
    {
        $problem = json_decode($body, true);
        if (!is_array($problem) || !is_string($problem['code'] ?? null)) {
            return new self($status, self::UNEXPECTED_RESPONSE, "HTTP $status", $retryAfter);
        }
        $detail = is_string($problem['detail'] ?? null) ? $problem['detail'] : "HTTP $status";
        return new self($status, $problem['code'], self::withFields($detail, $problem['errors'] ?? []), $retryAfter, $problem);
    }

    /** Returns whether the same request can succeed later without a change by the merchant or the shopper. */
    public function isUnavailable(): bool
    {
        return $this->status === 0 || in_array($this->status, [408, 425, 429], true) || $this->status >= 500
            || $this->problemCode === 'request_in_progress';
    }

    /** Returns the ID of the order that has the code, with `order_code_conflict`. */
    public function existingOrderId(): ?int
    {
        $id = $this->problem['orderId'] ?? null;
        return is_int($id) ? $id : null;
    }

    /** Returns the time at which the store opens, with `store_closed`. */
    public function nextOpening(): ?int
    {
        $time = is_string($this->problem['nextOpening'] ?? null) ? strtotime($this->problem['nextOpening']) : false;
        return $time === false ? null : $time;
    }

    /** @return list<string> the JSON pointers of the invalid fields */
    public function invalidFields(): array
    {
        $errors = is_array($this->problem['errors'] ?? null) ? $this->problem['errors'] : [];
        $pointers = array_map(static fn (mixed $error): mixed => $error['pointer'] ?? null, $errors);
        return array_values(array_filter($pointers, 'is_string'));
    }

    private static function withFields(string $detail, mixed $errors): string
    {
        $parts = [$detail];
        foreach (is_array($errors) ? $errors : [] as $error) {
            if (is_string($error['detail'] ?? null) && !str_contains($detail, $error['detail'])) {
                // The field, such as `address/state`: "This field is required." alone does not say which.
                $field = preg_replace('#^/(deliveries/0/)?#', '', is_string($error['pointer'] ?? null) ? $error['pointer'] : '');
                $parts[] = ($field === '' ? '' : "$field: ") . $error['detail'];
            }
        }
        return implode(' ', $parts);
    }
}
