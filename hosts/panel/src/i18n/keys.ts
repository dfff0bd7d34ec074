/** The texts of the page for API keys. */

import type { components } from "despacho/api";
import { translated } from "./language";

type Schemas = components["schemas"];

const en = {
  title: "API keys",
  lead: "An API key gives one of your systems access to a store. Panel sessions are listed too.",
  add: "New key",
  name: "Purpose",
  days: "Validity (days)",
  daysHint: "1 to 3650. If empty, one year.",
  password: "Your password",
  passwordHint: "Confirm your store's password: the key stays valid after this session.",
  origin: "Type",
  origins: { PANEL: "Panel session", INTEGRATION: "Integration" } satisfies Record<
    Schemas["KeyOrigin"],
    string
  > as Record<string, string>,
  expires: "Valid until",
  state: "Status",
  active: "Active",
  expired: "Expired",
  revoked: "Revoked",
  revoke: "Revoke",
  revokeTitle: "Revoke this key?",
  revokeText: "Systems that use this key lose access immediately. This cannot be undone.",
  revokeOwn: "This key belongs to your current session. You will be logged out.",
  own: "current session",
  issued: "New key:",
  once: "This key is shown only once. Copy it and store it securely.",
  submit: "Create key",
  empty: "No API keys.",
  emptyHint: "Create a key for the system that sends your orders.",
  revokedOne: (name: string) => `Key ${name} revoked.`,
  hideSessions: "Hide panel sessions",
};

const pt: typeof en = {
  title: "Chaves de API",
  lead: "Uma chave de API dá acesso a uma loja para um sistema seu. As sessões do painel também aparecem na lista.",
  add: "Nova chave",
  name: "Finalidade",
  days: "Validade (dias)",
  daysHint: "De 1 a 3650. Se vazio, um ano.",
  password: "Sua senha",
  passwordHint: "Confirme a senha da sua loja: a chave continua válida depois desta sessão.",
  origin: "Tipo",
  origins: { PANEL: "Sessão do painel", INTEGRATION: "Integração" } satisfies Record<
    Schemas["KeyOrigin"],
    string
  >,
  expires: "Válida até",
  state: "Situação",
  active: "Ativa",
  expired: "Expirada",
  revoked: "Revogada",
  revoke: "Revogar",
  revokeTitle: "Revogar esta chave?",
  revokeText:
    "Os sistemas que usam esta chave perdem o acesso imediatamente. Não é possível desfazer.",
  revokeOwn: "Esta chave é da sua sessão atual. Você vai sair do painel.",
  own: "sessão atual",
  issued: "Nova chave:",
  once: "Esta chave só é exibida uma vez. Copie e guarde em um lugar seguro.",
  submit: "Criar chave",
  empty: "Nenhuma chave de API.",
  emptyHint: "Crie uma chave para o sistema que envia seus pedidos.",
  revokedOne: (name) => `Chave ${name} revogada.`,
  hideSessions: "Ocultar sessões do painel",
};

export const keyTexts = translated(en, pt);
