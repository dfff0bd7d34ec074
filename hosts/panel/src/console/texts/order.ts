/** The texts of an order's page. */

import { translated } from "../../i18n/language";

/** Seconds as `45 s` or `−2 min 05 s`. */
export function span(seconds: number): string {
  const size = Math.abs(seconds);
  const text =
    size < 60
      ? `${size} s`
      : `${Math.floor(size / 60)} min ${String(size % 60).padStart(2, "0")} s`;
  return seconds < 0 ? `−${text}` : text;
}

const en = {
  dispatch: "Dispatch",
  dispatchLead:
    "The latest decisions, and the couriers with the lowest costs. A cost of one second is one second of delay.",
  dispatchEmpty: "Nothing was decided about this order yet.",
  outcomes: {
    ASSIGNED: "Assigned to a courier",
    CAN_WAIT: "Can wait without a later delivery: a better courier may become free",
    COURIER_BUSY: "Waits until the planned courier is free",
    OTHERS_FIRST: "The couriers in reach are planned for other orders",
    NO_COURIER: "No courier in reach",
    NOT_SEARCHING: "Not searching for a courier now",
  } as Record<string, string>,
  chosen: "chosen",
  trip: (n: number) => (n === 1 ? "Trip with this order only" : `Trip of ${n} orders`),
  considered: "Couriers considered",
  excluded: "Couriers in reach who were left out",
  unfit: {
    SANDBOX: "carries only orders of another kind (sandbox)",
    VEHICLE: "vehicle not permitted",
    WEIGHT: "too heavy",
    VOLUME: "too large",
    CONTAINER: "no thermic container",
    CARD_MACHINE: "no card machine",
    CASH_LIMIT: "would have more cash than the limit",
    STUCK: "stuck on a trip",
    UNRESPONSIVE: "unresponsive",
    OFF: "off duty",
    SUSPENDED: "suspended",
  } as Record<string, string>,
  costs: {
    lateness: "later delivery",
    wait: "goods wait",
    start: "until the courier can start",
    travel: "to the pickup",
    length: "duration of the trip",
    remoteness: "courier far from other pickups",
    guarantee: "beyond the hourly guarantee",
    reoffer: "offered again",
  } as Record<string, string>,
  cost: (seconds: number) => `cost ${span(seconds)}`,
  courier: (id: number) => `Courier #${id}`,
  doReassign: "Reassign",
  reassignTitle: "Reassign this order?",
  reassignText: "The order is taken from its courier, who gets it again only if no other is free.",
  to: "Courier",
  toHint: "Those who can take the order, nearest first; then the others, with the reason.",
  anyCourier: "Search for another courier",
  doAssign: "Assign",
  assignTitle: "Assign a courier?",
  choose: "Choose",
  courierRequired: "Choose a courier.",
  byOperator: "chosen by the operator",
  busy: "on a trip",
  reason: "Reason",
  reasonHint: "It is stored in the order's history.",
  doCancel: "Cancel order",
  cancelTitle: "Cancel this order for the store?",
  cancelText: "The entire fee is refunded, and the store gets a notification.",
  doLose: "Write off as lost",
  loseTitle: "Write this delivery off as lost?",
  loseText: "After theft or an accident. The store gets a notification. This cannot be undone.",
  keep: "Back",
  store: "Store",
};

const pt: typeof en = {
  dispatch: "Despacho do pedido",
  dispatchLead:
    "As últimas decisões e os entregadores com os menores custos. Um segundo de custo é um segundo de atraso.",
  dispatchEmpty: "Ainda não houve decisão sobre este pedido.",
  outcomes: {
    ASSIGNED: "Atribuído a um entregador",
    CAN_WAIT: "Pode esperar sem atrasar a entrega: um entregador melhor pode ficar livre",
    COURIER_BUSY: "Espera até o entregador planejado ficar livre",
    OTHERS_FIRST: "Os entregadores ao alcance estão planejados para outros pedidos",
    NO_COURIER: "Nenhum entregador ao alcance",
    NOT_SEARCHING: "Não está buscando entregador agora",
  },
  chosen: "escolhido",
  trip: (n) => (n === 1 ? "Viagem só com este pedido" : `Viagem de ${n} pedidos`),
  considered: "Entregadores considerados",
  excluded: "Entregadores ao alcance que ficaram de fora",
  unfit: {
    SANDBOX: "só leva pedidos de outro tipo (sandbox)",
    VEHICLE: "veículo não permitido",
    WEIGHT: "peso acima do limite",
    VOLUME: "volume acima do limite",
    CONTAINER: "sem recipiente térmico",
    CARD_MACHINE: "sem maquininha",
    CASH_LIMIT: "passaria do limite de dinheiro",
    STUCK: "parado em uma viagem",
    UNRESPONSIVE: "sem contato",
    OFF: "fora do turno",
    SUSPENDED: "suspenso",
  },
  costs: {
    lateness: "entrega mais tarde",
    wait: "espera da mercadoria",
    start: "até o entregador poder sair",
    travel: "até a coleta",
    length: "duração da viagem",
    remoteness: "entregador longe de outras coletas",
    guarantee: "além da garantia por hora",
    reoffer: "oferecido de novo",
  },
  cost: (seconds) => `custo ${span(seconds)}`,
  courier: (id) => `Entregador #${id}`,
  doReassign: "Reatribuir",
  reassignTitle: "Reatribuir este pedido?",
  reassignText:
    "O pedido sai do entregador atual, que só o recebe de novo se nenhum outro estiver livre.",
  to: "Entregador",
  toHint:
    "Quem pode levar o pedido, do mais próximo ao mais distante; depois os demais, com o motivo.",
  anyCourier: "Buscar outro entregador",
  doAssign: "Atribuir",
  assignTitle: "Atribuir um entregador?",
  choose: "Escolha",
  courierRequired: "Escolha um entregador.",
  byOperator: "escolhido pelo operador",
  busy: "em viagem",
  reason: "Motivo",
  reasonHint: "Fica no histórico do pedido.",
  doCancel: "Cancelar pedido",
  cancelTitle: "Cancelar este pedido pela loja?",
  cancelText: "A taxa é devolvida por inteiro, e a loja recebe uma notificação.",
  doLose: "Dar como perdida",
  loseTitle: "Dar esta entrega como perdida?",
  loseText: "Em caso de roubo ou acidente. A loja recebe uma notificação. Não é possível desfazer.",
  keep: "Voltar",
  store: "Loja",
};

export const detailTexts = translated(en, pt);
