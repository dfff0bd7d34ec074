/** The texts of the page for dispatch. */

import { computed } from "@preact/signals";
import { language } from "../../i18n/language";

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
  allocated: (n: number) => (n === 1 ? "1 order was assigned to a courier." : `${n} orders were assigned to couriers.`),
  released: (n: number) => (n === 1 ? "1 order was taken from a courier who does not respond." : `${n} orders were taken from couriers who do not respond.`),
  expired: (n: number) => (n === 1 ? "1 order expired, because no courier was found in time." : `${n} orders expired, because no courier was found in time.`),
  moved: (n: number) => (n === 1 ? "1 order moved to its next status at the scheduled time." : `${n} orders moved to their next status at the scheduled time.`),
  assigns: (n: number, all: number) => `${n} of ${all} searching orders would be assigned to couriers.`,
  more: "The pass stopped at its limit. Run another one at once.",
  shown: (n: number, all: number) => `The list shows ${n} of ${all} decisions.`,
  order: (id: number) => `Order #${id}`,
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
  allocated: (n) => (n === 1 ? "1 pedido foi atribuído a um entregador." : `${n} pedidos foram atribuídos a entregadores.`),
  released: (n) => (n === 1 ? "1 pedido foi retirado de um entregador que não responde." : `${n} pedidos foram retirados de entregadores que não respondem.`),
  expired: (n) => (n === 1 ? "1 pedido expirou porque nenhum entregador foi encontrado a tempo." : `${n} pedidos expiraram porque nenhum entregador foi encontrado a tempo.`),
  moved: (n) => (n === 1 ? "1 pedido mudou de situação no horário previsto." : `${n} pedidos mudaram de situação no horário previsto.`),
  assigns: (n, all) => `${n} de ${all} pedidos em busca seriam atribuídos a entregadores.`,
  more: "A passada parou no seu limite. Execute outra em seguida.",
  shown: (n, all) => `A lista mostra ${n} de ${all} decisões.`,
  order: (id) => `Pedido #${id}`,
};

export const dispatchTexts = computed(() => (language.value === "pt" ? pt : en));
