/** The types of entries and lines of couriers' pay. */

import type { PayType } from "../api/wire";
import { translated } from "./language";

const en: Record<PayType, string> = {
  trip: "Trip",
  extra_order: "Further order",
  delivery: "Deliveries",
  distance: "Distance",
  fee_share: "Share of the fee",
  return: "Way back",
  cancellation: "Cancelled",
  window: "Time surcharge",
  minimum: "Up to the minimum",
  waiting: "Waiting",
  bonus: "Bonus",
  tip: "Tip",
  daily: "Daily amount",
  guarantee: "Up to the guarantee",
  commission: "Commission",
  advance: "Advance",
  correction: "Correction",
};

const pt: typeof en = {
  trip: "Saída",
  extra_order: "Pedido adicional",
  delivery: "Entregas",
  distance: "Distância",
  fee_share: "Parte da taxa",
  return: "Retorno",
  cancellation: "Cancelado",
  window: "Adicional de horário",
  minimum: "Complemento do mínimo",
  waiting: "Espera",
  bonus: "Bônus",
  tip: "Gorjeta",
  daily: "Diária",
  guarantee: "Complemento da garantia",
  commission: "Comissão",
  advance: "Adiantamento",
  correction: "Correção",
};

export const payTypeTexts = translated(en, pt);
