// @vitest-environment happy-dom
import { expect, test } from "vitest";
import type { CourierRecord } from "../api/wire";
import { now } from "../clock";
import { setLanguage } from "../i18n/language";
import { lastHeard, stateOf } from "./courier-state";
import { mapTexts } from "./texts/map";

const courier = (part: Partial<CourierRecord>) => ({ positionAt: null, ...part }) as CourierRecord;

test("each state of dispatch has its own, and a new one is shown as off", () => {
  const states = ["AVAILABLE", "ON_TRIP", "STUCK", "UNRESPONSIVE", "OFF", "SUSPENDED", "REMOVED"];
  const of = (state: string) => stateOf(courier({ state } as Partial<CourierRecord>));
  expect(states.map(of)).toEqual([
    "available",
    "trip",
    "stuck",
    "silent",
    "off",
    "suspended",
    "removed",
  ]);
  expect(of("NEW")).toBe("off");
});

test("a stuck courier shows since when, another one the age of the position", () => {
  setLanguage("pt");
  now.value = Date.parse("2026-11-30T12:00:00Z");
  const t = mapTexts.value;
  const positionAt = "2026-11-30T11:57:00Z";
  expect(lastHeard(courier({ positionAt }))).toBe(t.position("3 min"));
  expect(lastHeard(courier({}))).toBe(t.noPosition);
  expect(lastHeard(courier({ positionAt, stuckSince: "2026-11-30T11:30:00Z" }))).toBe(
    t.stuckSince("30 min"),
  );
});
