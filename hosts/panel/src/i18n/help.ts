/** The texts of the help dialog. */

import { translated } from "./language";

const en = {
  title: "Keyboard shortcuts",
  note: "The other shortcuts do nothing while you type in a field.",
  use: "Use these shortcuts",
  followedBy: "then",
  create: "New order",
  submit: "Create the order, also while you type",
  search: "Search orders",
  next: "Next order in the list",
  previous: "Previous order in the list",
  open: "Open the selected order",
  ready: "Mark the selected order as ready, or undo that",
  help: "Show this help",
  close: "Close a dialog",
};

const pt: typeof en = {
  title: "Atalhos de teclado",
  note: "Os outros atalhos não funcionam enquanto você digita em um campo.",
  use: "Usar estes atalhos",
  followedBy: "e depois",
  create: "Novo pedido",
  submit: "Criar o pedido, também enquanto você digita",
  search: "Buscar pedidos",
  next: "Próximo pedido da lista",
  previous: "Pedido anterior da lista",
  open: "Abrir o pedido selecionado",
  ready: "Marcar o pedido selecionado como pronto, ou desfazer",
  help: "Mostrar esta ajuda",
  close: "Fechar um diálogo",
};

export const helpTexts = translated(en, pt);
