/** Requests to the API: the key, the language, problems as errors, and another try where that cannot do harm. */

import { signal } from "@preact/signals";
import type { FieldError, Problem } from "./wire";

/** Whether the last request got through; a browser that reports no network decides at once. */
export const online = signal(navigator.onLine);
addEventListener("online", () => (online.value = true));
addEventListener("offline", () => (online.value = false));

/** The API returned a problem. */
export class ApiError extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail);
  }

  get fields(): FieldError[] {
    return this.problem.errors;
  }
}

/** The API could not be reached. */
export class Unreachable extends Error {}

export interface Call {
  method?: "GET" | "POST" | "PUT" | "DELETE";
  body?: unknown;
  /** The same in every try of one intention, so that the server does it once. */
  idempotencyKey?: string;
  signal?: AbortSignal;
  /** How often to try before giving up; requests that may not be repeated are tried once. */
  tries?: number;
  accept?: string;
}

interface Credentials {
  key: string | null;
  language: string;
  rejected: () => void;
}

/** Set by the session, so that this module knows nothing of pages. */
export const credentials: Credentials = { key: null, language: "pt-BR", rejected: () => {} };

const TIMEOUT_MS = 20_000;
const WORTH_ANOTHER_TRY = new Set([429, 502, 503, 504]);

/** A fresh key for one intention. */
export function intention(): string {
  return crypto.randomUUID();
}

export function headers(extra: Record<string, string> = {}): Record<string, string> {
  const known: Record<string, string> = { "accept-language": credentials.language, ...extra };
  if (credentials.key !== null) known["x-api-token"] = credentials.key;
  return known;
}

/** Sends a request and returns the response's JSON; throws `ApiError` or `Unreachable`. */
export async function request<T>(path: string, call: Call = {}): Promise<T> {
  const response = await send(path, call);
  const text = await response.text();
  return (text === "" ? null : JSON.parse(text)) as T;
}

/** The same for what is not JSON. */
export async function download(path: string, accept: string): Promise<Blob> {
  return (await send(path, { accept })).blob();
}

async function send(path: string, call: Call): Promise<Response> {
  const repeatable = (call.method ?? "GET") === "GET" || call.idempotencyKey !== undefined;
  const tries = repeatable ? (call.tries ?? 3) : 1;
  for (let attempt = 1; ; attempt += 1) {
    const last = attempt >= tries;
    const response = await once(path, call).catch((error: unknown) => {
      if (call.signal?.aborted === true) throw error;
      online.value = false;
      if (last) throw new Unreachable(String(error));
      return null;
    });
    if (response !== null) {
      online.value = true;
      if (response.ok) return response;
      const problem = await problemOf(response);
      if (response.status === 401 && credentials.key !== null) credentials.rejected();
      if (last || !WORTH_ANOTHER_TRY.has(response.status)) throw new ApiError(problem);
      await pause(wait(attempt, response), call.signal);
    } else {
      await pause(wait(attempt, null), call.signal);
    }
  }
}

async function once(path: string, call: Call): Promise<Response> {
  const extra: Record<string, string> = { accept: call.accept ?? "application/json" };
  if (call.body !== undefined) extra["content-type"] = "application/json";
  if (call.idempotencyKey !== undefined) extra["idempotency-key"] = call.idempotencyKey;
  const limit = AbortSignal.timeout(TIMEOUT_MS);
  return fetch(path, {
    method: call.method ?? "GET",
    headers: headers(extra),
    body: call.body === undefined ? null : JSON.stringify(call.body),
    signal: call.signal === undefined ? limit : AbortSignal.any([call.signal, limit]),
    credentials: "omit",
    cache: "no-store",
    redirect: "error",
  });
}

async function problemOf(response: Response): Promise<Problem> {
  const text = await response.text().catch(() => "");
  try {
    const problem = JSON.parse(text) as Partial<Problem>;
    if (typeof problem.code === "string") return { errors: [], ...problem } as Problem;
  } catch {
    // Something between the page and the server responded.
  }
  const detail = `HTTP ${response.status}`;
  return { type: "", title: detail, status: response.status, detail, instance: "", code: "unknown", requestId: "", errors: [] };
}

/** Milliseconds until the next attempt: `Retry-After`, or longer each time. */
function wait(attempt: number, response: Response | null): number {
  const requested = Number(response?.headers.get("retry-after"));
  if (Number.isFinite(requested) && requested > 0) return Math.min(requested, 10) * 1000;
  return 400 * 2 ** (attempt - 1);
}

function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });
}

/** Resolves once the network may be back: the browser reports it, or some seconds have passed. */
export function whenOnline(signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(done, 4000);
    function done() {
      clearTimeout(timer);
      removeEventListener("online", done);
      resolve();
    }
    addEventListener("online", done);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      removeEventListener("online", done);
      reject(signal.reason as Error);
    });
  });
}
