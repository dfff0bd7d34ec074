/** The operator's endpoints that the console calls. */

import { path, post, type Query } from "../api/client";
import { download, newIdempotencyKey, request } from "../api/http";
import type * as wire from "../api/wire";

/** The largest page that the API returns. */
export const PAGE_SIZE = 100;

export const get = <T>(to: string, query: Query = {}) => request<T>(path(to, query));

export interface OrderFilter {
  q?: string | undefined;
  situation?: number | undefined;
  storeId?: number | undefined;
  late?: "true" | undefined;
  /** Only orders that have not ended. */
  open?: "true" | undefined;
  from?: string | undefined;
  to?: string | undefined;
  cursor?: string | undefined;
}

export const orders = {
  list: (filter: OrderFilter) =>
    get<wire.OrderPage>("/admin/orders", { ...filter, limit: PAGE_SIZE }),
  get: (id: number) => get<wire.OrderDetails>(`/admin/orders/${id}`),
  route: (id: number) => get<wire.OrderRoute>(`/admin/orders/${id}/route`),
  dispatch: (id: number) => get<wire.OrderDispatch>(`/admin/orders/${id}/dispatch`),
  reassign: (id: number, body: unknown, key: string) =>
    post<wire.Order>(`/admin/orders/${id}/reassign`, body, key),
  cancel: (id: number, body: unknown, key: string) =>
    post<wire.Order>(`/admin/orders/${id}/cancel`, body, key),
  lose: (id: number, body: unknown, key: string) =>
    post<wire.Order>(`/admin/orders/${id}/lost`, body, key),
};

export const couriers = {
  list: (cursor?: string) => get<wire.CourierPage>("/admin/couriers", { cursor, limit: PAGE_SIZE }),
  get: (id: number) => get<wire.CourierRecord>(`/admin/couriers/${id}`),
  create: (body: unknown, key: string) => post<wire.CourierWithKey>("/admin/couriers", body, key),
  change: (id: number, body: unknown) =>
    request<wire.CourierWithKey>(`/admin/couriers/${id}`, { method: "PATCH", body }),
  signIn: (id: number) =>
    request<wire.SignInCode>(`/admin/couriers/${id}/sign-in`, {
      method: "POST",
      idempotencyKey: newIdempotencyKey(),
    }),
};

export const photo = (id: number) => download(`/admin/photos/${id}`, "image/*");

export const dispatch = {
  settings: () => get<wire.DispatchSettings>("/admin/dispatch"),
  compare: (draft: unknown) => post<wire.DispatchComparison>("/admin/dispatch/what-if", draft),
  /** Runs a pass, or returns what a pass would do. The endpoint has no request body. */
  run: (isDryRun: boolean) =>
    request<wire.DispatchPass>(path("/admin/dispatch", { dryRun: isDryRun ? "true" : undefined }), {
      method: "POST",
      idempotencyKey: newIdempotencyKey(),
    }),
};

export const stores = {
  list: (q?: string, cursor?: string) =>
    get<wire.OperatorStorePage>("/admin/stores", { q, cursor }),
  get: (id: number) => get<wire.OperatorStore>(`/admin/stores/${id}`),
  create: (body: unknown, key: string) => post<wire.IssuedKey>("/admin/matrices", body, key),
  change: (id: number, body: unknown) =>
    request<wire.OperatorStore>(`/admin/stores/${id}`, { method: "PATCH", body }),
  users: (id: number) => get<wire.UserList>(`/admin/stores/${id}/users`),
  /** Creates a link for a user, or for the store's own login. */
  passwordLink: (id: number, userId?: number) =>
    post<wire.PasswordLink>(`/admin/stores/${id}/password-link`, { userId }),
  topUp: (id: number, body: unknown, key: string) =>
    post<wire.StatementLine>(`/admin/stores/${id}/top-ups`, body, key),
  statement: (id: number, query: Query) =>
    get<wire.StatementPage>(`/admin/stores/${id}/statement`, query),
  dispatch: (id: number) => get<wire.StoreDispatch>(`/admin/stores/${id}/dispatch`),
  setDispatch: (id: number, body: unknown) =>
    request<wire.StoreDispatch>(`/admin/stores/${id}/dispatch`, { method: "PUT", body }),
};

/** The log of changes of a store and its branches, or of everything. */
export const audit = (cursor?: string, storeId?: number) =>
  get<wire.AuditPage>("/admin/audit", { storeId, cursor, limit: storeId === undefined ? 50 : 20 });

/** Reads pages until there are no more or `max` pages were read. `more` is the cursor of the rest. */
export async function readPages<P extends { nextCursor: string | null }>(
  read: (cursor?: string) => Promise<P>,
  max: number,
): Promise<{ pages: P[]; more: string | null }> {
  const pages: P[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await read(cursor ?? undefined);
    pages.push(page);
    cursor = page.nextCursor;
  } while (cursor !== null && pages.length < max);
  return { pages, more: cursor };
}
