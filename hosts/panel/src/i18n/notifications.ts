/** The texts of notifications. */

import type { components } from "despacho/api";
import { translated } from "./language";

type Schemas = components["schemas"];

const en = {
  title: "Notifications",
  empty: "No notifications.",
  emptyHint: "Orders that could not be created or that found no courier appear here.",
  types: {
    order_cancelled: "Order cancelled by Despacho",
    delivery_returning: "Goods are being returned",
    courier_at_return: "Courier is back for the return",
    delivery_lost: "Delivery lost",
    order_creation_failed: "Order could not be created",
    order_expired: "No courier found in time",
    webhook_stopped: "Webhook stopped",
    prices_estimated: "Prices are estimates",
    mail_withheld: "Emails not sent",
  } satisfies Record<Schemas["NotificationType"], string> as Record<string, string>,
  other: "Notification",
  read: "Mark as read",
  readAll: "Mark all as read",
  unread: "new",
  today: "Today",
  yesterday: "Yesterday",
  open: "Open order",
  noCode: "Order without a code",
};

const pt: typeof en = {
  title: "Notificações",
  empty: "Nenhuma notificação.",
  emptyHint: "Pedidos que não puderam ser criados ou que ficaram sem entregador aparecem aqui.",
  types: {
    order_cancelled: "Pedido cancelado pelo Despacho",
    delivery_returning: "Mercadoria em devolução",
    courier_at_return: "Entregador chegou para a devolução",
    delivery_lost: "Entrega extraviada",
    order_creation_failed: "Não foi possível criar um pedido",
    order_expired: "Nenhum entregador encontrado a tempo",
    webhook_stopped: "Webhook parado",
    prices_estimated: "Os preços são estimativas",
    mail_withheld: "E-mails não enviados",
  } satisfies Record<Schemas["NotificationType"], string>,
  other: "Notificação",
  read: "Marcar como lida",
  readAll: "Marcar todas como lidas",
  unread: "nova",
  today: "Hoje",
  yesterday: "Ontem",
  open: "Abrir pedido",
  noCode: "Pedido sem código",
};

export const notificationTexts = translated(en, pt);
