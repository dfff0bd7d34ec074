/** The texts of an order's page. */

import type { AssignmentCost } from "../../api/wire";
import { translated } from "../../i18n/language";

export type CostPart = Exclude<keyof AssignmentCost, "total">;

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
    ASSIGNED: "Assigned",
    CAN_WAIT: "Can wait",
    COURIER_BUSY: "Waits for the courier",
    OTHERS_FIRST: "Other orders first",
    NO_COURIER: "No courier",
    NOT_SEARCHING: "Not searching",
  } as Record<string, string>,
  /** Why an order has no courier yet. */
  reasons: {
    CAN_WAIT: "It can wait without a later delivery: a better courier may become free.",
    COURIER_BUSY: "It waits until the planned courier is free.",
    OTHERS_FIRST: "The couriers in reach are planned for other orders.",
    NO_COURIER: "No courier is in reach.",
    NOT_SEARCHING: "It is not searching for a courier now.",
  } as Record<string, string>,
  best: (name: string, less: string, next: string) =>
    `${name} was chosen: ${less} than with ${next}, the next best.`,
  equal: (name: string, next: string) =>
    `${name} was chosen, but ${next} would cost about the same.`,
  together: (name: string, next: string) =>
    `${name} was chosen with all orders in view: for this order alone, ${next} would be better.`,
  single: (name: string) => `${name} was the only courier in reach who could take the order.`,
  byOperator: (name: string) => `The operator chose ${name}.`,
  /** The rest of the sentence of `best`. Only the delay is counted in full. */
  less: {
    lateness: (time) => `the delay is ${time} shorter`,
    wait: (time) => `the wait of the goods costs ${time} less`,
    start: (time) => `the time until the start costs ${time} less`,
    travel: (time) => `the ride to the pickup costs ${time} less`,
    length: (time) => `the trip costs ${time} less`,
    remoteness: (time) => `the bonus for being far from other pickups is ${time} larger`,
    guarantee: (time) => `the hourly guarantee costs ${time} less`,
    reoffer: (time) => `another offer costs ${time} less`,
  } as Record<CostPart, (time: string) => string>,
  chosen: "chosen",
  planned: "planned",
  trip: (n: number, cost: string) =>
    n === 1 ? `Trip with this order only, cost ${cost}` : `Trip of ${n} orders, cost ${cost}`,
  considered: "Cost for this order alone",
  total: "Total cost",
  order: "Order",
  explain: "Explain",
  explainOrder: (id: number) => `Explain order #${id}`,
  outcome: "Decision",
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
    lateness: "Delay",
    wait: "Goods wait",
    start: "Start",
    travel: "To the pickup",
    length: "Trip",
    remoteness: "Far (bonus)",
    guarantee: "Guarantee",
    reoffer: "Offered again",
  } satisfies Record<CostPart, string>,
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
    ASSIGNED: "Atribuído",
    CAN_WAIT: "Pode esperar",
    COURIER_BUSY: "Espera o entregador",
    OTHERS_FIRST: "Outros pedidos antes",
    NO_COURIER: "Sem entregador",
    NOT_SEARCHING: "Fora da busca",
  },
  reasons: {
    CAN_WAIT: "Pode esperar sem atrasar a entrega: um entregador melhor pode ficar livre.",
    COURIER_BUSY: "Espera até o entregador planejado ficar livre.",
    OTHERS_FIRST: "Os entregadores ao alcance estão planejados para outros pedidos.",
    NO_COURIER: "Nenhum entregador está ao alcance.",
    NOT_SEARCHING: "Não está buscando entregador agora.",
  },
  best: (name, less, next) =>
    `${name} foi a melhor opção: ${less} do que com ${next}, a segunda melhor.`,
  equal: (name, next) => `${name} foi a melhor opção, mas ${next} custaria quase o mesmo.`,
  together: (name, next) =>
    `${name} foi a melhor opção para o conjunto dos pedidos: só para este, seria ${next}.`,
  single: (name) => `${name} era a única opção ao alcance que podia levar o pedido.`,
  byOperator: (name) => `O operador escolheu ${name}.`,
  less: {
    lateness: (time) => `o atraso é ${time} menor`,
    wait: (time) => `a espera da mercadoria custa ${time} a menos`,
    start: (time) => `o tempo até a saída custa ${time} a menos`,
    travel: (time) => `a ida até a coleta custa ${time} a menos`,
    length: (time) => `a viagem custa ${time} a menos`,
    remoteness: (time) => `o desconto por estar longe de outras coletas é ${time} maior`,
    guarantee: (time) => `a garantia por hora custa ${time} a menos`,
    reoffer: (time) => `a nova oferta custa ${time} a menos`,
  },
  chosen: "escolhido",
  planned: "planejado",
  trip: (n, cost) =>
    n === 1 ? `Viagem só com este pedido, custo ${cost}` : `Viagem de ${n} pedidos, custo ${cost}`,
  considered: "Custo só para este pedido",
  total: "Custo total",
  order: "Pedido",
  explain: "Explicar",
  explainOrder: (id) => `Explicar o pedido #${id}`,
  outcome: "Decisão",
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
    lateness: "Atraso",
    wait: "Espera",
    start: "Saída",
    travel: "Até a coleta",
    length: "Viagem",
    remoteness: "Longe (bônus)",
    guarantee: "Garantia",
    reoffer: "Nova oferta",
  },
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
