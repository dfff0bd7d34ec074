// @vitest-environment happy-dom
import { expect, test } from "vitest";
import type { Delivery, OrderRow } from "./api/wire";
import { knownFrom } from "./known";

const PHONE = "+5511987654321";
const delivery = (street: string, given: Partial<Delivery> = {}) =>
  ({
    phone: PHONE,
    name: "Maria Silva",
    observation: null,
    onlinePayment: true,
    address: { street, number: "10", complement: null, city: "São Paulo", state: "SP" },
    ...given,
  }) as unknown as Delivery;
const order = (createdAt: string, ...deliveries: Delivery[]) =>
  ({ createdAt, deliveries }) as unknown as OrderRow;

test("the last order of each address counts, the newest first", () => {
  const payment = { method: "CASH" } as Delivery["payment"] & object;
  const found = knownFrom(
    [
      order("2026-11-01T12:00:00Z", delivery("Rua A", { name: "Antes" })),
      order("2026-11-20T12:00:00Z", delivery("rua a", { onlinePayment: false, payment })),
      order("2026-11-10T12:00:00Z", delivery("Rua B", { observation: "interfone 12" })),
    ],
    PHONE,
  );
  expect(found.map(({ name, address, payment: method }) => [name, address.street, method])).toEqual(
    [
      ["Maria Silva", "rua a", "CASH"],
      ["Maria Silva", "Rua B", ""],
    ],
  );
  expect(found.map(({ paid, observation }) => [paid, observation])).toEqual([
    [false, ""],
    [true, "interfone 12"],
  ]);
});

test("other recipients of the same orders do not count", () => {
  const other = delivery("Rua C", { phone: "+5511900000000" });
  expect(knownFrom([order("2026-11-01T12:00:00Z", other)], PHONE)).toEqual([]);
});

test("at most three addresses are offered", () => {
  const all = ["A", "B", "C", "D"].map((name) => delivery(`Rua ${name}`));
  expect(knownFrom([order("2026-11-01T12:00:00Z", ...all)], PHONE)).toHaveLength(3);
});
