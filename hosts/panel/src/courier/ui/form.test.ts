// @vitest-environment happy-dom
import { expect, test } from "vitest";
import type { NextStop } from "../state";
import type { Proof } from "../steps";
import { texts } from "../texts";
import {
  EMPTY,
  check,
  codeField,
  hasContent,
  paymentAt,
  paymentOf,
  without,
  type Values,
} from "./form";

const stop = (delivery: Record<string, unknown> | null) => ({ delivery }) as unknown as NextStop;
const NONE: Proof = { photos: [], receivedBy: null, note: null, latitude: null, longitude: null };

test("the store's codes are always needed, that of a delivery only if it has one", () => {
  const t = texts.value.form;
  expect(codeField(stop(null), "pickup")?.label).toBe(t.pickupCode);
  expect(codeField(stop(null), "hand-back")?.label).toBe(t.returnCode);
  expect(codeField(stop({ codeRequired: true }), "deliver")?.label).toBe(t.deliveryCode);
  expect(codeField(stop({ codeRequired: false }), "deliver")).toBeNull();
  expect(codeField(stop({ codeRequired: true }), "fail")).toBeNull();
});

test("a delivery that is not paid has an amount to collect", () => {
  const unpaid = stop({ onlinePayment: false, productValue: 57.9 });
  expect(paymentAt(unpaid, "deliver")).toBe(57.9);
  expect(paymentAt(stop({ onlinePayment: false, productValue: null }), "deliver")).toBe(0);
  expect(paymentAt(unpaid, "fail")).toBeNull();
  expect(paymentAt(stop({ onlinePayment: true, productValue: 57.9 }), "deliver")).toBeNull();
  expect(paymentAt(stop(null), "deliver")).toBeNull();
});

test("a payment that is recorded has what was recorded before, and the method of the order", () => {
  const known = { onlinePayment: false, productValue: 57.9, payment: { method: "PIX", parts: [] } };
  const sent = (delivery: Record<string, unknown>, values: Partial<Values> = {}) =>
    paymentOf({ ...EMPTY, ...values }, stop({ ...known, ...delivery }));
  expect(sent({})).toEqual({ method: "PIX", received: 57.9, reference: null });
  const cash = { method: "CASH" as const, received: "20,5", reference: " 7 " };
  expect(sent({}, cash)).toEqual({ method: "CASH", received: 20.5, reference: "7" });
  const paymentsReceived = [{ method: "PIX", amount: 20.1 }];
  expect(sent({ paymentsReceived })?.received).toBe(57.9);
  expect(sent({ paymentsReceived }, { method: "CASH" })?.received).toBe(37.8);
  expect(sent({ productValue: null })).toBeNull();
  expect(sent({ payment: undefined })).toBeNull();
});

/** Returns the fields with errors. */
const errors = (
  values: Partial<Values>,
  needs: { needsCode?: boolean; hasReason?: boolean; needsPayment?: boolean },
) =>
  Object.keys(
    check({
      values: { ...EMPTY, ...values },
      proof: NONE,
      required: new Set(),
      needsCode: false,
      hasReason: false,
      needsPayment: false,
      ...needs,
    }),
  );

test("each field that the step needs is an error while it is empty", () => {
  expect(errors({}, {})).toEqual([]);
  expect(errors({ code: " " }, { needsCode: true })).toEqual(["code"]);
  expect(errors({ code: "4711" }, { needsCode: true })).toEqual([]);
  expect(errors({ reason: " " }, { hasReason: true })).toEqual(["reason"]);
  expect(errors({ reason: "Ausente" }, { hasReason: true })).toEqual([]);
  expect(errors({}, { needsPayment: true })).toEqual(["payment"]);
  expect(errors({ isPaid: true }, { needsPayment: true })).toEqual([]);
});

test("each required part of a proof that is missing is an error", () => {
  const found = check({
    values: EMPTY,
    proof: { ...NONE, note: "x" },
    required: new Set(["PHOTO", "NOTE", "NAME"] as const),
    needsCode: false,
    hasReason: false,
    needsPayment: false,
  });
  const { missing } = texts.value.form;
  expect(found).toEqual({ PHOTO: missing.PHOTO, NAME: missing.NAME });
});

test("a change solves the errors that concern it, and another reason those of its proof", () => {
  const all = { code: "1", reason: "2", payment: "3", PHOTO: "4", NOTE: "5" };
  const left = (changed: Partial<Values>) => Object.keys(without(all, changed));
  expect(left({ code: "4711" })).toEqual(["reason", "payment", "PHOTO", "NOTE"]);
  expect(left({ isPaid: true })).toEqual(["code", "reason", "PHOTO", "NOTE"]);
  expect(left({ reason: "Ausente" })).toEqual(["code", "payment"]);
});

test("a position alone is no proof, unless the store requires it", () => {
  const placed = { ...NONE, latitude: -23.5, longitude: -46.6 };
  expect(hasContent(placed, new Set())).toBe(false);
  expect(hasContent(placed, new Set(["POSITION"] as const))).toBe(true);
  expect(hasContent({ ...NONE, photos: ["key"] }, new Set())).toBe(true);
  expect(hasContent({ ...NONE, receivedBy: "Ana" }, new Set())).toBe(true);
});
