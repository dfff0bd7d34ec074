// @vitest-environment happy-dom
import { afterEach, expect, test } from "vitest";
import type { AssignmentCost, ConsideredCourier } from "../api/wire";
import { setLanguage } from "../i18n/language";
import { presentParts, reasonOf } from "./reason";

const ZERO = {
  lateness: 0,
  wait: 0,
  start: 0,
  travel: 0,
  length: 0,
  remoteness: 0,
  guarantee: 0,
  reoffer: 0,
};
const NAMES = ["", "Ana", "Bruno", "Caio"];

/** A courier whose total is the sum of the parts, if it is not given. */
function courier(courierId: number, parts: Partial<AssignmentCost>): ConsideredCourier {
  const total = Object.values(parts).reduce((sum, one) => sum + one, 0);
  return { courierId, cost: { ...ZERO, total, ...parts } };
}

const reason = (
  courierId: number | null,
  considered: readonly ConsideredCourier[],
  outcome = "ASSIGNED",
) => reasonOf({ outcome, courierId, considered: [...considered] }, (id) => NAMES[id] ?? "");

afterEach(() => setLanguage("en"));

test("the columns are the parts that are not zero for each courier", () => {
  const considered = [
    courier(1, { length: 600, wait: 20 }),
    courier(2, { length: 600, remoteness: -9 }),
  ];
  expect(presentParts(considered)).toEqual(["wait", "length", "remoteness"]);
  expect(presentParts([])).toEqual([]);
});

test("the reason is the largest advantage over the next best", () => {
  const pair = [
    courier(1, { lateness: 60, wait: 12, travel: 90 }),
    courier(2, { lateness: 240, wait: 48, travel: 30 }),
  ];
  expect(reason(1, pair)).toBe(
    "Ana was chosen: the delay is 3 min 00 s shorter than with Bruno, the next best.",
  );
  setLanguage("pt");
  expect(reason(1, pair)).toBe(
    "Ana foi a melhor opção: o atraso é 3 min 00 s menor do que com Bruno, a segunda melhor.",
  );
});

test("a bonus is an advantage, and a larger disadvantage is no reason", () => {
  const far = courier(1, { length: 100, remoteness: -90 });
  expect(reason(1, [far, courier(2, { remoteness: -50, length: 100 })])).toContain(
    "the bonus for being far from other pickups is 40 s larger",
  );
  const busy = courier(1, { start: 90, lateness: 10, guarantee: 0 });
  expect(reason(1, [busy, courier(2, { start: 0, lateness: 80, guarantee: 30 })])).toContain(
    "the delay is 1 min 10 s shorter",
  );
});

test("a courier who is not the cheapest for the order is chosen for all orders", () => {
  const list = [courier(2, { length: 100 }), courier(1, { length: 160 })];
  const text =
    "Ana was chosen with all orders in view: for this order alone, Bruno would be better.";
  expect(reason(1, list)).toBe(text);
  expect(reason(1, list.slice(0, 1))).toBe(text);
});

test("couriers of about the same cost are not called better", () => {
  const text = "Ana was chosen, but Bruno would cost about the same.";
  expect(reason(1, [courier(2, { length: 100 }), courier(1, { wait: 100 })])).toBe(text);
  // The sum can differ from that of the rounded parts.
  expect(
    reason(1, [courier(1, { length: 9, total: 9 }), courier(2, { length: 9, total: 10 })]),
  ).toBe(text);
});

test("a single courier, the operator and an open order have their own reasons", () => {
  expect(reason(3, [courier(3, { length: 1 })])).toBe(
    "Caio was the only courier in reach who could take the order.",
  );
  expect(reason(3, [])).toBe("The operator chose Caio.");
  expect(reason(null, [], "NO_COURIER")).toBe("No courier is in reach.");
  expect(reason(1, [courier(1, {})], "COURIER_BUSY")).toBe(
    "It waits until the planned courier is free.",
  );
  expect(reason(null, [], "A_LATER_ONE")).toBe("A_LATER_ONE");
});
