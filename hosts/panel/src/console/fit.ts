/** Whether a courier can take an order now, as far as the console knows. The server decides. */

import type { CourierRecord, Order } from "../api/wire";

/** Why not, by the names that the API uses in explanations of dispatch. */
export type Unfit =
  | "SANDBOX"
  | "VEHICLE"
  | "WEIGHT"
  | "VOLUME"
  | "CONTAINER"
  | "CARD_MACHINE"
  | "STUCK"
  | "UNRESPONSIVE"
  | "OFF"
  | "SUSPENDED";

type Courier = Pick<
  CourierRecord,
  "state" | "sandbox" | "vehicle" | "maxWeightGrams" | "maxVolumeMillilitres" | "equipment"
>;

/** Returns what prevents it for good first, or null if nothing does. */
export function unfit(
  courier: Courier,
  { requirements: needed }: Pick<Order, "requirements">,
  isSandbox: boolean,
): Unfit | null {
  if (courier.sandbox !== isSandbox) return "SANDBOX";
  if (needed !== undefined) {
    const kinds: readonly string[] = needed.vehicle;
    if (kinds.length > 0 && !kinds.includes(courier.vehicle)) return "VEHICLE";
    if ((needed.weightGrams ?? 0) > courier.maxWeightGrams) return "WEIGHT";
    if ((needed.volumeMillilitres ?? 0) > courier.maxVolumeMillilitres) return "VOLUME";
    const has = (item: string) => courier.equipment.some((one) => one === item);
    if (needed.container === "THERMIC" && !has("THERMIC_CONTAINER")) return "CONTAINER";
    if (needed.cardMachine && !has("CARD_MACHINE")) return "CARD_MACHINE";
  }
  switch (courier.state) {
    case "STUCK":
    case "UNRESPONSIVE":
    case "OFF":
    case "SUSPENDED":
      return courier.state;
    default:
      return null;
  }
}
