/** The texts of the map, and the words for couriers. */

import { translated } from "../../i18n/language";

export type CourierState =
  | "available"
  | "trip"
  | "stuck"
  | "silent"
  | "off"
  | "suspended"
  | "removed";

const en = {
  title: "Map",
  label: "Map of the couriers and the open orders",
  states: {
    available: "Available",
    trip: "On a trip",
    stuck: "Stuck",
    silent: "Unresponsive",
    off: "Not available",
    suspended: "Suspended",
    removed: "Removed",
  } satisfies Record<CourierState, string>,
  pickups: "Pickups",
  stops: "Stops",
  late: "Late",
  fit: "Show everything",
  city: "City of the pickup",
  allCities: "All cities",
  orders: "Open orders",
  noOrders: "No open orders.",
  couriers: "Couriers",
  noCouriers: "No courier is available or on a trip.",
  noPosition: "no position",
  position: (age: string) => `position ${age} ago`,
  stuckSince: (age: string) => `waiting for the next step for ${age}`,
  order: (code: string, store: string) => `${code} · ${store}`,
  close: "Close",
  closeOrder: (code: string) => `Close order ${code}`,
  openOrder: "All about this order",
  nearest: "Nearest couriers",
  nobody: "No courier can take this order now.",
  reason: "Chosen on the map",
  moreOrders: (n: number) => `Only the newest ${n} open orders and the late ones are shown.`,
  moreCouriers: (n: number) => `Only the first ${n} couriers are shown.`,
};

const pt: typeof en = {
  title: "Mapa",
  label: "Mapa dos entregadores e dos pedidos em aberto",
  states: {
    available: "Disponível",
    trip: "Em viagem",
    stuck: "Parado",
    silent: "Sem contato",
    off: "Indisponível",
    suspended: "Suspenso",
    removed: "Removido",
  },
  pickups: "Coletas",
  stops: "Paradas",
  late: "Atrasados",
  fit: "Mostrar tudo",
  city: "Cidade da coleta",
  allCities: "Todas as cidades",
  orders: "Pedidos em aberto",
  noOrders: "Nenhum pedido em aberto.",
  couriers: "Entregadores",
  noCouriers: "Nenhum entregador disponível ou em viagem.",
  noPosition: "sem posição",
  position: (age) => `posição há ${age}`,
  stuckSince: (age) => `esperando o próximo passo há ${age}`,
  order: (code, store) => `${code} · ${store}`,
  close: "Fechar",
  closeOrder: (code) => `Fechar o pedido ${code}`,
  openOrder: "Tudo sobre este pedido",
  nearest: "Entregadores mais próximos",
  nobody: "Nenhum entregador pode levar este pedido agora.",
  reason: "Escolhido no mapa",
  moreOrders: (n) => `Só aparecem os ${n} pedidos em aberto mais novos e os atrasados.`,
  moreCouriers: (n) => `Só aparecem os primeiros ${n} entregadores.`,
};

export const mapTexts = translated(en, pt);
