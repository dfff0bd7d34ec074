/** The price of an order that is being typed: computed in this page by the core itself, or by the server until that is there. */

import { signal } from "@preact/signals";
import { context, orders } from "../api/client";
import type { PreviewOrder } from "despacho";
import type { Preview } from "../api/wire";
import { ApiError, credentials } from "../api/http";
import { store } from "../session";
import { load, problemOf, type Package, type Previewer } from "./package";

export interface Quoted {
  preview: Preview;
  /** Where it was computed. */
  by: "page" | "server";
}

interface Ready {
  core: Package;
  previewer: Previewer;
  storeId: number;
}

/** Whether prices are computed in this page from now on. */
export const inPage = signal(false);

let coming: Promise<Ready | null> | null = null;
let ready: Ready | null = null;

/** The core with this store's tariff, fetched once a session; `null` if the server must be used. */
function prepared(): Promise<Ready | null> {
  const storeId = store.value?.id ?? 0;
  if (ready !== null && ready.storeId === storeId) return Promise.resolve(ready);
  ready = null;
  coming ??= prepare(storeId)
    .catch(() => null)
    .then((got) => {
      ready = got;
      inPage.value = got !== null;
      // After a lost network the next input tries again.
      coming = null;
      return got;
    });
  return coming;
}

async function prepare(storeId: number): Promise<Ready | null> {
  const [core, rules] = await Promise.all([load(), context()]);
  // A server that knows more roads or addresses than the page gives the better result: the compiled core is not fetched then.
  if (core === null || !rules.exact) return null;
  return { core, previewer: await core.createPreviewer(rules, { language: credentials.language }), storeId };
}

/** Begins to fetch what previews need, before the first key is typed. */
export function warmUp(): void {
  void prepared();
}

/** The preview of a request, by the server as long as the page is not ready; throws the problem that the server would return. */
export async function preview(request: unknown, signal: AbortSignal): Promise<Quoted> {
  void prepared();
  const got = ready?.storeId === store.value?.id ? ready : null;
  const other = (request as { store?: { userPlatformId?: number } }).store?.userPlatformId;
  if (got !== null && (other === undefined || other === got.storeId)) {
    try {
      return { preview: got.previewer.preview(request as PreviewOrder, { language: credentials.language }), by: "page" };
    } catch (thrown) {
      const problem = problemOf(thrown);
      throw problem === null ? thrown : new ApiError(problem);
    }
  }
  return { preview: await orders.preview(request, signal), by: "server" };
}

/** The city of a CEP, without a request. */
export async function postcode(zip: string): Promise<{ city: string; state: string } | null> {
  const got = await prepared();
  return got?.core.lookupPostcode(zip) ?? null;
}
