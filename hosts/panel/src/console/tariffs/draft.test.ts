// @vitest-environment happy-dom
import { beforeEach, expect, test } from "vitest";
import type { Tariff } from "../../api/wire";
import { setLanguage } from "../../i18n";
import { tariffTexts } from "../texts/tariffs";
import {
  emptySurcharge,
  emptyWindow,
  instantOf,
  parseDecimal,
  parseTariff,
  readTariff,
  typedTariff,
  type TypedTariff,
} from "./draft";

beforeEach(() => setLanguage("pt"));

const AMOUNTS = {
  baseFee: 7.5,
  baseKm: 2,
  perKm: 1.25,
  perExtraStop: 3,
  returnFee: 4,
  returnPerKm: 0.5,
  minimumFee: 8,
  maxDistanceKm: 30,
  serviceRadiusKm: 15,
  approachMinutes: 10,
  handoverMinutes: 3,
};
const WINDOW = { name: "noite", days: ["Fri", "Sat"], from: "18:00", until: "23:00", percent: 20 };
const VEHICLE = { vehicle: "CAR", percent: 10, fee: 2.5 };
/** A tariff as it is sent and pasted. */
const SENT = { version: "v2", ...AMOUNTS, windows: [WINDOW], vehicles: [VEHICLE] };

/** The tariff as the API returns it: its amounts are decimal strings. */
const STORED = {
  ...Object.fromEntries(Object.entries(AMOUNTS).map(([name, value]) => [name, value.toFixed(2)])),
  version: "v2",
  windows: [{ ...WINDOW, days: ["friday", "SATURDAY"], percent: "20.00" }],
  vehicles: [{ ...VEHICLE, percent: "10.00", fee: "2.50" }],
} as unknown as Tariff;

test("a tariff of the API is typed with the decimal mark of the language, and sent as it was", () => {
  const typed = typedTariff(STORED);
  expect(typed.baseFee).toBe("7,50");
  expect(typed.windows[0]).toMatchObject({ days: ["Fri", "Sat"], percent: "20,00" });
  expect(typed.vehicles).toEqual([{ vehicle: "CAR", percent: "10,00", fee: "2,50" }]);
  expect(readTariff(typed)).toEqual({ tariff: SENT, errors: [] });
  setLanguage("en");
  expect(typedTariff(STORED).baseFee).toBe("7.50");
  expect(readTariff(typedTariff(STORED)).tariff).toEqual(SENT);
});

const draft = (part: Partial<TypedTariff>): TypedTariff => ({ ...typedTariff(STORED), ...part });
const pointers = (part: Partial<TypedTariff>) =>
  readTariff(draft(part)).errors.map(({ pointer, code }) => [pointer, code]);

test("each field that is not a number is named", () => {
  expect(pointers({ baseFee: "sete", perKm: "" })).toEqual([
    ["/tariff/baseFee", "wrong_type"],
    ["/tariff/perKm", "wrong_type"],
  ]);
  expect(pointers({ windows: [{ ...emptyWindow(), percent: "x" }] })).toEqual([
    ["/tariff/windows/0/percent", "wrong_type"],
  ]);
  expect(pointers({ vehicles: [{ vehicle: "CAR", percent: "1 2", fee: "x" }] })).toEqual([
    ["/tariff/vehicles/0/percent", "wrong_type"],
    ["/tariff/vehicles/0/fee", "wrong_type"],
  ]);
});

test("minutes are whole numbers", () => {
  expect(pointers({ approachMinutes: "7,5", handoverMinutes: "3" })).toEqual([
    ["/tariff/approachMinutes", "not_whole"],
  ]);
});

test("an empty surcharge is none, and a tariff without vehicles has no list of them", () => {
  const { tariff } = readTariff(draft({ vehicles: [{ vehicle: "CAR", percent: "", fee: " " }] }));
  expect(tariff.vehicles).toEqual([{ vehicle: "CAR", percent: 0, fee: 0 }]);
  expect(readTariff(draft({ vehicles: [] })).tariff).not.toHaveProperty("vehicles");
});

test("names are sent without spaces around them", () => {
  const { tariff } = readTariff(
    draft({ version: " v3 ", windows: [{ ...emptyWindow(), name: " jantar " }] }),
  );
  expect(tariff.version).toBe("v3");
  expect(tariff.windows?.[0]?.name).toBe("jantar");
});

test.each([
  ["7,5", 7.5],
  ["7.5", 7.5],
  [" -3 ", -3],
  ["1.200,50", null],
  ["7,", null],
  ["", null],
  ["1e3", null],
])("the amount %j of a tariff is %j", (text, value) => expect(parseDecimal(text)).toBe(value));

test("a pasted tariff is the one that was copied, alone or within its version", () => {
  for (const json of [SENT, { id: 4, state: "CURRENT", tariff: SENT }])
    expect(readTariff(parseTariff(JSON.stringify(json))).tariff).toEqual(SENT);
  const { windows: _, vehicles: __, ...amounts } = SENT;
  expect(readTariff(parseTariff(JSON.stringify(amounts))).tariff).toEqual({
    ...amounts,
    windows: [],
  });
});

test("a pasted text that is no tariff is rejected with its reason", () => {
  const t = tariffTexts.value;
  const paste = (value: unknown) => () => parseTariff(JSON.stringify(value));
  const { baseFee: _, perKm: __, ...incomplete } = SENT;
  expect(() => parseTariff("{")).toThrow(t.jsonInvalid);
  expect(paste([SENT])).toThrow(t.jsonInvalid);
  expect(paste(null)).toThrow(t.jsonInvalid);
  expect(paste({ ...SENT, taxa: 1, gorjeta: 2 })).toThrow(t.jsonUnknown("taxa, gorjeta"));
  expect(paste(incomplete)).toThrow(t.jsonMissing("baseFee, perKm"));
  expect(paste({ ...SENT, windows: {} })).toThrow(t.jsonWindows);
  expect(paste({ ...SENT, windows: [{ ...WINDOW, from: 18 }] })).toThrow(t.jsonWindows);
  expect(paste({ ...SENT, windows: [{ name: "x", from: "1", until: "2" }] })).toThrow(
    t.jsonWindows,
  );
  expect(paste({ ...SENT, vehicles: [{ percent: 3 }] })).toThrow(t.jsonVehicles);
});

test("the next surcharge is for the largest vehicle without one", () => {
  expect(emptySurcharge([]).vehicle).toBe("VUC");
  expect(emptySurcharge([{ vehicle: "VUC", percent: "", fee: "" }]).vehicle).toBe("CAR");
});

test("times of samples are those of the chosen day in the zone", () => {
  expect(instantOf("2026-11-30", "22:30", "America/Sao_Paulo")).toBe("2026-12-01T01:30:00.000Z");
  expect(instantOf("2026-11-30", "08:00", "America/Manaus")).toBe("2026-11-30T12:00:00.000Z");
});
