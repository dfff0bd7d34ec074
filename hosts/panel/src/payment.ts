/** What couriers collect at the doors. */

import type { Delivery, Order } from "./api/wire";
import { sumOfReais } from "./brazil";
import { CANCELLED } from "./situations";

/** The payments of an order at the doors, without cancelled deliveries. */
export interface DoorPayments {
  /** The deliveries that are not paid online. */
  deliveries: Delivery[];
  /** The sum in reais, or null if an amount is unknown. */
  amount: number | null;
  /** Whether all of it was received. */
  isReceived: boolean;
}

/** Returns the payments at the doors, or null if everything was paid online. */
export function doorPayments(order: Pick<Order, "deliveries">): DoorPayments | null {
  const deliveries = order.deliveries.filter(
    (one) => !one.onlinePayment && one.situation < CANCELLED,
  );
  if (deliveries.length === 0) return null;
  const amounts = deliveries.map((one) => one.payment?.amount ?? one.productValue);
  const isKnown = (amount: number | null): amount is number => amount !== null;
  return {
    deliveries,
    amount: amounts.every(isKnown) ? sumOfReais(amounts) : null,
    isReceived: deliveries.every((one) => (one.paymentsReceived ?? []).length > 0),
  };
}
