/** The amounts with their unit and their range, in the order of the form. */
export const AMOUNTS = [
  { name: "baseFee", unit: "R$", max: 10_000 },
  { name: "baseKm", unit: "km", max: 1_000 },
  { name: "perKm", unit: "R$/km", max: 1_000 },
  { name: "perExtraStop", unit: "R$", max: 10_000 },
  { name: "returnFee", unit: "R$", max: 10_000 },
  { name: "returnPerKm", unit: "R$/km", max: 1_000 },
  { name: "minimumFee", unit: "R$", max: 10_000 },
  { name: "maxDistanceKm", unit: "km", max: 5_000 },
  { name: "serviceRadiusKm", unit: "km", max: 5_000 },
  { name: "approachMinutes", unit: "min", max: 240 },
  { name: "handoverMinutes", unit: "min", max: 240 },
] as const;

export type AmountName = (typeof AMOUNTS)[number]["name"];
