/** The texts of the search over all days. */

import { translated } from "./language";

const en = {
  results: (words: string) => `Orders of all days for “${words}”`,
  count: (n: number, hasMore: boolean) =>
    hasMore
      ? `${n} orders shown, newest first. There are more.`
      : n === 1
        ? "1 order found."
        : `${n} orders found, newest first.`,
  none: (words: string) => `No order was found for “${words}”.`,
  noneHint:
    "Enter the whole number of the order, or words of its code or of a recipient's name or phone. Accents and capital letters make no difference.",
};

const pt: typeof en = {
  results: (words) => `Pedidos de todos os dias com “${words}”`,
  count: (n, hasMore) =>
    hasMore
      ? `${n} pedidos exibidos, do mais novo ao mais antigo. Há mais.`
      : n === 1
        ? "1 pedido encontrado."
        : `${n} pedidos encontrados, do mais novo ao mais antigo.`,
  none: (words) => `Nenhum pedido encontrado com “${words}”.`,
  noneHint:
    "Digite o número completo do pedido, ou palavras do código, do nome ou do telefone de um destinatário. Acentos e maiúsculas não fazem diferença.",
};

export const searchTexts = translated(en, pt);
