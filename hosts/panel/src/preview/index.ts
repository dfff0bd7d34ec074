/** Price previews: computed in the page by the compiled core, or by the server until the core is loaded. */

import { signal } from "@preact/signals";
import { context, orders } from "../api/client";
import type { CreateOrder, PreviewOrder } from "despacho";
import type { FieldError, Preview } from "../api/wire";
import { ApiError, credentials } from "../api/http";
import { store } from "../session";
import { load, problemOf, type Package, type Previewer } from "./package";

export interface Quotation {
  preview: Preview;
  source: "page" | "server";
}

interface LocalPreviewer {
  previewer: Previewer;
  storeId: number;
  /** Time in milliseconds from which a new tariff can be in effect. */
  until: number;
}

/** Maximum age of the tariff in milliseconds. An older one is loaded again, and until then the server computes the prices. */
const MAX_AGE_MS = 60_000;

/** Whether prices are computed in the page. */
export const inPage = signal(false);

let loading: Promise<LocalPreviewer | null> | null = null;
let ready: LocalPreviewer | null = null;
/** The core, also if it cannot compute this server's prices: it validates orders and looks up CEPs. */
let loadedCore: Package | null = null;

/** Returns the previewer of the store if its tariff is recent. */
function current(): LocalPreviewer | null {
  return ready !== null && ready.storeId === (store.value?.id ?? 0) && Date.now() < ready.until
    ? ready
    : null;
}

/** Loads the core once, and the store's tariff if it is not recent; returns `null` if the server must compute prices. */
function localPreviewer(): Promise<LocalPreviewer | null> {
  const storeId = store.value?.id ?? 0;
  const local = current();
  if (local !== null) return Promise.resolve(local);
  ready = null;
  loading ??= prepare(storeId)
    .catch(() => null)
    .then((local) => {
      ready = local;
      inPage.value = local !== null;
      // After a failure, the next input retries.
      loading = null;
      return local;
    });
  return loading;
}

async function prepare(storeId: number): Promise<LocalPreviewer | null> {
  const [core, rules] = await Promise.all([load(), context()]);
  loadedCore = core;
  // If the server has more road or address data than the page, the page cannot compute the same price.
  if (core === null || !rules.exact) {
    // It validates orders all the same; a failed download is repeated by the first use.
    void core?.load().catch(() => {});
    return null;
  }
  const until = Math.min(
    Date.now() + MAX_AGE_MS,
    rules.validUntil === undefined ? Infinity : Date.parse(rules.validUntil),
  );
  return {
    previewer: await core.createPreviewer(rules, { language: credentials.language }),
    storeId,
    until,
  };
}

/** Starts to load the core before the user types. */
export function preload(): void {
  void localPreviewer();
}

/** Computes a preview, in the page if the core is loaded; throws the same problem as the server would return. */
export async function preview(request: PreviewOrder, signal: AbortSignal): Promise<Quotation> {
  void localPreviewer();
  const local = current();
  const other = request.store?.userPlatformId ?? local?.storeId;
  if (local !== null && other === local.storeId) {
    try {
      return {
        preview: local.previewer.preview(request, {
          language: credentials.language,
        }),
        source: "page",
      };
    } catch (thrown) {
      const problem = problemOf(thrown);
      throw problem === null ? thrown : new ApiError(problem);
    }
  }
  return { preview: await orders.preview(request, signal), source: "server" };
}

/** Loads the core before a series of checks. */
export async function loadCore(): Promise<void> {
  await localPreviewer();
}

/** Returns the errors of an order that need no stored data. Empty if the core is not loaded: then only the server checks them. */
export async function validate(order: CreateOrder): Promise<readonly FieldError[]> {
  if (loadedCore === null) return [];
  try {
    await loadedCore.validateOrder(order, { language: credentials.language });
    return [];
  } catch (thrown) {
    return problemOf(thrown)?.errors ?? [];
  }
}

/** Looks up the city of a CEP without a request to the server. */
export async function postcode(zip: string): Promise<{ city: string; state: string } | null> {
  await localPreviewer();
  return loadedCore?.lookupPostcode(zip) ?? null;
}
