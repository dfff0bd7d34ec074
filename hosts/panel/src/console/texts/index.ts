/** The texts of the console's frame. Each page has a module of its own in this folder. */

import { translated } from "../../i18n/language";

const en = {
  title: "Operator's console",
  short: "Operator",
  nav: {
    map: "Map",
    orders: "Orders",
    stores: "Stores",
    couriers: "Couriers",
    dispatch: "Dispatch",
    tariffs: "Tariffs",
    pay: "Pay",
    changes: "Changes",
    health: "Health",
  },
  out: "Sign out",
  connected: "Connected",
  banner: "No connection to the server. Your input stays in this tab.",
  signIn: {
    title: "Sign in",
    lead: "For the operator of this service.",
    ended: "Your session has ended. Sign in again: your input is still in this tab.",
    token: "Operator's token",
    tokenHint: "The value of DESPACHO_ADMIN_TOKEN.",
    submit: "Sign in",
  },
  missing: "There is no such page.",
  changesLead: "Who changed stores, couriers and tariffs, newest first.",
};

const pt: typeof en = {
  title: "Console do operador",
  short: "Operador",
  nav: {
    map: "Mapa",
    orders: "Pedidos",
    stores: "Lojas",
    couriers: "Entregadores",
    dispatch: "Despacho",
    tariffs: "Tarifas",
    pay: "Ganhos",
    changes: "Alterações",
    health: "Saúde",
  },
  out: "Sair",
  connected: "Conectado",
  banner: "Sem conexão com o servidor. O que você digitou continua nesta aba.",
  signIn: {
    title: "Entrar",
    lead: "Para o operador deste serviço.",
    ended: "Sua sessão terminou. Entre de novo: o que você digitou continua nesta aba.",
    token: "Token do operador",
    tokenHint: "O valor de DESPACHO_ADMIN_TOKEN.",
    submit: "Entrar",
  },
  missing: "Esta página não existe.",
  changesLead: "Quem alterou lojas, entregadores e tarifas, da mais nova à mais antiga.",
};

export const consoleTexts = translated(en, pt);
