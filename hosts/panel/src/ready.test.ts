// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { OrderRow } from "./api/wire";
import { rows } from "./live";
import { UNDO_MS, markReady, readiness, sendWaiting, undoReady } from "./ready";

let paths: string[] = [];

const order = (id: number, given: Partial<OrderRow> = {}) =>
  ({ id, code: `A-${id}`, situation: 110, deliveries: [], ...given }) as unknown as OrderRow;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  paths = [];
  vi.stubGlobal("fetch", (input: string) => {
    const { pathname } = new URL(input, location.href);
    paths.push(pathname);
    const id = Number(pathname.split("/")[3]);
    return Promise.resolve(new Response(JSON.stringify(order(id, { situation: 200 }))));
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  rows.value = [];
});

test("a click is sent when it can no longer be undone", async () => {
  rows.value = [order(1)];
  markReady(1);
  expect(readiness(order(1))).toBe("waiting");
  await vi.advanceTimersByTimeAsync(UNDO_MS - 1);
  expect(paths).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  await vi.waitFor(() => expect(rows.value[0]?.situation).toBe(200));
  expect(paths).toEqual(["/delivery/orders/1/ready"]);
  expect(rows.value.map(readiness)).toEqual([null]);
});

test("an undone click sends nothing", async () => {
  rows.value = [order(2)];
  markReady(2);
  undoReady(2);
  expect(readiness(order(2))).toBe("preparing");
  await vi.advanceTimersByTimeAsync(2 * UNDO_MS);
  expect(paths).toEqual([]);
});

test("what is waiting is sent before the page ends, each order once", async () => {
  rows.value = [order(3), order(4)];
  markReady(3);
  markReady(4);
  await sendWaiting();
  await vi.advanceTimersByTimeAsync(2 * UNDO_MS);
  expect(paths).toEqual(["/delivery/orders/3/ready", "/delivery/orders/4/ready"]);
});

test("an order whose preparation ended by itself is not sent", async () => {
  rows.value = [order(5)];
  markReady(5);
  rows.value = [order(5, { situation: 200 })];
  await vi.advanceTimersByTimeAsync(UNDO_MS);
  expect(paths).toEqual([]);
});

test.each([
  ["preparing", { situation: 110 }, "preparing"],
  ["ready", { situation: 120 }, null],
  ["searching ahead", { situation: 200, leadMinutes: 10 }, "preparing"],
  ["a courier who waits for the goods", { situation: 220, leadMinutes: 10 }, "preparing"],
  ["searching after the preparation", { situation: 200 }, null],
  ["picked up", { situation: 300, leadMinutes: 10 }, null],
] as const)("readiness of an order: %s", (_, given, expected) => {
  expect(readiness(order(9, given))).toBe(expected);
});
