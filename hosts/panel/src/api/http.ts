/** API requests with authentication, language, typed errors and retries of idempotent requests. */

import { signal } from "@preact/signals";
import type { FieldError, Problem } from "./wire";

/** Whether the last request reached the server; set to false at once if the browser reports that it is offline. */
export const online = signal(navigator.onLine);
addEventListener("online", () => (online.value = true));
addEventListener("offline", () => (online.value = false));

/** A problem document returned by the API. */
export class ApiError extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail);
  }

  get fields(): FieldError[] {
    return this.problem.errors;
  }
}

/** Returns the problem of invalid fields that the page found itself. */
export function invalidFields(errors: FieldError[]): Problem {
  return {
    type: "",
    title: "",
    status: 422,
    detail: "",
    instance: "",
    code: "validation_failed",
    requestId: "",
    errors,
  };
}

/** The request failed before a response arrived. */
export class NetworkError extends Error {}

export interface RequestOptions {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  body?: unknown;
  /** Reused in every attempt, so that the server executes the request only once. */
  idempotencyKey?: string;
  signal?: AbortSignal;
  /** Default: 3. Requests that are not idempotent are sent once. */
  maxAttempts?: number;
  accept?: string;
  /** Its rejection does not end the session: it contains a credential of its own. */
  signsIn?: boolean;
}

interface Credentials {
  key: string | null;
  /** Whether a cookie that scripts cannot read contains the session, instead of the key. */
  cookie: boolean;
  /** The number of the session on this page. The late rejection of an earlier one does not end it. */
  session: number;
  language: string;
  /** Called if the API rejects the key or the session. */
  onRejected: () => void;
}

/** Set by the session module, which imports this one. */
export const credentials: Credentials = {
  key: null,
  cookie: false,
  session: 0,
  language: "pt-BR",
  onRejected: () => {},
};

/**
 * Asks the person to confirm the session, before a change that outlives it, and returns whether the person did. Set by the page. Without it, and
 * for requests that contain the password, the API's problem is an error of the form.
 */
export const confirmation: { ask: (() => Promise<boolean>) | null } = { ask: null };

const TIMEOUT_MS = 20_000;
const RETRYABLE_STATUSES = new Set([429, 502, 503, 504]);

/** Returns a new idempotency key, for one user action. */
export function newIdempotencyKey(): string {
  return crypto.randomUUID();
}

export function headers(extra: Record<string, string> = {}): Record<string, string> {
  const all: Record<string, string> = { "accept-language": credentials.language, ...extra };
  if (credentials.key !== null) all["x-api-token"] = credentials.key;
  return all;
}

/** Sends a request and returns the JSON of the response; throws `ApiError` or `NetworkError`. */
export async function request<T>(path: string, options: RequestOptions = {}): Promise<T> {
  const response = await send(path, options);
  const text = await response.text();
  return (text === "" ? null : JSON.parse(text)) as T;
}

/** Requests a resource that is not JSON. */
export async function download(path: string, accept: string): Promise<Blob> {
  return (await send(path, { accept })).blob();
}

async function send(path: string, options: RequestOptions): Promise<Response> {
  const idempotent = (options.method ?? "GET") === "GET" || options.idempotencyKey !== undefined;
  const maxAttempts = idempotent ? (options.maxAttempts ?? 3) : 1;
  const own = credentials.session;
  let asks = confirmation.ask !== null && !hasPassword(options.body);
  for (let attempt = 1; ; attempt += 1) {
    const last = attempt >= maxAttempts;
    // A later session does not repeat the requests of an earlier one.
    if (own !== credentials.session) throw new NetworkError("the session has ended");
    const response = await sendOnce(path, options).catch((error: unknown) => {
      if (options.signal?.aborted === true) throw error;
      online.value = false;
      if (last) throw new NetworkError(String(error));
      return null;
    });
    if (response !== null) {
      online.value = true;
      if (response.ok) return response;
      const problem = await readProblem(response);
      if (
        response.status === 401 &&
        options.signsIn !== true &&
        own === credentials.session &&
        (credentials.key !== null || credentials.cookie)
      )
        credentials.onRejected();
      if (problem.code === "password_required" && asks) {
        asks = false;
        // The server did not execute the request, so the next one has the same idempotency key.
        if ((await confirmation.ask?.()) === true) {
          attempt -= 1;
          continue;
        }
      }
      if (last || !RETRYABLE_STATUSES.has(response.status)) throw new ApiError(problem);
      await sleep(retryDelay(attempt, response), options.signal);
    } else {
      await sleep(retryDelay(attempt, null), options.signal);
    }
  }
}

function hasPassword(body: unknown): boolean {
  return typeof body === "object" && body !== null && "currentPassword" in body;
}

async function sendOnce(path: string, options: RequestOptions): Promise<Response> {
  const extra: Record<string, string> = { accept: options.accept ?? "application/json" };
  if (options.body !== undefined) extra["content-type"] = "application/json";
  if (options.idempotencyKey !== undefined) extra["idempotency-key"] = options.idempotencyKey;
  const limit = AbortSignal.timeout(TIMEOUT_MS);
  return fetch(path, {
    method: options.method ?? "GET",
    headers: headers(extra),
    body: options.body === undefined ? null : JSON.stringify(options.body),
    signal: options.signal === undefined ? limit : AbortSignal.any([options.signal, limit]),
    credentials: credentials.cookie ? "same-origin" : "omit",
    cache: "no-store",
    redirect: "error",
  });
}

async function readProblem(response: Response): Promise<Problem> {
  const text = await response.text().catch(() => "");
  try {
    const problem = JSON.parse(text) as Partial<Problem>;
    if (typeof problem.code === "string") return { errors: [], ...problem } as Problem;
  } catch {
    // A proxy may respond without a problem document.
  }
  const detail = `HTTP ${response.status}`;
  return {
    type: "",
    title: detail,
    status: response.status,
    detail,
    instance: "",
    code: "unknown",
    requestId: "",
    errors: [],
  };
}

/** Returns the milliseconds before the next attempt: `Retry-After`, or exponential backoff. */
function retryDelay(attempt: number, response: Response | null): number {
  const requested = Number(response?.headers.get("retry-after"));
  if (Number.isFinite(requested) && requested > 0) return Math.min(requested, 10) * 1000;
  return 400 * 2 ** (attempt - 1);
}

function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });
}

/** Resolves when the browser reports that it is online, at the latest after 4 seconds. */
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
