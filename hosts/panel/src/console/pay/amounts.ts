/** The amounts of a plan by their path, with their unit and their range, in the groups of the form. */
export const GROUPS = {
  order: [
    { path: "perTrip", unit: "R$", max: 10_000 },
    { path: "perExtraOrder", unit: "R$", max: 10_000 },
    { path: "perDelivery", unit: "R$", max: 10_000 },
    { path: "includedKm", unit: "km", max: 1_000 },
    { path: "perKm", unit: "R$/km", max: 1_000 },
    { path: "feePercent", unit: "%", max: 100 },
    { path: "minimumPerOrder", unit: "R$", max: 10_000 },
  ],
  more: [
    { path: "returned.fee", unit: "R$", max: 10_000 },
    { path: "returned.perKm", unit: "R$/km", max: 1_000 },
    { path: "cancelledPercent.assigned", unit: "%", max: 100 },
    { path: "cancelledPercent.arrived", unit: "%", max: 100 },
    { path: "waiting.afterMinutes", unit: "min", max: 240 },
    { path: "waiting.perMinute", unit: "R$", max: 10_000 },
    { path: "waiting.maxMinutes", unit: "min", max: 240 },
  ],
  shift: [
    { path: "shift.daily", unit: "R$", max: 10_000 },
    { path: "shift.guarantee", unit: "R$", max: 10_000 },
    { path: "shift.guaranteePerHour", unit: "R$/h", max: 10_000 },
    { path: "shift.guaranteeDeliveries", unit: "", max: 200 },
    { path: "commission.percent", unit: "%", max: 100 },
    { path: "commission.perDelivery", unit: "R$", max: 10_000 },
  ],
} as const;

export type Group = keyof typeof GROUPS;
export type AmountPath = (typeof GROUPS)[Group][number]["path"];

export const AMOUNTS: readonly { path: AmountPath; unit: string; max: number }[] =
  Object.values(GROUPS).flat();
