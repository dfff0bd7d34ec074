// @vitest-environment happy-dom
import { beforeEach, expect, test } from "vitest";
import type { PayPlan as StoredPlan } from "../../api/wire";
import { setLanguage } from "../../i18n";
import { DRAFT, emptyPlan, planDraft, readPlan, readSamples, typedPlan } from "./draft";

beforeEach(() => setLanguage("pt"));

/** The plan as the API returns it: its amounts are decimal strings. */
const STORED: StoredPlan = {
  version: "2026.1",
  perTrip: "4.00",
  perExtraOrder: "0",
  perDelivery: "3",
  bands: [{ untilKm: "4", amount: "10.5" }],
  includedKm: "0",
  perKm: "1.5",
  feePercent: "0",
  combine: "MAX",
  minimumPerOrder: "0",
  returned: { fee: "0", perKm: "1.5" },
  cancelledPercent: { assigned: "0", arrived: "50" },
  waiting: { afterMinutes: 10, perMinute: "0.6", maxMinutes: 0 },
  windows: [{ name: "noite", days: [], from: "18:00", until: "06:00", percent: "20" }],
  shift: { daily: "30", guarantee: "0", guaranteePerHour: "20", guaranteeDeliveries: 0 },
  commission: { percent: "10", perDelivery: "0" },
};

test("a stored plan is typed with the decimal mark of the language, and sent without zeros", () => {
  const typed = typedPlan(STORED);
  expect(typed.amounts["waiting.perMinute"]).toBe("0,6");
  expect(typed.amounts.perExtraOrder).toBe("");
  expect(readPlan(typed)).toEqual({
    plan: {
      version: "2026.1",
      combine: "MAX",
      perTrip: 4,
      perDelivery: 3,
      perKm: 1.5,
      bands: [{ untilKm: 4, amount: 10.5 }],
      returned: { perKm: 1.5 },
      cancelledPercent: { arrived: 50 },
      waiting: { afterMinutes: 10, perMinute: 0.6 },
      windows: [{ name: "noite", days: [], from: "18:00", until: "06:00", percent: 20 }],
      shift: { daily: 30, guaranteePerHour: 20 },
      commission: { percent: 10 },
    },
    errors: [],
  });
});

test("each field that is not a number is named", () => {
  const draft = emptyPlan();
  draft.amounts["returned.fee"] = "dois";
  draft.amounts.perTrip = "x";
  draft.bands = [{ untilKm: "", amount: "1" }];
  const pointers = readPlan(draft).errors.map(({ pointer }) => pointer);
  expect(pointers).toEqual(["/plan/bands/0/untilKm", "/plan/perTrip", "/plan/returned/fee"]);
});

test("invalid samples are errors of their fields, and are not sent", () => {
  const draft = planDraft(DRAFT).value;
  expect(readSamples(draft).errors).toEqual([]);
  expect(readSamples(draft).samples.map((one) => one.distanceKm)).toEqual([1, 3, 5, 8]);
  const pointers = (part: Partial<typeof draft>) => {
    const { errors, samples } = readSamples({ ...draft, ...part });
    if (errors.length > 0) expect(samples).toEqual([]);
    return errors.map(({ pointer }) => pointer);
  };
  for (const time of ["", "meio-dia", "1", "24:00", "12:60", "12:00h"])
    expect(pointers({ time }), time).toEqual(["/samples/time"]);
  for (const deliveries of ["", "0", "1,5", "51", "muitas"])
    expect(pointers({ deliveries }), deliveries).toEqual(["/samples/deliveries"]);
  for (const distances of ["", ";", "1; x", "0", "-3", Array(21).fill("1").join(";")])
    expect(pointers({ distances }), distances).toEqual(["/samples/distances"]);
});
