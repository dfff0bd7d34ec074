// @vitest-environment happy-dom
// The client with a service whose answers the tests choose.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import * as client from "./client";
import { ApiError, NetworkError, confirmation, credentials, online } from "./http";

interface Sent {
  method: string;
  url: string;
  headers: Headers;
  body: string;
}
type Answer = () => Response | Promise<Response>;

let sent: Sent[] = [];
/** The answers in their order; the last one is repeated. */
let answers: Answer[] = [];

const json =
  (value: unknown, status = 200, headers: Record<string, string> = {}): Answer =>
  () =>
    new Response(JSON.stringify(value), { status, headers });
const problem = (status: number, code: string, headers: Record<string, string> = {}) =>
  json({ status, code, detail: `detail of ${code}`, errors: [] }, status, headers);
const lost: Answer = () => Promise.reject(new TypeError("network"));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  sent = [];
  Object.assign(credentials, { key: "key", cookie: false, language: "pt-BR", onRejected: vi.fn() });
  confirmation.ask = null;
  online.value = true;
  vi.stubGlobal("fetch", async (input: string | Request, init?: RequestInit) => {
    const request =
      input instanceof Request ? input : new Request(new URL(input, location.href), init);
    const url = new URL(request.url);
    sent.push({
      method: request.method,
      url: url.pathname + url.search,
      headers: request.headers,
      body: await request.text(),
    });
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (answer === undefined) throw new Error("the test has no answer");
    return answer();
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Calls the API, passes the time between attempts at once, and returns the result or the error. */
async function settled<T>(call: () => Promise<T>): Promise<T | Error> {
  const result = call().catch((error: Error) => error);
  await vi.runAllTimersAsync();
  return result;
}

test("a request has the key, the language and the parameters that are set", async () => {
  answers = [json({ orders: [], nextCursor: null })];
  const found = await client.orders.list({ q: "Rua Um & 2", code: "", open: true, limit: 20 });
  expect(found).toEqual({ orders: [], nextCursor: null });
  expect(sent[0]?.method).toBe("GET");
  const [path, query] = sent[0]?.url.split("?") ?? [];
  expect(path).toBe("/delivery/orders");
  expect([...new URLSearchParams(query)]).toEqual([
    ["q", "Rua Um & 2"],
    ["open", "true"],
    ["limit", "20"],
  ]);
  const headers = Object.fromEntries(sent[0]?.headers ?? []);
  expect(headers).toMatchObject({
    accept: "application/json",
    "accept-language": "pt-BR",
    "x-api-token": "key",
  });
  expect(headers).not.toHaveProperty("idempotency-key");
  expect(headers).not.toHaveProperty("content-type");
});

test("a creation is JSON with its idempotency key, which every attempt repeats", async () => {
  answers = [lost, problem(503, "overloaded"), json({ id: 7 }, 201)];
  expect(await settled(() => client.orders.create({ code: "A", deliveries: [] }, "once"))).toEqual({
    id: 7,
  });
  expect(sent).toHaveLength(3);
  for (const one of sent) {
    expect(one).toMatchObject({
      method: "POST",
      url: "/delivery/orders",
      body: '{"code":"A","deliveries":[]}',
    });
    expect(one.headers.get("idempotency-key")).toBe("once");
    expect(one.headers.get("content-type")).toBe("application/json");
  }
});

test("a path contains its ID", async () => {
  answers = [json({ id: 7 })];
  await client.orders.ready(7);
  expect(sent[0]).toMatchObject({ method: "POST", url: "/delivery/orders/7/ready" });
  expect(sent[0]?.headers.get("idempotency-key")).not.toBe("");
});

test("a response without content is no error", async () => {
  answers = [() => new Response(null, { status: 204 })];
  expect(await settled(() => client.users.remove(7))).not.toBeInstanceOf(Error);
  expect(sent[0]).toMatchObject({ method: "DELETE", url: "/delivery/users/7", body: "" });
});

test.each([429, 502, 503, 504])(
  "a request is sent three times while the status is %d",
  async (status) => {
    answers = [problem(status, "busy")];
    expect(await settled(() => client.orders.get(7))).toBeInstanceOf(ApiError);
    expect(sent).toHaveLength(3);
  },
);

test.each([400, 404, 409, 422, 500])(
  "a request is sent once if the status is %d",
  async (status) => {
    answers = [problem(status, "wrong")];
    expect(await settled(() => client.orders.get(7))).toMatchObject({
      problem: { status, code: "wrong" },
    });
    expect(sent).toHaveLength(1);
  },
);

test("a request without an idempotency key that is no reading is sent once", async () => {
  answers = [lost];
  expect(await settled(() => client.passwords.change("old", "new"))).toBeInstanceOf(NetworkError);
  answers = [problem(503, "overloaded")];
  expect(await settled(() => client.users.change(7, { name: "Ana" }))).toBeInstanceOf(ApiError);
  expect(sent.map((one) => one.method)).toEqual(["POST", "PATCH"]);
});

test("a preview is sent once: the next input sends another", async () => {
  answers = [lost];
  expect(await settled(() => client.orders.preview({ deliveries: [] }))).toBeInstanceOf(
    NetworkError,
  );
  expect(sent).toHaveLength(1);
});

test("the next attempt waits as long as the server asks for, at most ten seconds", async () => {
  answers = [
    problem(503, "busy", { "retry-after": "3" }),
    problem(503, "busy", { "retry-after": "600" }),
    json({}),
  ];
  const done = client.orders.get(7);
  await vi.advanceTimersByTimeAsync(2_999);
  expect(sent).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(sent).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(9_999);
  expect(sent).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(1);
  await done;
  expect(sent).toHaveLength(3);
});

test("a lost network is known until a response arrives", async () => {
  answers = [lost];
  expect(await settled(() => client.orders.get(7))).toBeInstanceOf(NetworkError);
  expect(online.value).toBe(false);
  answers = [problem(404, "not_found")];
  await settled(() => client.orders.get(7));
  expect(online.value).toBe(true);
});

test("a problem of the API has its fields, and another text its status", async () => {
  const errors = [{ pointer: "/code", code: "required", detail: "Preencha." }];
  answers = [json({ status: 422, code: "validation_failed", detail: "Corrija.", errors }, 422)];
  expect(await settled(() => client.orders.get(7))).toMatchObject({
    message: "Corrija.",
    fields: errors,
  });
  answers = [() => new Response("<html>", { status: 500 })];
  expect(await settled(() => client.orders.get(7))).toMatchObject({
    problem: { status: 500, code: "unknown", detail: "HTTP 500", errors: [] },
  });
  answers = [json({ code: "no_errors" }, 400)];
  expect(await settled(() => client.orders.get(7))).toMatchObject({ fields: [] });
});

test("a rejected key ends the session, but not that of a later login", async () => {
  answers = [problem(401, "unauthorized")];
  await settled(() => client.orders.get(7));
  expect(credentials.onRejected).toHaveBeenCalledTimes(1);
  answers = [
    () => {
      credentials.session += 1;
      return new Response("{}", { status: 401 });
    },
  ];
  await settled(() => client.orders.get(7));
  expect(credentials.onRejected).toHaveBeenCalledTimes(1);
  Object.assign(credentials, { key: null });
  answers = [problem(401, "unauthorized")];
  await settled(() => client.sessions.create("a@example.com", "wrong"));
  expect(credentials.onRejected).toHaveBeenCalledTimes(1);
});

test("a later session does not repeat the requests of an earlier one", async () => {
  answers = [
    () => {
      credentials.session += 1;
      return new Response("{}", { status: 503 });
    },
  ];
  expect(await settled(() => client.orders.get(7))).toBeInstanceOf(NetworkError);
  expect(sent).toHaveLength(1);
});

test("a change that needs a confirmation is sent again after it, with the same key", async () => {
  const ask = vi.fn(() => Promise.resolve(true));
  confirmation.ask = ask;
  answers = [problem(403, "password_required"), json({ id: 7 }, 201)];
  const webhook = { url: "https://example.com", events: [] };
  expect(await settled(() => client.webhooks.create(webhook, "once"))).toEqual({ id: 7 });
  expect(ask).toHaveBeenCalledTimes(1);
  expect(sent.map((one) => one.headers.get("idempotency-key"))).toEqual(["once", "once"]);
});

test("the confirmation is asked for once", async () => {
  const ask = vi.fn(() => Promise.resolve(true));
  confirmation.ask = ask;
  answers = [
    problem(403, "password_required"),
    problem(403, "password_required"),
    json({ id: 7 }, 201),
  ];
  expect(await settled(() => client.webhooks.rotate(7))).toMatchObject({
    problem: { code: "password_required" },
  });
  expect(ask).toHaveBeenCalledTimes(1);
});

test("without the confirmation, or with the password in the request, the problem is the form's", async () => {
  answers = [problem(403, "password_required")];
  confirmation.ask = vi.fn(() => Promise.resolve(false));
  expect(await settled(() => client.webhooks.rotate(7))).toMatchObject({
    problem: { code: "password_required" },
  });
  expect(confirmation.ask).toHaveBeenCalledTimes(1);
  const ask = vi.fn(() => Promise.resolve(true));
  confirmation.ask = ask;
  await settled(() => client.users.link(7, "password", "once"));
  expect(ask).not.toHaveBeenCalled();
  expect(sent).toHaveLength(2);
});

test("an aborted request is not repeated", async () => {
  const stop = new AbortController();
  answers = [
    () => {
      stop.abort();
      return Promise.reject(new TypeError("aborted"));
    },
  ];
  const error = await settled(() => client.orders.get(7, stop.signal));
  expect(error).toBeInstanceOf(Error);
  expect(error).not.toBeInstanceOf(NetworkError);
  expect(sent).toHaveLength(1);
  // The network was not lost.
  expect(online.value).toBe(true);
});

test("a file is requested in the form for spreadsheets", async () => {
  answers = [() => new Response("dia;taxa")];
  const file = await client.statement.csv({ from: "2026-11-01", storeId: 7 });
  expect(await file.text()).toBe("dia;taxa");
  expect(sent[0]?.url).toBe("/delivery/statement?from=2026-11-01&storeId=7");
  expect(sent[0]?.headers.get("accept")).toBe("text/csv; locale=pt-BR");
});

test("a logout revokes the key that it was given", async () => {
  answers = [problem(401, "unauthorized")];
  expect(await client.sessions.end("id", "other")).toBe(true);
  expect(sent[0]).toMatchObject({ method: "DELETE", url: "/delivery/keys/id" });
  expect(sent[0]?.headers.get("x-api-token")).toBe("other");
  answers = [lost];
  expect(await client.sessions.end("id", "other")).toBe(false);
});
