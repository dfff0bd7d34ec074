import { expect, test } from "vitest";
import { unfit } from "./fit";

const courier = {
  state: "AVAILABLE",
  sandbox: false,
  vehicle: "MOTORBIKE_BAG",
  maxWeightGrams: 12_000,
  maxVolumeMillilitres: 60_000,
  equipment: ["CARD_MACHINE"],
} as const satisfies Parameters<typeof unfit>[0];

const needed = {
  vehicle: ["MOTORBIKE_BAG", "CAR"],
  weightGrams: 12_000,
  volumeMillilitres: 60_000,
  packages: 9,
  container: "NORMAL",
  cardMachine: true,
} as const;

const reason = (of: object, requirements: object | null = {}, isSandbox = false) =>
  unfit(
    { ...courier, ...of },
    requirements === null ? {} : { requirements: { ...needed, ...requirements } as never },
    isSandbox,
  );

test("a courier who meets all requirements fits, also on a trip", () => {
  expect(reason({})).toBeNull();
  expect(reason({ state: "ON_TRIP" })).toBeNull();
  expect(reason({ vehicle: "BICYCLE" }, null)).toBeNull();
  expect(reason({ vehicle: "BICYCLE" }, { vehicle: [] })).toBeNull();
});

test.each([
  [{ sandbox: true }, {}, "SANDBOX"],
  [{ vehicle: "BICYCLE", state: "STUCK" }, {}, "VEHICLE"],
  [{ maxWeightGrams: 11_999 }, {}, "WEIGHT"],
  [{ maxVolumeMillilitres: 59_999 }, {}, "VOLUME"],
  [{}, { container: "THERMIC" }, "CONTAINER"],
  [{ equipment: ["THERMIC_CONTAINER"] }, {}, "CARD_MACHINE"],
  [{ state: "STUCK" }, {}, "STUCK"],
  [{ state: "UNRESPONSIVE" }, {}, "UNRESPONSIVE"],
  [{ state: "OFF" }, {}, "OFF"],
  [{ state: "SUSPENDED" }, {}, "SUSPENDED"],
])("the courier %o does not fit %o: %s", (of, requirements, expected) =>
  expect(reason(of, requirements)).toBe(expected),
);

test("only simulated couriers fit an order of a sandbox store", () => {
  expect(reason({}, {}, true)).toBe("SANDBOX");
  expect(reason({ sandbox: true }, {}, true)).toBeNull();
});
