// @vitest-environment happy-dom
// The queue with its storage: only the service is replaced.
import "fake-indexeddb/auto";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SignedOutError, UnavailableError } from "./api";
import { dismissFailed, enqueue, retract, sendNext, type Outcome } from "./queue";
import { confirmed, failed, steps, trip, waiting } from "./state";
import type { Proof, Step, StepKind } from "./steps";
import { clear, readPhoto, readSteps, readValue, writePhoto } from "./storage";
import type { Order, Trip } from "./wire";

interface Sent {
  path: string;
  body: unknown;
  key: string | null;
}
type Answer = (path: string) => Response | Promise<Response>;

let sent: Sent[] = [];
let answer: Answer;

const json = (value: unknown, status = 200, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(value), { status, headers });
const problem = (status: number, code: string, detail: string, errors: unknown[] = []) =>
  json({ status, code, detail, errors }, status);

function order(id: number): Order {
  return {
    id,
    situation: 210,
    deliveries: [{ id: 10 * id, situation: 150, onlinePayment: true, orderRoute: 1 }],
    returnRequired: false,
    pickupAddress: {},
  } as unknown as Order;
}

function tripOf(...ids: number[]): Trip {
  return {
    orders: ids.map(order),
    stops: ids.map((orderId) => ({ type: "PICKUP", orderId, deliveryId: null })),
  } as unknown as Trip;
}

function step(kind: StepKind, orderId: number, given: Partial<Step> = {}): Step {
  const at = "2026-11-30T12:00:00Z";
  return { kind, orderId, deliveryId: null, at, code: null, reason: null, proof: null, ...given };
}

beforeEach(async () => {
  await clear();
  [confirmed.value, steps.value] = [tripOf(1, 2), []];
  sent = [];
  answer = () => json({});
  vi.stubGlobal("fetch", async (input: string | Request, init?: RequestInit) => {
    const request =
      input instanceof Request ? input : new Request(new URL(input, location.href), init);
    const path = new URL(request.url).pathname;
    const isJson = request.headers.get("content-type") === "application/json";
    sent.push({
      path,
      body: isJson ? await request.json() : null,
      key: request.headers.get("idempotency-key"),
    });
    return answer(path);
  });
});
afterEach(() => vi.unstubAllGlobals());

/** Takes a step, and returns its outcome as soon as there is one. */
async function take(taken: Step): Promise<{ key: string; outcomes: Outcome[] }> {
  const { key, outcome } = await enqueue(taken, "A-1 · Ana");
  const outcomes: Outcome[] = [];
  void outcome.then((one) => outcomes.push(one));
  return { key, outcomes };
}

const situation = (of: Trip | null, id: number) =>
  of?.orders.find((one) => one.id === id)?.situation;

test("a step is stored and shown before it is sent", async () => {
  const { key, outcomes } = await take(step("arrive", 1));
  expect(sent).toEqual([]);
  expect(await readSteps()).toMatchObject([
    { key, id: 1, kind: "arrive", state: "waiting", label: "A-1 · Ana" },
  ]);
  expect([situation(confirmed.value, 1), situation(trip.value, 1)]).toEqual([210, 220]);
  expect(outcomes).toEqual([]);
});

test("an accepted step leaves the queue, and its effect is stored", async () => {
  const { key, outcomes } = await take(step("arrive", 1));
  expect(await sendNext()).toBe(true);
  expect(sent).toEqual([
    { path: "/courier/orders/1/arrive", body: { at: "2026-11-30T12:00:00Z" }, key },
  ]);
  expect(await readSteps()).toEqual([]);
  expect(waiting.value).toEqual([]);
  expect(situation(confirmed.value, 1)).toBe(220);
  expect(situation((await readValue<Trip>("trip")) ?? null, 1)).toBe(220);
  expect(outcomes).toEqual([{ accepted: true }]);
  expect(await sendNext()).toBe(false);
});

test("steps are sent in the order in which they were taken", async () => {
  await take(step("arrive", 2));
  await take(step("arrive", 1));
  await take(step("pickup", 2, { code: "4711" }));
  while (await sendNext());
  expect(sent.map((one) => one.path)).toEqual([
    "/courier/orders/2/arrive",
    "/courier/orders/1/arrive",
    "/courier/orders/2/pickup",
  ]);
  expect(sent.at(-1)?.body).toEqual({ at: "2026-11-30T12:00:00Z", code: "4711" });
  expect(new Set(sent.map((one) => one.key)).size).toBe(3);
});

test.each<[string, Answer]>([
  ["the network is lost", () => Promise.reject(new TypeError("network"))],
  ["the service fails", () => json({}, 503)],
  ["a proxy responds", () => new Response("Bad gateway", { status: 502 })],
  ["too many requests were sent", () => problem(429, "rate_limited", "")],
  ["the same step is still running", () => problem(409, "request_in_progress", "")],
])("while %s, a step stays and is sent again with the same key", async (_, failing) => {
  const { key, outcomes } = await take(step("arrive", 1));
  answer = failing;
  await expect(sendNext()).rejects.toBeInstanceOf(UnavailableError);
  await expect(sendNext()).rejects.toBeInstanceOf(UnavailableError);
  expect(waiting.value).toHaveLength(1);
  expect(await readSteps()).toHaveLength(1);
  answer = () => json({});
  expect(await sendNext()).toBe(true);
  expect(sent.map((one) => one.key)).toEqual([key, key, key]);
  expect(outcomes).toEqual([{ accepted: true }]);
});

test("the time at which the service wants the next attempt is known", async () => {
  await take(step("arrive", 1));
  answer = () => json({}, 503, { "retry-after": "7" });
  await expect(sendNext()).rejects.toMatchObject({ responded: true, delay: 7000 });
  answer = () => Promise.reject(new TypeError("network"));
  await expect(sendNext()).rejects.toMatchObject({ responded: false, delay: null });
});

test("an ended session keeps the step", async () => {
  await take(step("arrive", 1));
  answer = () => problem(401, "unauthorized", "");
  await expect(sendNext()).rejects.toBeInstanceOf(SignedOutError);
  expect(await readSteps()).toHaveLength(1);
});

test("a rejected step takes along those behind it of its order, and no others", async () => {
  const { outcomes } = await take(step("arrive", 1));
  await take(step("arrive", 2));
  await take(step("pickup", 1));
  answer = (path) =>
    path.includes("/1/")
      ? problem(409, "not_possible", "Não é possível.", [
          { pointer: "", detail: "Não é possível." },
          { pointer: "/code", detail: "Código errado." },
        ])
      : json({});
  expect(await sendNext()).toBe(true);
  const detail = "Não é possível. Código errado.";
  expect(outcomes).toEqual([{ accepted: false, detail, code: "not_possible" }]);
  expect(failed.value.map(({ kind, state, detail }) => [kind, state, detail])).toEqual([
    ["arrive", "rejected", detail],
    ["pickup", "dropped", ""],
  ]);
  expect(situation(trip.value, 1)).toBe(210);
  // A reload knows it, too.
  expect((await readSteps()).map((one) => one.state)).toEqual(["rejected", "waiting", "dropped"]);
  expect(await sendNext()).toBe(true);
  expect(sent.map((one) => one.path)).toEqual([
    "/courier/orders/1/arrive",
    "/courier/orders/2/arrive",
  ]);
  await dismissFailed();
  expect(await readSteps()).toEqual([]);
  expect(steps.value).toEqual([]);
});

const proof = (photos: string[]): Proof => ({
  photos,
  receivedBy: "Ana",
  note: null,
  latitude: -23.5,
  longitude: -46.6,
});

/** Stores a photo that is not uploaded yet. */
const storePhoto = (key: string) =>
  writePhoto({
    key,
    orderId: 1,
    blob: new Blob(["x"], { type: "image/jpeg" }),
    photoId: null,
  });

test("photos are uploaded once before their step, also if it is sent again", async () => {
  await storePhoto("photo-1");
  const { key } = await take(step("pickup", 1, { code: "4711", proof: proof(["photo-1"]) }));
  answer = (path) => (path.endsWith("/photos") ? json({ photoId: 77 }) : json({}, 503));
  await expect(sendNext()).rejects.toBeInstanceOf(UnavailableError);
  expect((await readPhoto("photo-1"))?.photoId).toBe(77);
  answer = () => json({});
  await sendNext();
  expect(sent.map((one) => [one.path, one.key])).toEqual([
    ["/courier/orders/1/photos", "photo-1"],
    ["/courier/orders/1/pickup", key],
    ["/courier/orders/1/pickup", key],
  ]);
  expect(sent.at(-1)?.body).toEqual({
    at: "2026-11-30T12:00:00Z",
    code: "4711",
    proof: { photoIds: [77], receivedBy: "Ana", note: null, latitude: -23.5, longitude: -46.6 },
  });
  expect(await readPhoto("photo-1")).toBeUndefined();
});

test("a retracted step leaves its photos to its form", async () => {
  await storePhoto("photo-1");
  const { key } = await take(step("pickup", 1, { proof: proof(["photo-1"]) }));
  answer = (path) => (path.endsWith("/photos") ? json({ photoId: 1 }) : problem(422, "x", "y"));
  await sendNext();
  await retract(key);
  expect(await readSteps()).toEqual([]);
  expect(await readPhoto("photo-1")).toMatchObject({ photoId: 1 });
});
