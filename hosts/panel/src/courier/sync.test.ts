// @vitest-environment happy-dom
// The connection to the service with the queue and its storage: only the service is replaced.
import "fake-indexeddb/auto";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { earned } from "./earnings";
import { enqueue } from "./queue";
import { confirmed, phase, steps } from "./state";
import type { Step, StepKind } from "./steps";
import { clear } from "./storage";
import { sync } from "./sync";
import type { Trip } from "./wire";

let orders: number[] = [];
let amount = 0;

const step = (kind: StepKind, orderId: number): Step => ({
  kind,
  orderId,
  deliveryId: 10 * orderId,
  at: "2026-11-30T12:00:00Z",
  code: null,
  reason: null,
  proof: null,
});

function tripOf(ids: number[]): Trip | null {
  if (ids.length === 0) return null;
  return {
    orders: ids.map((id) => ({
      id,
      situation: 340,
      deliveries: [{ id: 10 * id, situation: 340, onlinePayment: true, orderRoute: 1 }],
      returnRequired: false,
      pickupAddress: {},
    })),
    stops: ids.map((orderId) => ({ type: "DELIVERY", orderId, deliveryId: 10 * orderId })),
  } as unknown as Trip;
}

/** The service, in which an order leaves the trip and is paid when it is delivered. */
function answer(path: string): unknown {
  const delivered = /^\/courier\/orders\/(\d+)\/deliver$/.exec(path);
  if (delivered !== null) {
    orders = orders.filter((id) => id !== Number(delivered[1]));
    amount += 7.5;
    return {};
  }
  if (path === "/courier/me") return { id: 1 };
  if (path === "/courier/trip") return { trip: tripOf(orders) };
  if (path === "/courier/earnings") return { amount, entries: [] };
  throw new Error(`unexpected request: ${path}`);
}

beforeEach(async () => {
  await clear();
  [confirmed.value, steps.value, earned.value] = [null, [], null];
  [phase.value, amount] = ["ready", 0];
  vi.stubGlobal("fetch", async (input: Request) =>
    Promise.resolve(new Response(JSON.stringify(answer(new URL(input.url).pathname)))),
  );
});

afterEach(() => {
  vi.unstubAllGlobals();
  phase.value = "signedOut";
});

test.each([
  ["the only order of a trip", [1], 7.5],
  ["the first order of a trip", [1, 2], 7.5],
])("earnings follow the end of %s", async (_, given, expected) => {
  orders = given;
  await sync();
  expect(earned.value?.amount).toBe(0);

  await enqueue(step("deliver", 1), "");
  await sync();
  expect(confirmed.value).toEqual(tripOf(given.slice(1)));
  expect(earned.value?.amount).toBe(expected);
});
