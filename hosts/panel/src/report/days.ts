/** The figures of a report, for each day, for each store and in total. */

import type { ReportDay } from "../api/wire";
import { nextDay } from "../format";

export interface Figures {
  created: number;
  delivered: number;
  cancelled: number;
  failed: number;
  /** Orders that are not finished. */
  open: number;
  fees: number;
  /** Minutes from the creation to the last delivery, or null if nothing was delivered. */
  mean: number | null;
  /** The minutes of 90 of 100 orders; with several entries, the highest figure of them. */
  p90: number | null;
  late: number;
  /** With several entries, their mean weighted by the delivered orders. */
  latePercent: number | null;
}

export interface DayFigures extends Figures {
  day: string;
}

/** Returns the days of a period in order. */
export function daysOf(from: string, to: string): string[] {
  const days: string[] = [];
  for (let day = from; day <= to; day = nextDay(day)) days.push(day);
  return days;
}

const sum = (values: readonly number[]) => values.reduce((total, one) => total + one, 0);

/** Returns the mean of the entries with a value, weighted by their delivered orders. */
function weighted(
  entries: readonly ReportDay[],
  value: (entry: ReportDay) => number | null,
): number | null {
  const known = entries.filter((entry) => value(entry) !== null && entry.delivered > 0);
  const weight = sum(known.map((entry) => entry.delivered));
  return weight === 0
    ? null
    : sum(known.map((entry) => (value(entry) ?? 0) * entry.delivered)) / weight;
}

const rounded = (value: number | null) => (value === null ? null : Math.round(value));

export function combine(entries: readonly ReportDay[]): Figures {
  const total = (name: "created" | "delivered" | "cancelled" | "failed" | "fees" | "late") =>
    sum(entries.map((entry) => entry[name]));
  const p90s = entries.flatMap((entry) => (entry.p90Minutes === null ? [] : [entry.p90Minutes]));
  const [created, delivered, cancelled, failed] = [
    total("created"),
    total("delivered"),
    total("cancelled"),
    total("failed"),
  ];
  return {
    created,
    delivered,
    cancelled,
    failed,
    open: Math.max(0, created - delivered - cancelled - failed),
    fees: total("fees"),
    mean: rounded(weighted(entries, (entry) => entry.meanMinutes)),
    p90: p90s.length === 0 ? null : Math.max(...p90s),
    late: total("late"),
    latePercent: rounded(weighted(entries, (entry) => entry.latePercent)),
  };
}

/** Returns the figures of every day of the period; the report omits days without orders. */
export function byDay(entries: readonly ReportDay[], days: readonly string[]): DayFigures[] {
  const found = group(entries, (entry) => entry.day);
  return days.map((day) => ({ day, ...combine(found.get(day) ?? []) }));
}

/** Returns the figures of each store, the one with most orders first. */
export function byStore(entries: readonly ReportDay[]): (Figures & { storeId: number })[] {
  const found = group(entries, (entry) => entry.storeId);
  return [...found]
    .map(([storeId, own]) => ({ storeId, ...combine(own) }))
    .sort((a, b) => b.created - a.created || a.storeId - b.storeId);
}

function group<K>(
  entries: readonly ReportDay[],
  key: (entry: ReportDay) => K,
): Map<K, ReportDay[]> {
  const found = new Map<K, ReportDay[]>();
  for (const entry of entries) found.set(key(entry), [...(found.get(key(entry)) ?? []), entry]);
  return found;
}
