// @vitest-environment happy-dom
import { expect, test } from "vitest";
import type { ReportDay } from "../api/wire";
import { byDay, byStore, combine, daysOf } from "./days";

const entry = (part: Partial<ReportDay>): ReportDay => ({
  day: "2026-11-29",
  storeId: 1,
  created: 0,
  delivered: 0,
  cancelled: 0,
  failed: 0,
  fees: 0,
  meanMinutes: null,
  p90Minutes: null,
  late: 0,
  latePercent: null,
  ...part,
});

test("a period contains its first and its last day", () => {
  expect(daysOf("2026-11-29", "2026-12-01")).toEqual(["2026-11-29", "2026-11-30", "2026-12-01"]);
  expect(daysOf("2026-11-29", "2026-11-29")).toEqual(["2026-11-29"]);
  expect(daysOf("2026-11-30", "2026-11-29")).toEqual([]);
});

test("entries are added, and means are weighted by the delivered orders", () => {
  const figures = combine([
    entry({ created: 10, delivered: 6, fees: 60, meanMinutes: 30, p90Minutes: 50, late: 3 }),
    entry({ created: 4, delivered: 2, cancelled: 1, meanMinutes: 50, p90Minutes: 40, fees: 8.5 }),
    entry({ created: 1, failed: 1 }),
  ]);
  expect(figures).toEqual({
    created: 15,
    delivered: 8,
    cancelled: 1,
    failed: 1,
    open: 5,
    fees: 68.5,
    mean: 35,
    p90: 50,
    late: 3,
    latePercent: null,
  });
});

test("the share of late orders is weighted, too", () => {
  const entries = [
    entry({ delivered: 3, latePercent: 100 }),
    entry({ delivered: 1, latePercent: 0 }),
    entry({ delivered: 5, latePercent: null }),
  ];
  expect(combine(entries).latePercent).toBe(75);
});

test("no orders have no means", () => {
  expect(combine([])).toMatchObject({ created: 0, open: 0, mean: null, p90: null });
  // More can be finished on a day than were created on it.
  expect(combine([entry({ created: 1, delivered: 3 })]).open).toBe(0);
});

test("every day of the period has figures", () => {
  const entries = [
    entry({ day: "2026-11-30", created: 2 }),
    entry({ day: "2026-11-30", storeId: 2, created: 3 }),
  ];
  expect(byDay(entries, ["2026-11-29", "2026-11-30"]).map((one) => [one.day, one.created])).toEqual(
    [
      ["2026-11-29", 0],
      ["2026-11-30", 5],
    ],
  );
});

test("the store with most orders comes first, then the older one", () => {
  const entries = [
    entry({ storeId: 3, created: 2 }),
    entry({ storeId: 2, created: 2 }),
    entry({ storeId: 4, created: 1 }),
    entry({ storeId: 4, day: "2026-11-30", created: 4 }),
  ];
  expect(byStore(entries).map((one) => [one.storeId, one.created])).toEqual([
    [4, 5],
    [2, 2],
    [3, 2],
  ]);
});
