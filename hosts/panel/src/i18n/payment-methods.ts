/** The methods of payments at the door. */

import type { PaymentMethod } from "../api/wire";
import { translated } from "./language";

const en: Record<PaymentMethod, string> = {
  CARD_MACHINE: "card machine",
  CASH: "cash",
  PIX: "Pix",
};

const pt: typeof en = { CARD_MACHINE: "maquininha", CASH: "dinheiro", PIX: "Pix" };

export const paymentMethodTexts = translated(en, pt);
