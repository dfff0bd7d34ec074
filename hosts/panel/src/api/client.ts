/** The API endpoints that the panel calls. */

import { api, data, form, headers, keyed, present, send, sending } from "./http";
import type * as wire from "./wire";

const ofOrder = (platformOrderId: number) => ({ path: { platformOrderId } });
const ofStore = (storeId: number) => ({ path: { storeId } });
const ofUser = (userId: number) => ({ path: { userId } });
const ofWebhook = (webhookId: number) => ({ path: { webhookId } });
/** A cursor is a text for the panel, and a number in the API's document. */
export const cursorOf = (cursor: string | undefined) =>
  cursor === undefined ? undefined : Number(cursor);

export const sessions = {
  create: (email: string, password: string) =>
    data(api.POST("/delivery/sessions", { body: { email, password } })),
  confirm: (currentPassword: string) =>
    data(
      api.POST("/delivery/sessions/confirmation", {
        body: { currentPassword },
        ...sending({ hasPassword: true }),
      }),
    ),
  list: () => data(api.GET("/delivery/sessions")),
  remove: (sessionId: string) =>
    data(
      api.DELETE("/delivery/sessions/{sessionId}", {
        params: { path: { sessionId: Number(sessionId) } },
      }),
    ),
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
    data(
      api.POST("/delivery/password", {
        body: { currentPassword, newPassword },
        ...sending({ hasPassword: true }),
      }),
    ),
  reset: (code: string, newPassword: string) =>
    data(api.POST("/delivery/password/reset", { body: { code, newPassword } })),
};

export const users = {
  list: (storeId: number) => data(api.GET("/delivery/users", { params: { query: { storeId } } })),
  create: (body: wire.CreateUser, key: string) =>
    data(
      api.POST("/delivery/users", { params: keyed(key), body, ...sending({ hasPassword: true }) }),
    ),
  change: (id: number, body: wire.UpdateUser) =>
    data(api.PATCH("/delivery/users/{userId}", { params: ofUser(id), body })),
  remove: (id: number) => data(api.DELETE("/delivery/users/{userId}", { params: ofUser(id) })),
  link: (id: number, currentPassword: string, key: string) =>
    data(
      api.POST("/delivery/users/{userId}/password-link", {
        params: { ...ofUser(id), ...keyed(key) },
        body: { currentPassword },
        ...sending({ hasPassword: true }),
      }),
    ),
};

export const audit = {
  list: (cursor?: string) =>
    data(api.GET("/delivery/audit", { params: present({ cursor: cursorOf(cursor), limit: 20 }) })),
};

export interface OrderFilter {
  situation?: wire.OrderSituation | undefined;
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
  list: ({ cursor, ...filter }: OrderFilter, signal: AbortSignal | null = null) =>
    data(
      api.GET("/delivery/orders", {
        params: present({ ...filter, cursor: cursorOf(cursor) }),
        signal,
      }),
    ),
  get: (id: number, signal: AbortSignal | null = null) =>
    data(api.GET("/delivery/orders/{platformOrderId}", { params: ofOrder(id), signal })),
  create: (body: wire.CreateOrder, key: string) =>
    data(api.POST("/delivery/orders", { params: keyed(key), body })),
  preview: (body: wire.PreviewOrder, signal: AbortSignal | null = null) =>
    data(api.POST("/delivery/orders/preview", { body, signal })),
  locate: (body: wire.LocateAddress) => data(api.POST("/delivery/location", { body })),
  ready: (id: number) =>
    data(
      api.POST("/delivery/orders/{platformOrderId}/ready", {
        params: { ...ofOrder(id), ...keyed() },
        // It is also sent when the page is closed.
        keepalive: true,
      }),
    ),
  delay: (id: number, minutes: number | undefined) =>
    data(
      api.POST("/delivery/orders/{platformOrderId}/delay", {
        params: { ...ofOrder(id), ...keyed() },
        body: form<wire.DelayOrder>({ minutes }),
      }),
    ),
  route: (id: number) =>
    data(api.GET("/delivery/orders/{platformOrderId}/route", { params: ofOrder(id) })),
  cancellation: (id: number) =>
    data(api.GET("/delivery/orders/{platformOrderId}/cancellation", { params: ofOrder(id) })),
  cancel: (orderId: number, reason: string, deliveryId?: number) =>
    data(
      api.POST("/delivery/orders/cancel", {
        params: keyed(),
        body: {
          orderId,
          ...(reason === "" ? {} : { reason }),
          ...(deliveryId === undefined ? {} : { deliveryId }),
        },
      }),
    ),
  discard: (id: number, deliveryId: number) =>
    data(
      api.POST("/delivery/orders/{platformOrderId}/discard", {
        params: { ...ofOrder(id), ...keyed() },
        body: { deliveryId },
      }),
    ),
  turnBack: (id: number, deliveryId: number, reason: string) =>
    data(
      api.POST("/delivery/orders/{platformOrderId}/return", {
        params: { ...ofOrder(id), ...keyed() },
        body: { deliveryId, reason },
      }),
    ),
  recordPayment: (id: number, body: wire.RecordPayment) =>
    data(
      api.POST("/delivery/orders/{platformOrderId}/payment", {
        params: { ...ofOrder(id), ...keyed() },
        body,
      }),
    ),
  waiveReturn: (id: number) =>
    data(
      api.POST("/delivery/orders/{platformOrderId}/waive", {
        params: { ...ofOrder(id), ...keyed() },
      }),
    ),
};

export const stores = {
  get: (id: number) => data(api.GET("/delivery/stores/{storeId}", { params: ofStore(id) })),
  list: (cursor?: string) =>
    data(
      api.GET("/delivery/stores", { params: present({ cursor: cursorOf(cursor), limit: 100 }) }),
    ),
  create: (body: wire.CreateStore, key: string) =>
    data(
      api.POST("/delivery/stores", { params: keyed(key), body, ...sending({ hasPassword: true }) }),
    ),
  /** Changes the calling store. */
  update: (body: wire.UpdateStore) => data(api.PUT("/delivery/stores", { body })),
  remove: (id: number) => data(api.DELETE("/delivery/stores/{storeId}", { params: ofStore(id) })),
};

export const policies = {
  area: (id: number) =>
    data(api.GET("/delivery/stores/{storeId}/service-area", { params: ofStore(id) })),
  setArea: (id: number, body: wire.StoreArea) =>
    data(api.PUT("/delivery/stores/{storeId}/service-area", { params: ofStore(id), body })),
  hours: (id: number) => data(api.GET("/delivery/stores/{storeId}/hours", { params: ofStore(id) })),
  setHours: (id: number, body: wire.StoreHours) =>
    data(api.PUT("/delivery/stores/{storeId}/hours", { params: ofStore(id), body })),
  tracking: (id: number) =>
    data(api.GET("/delivery/stores/{storeId}/tracking", { params: ofStore(id) })),
  setTracking: (id: number, body: wire.SetTracking) =>
    data(api.PUT("/delivery/stores/{storeId}/tracking", { params: ofStore(id), body })),
  payments: (id: number) =>
    data(api.GET("/delivery/stores/{storeId}/payments", { params: ofStore(id) })),
  setPayments: (id: number, body: wire.SetStorePayments) =>
    data(api.PUT("/delivery/stores/{storeId}/payments", { params: ofStore(id), body })),
  proofs: (id: number) =>
    data(api.GET("/delivery/stores/{storeId}/proofs", { params: ofStore(id) })),
  setProofs: (id: number, body: wire.SetProofs) =>
    data(api.PUT("/delivery/stores/{storeId}/proofs", { params: ofStore(id), body })),
};

export const proofs = {
  photo: (photoId: number) =>
    data(
      api.GET("/delivery/photos/{photoId}", {
        params: { path: { photoId } },
        headers: { accept: "image/*" },
        parseAs: "blob",
      }),
    ),
  page: (orderId: number) =>
    data(
      api.GET("/delivery/orders/{platformOrderId}/proof", {
        params: ofOrder(orderId),
        headers: { accept: "text/html" },
        parseAs: "blob",
      }),
    ),
};

export const keys = {
  list: (storeId?: number) => data(api.GET("/delivery/keys", { params: present({ storeId }) })),
  issue: (body: wire.IssueKey, key: string) =>
    data(
      api.POST("/delivery/keys", { params: keyed(key), body, ...sending({ hasPassword: true }) }),
    ),
  revoke: (keyId: string) =>
    data(api.DELETE("/delivery/keys/{keyId}", { params: { path: { keyId: Number(keyId) } } })),
};

export const notifications = {
  list: (cursor?: string) =>
    data(api.GET("/delivery/notifications", { params: present({ cursor: cursorOf(cursor) }) })),
  read: (notificationId: number) =>
    data(
      api.POST("/delivery/notifications/{notificationId}/read", {
        params: { path: { notificationId }, ...keyed() },
      }),
    ),
};

export const webhooks = {
  list: () => data(api.GET("/delivery/webhooks")),
  create: (body: wire.CreateWebhook, key: string) =>
    data(api.POST("/delivery/webhooks", { params: keyed(key), body })),
  remove: (id: number) =>
    data(api.DELETE("/delivery/webhooks/{webhookId}", { params: ofWebhook(id) })),
  enable: (id: number) =>
    data(
      api.POST("/delivery/webhooks/{webhookId}/enable", {
        params: { ...ofWebhook(id), ...keyed() },
      }),
    ),
  rotate: (id: number) =>
    data(
      api.POST("/delivery/webhooks/{webhookId}/rotate", {
        params: { ...ofWebhook(id), ...keyed() },
      }),
    ),
  test: (id: number) =>
    data(
      api.POST("/delivery/webhooks/{webhookId}/test", { params: { ...ofWebhook(id), ...keyed() } }),
    ),
  attempts: (id: number, cursor?: string) =>
    data(
      api.GET("/delivery/webhooks/{webhookId}/attempts", {
        params: { ...ofWebhook(id), ...present({ cursor: cursorOf(cursor), limit: 20 }) },
      }),
    ),
  retry: (attemptId: number) =>
    data(
      api.POST("/delivery/webhooks/attempts/{attemptId}/retry", {
        params: { path: { attemptId }, ...keyed() },
      }),
    ),
};

export interface Period {
  from?: string | undefined;
  to?: string | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
  storeId?: number | undefined;
}

/** The form of CSV files for people: spreadsheets in Brazil show it in columns, with its accents. */
const forSpreadsheets = {
  headers: { accept: "text/csv; locale=pt-BR" },
  parseAs: "blob",
} as const;

export const statement = {
  list: (period: Period) => data(api.GET("/delivery/statement", { params: present(period) })),
  csv: (period: Period) =>
    data(api.GET("/delivery/statement", { params: present(period), ...forSpreadsheets })),
};

export const topUps = {
  list: () => data(api.GET("/delivery/top-ups")),
  request: (body: wire.RequestTopUp, key: string) =>
    data(api.POST("/delivery/top-ups", { params: keyed(key), body })),
};

const moveCash =
  (path: "/delivery/couriers/{courierId}/float" | "/delivery/couriers/{courierId}/handovers") =>
  (courierId: number, storeId: number, body: wire.MoveCash, key: string) =>
    data(
      api.POST(path, {
        params: { path: { courierId }, ...present({ storeId }), ...keyed(key) },
        body,
      }),
    );

export const cash = {
  list: (storeId: number, cursor: string | undefined) =>
    data(
      api.GET("/delivery/cash", {
        params: present({ storeId, cursor: cursorOf(cursor), limit: 100 }),
      }),
    ),
  float: moveCash("/delivery/couriers/{courierId}/float"),
  handovers: moveCash("/delivery/couriers/{courierId}/handovers"),
  close: (storeId: number, body: wire.CloseCash, key: string) =>
    data(
      api.POST("/delivery/cash/close", {
        params: { ...present({ storeId }), ...keyed(key) },
        body,
      }),
    ),
  explain: (storeId: number, body: wire.ExplainDifference, key: string) =>
    data(
      api.POST("/delivery/cash/reasons", {
        params: { ...present({ storeId }), ...keyed(key) },
        body,
      }),
    ),
};

export interface ReportPeriod {
  /** The first and the last day, as `2026-11-21`. */
  from: string;
  to: string;
  storeId?: number | undefined;
}

export const reports = {
  days: (period: ReportPeriod) =>
    data(api.GET("/delivery/reports/days", { params: present(period) })),
  csv: (period: ReportPeriod) =>
    data(api.GET("/delivery/reports/days", { params: present(period), ...forSpreadsheets })),
};

export const context = () => data(api.GET("/delivery/preview-context"));

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

const isDeployment = (value: unknown): value is Deployment =>
  typeof value === "object" && value !== null && "tiles" in value && "demo" in value;

/** The configuration is not part of the API's document. */
async function readDeployment(): Promise<Deployment> {
  const response = await send(new Request(new URL("./panel.json", location.href)));
  const found: unknown = await response.json();
  if (!isDeployment(found)) throw new Error("panel.json is no configuration");
  return found;
}

let config: Promise<Deployment> | null = null;

/** Fetches the configuration once; a plain file server has none. */
export function deployment(): Promise<Deployment> {
  config ??= readDeployment().catch(() => ({ tiles: null, demo: null }));
  return config;
}
