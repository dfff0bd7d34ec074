/** The endpoints of tariffs. */

import { cursorOf } from "../../api/client";
import { api, data, keyed, present } from "../../api/http";
import type * as wire from "../../api/wire";
import { add } from "./comparison";

/** A tariff as it is sent: its amounts are numbers. The API returns them as decimal strings. */
export type Tariff = wire.TariffBody;

/** The price of a sample; the fee is null if the route is longer than the tariff permits. */
export type PricedSample = Omit<wire.SamplePrice, "deliveryFee"> & { deliveryFee: number | null };

interface WhatIf {
  tariff: Tariff;
  days: number;
  storeId?: number;
  cursor?: string;
}

export const tariffs = {
  list: (cursor?: string) =>
    data(api.GET("/admin/tariffs", { params: present({ cursor: cursorOf(cursor) }) })),
  create: (body: { tariff: Tariff; effectiveFrom?: string }, key: string) =>
    data(api.POST("/admin/tariffs", { params: keyed(key), body })),
  remove: (tariffId: number) =>
    data(api.DELETE("/admin/tariffs/{tariffId}", { params: { path: { tariffId } } })),
  preview: (tariff: Tariff, samples: wire.TariffSample[], signal: AbortSignal) =>
    data(api.POST("/admin/tariffs/preview", { body: { tariff, samples }, signal })),
  /** Returns one portion of the orders. */
  whatIf: (body: WhatIf, signal: AbortSignal) =>
    data(api.POST("/admin/tariffs/what-if", { body, signal })),
};

/** Compares a tariff with past orders, and returns the sum of all portions. Rejects if the signal aborts. */
export async function compareAll(
  of: Omit<WhatIf, "cursor">,
  signal: AbortSignal,
  onPortion: (sum: wire.TariffComparison) => void,
): Promise<wire.TariffComparison> {
  let sum = await tariffs.whatIf(of, signal);
  while (sum.nextCursor !== null) {
    onPortion(sum);
    sum = add(sum, await tariffs.whatIf({ ...of, cursor: sum.nextCursor }, signal));
  }
  return sum;
}

const MAX_PAGES = 20;

/** Returns the current tariff. Only scheduled ones precede it. */
export async function readCurrent(): Promise<wire.TariffVersion | null> {
  let cursor: string | undefined;
  for (let count = 0; count < MAX_PAGES; count += 1) {
    const page = await tariffs.list(cursor);
    const current = page.tariffs.find((one) => one.state === "CURRENT");
    if (current !== undefined || page.nextCursor === null) return current ?? null;
    cursor = page.nextCursor;
  }
  return null;
}
