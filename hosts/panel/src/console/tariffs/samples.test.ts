// @vitest-environment happy-dom
import { expect, test } from "vitest";
import type { TariffDraft } from "./draft";
import { readSamples } from "./preview";

const DRAFT: TariffDraft = {
  tariff: null,
  distances: "1; 3,5;",
  times: "12:00; 22:30",
  day: "2026-11-30",
  state: "SP",
  stops: "2",
  hasReturn: false,
  vehicle: "",
  days: "30",
  store: { text: "", id: null },
  effective: "",
};

test("each distance is priced at each time of the day, in the zone of the state", () => {
  const sample = (distanceKm: number, at: string) => ({ distanceKm, stops: 2, at, state: "SP" });
  expect(readSamples(DRAFT)).toEqual({
    distances: [1, 3.5],
    times: ["12:00", "22:30"],
    list: [
      sample(1, "2026-11-30T15:00:00.000Z"),
      sample(1, "2026-12-01T01:30:00.000Z"),
      sample(3.5, "2026-11-30T15:00:00.000Z"),
      sample(3.5, "2026-12-01T01:30:00.000Z"),
    ],
  });
  expect(readSamples({ ...DRAFT, state: "AM", times: "12:00" })?.list[0]?.at).toBe(
    "2026-11-30T16:00:00.000Z",
  );
});

test("a return has the distance of the way out, and a vehicle is part of each sample", () => {
  const [first] = readSamples({ ...DRAFT, hasReturn: true, vehicle: "CAR" })?.list ?? [];
  expect(first).toMatchObject({ distanceKm: 1, returnKm: 1, vehicle: "CAR" });
});

test.each<Partial<TariffDraft>>([
  { distances: "" },
  { distances: "1; x" },
  { distances: "0" },
  { times: " ; " },
  { times: "24:00" },
  { times: "12h" },
  { stops: "0" },
  { stops: "51" },
  { stops: "1,5" },
  // 51 samples.
  { distances: Array.from({ length: 51 }, (_, at) => at + 1).join(";"), times: "12:00" },
])("samples with %j are not priced", (part) =>
  expect(readSamples({ ...DRAFT, ...part })).toBeNull(),
);

test("as many samples as the API permits are priced", () => {
  const distances = Array.from({ length: 25 }, (_, at) => at + 1).join(";");
  expect(readSamples({ ...DRAFT, distances })?.list).toHaveLength(50);
});
