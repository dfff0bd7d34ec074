/** Requests of the courier's app. The session is in a cookie that scripts cannot read. */

import type { CourierSelf, DeviceKey, Problem, Trip } from "./wire";
import { language } from "../i18n/language";

/** The service did not respond, or requested a later attempt. */
export class UnavailableError extends Error {
  constructor(
    /** Whether the service responded. */
    readonly responded: boolean,
    /** The milliseconds before the next attempt, if the service named them. */
    readonly delay: number | null = null,
  ) {
    super();
  }
}

/** The service rejected the request; the same request will be rejected again. */
export class RejectedError extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail);
  }
}

/** There is no session, or it has ended. */
export class SignedOutError extends Error {}

const TIMEOUT_MS = 20_000;
/** A photo on a slow network. */
const UPLOAD_TIMEOUT_MS = 120_000;

interface Options {
  body?: unknown;
  idempotencyKey?: string;
  method?: "DELETE";
}

async function send<T>(path: string, options: Options = {}): Promise<T> {
  const { body, idempotencyKey } = options;
  const isUpload = body instanceof Blob;
  const headers: Record<string, string> = {
    accept: "application/json",
    "accept-language": language.value === "pt" ? "pt-BR" : "en",
  };
  if (idempotencyKey !== undefined) headers["idempotency-key"] = idempotencyKey;
  if (body !== undefined) headers["content-type"] = isUpload ? body.type : "application/json";
  const method = options.method ?? (body !== undefined ? "POST" : "GET");
  let response: Response;
  let text: string;
  try {
    response = await fetch(path, {
      method,
      headers,
      body: body === undefined ? null : isUpload ? body : JSON.stringify(body),
      signal: AbortSignal.timeout(isUpload ? UPLOAD_TIMEOUT_MS : TIMEOUT_MS),
      credentials: "same-origin",
      cache: "no-store",
      redirect: "error",
    });
    text = await response.text();
  } catch {
    throw new UnavailableError(false);
  }
  if (response.ok) return (text === "" ? null : JSON.parse(text)) as T;
  const problem = parseProblem(text, response.status);
  if (response.status === 401) throw new SignedOutError(problem.detail);
  if (isTemporary(problem)) {
    const delay = Number(response.headers.get("retry-after"));
    throw new UnavailableError(true, delay > 0 ? delay * 1000 : null);
  }
  throw new RejectedError(problem);
}

/** `request_in_progress`: an earlier attempt with the same idempotency key is still running. */
function isTemporary(problem: Problem): boolean {
  return (
    problem.status >= 500 ||
    problem.status === 408 ||
    problem.status === 429 ||
    problem.code === "request_in_progress"
  );
}

function parseProblem(text: string, status: number): Problem {
  try {
    const problem = JSON.parse(text) as Partial<Problem>;
    if (typeof problem.code === "string")
      return { detail: "", errors: [], ...problem, code: problem.code, status };
  } catch {
    // A proxy may respond without a problem document.
  }
  return { status, code: "unknown", detail: `HTTP ${status}`, errors: [] };
}

export const api = {
  signIn: (code: string) => send<CourierSelf>("/courier/session", { body: { code } }),
  signOut: () => send<null>("/courier/session", { method: "DELETE" }),
  me: () => send<CourierSelf>("/courier/me"),
  trip: () => send<{ trip: Trip | null }>("/courier/trip"),
  setAvailable: (available: boolean) =>
    send<CourierSelf>("/courier/availability", { body: { available } }),
  position: (position: { latitude: number; longitude: number; accuracy: number; at: string }) =>
    send<{ stored: boolean; nextInSeconds: number }>("/courier/position", { body: position }),
  step: (orderId: number, kind: string, body: unknown, idempotencyKey: string) =>
    send<unknown>(`/courier/orders/${orderId}/${kind}`, { body, idempotencyKey }),
  photo: (orderId: number, photo: Blob, idempotencyKey: string) =>
    send<{ photoId: number }>(`/courier/orders/${orderId}/photos`, { body: photo, idempotencyKey }),
  createDevice: () => send<DeviceKey>("/courier/device", { body: {} }),
  removeDevice: () => send<null>("/courier/device", { method: "DELETE" }),
  pushKey: () => send<{ publicKey: string | null }>("/courier/push"),
  subscribe: (endpoint: string) => send<null>("/courier/push", { body: { endpoint } }),
  unsubscribe: (endpoint: string) =>
    send<null>("/courier/push", { body: { endpoint }, method: "DELETE" }),
};
