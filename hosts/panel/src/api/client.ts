/** The API endpoints that the panel calls. */

import { download, headers, newIdempotencyKey, request } from "./http";
import type * as wire from "./wire";

export type Query = Record<string, string | number | boolean | null | undefined>;

export function path(base: string, query: Query = {}): string {
  const present = Object.entries(query).filter(
    (pair): pair is [string, string | number | boolean] => pair[1] != null && pair[1] !== "",
  );
  if (present.length === 0) return base;
  return `${base}?${new URLSearchParams(present.map(([name, value]) => [name, String(value)]))}`;
}

export const post = <T>(
  to: string,
  body: unknown = {},
  idempotencyKey: string = newIdempotencyKey(),
) => request<T>(to, { method: "POST", body, idempotencyKey });
const remove = (to: string) => request<unknown>(to, { method: "DELETE" });

export const sessions = {
  create: (email: string, password: string) =>
    request<wire.IssuedKey>("/delivery/sessions", { method: "POST", body: { email, password } }),
  confirm: (currentPassword: string) =>
    request<wire.SessionConfirmation>("/delivery/sessions/confirmation", {
      method: "POST",
      body: { currentPassword },
    }),
  list: () => request<wire.SessionList>("/delivery/sessions"),
  remove: (id: string) => remove(`/delivery/sessions/${id}`),
  /** Revokes the session's key, even while the page unloads. Returns whether the server confirmed it. */
  end: (keyId: string, key: string): Promise<boolean> =>
    fetch(`/delivery/keys/${keyId}`, {
      method: "DELETE",
      headers: { ...headers(), "x-api-token": key },
      keepalive: true,
      credentials: "omit",
      cache: "no-store",
    }).then(
      (response) => response.ok || response.status === 401,
      () => false,
    ),
};

export const passwords = {
  change: (currentPassword: string, newPassword: string) =>
    request<unknown>("/delivery/password", {
      method: "POST",
      body: { currentPassword, newPassword },
    }),
  reset: (code: string, newPassword: string) =>
    request<unknown>("/delivery/password/reset", { method: "POST", body: { code, newPassword } }),
};

export const users = {
  list: (storeId: number) => request<wire.UserList>(path("/delivery/users", { storeId })),
  create: (body: unknown, key: string) => post<wire.UserCreated>("/delivery/users", body, key),
  change: (id: number, body: unknown) =>
    request<wire.User>(`/delivery/users/${id}`, { method: "PATCH", body }),
  remove: (id: number) => remove(`/delivery/users/${id}`),
  link: (id: number, currentPassword: string, key: string) =>
    post<wire.PasswordLink>(`/delivery/users/${id}/password-link`, { currentPassword }, key),
};

export const audit = {
  list: (cursor?: string) =>
    request<wire.AuditPage>(path("/delivery/audit", { cursor, limit: 20 })),
};

export interface OrderFilter {
  situation?: string | undefined;
  code?: string | undefined;
  /** Words of codes, names and phones, or an ID. */
  q?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  /** Only orders that have not ended. */
  open?: true | undefined;
  cursor?: string | undefined;
  limit?: number | undefined;
}

export const orders = {
  list: (filter: OrderFilter, signal?: AbortSignal) =>
    request<wire.OrderPage>(path("/delivery/orders", { ...filter }), signal ? { signal } : {}),
  get: (id: number, signal?: AbortSignal) =>
    request<wire.OrderDetails>(`/delivery/orders/${id}`, signal ? { signal } : {}),
  create: (order: unknown, key: string) => post<wire.Order>("/delivery/orders", order, key),
  preview: (order: unknown, signal?: AbortSignal) =>
    request<wire.Preview>("/delivery/orders/preview", {
      method: "POST",
      body: order,
      maxAttempts: 1,
      ...(signal ? { signal } : {}),
    }),
  locate: (address: Partial<wire.Address>) =>
    request<wire.Location>("/delivery/location", { method: "POST", body: address, maxAttempts: 1 }),
  ready: (id: number) => post<wire.Order>(`/delivery/orders/${id}/ready`),
  delay: (id: number, minutes: number | undefined) =>
    post<wire.Order>(`/delivery/orders/${id}/delay`, { minutes }),
  route: (id: number) => request<wire.OrderRoute>(`/delivery/orders/${id}/route`),
  cancellation: (id: number) => request<wire.Cancellation>(`/delivery/orders/${id}/cancellation`),
  cancel: (orderId: number, reason: string, deliveryId?: number) =>
    post<wire.Order>("/delivery/orders/cancel", {
      orderId,
      ...(reason === "" ? {} : { reason }),
      ...(deliveryId === undefined ? {} : { deliveryId }),
    }),
  discard: (id: number, deliveryId: number) =>
    post<wire.Order>(`/delivery/orders/${id}/discard`, { deliveryId }),
  turnBack: (id: number, deliveryId: number, reason: string) =>
    post<wire.Order>(`/delivery/orders/${id}/return`, { deliveryId, reason }),
  waiveReturn: (id: number) => post<wire.Order>(`/delivery/orders/${id}/waive`),
};

export const stores = {
  get: (id: number | string) => request<wire.Store>(`/delivery/stores/${id}`),
  list: (cursor?: string) =>
    request<wire.StorePage>(path("/delivery/stores", { cursor, limit: 100 })),
  create: (store: unknown, key: string) => post<wire.IssuedKey>("/delivery/stores", store, key),
  remove: (id: number) => remove(`/delivery/stores/${id}`),
};

export const policies = {
  hours: (storeId: number) => request<wire.StoreHours>(`/delivery/stores/${storeId}/hours`),
  setHours: (storeId: number, hours: wire.StoreHours) =>
    request<wire.StoreHours>(`/delivery/stores/${storeId}/hours`, { method: "PUT", body: hours }),
  tracking: (storeId: number) =>
    request<wire.TrackingPolicy>(`/delivery/stores/${storeId}/tracking`),
  setTracking: (storeId: number, policy: wire.TrackingPolicy) =>
    request<wire.TrackingPolicy>(`/delivery/stores/${storeId}/tracking`, {
      method: "PUT",
      body: policy,
    }),
  proofs: (storeId: number) => request<wire.ProofPolicy>(`/delivery/stores/${storeId}/proofs`),
  setProofs: (storeId: number, policy: wire.ProofPolicy) =>
    request<wire.ProofPolicy>(`/delivery/stores/${storeId}/proofs`, {
      method: "PUT",
      body: policy,
    }),
};

export const proofs = {
  photo: (id: number) => download(`/delivery/photos/${id}`, "image/*"),
  page: (orderId: number) => download(`/delivery/orders/${orderId}/proof`, "text/html"),
};

export const keys = {
  list: (storeId?: number) => request<wire.KeyList>(path("/delivery/keys", { storeId })),
  issue: (body: unknown, key: string) => post<wire.IssuedKey>("/delivery/keys", body, key),
  revoke: (id: string) => remove(`/delivery/keys/${id}`),
};

export const notifications = {
  list: (cursor?: string) =>
    request<wire.NotificationPage>(path("/delivery/notifications", { cursor })),
  read: (id: number) => post<unknown>(`/delivery/notifications/${id}/read`),
};

export const webhooks = {
  list: () => request<wire.WebhookList>("/delivery/webhooks"),
  create: (body: unknown, key: string) => post<wire.WebhookSecret>("/delivery/webhooks", body, key),
  remove: (id: number) => remove(`/delivery/webhooks/${id}`),
  enable: (id: number) => post<wire.Webhook>(`/delivery/webhooks/${id}/enable`),
  rotate: (id: number) => post<wire.WebhookSecret>(`/delivery/webhooks/${id}/rotate`),
  test: (id: number) => post<unknown>(`/delivery/webhooks/${id}/test`),
  attempts: (id: number, cursor?: string) =>
    request<wire.AttemptPage>(path(`/delivery/webhooks/${id}/attempts`, { cursor, limit: 20 })),
  retry: (attempt: number) => post<unknown>(`/delivery/webhooks/attempts/${attempt}/retry`),
};

export interface Period {
  from?: string | undefined;
  to?: string | undefined;
  cursor?: string | undefined;
  storeId?: number | undefined;
}

/** The form of CSV files for people: spreadsheets in Brazil show it in columns, with its accents. */
const FOR_SPREADSHEETS = "text/csv; locale=pt-BR";

export const statement = {
  list: (period: Period) => request<wire.StatementPage>(path("/delivery/statement", { ...period })),
  csv: (period: Period) => download(path("/delivery/statement", { ...period }), FOR_SPREADSHEETS),
};

export interface ReportPeriod {
  /** The first and the last day, as `2026-11-21`. */
  from: string;
  to: string;
  storeId?: number | undefined;
}

export const reports = {
  days: (period: ReportPeriod) =>
    request<wire.DayReport>(path("/delivery/reports/days", { ...period })),
  csv: (period: ReportPeriod) =>
    download(path("/delivery/reports/days", { ...period }), FOR_SPREADSHEETS),
};

export const context = () => request<wire.PreviewContext>("/delivery/preview-context");

/** The URL template and attribution of map tiles. */
export interface Tiles {
  url: string;
  attribution: string;
}

/** The path and attribution of a PMTiles file with streets. */
export interface Streets {
  url: string;
  attribution: string;
}

/** The panel configuration that the server provides. */
export interface Deployment {
  /** Hosts other than the server have no streets. */
  streets?: Streets | null;
  tiles: Tiles | null;
  demo: { email: string; password: string } | null;
}

let config: Promise<Deployment> | null = null;

/** Fetches the configuration once; a plain file server has none. */
export function deployment(): Promise<Deployment> {
  config ??= request<Deployment>("./panel.json").catch(() => ({ tiles: null, demo: null }));
  return config;
}
