/** The columns of the board of open orders. */

import type { OrderRow } from "./api/wire";
import { byUrgency, lateness } from "./lateness";
import { isInPreparation } from "./ready";
import { OUT_FOR_DELIVERY, PREPARING, RETURNING, SEARCHING } from "./situations";

export const COLUMNS = ["preparing", "ready", "out", "problem"] as const;
export type BoardColumn = (typeof COLUMNS)[number];

/** Returns the column of an open order: what returns, or is late without a courier, is a problem. */
export function columnOf(order: OrderRow, now: number): BoardColumn {
  const { situation } = order;
  const isLate = () => lateness(order, now)?.kind === "late";
  if (situation >= RETURNING || (situation === SEARCHING && isLate())) return "problem";
  if (situation >= OUT_FOR_DELIVERY) return "out";
  return situation <= PREPARING || isInPreparation(order) ? "preparing" : "ready";
}

/** Returns the open orders of each column, the most urgent first. */
export function byColumn(
  rows: readonly OrderRow[],
  now: number,
): ReadonlyMap<BoardColumn, OrderRow[]> {
  const columns = new Map<BoardColumn, OrderRow[]>(COLUMNS.map((column) => [column, []]));
  for (const row of byUrgency(rows, now)) columns.get(columnOf(row, now))?.push(row);
  return columns;
}
