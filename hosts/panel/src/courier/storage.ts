/** The data that survives a reload: the last trip, and the steps and photos that are not yet sent. */

import type { Step } from "./steps";

/** A step that the courier took, until the service has accepted it. */
export interface QueuedStep extends Step {
  /** The idempotency key, which is the same in every attempt: the service takes the step only once. */
  key: string;
  /** The position in the queue. */
  id: number;
  /** `rejected` by the service, or `dropped` because an earlier step of the same order was rejected. */
  state: "waiting" | "rejected" | "dropped";
  /** The reason of a rejection. */
  detail: string;
  /** Names the order and the recipient in messages. */
  label: string;
}

export interface Photo {
  key: string;
  orderId: number;
  blob: Blob;
  /** The ID that the service returned for the uploaded photo. */
  photoId: number | null;
}

const VERSION = 1;
let opened: Promise<IDBDatabase> | null = null;

function database(): Promise<IDBDatabase> {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open("despacho-courier", VERSION);
    request.onupgradeneeded = () => {
      request.result.createObjectStore("values");
      request.result.createObjectStore("steps", { keyPath: "key" });
      request.result.createObjectStore("photos", { keyPath: "key" });
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error as DOMException);
  });
  return opened;
}

type Store = "values" | "steps" | "photos";
type Stores = (name: Store) => IDBObjectStore;

/** Runs one transaction. */
async function transact<T>(
  names: Store[],
  mode: IDBTransactionMode,
  run: (stores: Stores) => IDBRequest<T> | undefined,
): Promise<T> {
  const db = await database();
  return new Promise((resolve, reject) => {
    // A step must survive even if the phone's battery is empty.
    const transaction = db.transaction(names, mode, {
      durability: names.includes("steps") ? "strict" : "default",
    });
    const request = run((name) => transaction.objectStore(name));
    transaction.oncomplete = () => resolve(request?.result as T);
    transaction.onabort = () => reject(transaction.error as DOMException);
  });
}

export const readValue = <T>(name: string): Promise<T | undefined> =>
  transact(
    ["values"],
    "readonly",
    (stores) => stores("values").get(name) as IDBRequest<T | undefined>,
  );

export const writeValue = (name: string, value: unknown): Promise<IDBValidKey> =>
  transact(["values"], "readwrite", (stores) => stores("values").put(value, name));

export async function readSteps(): Promise<QueuedStep[]> {
  const all = await transact(
    ["steps"],
    "readonly",
    (stores) => stores("steps").getAll() as IDBRequest<QueuedStep[]>,
  );
  return all.sort((a, b) => a.id - b.id);
}

export const writeSteps = (steps: readonly QueuedStep[]): Promise<unknown> =>
  transact(["steps"], "readwrite", (stores) => {
    for (const step of steps) stores("steps").put(step);
    return undefined;
  });

/** Removes a step with its photos and stores a value in the same transaction. */
export const removeStep = (step: QueuedStep, name?: string, value?: unknown): Promise<unknown> =>
  transact(["values", "steps", "photos"], "readwrite", (stores) => {
    stores("steps").delete(step.key);
    for (const photo of step.proof?.photos ?? []) stores("photos").delete(photo);
    if (name !== undefined) stores("values").put(value, name);
    return undefined;
  });

export const readPhoto = (key: string): Promise<Photo | undefined> =>
  transact(
    ["photos"],
    "readonly",
    (stores) => stores("photos").get(key) as IDBRequest<Photo | undefined>,
  );

export const writePhoto = (photo: Photo): Promise<IDBValidKey> =>
  transact(["photos"], "readwrite", (stores) => stores("photos").put(photo));

export const removePhoto = (key: string): Promise<unknown> =>
  transact(["photos"], "readwrite", (stores) => stores("photos").delete(key));

/** Removes the photos of forms that were open when the page was closed. */
export async function removeUnusedPhotos(steps: readonly QueuedStep[]): Promise<void> {
  const used = new Set(steps.flatMap((step) => step.proof?.photos ?? []));
  const keys = await transact(["photos"], "readonly", (stores) => stores("photos").getAllKeys());
  for (const key of keys) if (!used.has(String(key))) await removePhoto(String(key));
}

/** Removes everything: the next user of this phone must not see it. */
export const clear = (): Promise<unknown> =>
  transact(["values", "steps", "photos"], "readwrite", (stores) => {
    for (const name of ["values", "steps", "photos"] as const) stores(name).clear();
    return undefined;
  });
