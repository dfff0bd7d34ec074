import { expect, test } from "vitest";
import { openPix, outstanding } from "./payment";

type Delivery = Parameters<typeof outstanding>[0];

const delivery = (known: Record<string, unknown>) =>
  ({ onlinePayment: false, productValue: 57.9, ...known }) as unknown as Delivery;
const by = (method: string, amount: number) => ({ method, amount });

test("what was recorded is not collected again", () => {
  expect(outstanding(delivery({ onlinePayment: true }))).toBeNull();
  expect(outstanding(delivery({}))).toBe(57.9);
  expect(outstanding(delivery({ productValue: null }))).toBe(0);
  expect(outstanding(delivery({ paymentsReceived: [by("PIX", 57.9)] }))).toBeNull();
  expect(outstanding(delivery({ paymentsReceived: [by("PIX", 20.1)] }))).toBe(37.8);
  const both = [by("PIX", 20.1), by("CASH", 37.8)];
  expect(outstanding(delivery({ paymentsReceived: both }))).toBeNull();
  expect(outstanding(delivery({ productValue: null, paymentsReceived: both }))).toBeNull();
});

test("a code is shown until a payment by Pix is recorded", () => {
  const pix = { brCode: "000201" };
  const open = (known: Record<string, unknown>) =>
    openPix(delivery({ payment: { pix }, ...known }));
  expect(open({})).toBe(pix);
  expect(open({ paymentsReceived: [by("CASH", 10)] })).toBe(pix);
  expect(open({ paymentsReceived: [by("PIX", 10)] })).toBeNull();
  expect(open({ paymentsReceived: [by("CASH", 57.9)] })).toBeNull();
  expect(openPix(delivery({}))).toBeNull();
});
