/** The endpoints of pay plans and of couriers' terms. */

import { cursorOf } from "../../api/client";
import { api, data, keyed, present } from "../../api/http";
import type * as wire from "../../api/wire";

/** A plan as it is sent: its amounts are numbers. The API returns them as decimal strings. */
export type PayPlan = wire.PayPlanBody;

export const payPlans = {
  list: (cursor?: string) =>
    data(api.GET("/admin/pay-plans", { params: present({ cursor: cursorOf(cursor) }) })),
  create: (body: { name: string; plan: PayPlan; effectiveFrom?: string }, key: string) =>
    data(api.POST("/admin/pay-plans", { params: keyed(key), body })),
  remove: (payPlanId: number) =>
    data(api.DELETE("/admin/pay-plans/{payPlanId}", { params: { path: { payPlanId } } })),
  preview: (plan: PayPlan, orders: wire.PaySample[], signal: AbortSignal) =>
    data(api.POST("/admin/pay-plans/preview", { body: { plan, orders }, signal })),
};

export const courierPay = {
  get: (courierId: number) =>
    data(api.GET("/admin/couriers/{courierId}/pay", { params: { path: { courierId } } })),
  set: (courierId: number, terms: wire.SetPayTerms[]) =>
    data(
      api.PUT("/admin/couriers/{courierId}/pay", {
        params: { path: { courierId } },
        body: { terms },
      }),
    ),
};
