// The state after a step, compared with the npm package, which applies the core's lifecycle table.
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { OrderEvent } from "despacho";
import { beforeAll, describe, expect, test } from "vitest";
import { STEPS, apply, applyToOrder, can, nextStep, type Step, type StepKind } from "./steps";
import type { Order, Stop, Trip } from "./wire";

type Package = typeof import("despacho");

const folder =
  process.env.DESPACHO_PACKAGE ??
  fileURLToPath(new URL("../../../../target/package", import.meta.url));
const entry = path.join(folder, "node.js");
const KINDS = Object.keys(STEPS) as StepKind[];
/** What others do meanwhile, and where it leads. */
const OTHERS: [string, number][] = [
  ["delivery.discarded", 550],
  ["delivery.lost", 560],
  ["delivery.cancelled", 600],
];

const PICKUP = { latitude: -30.03, longitude: -51.23 };

/** How a delivery is paid: online, at the door as in orders of earlier versions, or at the door with nothing that comes back. */
type Paid = boolean | "kept";

/** An order with a courier, before the pickup. */
function order(id: number, isPaid: readonly Paid[]): Order {
  const deliveries = isPaid.map((paid, at) => ({
    id: 10 * id + at,
    situation: 150,
    onlinePayment: paid === true,
    ...(paid === "kept" ? { payment: { method: "PIX", returns: false } } : {}),
    orderRoute: at + 1,
  }));
  return {
    id,
    situation: 210,
    deliveries,
    returnRequired: false,
    pickupAddress: {},
    pickupLatitude: PICKUP.latitude,
    pickupLongitude: PICKUP.longitude,
  } as unknown as Order;
}

function step(kind: StepKind, orderId: number, deliveryId: number | null = null): Step {
  const at = "2026-11-30T12:00:00Z";
  return { kind, orderId, deliveryId, at, code: null, reason: null, proof: null };
}

const shape = (of: Order) => [of.situation, ...of.deliveries.map((one) => one.situation)];

describe.runIf(existsSync(entry))("steps of an order, and the npm package", () => {
  let applyEvent: Package["applyEvent"];
  beforeAll(async () => {
    // A variable, because the package is built later than the types are checked.
    ({ applyEvent } = (await import(pathToFileURL(entry).href)) as Package);
  });

  /** Returns the order after an event according to the package, or null if the table does not permit it. */
  async function replayed(of: Order, type: string, situation: number, deliveryId: number | null) {
    const event = { sequence: 2, type, situation, deliveryId } as unknown as OrderEvent;
    const known = { ...of, events: [{ sequence: 1 }] } as never;
    const next = (await applyEvent(known, event).catch(() => null)) as Order | null;
    return next === null ? null : { ...of, situation: next.situation, deliveries: next.deliveries };
  }

  test.each<[readonly Paid[]]>([
    [[true]],
    [[false]],
    [["kept"]],
    [[true, true]],
    [[true, false]],
    [["kept", false]],
    [[true, true, false]],
  ])(
    "are equal in every state of deliveries paid %j",
    async (isPaid) => {
      const states = new Map<string, Order>();
      const ahead = [order(1, isPaid)];
      let taken = 0;
      for (let now = ahead.pop(); now !== undefined; now = ahead.pop()) {
        const key = shape(now).join();
        if (states.has(key)) continue;
        states.set(key, now);
        for (const kind of KINDS) {
          const ofOrder = !STEPS[kind].event.startsWith("delivery.");
          for (const deliveryId of ofOrder ? [null] : now.deliveries.map((one) => one.id)) {
            const isPermitted = can(now, kind, deliveryId);
            const own = applyToOrder(now, step(kind, 1, deliveryId));
            const targets = ofOrder
              ? [200, 220, 300, 410, 500, 510, 520]
              : [310, 320, 330, 400, 500];
            const all = await Promise.all(
              targets.map((to) => replayed(now as Order, STEPS[kind].event, to, deliveryId)),
            );
            const found = all.find((one) => one !== null) ?? null;
            const what = `${key}: ${kind} ${deliveryId}`;
            expect(isPermitted, what).toBe(found !== null);
            if (!isPermitted || found === null) continue;
            taken += 1;
            // After these the courier no longer carries the order.
            const isOver = kind === "decline" || found.situation >= 500;
            expect(own === null ? null : shape(own), what).toEqual(isOver ? null : shape(found));
            if (!isOver) ahead.push(found);
          }
        }
        for (const [type, to] of OTHERS) {
          for (const { id } of now.deliveries) {
            const found = await replayed(now, type, to, id);
            if (found !== null && found.situation < 500) ahead.push(found);
          }
        }
      }
      expect(states.size).toBeGreaterThan(5 * isPaid.length);
      expect(taken).toBeGreaterThan(states.size);
    },
    // Many states; other work on the machine must not fail the test.
    60_000,
  );
});

describe("trip", () => {
  const stop = (type: Stop["type"], orderId: number, deliveryId: number | null) =>
    ({ type, orderId, deliveryId }) as unknown as Stop;
  const trip = (...orders: Order[]): Trip =>
    ({
      orders,
      stops: [
        ...orders.map((one) => stop("PICKUP", one.id, null)),
        ...orders.flatMap((one) => one.deliveries.map(({ id }) => stop("DELIVERY", one.id, id))),
      ],
    }) as unknown as Trip;
  const stops = (of: Trip | null) =>
    of?.stops.map((one) => `${one.type} ${one.deliveryId ?? one.orderId}`);
  const after = (start: Trip, ...taken: [StepKind, (number | null)?][]) =>
    taken.reduce<Trip | null>(
      (before, [kind, id]) => apply(before, step(kind, 1, id ?? null)),
      start,
    );

  test("pickup ends the stop at the store", () => {
    const picked = after(trip(order(1, [true, true])), ["arrive"], ["pickup"]);
    expect(stops(picked)).toEqual(["DELIVERY 10", "DELIVERY 11"]);
    expect(picked?.orders[0]?.possible).toEqual(["delivery.en_route", "delivery.returning"]);
  });

  test("current stop comes first, and another choice restores the route", () => {
    const picked = after(trip(order(1, [true, true, true])), ["arrive"], ["pickup"]);
    const second = apply(picked, step("en-route", 1, 11));
    expect(stops(second)).toEqual(["DELIVERY 11", "DELIVERY 10", "DELIVERY 12"]);
    const back = apply(second, step("resequence", 1, 11));
    expect(stops(back)).toEqual(["DELIVERY 10", "DELIVERY 11", "DELIVERY 12"]);
  });

  test("failed delivery adds a return at the pickup", () => {
    const failed = after(
      trip(order(1, [true, true])),
      ["arrive"],
      ["pickup"],
      ["fail", 10],
      ["en-route", 11],
    );
    expect(stops(failed)).toEqual(["DELIVERY 11", "RETURN 1"]);
    expect(failed?.stops.at(-1)?.latitude).toBe(PICKUP.latitude);
    expect(failed?.orders[0]?.returnRequired).toBe(true);
    const back = [step("at-door", 1, 11), step("deliver", 1, 11), step("at-return", 1)].reduce(
      apply,
      failed,
    );
    expect(back?.orders[0]?.situation).toBe(410);
    expect(apply(back, step("hand-back", 1))).toBeNull();
  });

  test("declined order leaves the trip, and the other one stays", () => {
    const left = after(trip(order(1, [true]), order(2, [true])), ["decline"]);
    expect(stops(left)).toEqual(["PICKUP 2", "DELIVERY 20"]);
  });

  test("step that is not possible changes nothing", () => {
    const start = trip(order(1, [true]));
    expect(apply(start, step("deliver", 1, 10))).toBe(start);
    expect(apply(start, step("arrive", 7))).toBe(start);
    expect(apply(null, step("arrive", 1))).toBeNull();
  });

  test("each stop has its next step", () => {
    const start = order(1, [true]);
    expect(nextStep(start, stop("PICKUP", 1, null))).toBe("arrive");
    expect(nextStep(start, stop("DELIVERY", 1, 10))).toBeNull();
    expect(nextStep({ ...start, situation: 410 } as Order, stop("RETURN", 1, null))).toBe(
      "hand-back",
    );
  });
});
