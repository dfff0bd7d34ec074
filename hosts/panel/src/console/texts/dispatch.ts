/** The texts of the page for dispatch. */

import type { DispatchSettings } from "../../api/wire";
import { translated } from "../../i18n/language";

/** The settings in the order of the form. */
export const settingNames = [
  "radiusKm",
  "maxPositionAgeMinutes",
  "stuckAfterMinutes",
  "waitLimitMinutes",
  "reofferAfterMinutes",
  "horizonMinutes",
  "ordersPerTrip",
  "detourMinutes",
  "readySpreadMinutes",
  "marginSeconds",
] as const satisfies readonly (keyof DispatchSettings)[];

const en = {
  title: "Dispatch",
  lead: "A pass matches the orders that search for a courier with the available couriers. The server runs one every few seconds. The terms of each store are on its page.",
  dryRun: "Simulate a pass",
  dryRunHint: "A simulation changes nothing, and explains the decision about each order.",
  run: "Run a pass now",
  running: "Running…",
  simulated: (time: string) => `A pass at ${time} would do this. Nothing was changed.`,
  done: (time: string) => `The pass of ${time} is complete.`,
  nothing: "No order is searching for a courier.",
  noChange: "There was nothing to change.",
  allocated: (n: number) =>
    n === 1 ? "1 order was assigned to a courier." : `${n} orders were assigned to couriers.`,
  released: (n: number) =>
    n === 1
      ? "1 order was taken from a courier who does not respond."
      : `${n} orders were taken from couriers who do not respond.`,
  expired: (n: number) =>
    n === 1
      ? "1 order expired, because no courier was found in time."
      : `${n} orders expired, because no courier was found in time.`,
  moved: (n: number) =>
    n === 1
      ? "1 order moved to its next status at the scheduled time."
      : `${n} orders moved to their next status at the scheduled time.`,
  assigns: (n: number, all: number) =>
    `${n} of ${all} searching orders would be assigned to couriers.`,
  more: "The pass stopped at its limit. Run another one at once.",
  shown: (n: number, all: number) => `The list shows ${n} of ${all} decisions.`,
  decisions: "Decisions",
  settings: "Settings",
  settingsHint:
    "The settings are those of the server's configuration. A simulation shows what a pass would decide with other values; it changes nothing.",
  names: {
    radiusKm: "Distance from courier to pickup, km at most",
    maxPositionAgeMinutes: "Age of a courier's position, minutes at most",
    stuckAfterMinutes: "A courier counts as stuck when a step is late by minutes",
    waitLimitMinutes: "Wait of a ready order while a courier is idle in reach, minutes at most",
    reofferAfterMinutes: "Another offer to a courier who released the order, after minutes",
    horizonMinutes: "Couriers who are free within minutes",
    ordersPerTrip: "Orders in a trip, at most",
    detourMinutes: "Delay by other orders of a trip, minutes at most",
    readySpreadMinutes: "Minutes between the ready times of a trip, at most",
    marginSeconds: "Send couriers earlier, by seconds",
  } satisfies Record<keyof DispatchSettings, string>,
  current: (value: number) => `Now: ${value}`,
  compare: "Simulate with these values",
  reset: "Reset",
  compared: (current: number, draft: number, orders: number, drafted: number) =>
    `Assigned now: ${current} of ${orders} orders in reach. With these values: ${draft} of ${drafted}.`,
  same: "The decisions are the same.",
  changed: (n: number) =>
    n === 1 ? "The decision about 1 order changes." : `The decisions about ${n} orders change.`,
  now: "Now",
  withDraft: "With these values",
  notMatched: "No courier in reach",
  apply: "To apply these values, add them to the configuration file of the server and restart it:",
};

const pt: typeof en = {
  title: "Despacho",
  lead: "Uma passada combina os pedidos que procuram entregador com os entregadores disponíveis. O servidor executa uma a cada poucos segundos. As condições de cada loja ficam na página dela.",
  dryRun: "Simular uma passada",
  dryRunHint: "A simulação não altera nada e explica a decisão sobre cada pedido.",
  run: "Executar uma passada agora",
  running: "Executando…",
  simulated: (time) => `Uma passada às ${time} faria o seguinte. Nada foi alterado.`,
  done: (time) => `A passada das ${time} terminou.`,
  nothing: "Nenhum pedido procura entregador.",
  noChange: "Não havia nada para alterar.",
  allocated: (n) =>
    n === 1
      ? "1 pedido foi atribuído a um entregador."
      : `${n} pedidos foram atribuídos a entregadores.`,
  released: (n) =>
    n === 1
      ? "1 pedido foi retirado de um entregador que não responde."
      : `${n} pedidos foram retirados de entregadores que não respondem.`,
  expired: (n) =>
    n === 1
      ? "1 pedido expirou porque nenhum entregador foi encontrado a tempo."
      : `${n} pedidos expiraram porque nenhum entregador foi encontrado a tempo.`,
  moved: (n) =>
    n === 1
      ? "1 pedido mudou de situação no horário previsto."
      : `${n} pedidos mudaram de situação no horário previsto.`,
  assigns: (n, all) => `${n} de ${all} pedidos em busca seriam atribuídos a entregadores.`,
  more: "A passada parou no seu limite. Execute outra em seguida.",
  shown: (n, all) => `A lista mostra ${n} de ${all} decisões.`,
  decisions: "Decisões",
  settings: "Ajustes",
  settingsHint:
    "Os ajustes são os da configuração do servidor. A simulação mostra o que uma passada decidiria com outros valores e não altera nada.",
  names: {
    radiusKm: "Distância do entregador à coleta, no máximo em km",
    maxPositionAgeMinutes: "Idade da posição do entregador, no máximo em minutos",
    stuckAfterMinutes: "O entregador conta como parado com o passo atrasado por minutos",
    waitLimitMinutes:
      "Espera de um pedido pronto com entregador livre ao alcance, no máximo em minutos",
    reofferAfterMinutes: "Nova oferta a quem liberou o pedido, após minutos",
    horizonMinutes: "Entregadores livres em até minutos",
    ordersPerTrip: "Pedidos por viagem, no máximo",
    detourMinutes: "Atraso por outros pedidos da viagem, no máximo em minutos",
    readySpreadMinutes: "Minutos entre os horários de preparo da viagem, no máximo",
    marginSeconds: "Antecedência de saída dos entregadores, em segundos",
  },
  current: (value) => `Agora: ${value}`,
  compare: "Simular com estes valores",
  reset: "Desfazer",
  compared: (current, draft, orders, drafted) =>
    `Atribuídos agora: ${current} de ${orders} pedidos ao alcance. Com estes valores: ${draft} de ${drafted}.`,
  same: "As decisões são as mesmas.",
  changed: (n) =>
    n === 1 ? "A decisão sobre 1 pedido muda." : `As decisões sobre ${n} pedidos mudam.`,
  now: "Agora",
  withDraft: "Com estes valores",
  notMatched: "Nenhum entregador ao alcance",
  apply:
    "Para aplicar estes valores, inclua-os no arquivo de configuração do servidor e reinicie-o:",
};

export const dispatchTexts = translated(en, pt);
