/** What earlier orders say about the customer of a telephone number. */

import { orders } from "./api/client";
import type { Address, Delivery, OrderRow, PaymentMethod } from "./api/wire";

/** A customer at one address. */
export interface Known {
  name: string;
  address: Address;
  observation: string;
  paid: boolean;
  payment: PaymentMethod | "";
  /** The time of the last order there. */
  at: string;
}

const MAX_ADDRESSES = 3;
/** Number of orders that are read: each can have another address. */
const MAX_ORDERS = 20;
const COMPLETE = /^\+\d{10,15}$/;

/** Returns the addresses to which orders of a number were sent, the last one first. A number that is not in E.164 has none. */
export async function findKnown(phone: string, signal: AbortSignal): Promise<Known[]> {
  if (!COMPLETE.test(phone)) return [];
  const page = await orders.list({ q: phone, limit: MAX_ORDERS }, signal);
  return knownFrom(page.orders, phone);
}

export function knownFrom(rows: readonly OrderRow[], phone: string): Known[] {
  const found = new Map<string, Known>();
  const newest = [...rows].sort((a, b) => b.createdAt.localeCompare(a.createdAt));
  for (const { deliveries, createdAt } of newest) {
    for (const delivery of deliveries) {
      if (delivery.phone !== phone) continue;
      const { street, number, complement, city } = delivery.address;
      const key = JSON.stringify([street, number, complement, city]).toLowerCase();
      if (!found.has(key)) found.set(key, knownOf(delivery, createdAt));
    }
  }
  return [...found.values()].slice(0, MAX_ADDRESSES);
}

function knownOf(delivery: Delivery, at: string): Known {
  return {
    name: delivery.name ?? "",
    address: delivery.address,
    observation: delivery.observation ?? "",
    paid: delivery.onlinePayment,
    payment: delivery.payment?.method ?? "",
    at,
  };
}
