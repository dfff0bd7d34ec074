import { expect, test } from "vitest";
import { holidays, nextHolidays } from "./holidays";

// Easter Sundays of the calendar, less two days; 2008 and 2038 are among the earliest and latest.
test.each([
  [2000, "2000-04-21"],
  [2008, "2008-03-21"],
  [2024, "2024-03-29"],
  [2025, "2025-04-18"],
  [2026, "2026-04-03"],
  [2027, "2027-03-26"],
  [2038, "2038-04-23"],
])("Good Friday of %i", (year, date) => {
  expect(holidays(year).find(({ name }) => name === "Sexta-feira Santa")?.date).toBe(date);
});

test("a year has ten national holidays in their order", () => {
  const dates = holidays(2027).map(({ date }) => date);
  expect(dates).toHaveLength(10);
  expect(dates).toEqual([...dates].sort());
});

test("the next holidays are those of twelve months, with today", () => {
  const next = nextHolidays("2026-11-20");
  expect(next.map(({ date }) => date).slice(0, 3)).toEqual([
    "2026-11-20",
    "2026-12-25",
    "2027-01-01",
  ]);
  expect(next.at(-1)?.date).toBe("2027-11-15");
  expect(next).toHaveLength(10);
});
