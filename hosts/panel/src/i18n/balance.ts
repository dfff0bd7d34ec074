/** The texts of the balance and the statement. */

import type { components } from "despacho/api";
import { translated } from "./language";

type Schemas = components["schemas"];

const en = {
  title: "Balance",
  lead: "Fees are charged when an order is created, and refunded when it is cancelled free of charge.",
  statement: "Statement",
  from: "From",
  to: "To",
  csv: "Download CSV",
  when: "Date",
  what: "Description",
  order: "Order",
  amount: "Amount",
  after: "Balance after",
  kinds: {
    fee: "Delivery fee",
    refund: "Refund",
    cancellation_fee: "Cancellation fee",
    top_up: "Top-up",
    transfer: "Transfer",
  } satisfies Record<Schemas["EntryType"], string> as Record<string, string>,
  empty: "No entries in this period.",
  emptyHint: "Choose another period.",
  more: (shown: number) =>
    `The table shows the first ${shown} entries of the period, and there are later ones: choose a shorter period or download the CSV.`,
};

const pt: typeof en = {
  title: "Saldo",
  lead: "A taxa é cobrada na criação do pedido e estornada quando ele é cancelado sem custo.",
  statement: "Extrato",
  from: "De",
  to: "Até",
  csv: "Baixar CSV",
  when: "Data",
  what: "Descrição",
  order: "Pedido",
  amount: "Valor",
  after: "Saldo após",
  kinds: {
    fee: "Taxa de entrega",
    refund: "Estorno",
    cancellation_fee: "Taxa de cancelamento",
    top_up: "Recarga",
    transfer: "Transferência",
  } satisfies Record<Schemas["EntryType"], string>,
  empty: "Nenhum lançamento neste período.",
  emptyHint: "Escolha outro período.",
  more: (shown) =>
    `A tabela mostra os primeiros ${shown} lançamentos do período, e há outros depois: escolha um período menor ou baixe o CSV.`,
};

export const balanceTexts = translated(en, pt);
