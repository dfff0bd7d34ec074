/** Why dispatch chose a courier, from the costs. */

import type { ConsideredCourier, DispatchDecision } from "../api/wire";
import { type CostPart, detailTexts, span } from "./texts/order";

const parts = () => Object.keys(detailTexts.value.costs) as CostPart[];

/** Returns the parts of the cost that are not zero for each courier. */
export const presentParts = (considered: readonly ConsideredCourier[]): CostPart[] =>
  parts().filter((part) => considered.some(({ cost }) => cost[part] !== 0));

/** Returns the reason of a decision in one sentence. */
export function reasonOf(
  pass: Pick<DispatchDecision, "outcome" | "courierId" | "considered">,
  nameOf: (courierId: number) => string,
): string {
  const t = detailTexts.value;
  const { outcome, courierId, considered } = pass;
  if (outcome !== "ASSIGNED" || courierId === null) return t.reasons[outcome] ?? outcome;
  const name = nameOf(courierId);
  if (considered.length === 0) return t.byOperator(name);
  const chosen = considered.find((one) => one.courierId === courierId);
  // The couriers are sorted by their cost.
  const next = considered.find((one) => one.courierId !== courierId);
  if (next === undefined) return t.single(name);
  const other = nameOf(next.courierId);
  if (chosen === undefined || chosen.cost.total > next.cost.total) return t.together(name, other);
  const lessOf = (part: CostPart) => next.cost[part] - chosen.cost[part];
  const part = parts().reduce((best, one) => (lessOf(one) > lessOf(best) ? one : best));
  return chosen.cost.total === next.cost.total || lessOf(part) <= 0
    ? t.equal(name, other)
    : t.best(name, t.less[part](span(lessOf(part))), other);
}
