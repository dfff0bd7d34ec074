/** Requests of the courier's app. The session is in a cookie that scripts cannot read. */

import createClient from "openapi-fetch";
import type { paths } from "despacho/api";
import { language } from "../i18n/language";
import type { StepKind } from "./steps";
import type { Problem, StepBody } from "./wire";

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

const client = createClient<paths, "application/json">({
  baseUrl: location.origin,
  fetch: send,
  credentials: "same-origin",
  cache: "no-store",
  redirect: "error",
});

/** Returns the data of a response. It has some, because [`send`] throws all others. */
const data = async <T>(answer: Promise<{ data?: T; error?: unknown }>): Promise<T> =>
  (await answer).data!;

/** Sends a request once. The body of the response is part of it: without it, the service did not respond. */
async function send(request: Request): Promise<Response> {
  const isUpload = request.headers.get("content-type")?.startsWith("image/") === true;
  request.headers.set("accept", "application/json");
  request.headers.set("accept-language", language.value === "pt" ? "pt-BR" : "en");
  let response: Response;
  let text: string;
  try {
    const signal = AbortSignal.timeout(isUpload ? UPLOAD_TIMEOUT_MS : TIMEOUT_MS);
    response = await fetch(request, { signal });
    text = await response.text();
  } catch {
    throw new UnavailableError(false);
  }
  const { ok, status, headers } = response;
  if (ok) return new Response(status === 204 ? null : text, { status, headers });
  const problem = parseProblem(text, status);
  if (status === 401) throw new SignedOutError(problem.detail);
  if (isTemporary(problem)) {
    const delay = Number(headers.get("retry-after"));
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
    const problem: unknown = JSON.parse(text);
    if (isProblem(problem))
      return { ...problem, detail: problem.detail ?? "", errors: problem.errors ?? [], status };
  } catch {
    // A proxy may respond without a problem document.
  }
  return { status, code: "unknown", detail: `HTTP ${status}`, errors: [] };
}

const isProblem = (value: unknown): value is Problem =>
  typeof value === "object" && value !== null && "code" in value && typeof value.code === "string";

const keyed = (key: string) => ({ header: { "Idempotency-Key": key } });

export const api = {
  signIn: (code: string) => data(client.POST("/courier/session", { body: { code } })),
  signOut: () => data(client.DELETE("/courier/session")),
  me: () => data(client.GET("/courier/me")),
  trip: () => data(client.GET("/courier/trip")),
  cash: () => data(client.GET("/courier/cash")),
  earnings: () => data(client.GET("/courier/earnings")),
  setAvailable: (available: boolean) =>
    data(client.POST("/courier/availability", { body: { available } })),
  position: (body: { latitude: number; longitude: number; accuracy: number; at: string }) =>
    data(client.POST("/courier/position", { body })),
  step: (platformOrderId: number, kind: StepKind, body: StepBody, key: string) =>
    data(
      client.POST(`/courier/orders/{platformOrderId}/${kind}`, {
        params: { path: { platformOrderId }, ...keyed(key) },
        body,
      }),
    ),
  photo: (platformOrderId: number, photo: Blob, key: string) =>
    data(
      client.POST("/courier/orders/{platformOrderId}/photos", {
        params: { path: { platformOrderId }, ...keyed(key) },
        headers: { "content-type": photo.type },
        // The document has no type for the bytes of a file.
        body: "",
        bodySerializer: () => photo,
      }),
    ),
  createDevice: () => data(client.POST("/courier/device")),
  removeDevice: () => data(client.DELETE("/courier/device")),
  pushKey: () => data(client.GET("/courier/push")),
  subscribe: (endpoint: string) => data(client.POST("/courier/push", { body: { endpoint } })),
  unsubscribe: (endpoint: string) => data(client.DELETE("/courier/push", { body: { endpoint } })),
};
