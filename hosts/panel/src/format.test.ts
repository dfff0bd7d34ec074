// @vitest-environment happy-dom
import { beforeEach, expect, test } from "vitest";
import * as format from "./format";
import { setLanguage } from "./i18n";

beforeEach(() => setLanguage("pt"));

const SP = "America/Sao_Paulo";
const NORONHA = "America/Noronha";

test("distances and quantities have the digits and the mark of the language", () => {
  expect(format.kilometres(3.456)).toBe("3,46 km");
  expect(format.kilometres(12.34)).toBe("12,3 km");
  expect(format.kilometres(10)).toBe("10,0 km");
  expect(format.quantity(1234.5678)).toBe("1.234,568");
  setLanguage("en");
  expect(format.kilometres(3.456)).toBe("3.46 km");
  expect(format.quantity(1234.5)).toBe("1,234.5");
});

test("times are local to the zone and follow the language", () => {
  const instant = "2026-11-30T02:05:09Z";
  expect(format.time(instant, SP)).toBe("23:05");
  expect(format.time(instant, NORONHA)).toBe("00:05");
  expect(format.timeWithSeconds(instant, SP)).toBe("23:05:09");
  expect(format.dateTime(instant, SP)).toBe("29/11/2026, 23:05");
  expect(format.day(new Date(instant), SP)).toBe("2026-11-29");
  expect(format.day(new Date(instant), NORONHA)).toBe("2026-11-30");
  expect(format.date("2026-11-29")).toBe("domingo, 29/11/2026");
  expect(format.zoneName(SP)).toBe("GMT-3");
  setLanguage("en");
  expect(format.date("2026-11-29")).toMatch(/^Sunday,? 29\/11\/2026$/);
});

test("a time of another day has its date", () => {
  const now = Date.parse("2026-11-30T02:30:00Z");
  expect(format.timeOrDateTime("2026-11-30T02:05:00Z", SP, now)).toBe("23:05");
  expect(format.timeOrDateTime("2026-11-30T03:05:00Z", SP, now)).toBe("30/11/2026, 00:05");
});

test("local times become instants, and days begin at midnight of the zone", () => {
  expect(format.localInstant("2026-11-21T20:00", SP).toISOString()).toBe(
    "2026-11-21T23:00:00.000Z",
  );
  expect(format.localInstant("2026-11-21T20:00", NORONHA).toISOString()).toBe(
    "2026-11-21T22:00:00.000Z",
  );
  expect(format.startOfDay("2026-11-21", "America/Rio_Branco").toISOString()).toBe(
    "2026-11-21T05:00:00.000Z",
  );
  // Summer time ended in 2019.
  expect(format.localInstant("2018-12-01T12:00", SP).toISOString()).toBe(
    "2018-12-01T14:00:00.000Z",
  );
});

test.each(["ontem", "", "2026-11-21", "2026-13-01T10:00", "21/11/2026 20:00"])(
  "%j is not a local time",
  (text) => expect(format.localInstant(text, SP).getTime()).toBeNaN(),
);

test("the next day passes the ends of months and years", () => {
  expect(format.nextDay("2026-11-30")).toBe("2026-12-01");
  expect(format.nextDay("2026-12-31")).toBe("2027-01-01");
  expect(format.nextDay("2028-02-28")).toBe("2028-02-29");
});

test.each([
  [0, "0 min"],
  [59, "59 min"],
  [60, "1 h 00"],
  [125, "2 h 05"],
  [1439, "23 h 59"],
  [1440, "1 d"],
  [4400, "3 d"],
])("%d minutes are shown as %s", (minutes, text) => expect(format.duration(minutes)).toBe(text));

test("an age counts whole minutes and is never negative", () => {
  const now = Date.parse("2026-11-30T12:00:00Z");
  expect(format.age("2026-11-30T11:55:01Z", now)).toBe("4 min");
  expect(format.age("2026-11-30T12:00:30Z", now)).toBe("0 min");
});

test("a CNPJ has its marks, also with letters", () => {
  expect(format.cnpj("12345678000195")).toBe("12.345.678/0001-95");
  expect(format.cnpj("12ABC34501DE35")).toBe("12.ABC.345/01DE-35");
  expect(format.cnpj("1234567800019")).toBe("1234567800019");
});

test("there are 26 states and the Federal District", () =>
  expect(new Set(format.STATES).size).toBe(27));

test("a number is typed with the decimal mark of the language", () => {
  expect([57.9, "0.5", 1_000, ""].map(format.typed)).toEqual(["57,9", "0,5", "1000", ""]);
  setLanguage("en");
  expect(format.typed(57.9)).toBe("57.9");
});
