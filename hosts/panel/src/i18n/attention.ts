/** The texts of alerts. */

import { translated } from "./language";

const en = {
  title: "Alerts on this device",
  hint: "For new notifications and orders that become late.",
  sound: "Play a sound",
  browser: "Show browser notifications",
  browserHint: "They appear while you use another window.",
  denied: "The browser blocks notifications from this site. Allow them in the browser's settings.",
  test: "Play the sound now",
  late: (code: string) => `Order ${code} is late.`,
  lateOrders: (n: number) => `${n} more orders are late.`,
};

const pt: typeof en = {
  title: "Avisos neste aparelho",
  hint: "Para novas notificações e pedidos que ficam atrasados.",
  sound: "Tocar um som",
  browser: "Mostrar notificações do navegador",
  browserHint: "Elas aparecem enquanto você usa outra janela.",
  denied:
    "O navegador bloqueia as notificações deste site. Permita-as nas configurações do navegador.",
  test: "Tocar o som agora",
  late: (code) => `O pedido ${code} está atrasado.`,
  lateOrders: (n) => `Mais ${n} pedidos estão atrasados.`,
};

export const attentionTexts = translated(en, pt);
