/** The texts of the pages for orders. */

import { translated } from "../../i18n/language";

const en = {
  title: "Orders",
  lead: "The orders of all stores. Late orders come first.",
  search: "Search",
  searchHint: "ID, code, name or phone",
  situation: "Status",
  anySituation: "All",
  store: "Store",
  storeHint: "Name or ID",
  storeUnknown: "Choose a store from the list.",
  late: "Late only",
  from: "From",
  to: "To",
  endBeforeStart: "The end is before the start.",
  clear: "Clear filters",
  more: "Show older orders",
  full: (n: number) => `The list shows ${n} orders at most. Use the filters to find older ones.`,
  count: (n: number) => (n === 1 ? "1 order" : `${n} orders`),
  empty: "No orders match the filters.",
};

const pt: typeof en = {
  title: "Pedidos",
  lead: "Pedidos de todas as lojas. Os atrasados vêm primeiro.",
  search: "Buscar",
  searchHint: "Código, nome, telefone ou nº",
  situation: "Situação",
  anySituation: "Todas",
  store: "Loja",
  storeHint: "Nome ou número",
  storeUnknown: "Escolha uma loja da lista.",
  late: "Só atrasados",
  from: "De",
  to: "Até",
  endBeforeStart: "O fim é anterior ao início.",
  clear: "Limpar filtros",
  more: "Mostrar pedidos mais antigos",
  full: (n) => `A lista mostra no máximo ${n} pedidos. Use os filtros para achar os mais antigos.`,
  count: (n) => (n === 1 ? "1 pedido" : `${n} pedidos`),
  empty: "Nenhum pedido corresponde aos filtros.",
};

export const allOrdersTexts = translated(en, pt);
