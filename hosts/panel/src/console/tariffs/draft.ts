/** The draft of a tariff: the typed texts of its form, stored in this tab until it takes effect. */

import type {
  FieldError,
  Tariff as StoredTariff,
  TariffWindow,
  VehicleSurcharge,
} from "../../api/wire";
import { startOfDay, typed } from "../../format";
import { VEHICLES } from "../../load";
import { formDraft } from "../draft";
import { tariffTexts } from "../texts/tariffs";
import type { ChosenStore } from "../order-filter";
import { AMOUNTS, type AmountName } from "./amounts";
import type { Tariff } from "./api";

export const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] as const;
export const MAX_WINDOWS = 50;

export type TypedTariff = Record<AmountName, string> & {
  version: string;
  windows: TariffWindow[];
  vehicles?: VehicleSurcharge[];
};

export interface TariffDraft {
  tariff: TypedTariff | null;
  /** The samples of the preview. */
  distances: string;
  times: string;
  day: string;
  state: string;
  stops: string;
  hasReturn: boolean;
  /** The kind of vehicle that the samples need; empty without requirements. */
  vehicle?: string;
  /** The period and the store of the comparison with past orders. */
  days: string;
  store: ChosenStore;
  /** The local day and time of effect; empty means at once. */
  effective: string;
}

const empty = (): TariffDraft => ({
  tariff: null,
  distances: "1; 3; 5; 8; 12",
  times: "12:00; 19:00; 23:00",
  day: "",
  state: "SP",
  stops: "1",
  hasReturn: false,
  vehicle: "",
  days: "30",
  store: { text: "", id: null },
  effective: "",
});

export const tariffDraft = formDraft<TariffDraft>("tariff", empty);
export const DRAFT = "draft";

/** Returns the weekday `Mon` of names such as `monday`. */
const weekday = (name: string): string =>
  WEEKDAYS.find((one) => one.toLowerCase() === name.slice(0, 3).toLowerCase()) ?? name;

export function typedTariff(tariff: StoredTariff): TypedTariff {
  const amounts = Object.fromEntries(
    AMOUNTS.map(({ name }) => [name, typed(tariff[name])]),
  ) as Record<AmountName, string>;
  const vehicles = (tariff.vehicles ?? []).map((one) => ({
    ...one,
    percent: typed(one.percent),
    fee: typed(one.fee),
  }));
  return { ...amounts, version: tariff.version, windows: typedWindows(tariff.windows), vehicles };
}

/** Returns the texts of the windows of a tariff or a pay plan. */
export const typedWindows = (windows: readonly TariffWindow[]): TariffWindow[] =>
  windows.map((window) => ({
    ...window,
    days: window.days.map(weekday),
    percent: typed(window.percent),
  }));

export const emptyWindow = (): TariffWindow => ({
  name: "",
  days: [],
  from: "18:00",
  until: "22:00",
  percent: "10",
});

/** Returns a surcharge for a kind that has none yet. */
export function emptySurcharge(existing: readonly VehicleSurcharge[]): VehicleSurcharge {
  const isFree = (kind: string) => !existing.some((one) => one.vehicle === kind);
  return { vehicle: VEHICLES.toReversed().find(isFree) ?? "CAR", percent: "", fee: "" };
}

/** Returns the instant of a time such as `22:00` of a day in a time zone. */
export function instantOf(day: string, time: string, zone: string): string {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return new Date(startOfDay(day, zone).getTime() + (hours * 60 + minutes) * 60_000).toISOString();
}

/** Returns the next version that none of the tariffs has: `default-2` after `default-1`. */
export function freeVersion(of: string, taken: readonly string[]): string {
  const [, name = of, number = "1"] = /^(.+)-(\d{1,6})$/.exec(of) ?? [];
  let next = Number(number) + 1;
  while (taken.includes(`${name}-${next}`)) next += 1;
  return `${name}-${next}`;
}

/** Parses a number with a decimal comma or point. */
export function parseDecimal(text: string): number | null {
  const bare = text.trim();
  return /^-?\d{1,9}([.,]\d{1,9})?$/.test(bare) ? Number(bare.replace(",", ".")) : null;
}

/** Reads the numbers of a draft, and collects the fields that are none. */
export function numberReader() {
  const errors: FieldError[] = [];
  const decimal = (pointer: string, text: string): number => {
    const value = parseDecimal(text);
    if (value === null)
      errors.push({ pointer, code: "wrong_type", detail: tariffTexts.value.notNumber });
    return value ?? 0;
  };
  const windows = (base: string, all: readonly TariffWindow[]) =>
    all.map((window, at) => ({
      ...window,
      name: window.name.trim(),
      percent: decimal(`${base}/windows/${at}/percent`, window.percent),
    }));
  return { errors, decimal, windows };
}

/** Returns the tariff of a draft, or the fields that are not numbers. The server checks the ranges. */
export function readTariff(draft: TypedTariff): { tariff: Tariff; errors: FieldError[] } {
  const { errors, decimal, windows } = numberReader();
  const amounts = Object.fromEntries(
    AMOUNTS.map(({ name }) => [name, decimal(`/tariff/${name}`, draft[name])]),
  ) as Record<AmountName, number>;
  for (const name of ["approachMinutes", "handoverMinutes"] as const) {
    if (!Number.isInteger(amounts[name]))
      errors.push({
        pointer: `/tariff/${name}`,
        code: "not_whole",
        detail: tariffTexts.value.notWhole,
      });
  }
  const ofDay = windows("/tariff", draft.windows);
  const optional = (pointer: string, text: string) =>
    text.trim() === "" ? 0 : decimal(pointer, text);
  const vehicles = (draft.vehicles ?? []).map(({ vehicle, percent, fee }, at) => ({
    vehicle,
    percent: optional(`/tariff/vehicles/${at}/percent`, percent),
    fee: optional(`/tariff/vehicles/${at}/fee`, fee),
  }));
  return {
    tariff: {
      ...amounts,
      version: draft.version.trim(),
      windows: ofDay,
      ...(vehicles.length === 0 ? {} : { vehicles }),
    },
    errors,
  };
}

/** Reads a pasted tariff. Throws an error with a text for the user. */
export function parseTariff(json: string): TypedTariff {
  const t = tariffTexts.value;
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new Error(t.jsonInvalid);
  }
  const found = isObject(value) && isObject(value.tariff) ? value.tariff : value;
  if (!isObject(found)) throw new Error(t.jsonInvalid);
  const known = ["version", "windows", "vehicles", ...AMOUNTS.map(({ name }) => name)];
  const unknown = Object.keys(found).filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(t.jsonUnknown(unknown.join(", ")));
  const missing = known.filter(
    (name) => name !== "windows" && name !== "vehicles" && found[name] === undefined,
  );
  if (missing.length > 0) throw new Error(t.jsonMissing(missing.join(", ")));
  const windows = found.windows ?? [];
  const isWindow = (one: unknown) =>
    isObject(one) &&
    ["name", "from", "until"].every((name) => typeof one[name] === "string") &&
    one.percent !== undefined;
  if (!Array.isArray(windows) || !windows.every(isWindow)) throw new Error(t.jsonWindows);
  const days = (one: Record<string, unknown>) =>
    Array.isArray(one.days) ? one.days.map(String) : [];
  const vehicles = found.vehicles ?? [];
  if (
    !Array.isArray(vehicles) ||
    !vehicles.every((one) => isObject(one) && typeof one.vehicle === "string")
  )
    throw new Error(t.jsonVehicles);
  const pasted = {
    ...found,
    version: String(found.version),
    windows: windows.map((one) => ({ ...one, days: days(one) })),
    vehicles: vehicles.map((one) => ({
      vehicle: one.vehicle,
      percent: one.percent ?? 0,
      fee: one.fee ?? 0,
    })),
  };
  return typedTariff(pasted as unknown as StoredTariff);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
