import { expect, test } from "vitest";
import { missingParts, requiredParts, ruledReasons } from "./rules";
import type { Order } from "./wire";

const order = {
  proofRules: [
    { step: "DELIVERY", reason: null, requires: ["NAME"] },
    { step: "FAILURE", reason: null, requires: ["NOTE"] },
    { step: "FAILURE", reason: "NO_SHOW", requires: ["PHOTO", "NOTE"] },
    { step: "FAILURE", reason: "Portão fechado", requires: ["POSITION"] },
  ],
} as unknown as Order;

test("a rule applies to its step, and a rule with a reason only to that reason", () => {
  expect([...requiredParts(order, "deliver", null)]).toEqual(["NAME"]);
  expect([...requiredParts(order, "fail", null)]).toEqual(["NOTE"]);
  expect([...requiredParts(order, "fail", "no_show")]).toEqual(["NOTE", "PHOTO"]);
  expect([...requiredParts(order, "fail", "OTHER")]).toEqual(["NOTE"]);
  expect([...requiredParts(order, "pickup", null)]).toEqual([]);
});

test("a step without proof has no rules", () => {
  expect([...requiredParts(order, "arrive", null)]).toEqual([]);
});

test("the reasons with rules are named once", () => {
  expect(ruledReasons(order, "fail")).toEqual(["NO_SHOW", "Portão fechado"]);
  expect(ruledReasons(order, "deliver")).toEqual([]);
});

test("the parts that a proof lacks are named in the order of the rules", () => {
  const none = { photos: [], receivedBy: null, note: null, latitude: null, longitude: null };
  const all = new Set(["PHOTO", "NAME", "NOTE", "POSITION"] as const);
  expect(missingParts(all, none)).toEqual(["PHOTO", "NAME", "NOTE", "POSITION"]);
  expect(
    missingParts(all, { ...none, photos: ["key"], receivedBy: "Ana", note: "x", latitude: -23 }),
  ).toEqual([]);
  expect(missingParts(new Set(["NOTE"] as const), { ...none, receivedBy: "Ana" })).toEqual([
    "NOTE",
  ]);
});
