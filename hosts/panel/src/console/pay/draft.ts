/** The draft of a pay plan: the typed texts of its form, stored in this tab until it takes effect. */

import type { FieldError, PayPlan as StoredPlan, PaySample, TariffWindow } from "../../api/wire";
import { day, typed } from "../../format";
import { formDraft } from "../draft";
import { zone } from "../../context";
import { instantOf, numberReader, typedWindows } from "../tariffs/draft";
import { distancesOf, isTime } from "../tariffs/samples";
import { payTexts } from "../texts/pay";
import { tariffTexts } from "../texts/tariffs";
import { AMOUNTS, type AmountPath } from "./amounts";
import type { PayPlan } from "./api";

export const MAX_ITEMS = 20;

export interface TypedBand {
  untilKm: string;
  amount: string;
}

export interface TypedPlan {
  version: string;
  amounts: Record<AmountPath, string>;
  combine: string;
  bands: TypedBand[];
  windows: TariffWindow[];
}

export interface PlanDraft {
  name: string;
  plan: TypedPlan | null;
  /** The samples of the preview. */
  distances: string;
  deliveries: string;
  time: string;
  hasReturn: boolean;
  /** The local day and time of effect; empty means at once. */
  effective: string;
}

export const planDraft = formDraft<PlanDraft>("pay-plan", () => ({
  name: "",
  plan: null,
  distances: "1; 3; 5; 8",
  deliveries: "1",
  time: "12:00",
  hasReturn: false,
  effective: "",
}));
export const DRAFT = "draft";

const empty = Object.fromEntries(AMOUNTS.map(({ path }) => [path, ""])) as Record<
  AmountPath,
  string
>;

export const emptyPlan = (): TypedPlan => ({
  version: "1",
  amounts: { ...empty },
  combine: "SUM",
  bands: [],
  windows: [],
});

/** Returns the value at a path such as `waiting.perMinute`. */
function at(plan: StoredPlan, path: AmountPath): number | string {
  const found = path
    .split(".")
    .reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], plan);
  return found as number | string;
}

/** Returns the texts of a stored plan. An amount of zero is empty. */
export function typedPlan(plan: StoredPlan): TypedPlan {
  const amounts = AMOUNTS.map(({ path }) => {
    const value = at(plan, path);
    return [path, Number(value) === 0 ? "" : typed(value)];
  });
  return {
    version: plan.version,
    amounts: Object.fromEntries(amounts) as Record<AmountPath, string>,
    combine: plan.combine,
    bands: plan.bands.map((band) => ({
      untilKm: typed(band.untilKm),
      amount: typed(band.amount),
    })),
    windows: typedWindows(plan.windows),
  };
}

/** Returns the plan of a draft, or the fields that are not numbers. The server checks the ranges. */
export function readPlan(draft: TypedPlan): { plan: PayPlan; errors: FieldError[] } {
  const { errors, decimal, windows } = numberReader();
  const plan: Record<string, unknown> = {
    version: draft.version.trim(),
    combine: draft.combine,
    bands: draft.bands.map((band, index) => ({
      untilKm: decimal(`/plan/bands/${index}/untilKm`, band.untilKm),
      amount: decimal(`/plan/bands/${index}/amount`, band.amount),
    })),
    windows: windows("/plan", draft.windows),
  };
  for (const { path } of AMOUNTS) {
    const text = draft.amounts[path];
    if (text.trim() === "") continue;
    const value = decimal(`/plan/${path.replace(".", "/")}`, text);
    const [outer = "", inner] = path.split(".");
    plan[outer] = inner === undefined ? value : { ...(plan[outer] as object), [inner]: value };
  }
  return { plan: plan as unknown as PayPlan, errors };
}

const MAX_SAMPLES = 20;
const MAX_DELIVERIES = 50;

/** Returns the samples of a draft, or the fields that are invalid. */
export function readSamples(draft: PlanDraft): { samples: PaySample[]; errors: FieldError[] } {
  const [t, tariff] = [payTexts.value, tariffTexts.value];
  const distances = distancesOf(draft.distances);
  const deliveries = Number(draft.deliveries);
  const invalid = [
    [distances === null, "/samples/distances", tariff.distancesInvalid],
    [(distances?.length ?? 0) > MAX_SAMPLES, "/samples/distances", t.samplesTooMany(MAX_SAMPLES)],
    [
      !Number.isInteger(deliveries) || deliveries < 1 || deliveries > MAX_DELIVERIES,
      "/samples/deliveries",
      tariff.stopsInvalid,
    ],
    [!isTime(draft.time), "/samples/time", t.timeInvalid],
  ] as const;
  const errors = invalid
    .filter(([isInvalid]) => isInvalid)
    .map(([, pointer, detail]) => ({ pointer, code: "out_of_range" as const, detail }));
  if (distances === null || errors.length > 0) return { samples: [], errors };
  const at = instantOf(day(new Date(), zone.value), draft.time, zone.value);
  const samples = distances.map((distanceKm) => ({
    distanceKm,
    deliveries,
    at,
    ...(draft.hasReturn ? { returnKm: distanceKm } : {}),
  }));
  return { samples, errors };
}
