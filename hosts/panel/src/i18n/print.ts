/** The texts of printed labels and receipts. */

import { translated } from "./language";

const en = {
  of: (n: number, all: number) => `Delivery ${n} of ${all}`,
  pickupCode: "Pickup code",
  from: "From",
  receipt: "Receipt",
  created: "Created",
  promised: "Promised",
  pickedUp: "Picked up",
  delivered: "Delivered",
  price: "Delivery fee",
  printed: "Printed",
  qr: "QR code of the order in the panel",
  paid: "Paid",
  collect: "Collect",
  counter: "Counter's copy: keep it, and do not put it on the bag.",
};

const pt: typeof en = {
  of: (n, all) => `Entrega ${n} de ${all}`,
  pickupCode: "Código de coleta",
  from: "De",
  receipt: "Recibo",
  created: "Criado",
  promised: "Prometido",
  pickedUp: "Coletado",
  delivered: "Entregue",
  price: "Taxa de entrega",
  printed: "Impresso",
  qr: "Código QR do pedido no painel",
  paid: "Pago",
  collect: "Receber",
  counter: "Via do balcão: guarde, não coloque na sacola.",
};

export const printTexts = translated(en, pt);
