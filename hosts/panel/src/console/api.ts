/** The operator's endpoints that the console calls. */

import { cursorOf } from "../api/client";
import { api, data, keyed, present } from "../api/http";
import type * as wire from "../api/wire";

/** The largest page that the API returns. */
export const PAGE_SIZE = 100;

const ofOrder = (platformOrderId: number) => ({ path: { platformOrderId } });
const ofCourier = (courierId: number) => ({ path: { courierId } });
const ofStore = (storeId: number) => ({ path: { storeId } });

export interface OrderFilter {
  q?: string | undefined;
  situation?: wire.OrderSituation | undefined;
  storeId?: number | undefined;
  late?: true | undefined;
  /** Only orders that have not ended. */
  open?: true | undefined;
  from?: string | undefined;
  to?: string | undefined;
  cursor?: string | undefined;
}

export const orders = {
  list: ({ cursor, ...filter }: OrderFilter) =>
    data(
      api.GET("/admin/orders", {
        params: present({ ...filter, cursor: cursorOf(cursor), limit: PAGE_SIZE }),
      }),
    ),
  get: (id: number) => data(api.GET("/admin/orders/{platformOrderId}", { params: ofOrder(id) })),
  route: (id: number) =>
    data(api.GET("/admin/orders/{platformOrderId}/route", { params: ofOrder(id) })),
  dispatch: (id: number) =>
    data(api.GET("/admin/orders/{platformOrderId}/dispatch", { params: ofOrder(id) })),
  reassign: (id: number, body: wire.ReassignOrder, key: string) =>
    data(
      api.POST("/admin/orders/{platformOrderId}/reassign", {
        params: { ...ofOrder(id), ...keyed(key) },
        body,
      }),
    ),
  cancel: (id: number, body: wire.GiveReason, key: string) =>
    data(
      api.POST("/admin/orders/{platformOrderId}/cancel", {
        params: { ...ofOrder(id), ...keyed(key) },
        body,
      }),
    ),
  lose: (id: number, body: wire.GiveDeliveryReason, key: string) =>
    data(
      api.POST("/admin/orders/{platformOrderId}/lost", {
        params: { ...ofOrder(id), ...keyed(key) },
        body,
      }),
    ),
};

export const couriers = {
  list: (cursor?: string) =>
    data(
      api.GET("/admin/couriers", {
        params: present({ cursor: cursorOf(cursor), limit: PAGE_SIZE }),
      }),
    ),
  get: (id: number) => data(api.GET("/admin/couriers/{courierId}", { params: ofCourier(id) })),
  create: (body: wire.RegisterCourier, key: string) =>
    data(api.POST("/admin/couriers", { params: keyed(key), body })),
  change: (id: number, body: wire.AlterCourier) =>
    data(api.PATCH("/admin/couriers/{courierId}", { params: ofCourier(id), body })),
  signIn: (id: number) =>
    data(
      api.POST("/admin/couriers/{courierId}/sign-in", {
        params: { ...ofCourier(id), ...keyed() },
      }),
    ),
};

export const photo = (photoId: number) =>
  data(
    api.GET("/admin/photos/{photoId}", {
      params: { path: { photoId } },
      headers: { accept: "image/*" },
      parseAs: "blob",
    }),
  );

export const health = () => data(api.GET("/admin/health"));

export const dispatch = {
  settings: () => data(api.GET("/admin/dispatch")),
  compare: (body: wire.SetDispatch) =>
    data(api.POST("/admin/dispatch/what-if", { params: keyed(), body })),
  /** Runs a pass, or returns what a pass would do. The endpoint has no request body. */
  run: (isDryRun: boolean) =>
    data(
      api.POST("/admin/dispatch", {
        params: { ...present({ dryRun: isDryRun || undefined }), ...keyed() },
      }),
    ),
};

export const stores = {
  list: (q?: string, cursor?: string) =>
    data(api.GET("/admin/stores", { params: present({ q, cursor: cursorOf(cursor) }) })),
  get: (id: number) => data(api.GET("/admin/stores/{storeId}", { params: ofStore(id) })),
  create: (body: wire.CreateParentStore, key: string) =>
    data(api.POST("/admin/matrices", { params: keyed(key), body })),
  change: (id: number, body: wire.AlterStore) =>
    data(api.PATCH("/admin/stores/{storeId}", { params: ofStore(id), body })),
  users: (id: number) => data(api.GET("/admin/stores/{storeId}/users", { params: ofStore(id) })),
  /** Creates a link for a user, or for the store's own login. */
  passwordLink: (id: number, userId?: number) =>
    data(
      api.POST("/admin/stores/{storeId}/password-link", {
        params: { ...ofStore(id), ...keyed() },
        body: userId === undefined ? {} : { userId },
      }),
    ),
  topUp: (id: number, body: wire.CreateTopUp, key: string) =>
    data(
      api.POST("/admin/stores/{storeId}/top-ups", {
        params: { ...ofStore(id), ...keyed(key) },
        body,
      }),
    ),
  topUps: (id: number) => data(api.GET("/admin/stores/{storeId}/top-ups", { params: ofStore(id) })),
  statement: (id: number, query: { from?: string; to?: string; cursor?: string | undefined }) =>
    data(
      api.GET("/admin/stores/{storeId}/statement", {
        params: { ...ofStore(id), ...present(query) },
      }),
    ),
  dispatch: (id: number) =>
    data(api.GET("/admin/stores/{storeId}/dispatch", { params: ofStore(id) })),
  setDispatch: (id: number, body: wire.SetStoreDispatch) =>
    data(api.PUT("/admin/stores/{storeId}/dispatch", { params: ofStore(id), body })),
};

/** The log of changes of a store and its branches, or of everything. */
export const audit = (cursor?: string, storeId?: number) =>
  data(
    api.GET("/admin/audit", {
      params: present({
        storeId,
        cursor: cursorOf(cursor),
        limit: storeId === undefined ? 50 : 20,
      }),
    }),
  );
