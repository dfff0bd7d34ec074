/** The endpoints of tariffs. */

import { path, post } from "../../api/client";
import { request } from "../../api/http";
import type * as wire from "../../api/wire";

/** A tariff as it is sent: its amounts are numbers. The API returns them as decimal strings. */
export type Tariff = wire.TariffBody;

/** The price of a sample; the fee is null if the route is longer than the tariff permits. */
export type PricedSample = Omit<wire.SamplePrice, "deliveryFee"> & { deliveryFee: number | null };

export const tariffs = {
  list: (cursor?: string) => request<wire.TariffPage>(path("/admin/tariffs", { cursor })),
  create: (body: { tariff: Tariff; effectiveFrom?: string }, key: string) =>
    post<wire.TariffVersion>("/admin/tariffs", body, key),
  remove: (id: number) => request<unknown>(`/admin/tariffs/${id}`, { method: "DELETE" }),
  preview: (tariff: Tariff, samples: readonly wire.TariffSample[], signal: AbortSignal) =>
    request<wire.TariffPreview>("/admin/tariffs/preview", {
      method: "POST",
      body: { tariff, samples },
      signal,
    }),
  whatIf: (tariff: Tariff, days: number, storeId: number | undefined) =>
    request<wire.TariffComparison>("/admin/tariffs/what-if", {
      method: "POST",
      body: { tariff, days, ...(storeId === undefined ? {} : { storeId }) },
    }),
};

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
