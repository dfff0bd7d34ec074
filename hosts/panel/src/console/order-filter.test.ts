// @vitest-environment happy-dom
import { beforeEach, expect, test } from "vitest";
import type { OrderRow } from "../api/wire";
import { zone } from "../context";
import { change, filter, nameOf, noFilter, query, sorted, type Filter } from "./order-filter";

beforeEach(() => {
  zone.value = "America/Sao_Paulo";
  filter.value = noFilter();
});

/** Returns the parameters that a filter sets. */
const set = (part: Partial<Filter>) =>
  Object.fromEntries(
    Object.entries(query({ ...noFilter(), ...part })).filter(([, value]) => value !== undefined),
  );

test("an empty filter sets nothing", () => expect(set({})).toEqual({}));

test("each field sets its parameter", () => {
  expect(
    set({ search: " Ana ", situation: 300, store: { text: "Loja #7", id: 7 }, late: true }),
  ).toEqual({ q: "Ana", situation: 300, storeId: 7, late: true });
});

test("a word that the API would reject is not sent, nor a store that is not chosen", () => {
  expect(set({ search: "a " })).toEqual({});
  expect(set({ search: "an" })).toEqual({ q: "an" });
  expect(set({ store: { text: "Loja", id: null } })).toEqual({});
});

test("a period contains its last day, in the zone of the page", () => {
  expect(set({ from: "2026-11-29", to: "2026-11-30" })).toEqual({
    from: "2026-11-29T03:00:00.000Z",
    to: "2026-12-01T03:00:00.000Z",
  });
  zone.value = "America/Manaus";
  expect(set({ to: "2026-11-30" })).toEqual({ to: "2026-12-01T04:00:00.000Z" });
});

test("open orders come first by urgency, then the others, newest first", () => {
  const now = Date.parse("2026-11-30T12:00:00Z");
  const row = (id: number, situation: number, expectedDelivery: string | null = null) =>
    ({ id, situation, expectedDelivery, eta: null }) as unknown as OrderRow;
  const rows = [
    row(1, 500),
    row(2, 600),
    row(3, 200, "2026-11-30T13:00:00Z"),
    row(4, 300, "2026-11-30T11:00:00Z"),
    row(5, 500),
  ];
  expect(sorted(rows, now).map((one) => one.id)).toEqual([4, 3, 5, 2, 1]);
});

test("a change keeps the other fields", () => {
  change({ search: "Ana" });
  change({ late: true });
  expect(filter.value).toEqual({ ...noFilter(), search: "Ana", late: true });
  expect(nameOf({ name: "Padaria", id: 7 })).toBe("Padaria #7");
});
