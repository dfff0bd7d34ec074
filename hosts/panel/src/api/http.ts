/** API requests with authentication, language, typed errors and retries of idempotent requests. */

import { signal } from "@preact/signals";
import createClient from "openapi-fetch";
import type { paths } from "despacho/api";
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

/** A body whose fields can be missing. */
type Form<T> = T extends readonly (infer One)[]
  ? Form<One>[]
  : T extends object
    ? { [Name in keyof T]?: Form<T[Name]> | undefined }
    : T;

/** Returns the body that a form becomes. The names are checked; a field that the user left out is reported by the API. */
export const form = <T>(body: Form<T>): T => body as T;

/** How a request is sent, beyond its content. */
interface Sending {
  /** Default: 3. Requests that are not idempotent are sent once. */
  maxAttempts?: number;
  /** Its rejection does not end the session: it contains a credential of its own. */
  signsIn?: boolean;
  /** It contains the password, so a missing confirmation is an error of its form. */
  hasPassword?: boolean;
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

/** The endpoints of the API's document. [`send`] throws every response that is an error. */
export const api = createClient<paths, "application/json">({
  baseUrl: location.origin,
  fetch: (request) => send(request),
});

/** The option of a request that is sent in another way. */
export const sending = (how: Sending) => ({ fetch: (request: Request) => send(request, how) });

/** The parameters of a request that the server executes only once: every attempt has the same key. */
export const keyed = (key: string = newIdempotencyKey()) => ({
  header: { "Idempotency-Key": key },
});

type Present<T> = { [Name in keyof T]?: Exclude<T[Name], null | undefined | ""> };

/** Returns the parameters of a query without the empty ones. */
export function present<T extends object>(query: T): { query: Present<T> } {
  const isPresent = ([, value]: [string, unknown]) => value != null && value !== "";
  return { query: Object.fromEntries(Object.entries(query).filter(isPresent)) as Present<T> };
}

interface Answer<T> {
  data?: T;
  error?: unknown;
}

/** Returns the data of a response. It has some, because [`send`] throws all others; deletions have none by their type. */
export const data = async <T>(answer: Promise<Answer<T>>): Promise<T> => (await answer).data!;

/** Sends a request; throws `ApiError` or `NetworkError`. */
export async function send(request: Request, how: Sending = {}): Promise<Response> {
  const idempotent = request.method === "GET" || request.headers.has("idempotency-key");
  const maxAttempts = idempotent ? (how.maxAttempts ?? 3) : 1;
  const own = credentials.session;
  let asks = confirmation.ask !== null && how.hasPassword !== true;
  const body = request.body === null ? null : await request.text();
  for (let attempt = 1; ; attempt += 1) {
    const last = attempt >= maxAttempts;
    // A later session does not repeat the requests of an earlier one.
    if (own !== credentials.session) throw new NetworkError("the session has ended");
    const response = await sendOnce(request, body).catch((error: unknown) => {
      if (request.signal.aborted) throw error;
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
        how.signsIn !== true &&
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
    }
    await sleep(retryDelay(attempt, response), request.signal);
  }
}

/** Every attempt has the present key and language. */
function sendOnce(request: Request, body: string | null): Promise<Response> {
  const all = { accept: "application/json", ...headers(Object.fromEntries(request.headers)) };
  return fetch(request.url, {
    method: request.method,
    headers: all,
    body,
    signal: AbortSignal.any([request.signal, AbortSignal.timeout(TIMEOUT_MS)]),
    credentials: credentials.cookie ? "same-origin" : "omit",
    cache: "no-store",
    redirect: "error",
    keepalive: request.keepalive,
  });
}

async function readProblem(response: Response): Promise<Problem> {
  const text = await response.text().catch(() => "");
  try {
    const problem: unknown = JSON.parse(text);
    if (isProblem(problem)) return { ...problem, errors: problem.errors ?? [] };
  } catch {
    // A proxy may respond without a problem document.
  }
  const detail = `HTTP ${response.status}`;
  return { ...invalidFields([]), title: detail, status: response.status, detail, code: "unknown" };
}

const isProblem = (value: unknown): value is Problem =>
  typeof value === "object" && value !== null && "code" in value && typeof value.code === "string";

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
