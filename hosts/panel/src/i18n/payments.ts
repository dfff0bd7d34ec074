/** The texts about Pix, payments at the door and top-ups. */

import type { Settle, TopUpState } from "../api/wire";
import { translated } from "./language";

const en = {
  title: "Payments at the door",
  settle: "Couriers bring the cash",
  settles: {
    PER_ORDER: "after each order: the fee includes the way back",
    AT_SHIFT_END: "at the end of the shift: no way back for cash",
  } satisfies Record<Settle, string>,
  settleHint: "A Pix never has a way back, a card machine always.",
  key: "Pix key",
  keyHint:
    "CPF, CNPJ, email, random key, or phone with +55. Leave it empty to have no Pix codes. Check it: payments go straight to this key.",
  name: "Recipient's name",
  city: "Recipient's city",
  defaultHint: "If empty, that of the store.",
  pix: "Pix code",
  copy: "Copy the Pix code",
  pixOf: (name: string) => `Pix code of ${name}`,
  unconfirmed:
    "The code confirms nothing, and receipts can be false. Check your own account before you record the payment.",
  record: "Record payment",
  recordTitle: "Record a payment at the door",
  method: "Method",
  received: "Amount received (R$)",
  reference: "Reference",
  referenceHint: "The ID of the Pix in your account's statement, or the number of the card slip.",
  recorded: (what: string) => `Received: ${what}`,
  topUp: "Top up by Pix",
  topUpLead:
    "You pay the operator by Pix. The balance changes when the operator has found the payment.",
  topUpAmount: (max: string) => `Amount (R$), at most ${max}`,
  request: "Show the Pix code",
  pay: (amount: string) => `Pay ${amount}`,
  payHint: "Scan the code with your bank's app, or copy it.",
  pending: "Pending until the operator confirms the payment.",
  topUps: "Top-ups",
  states: { PENDING: "Pending", CONFIRMED: "Confirmed", EXPIRED: "Expired" } satisfies Record<
    TopUpState,
    string
  >,
  requestedAt: "Requested",
  state: "State",
  show: "Show code",
  requests: "Requests for top-ups",
  requestsHint:
    "The reference of the request is in the statement of your account. Confirm a payment only when you see it there.",
  confirm: "Confirm",
  confirmTitle: (amount: string) => `Book ${amount}?`,
  confirmText: "The amount is added to the balance at once.",
};

const pt: typeof en = {
  title: "Pagamentos na entrega",
  settle: "Os entregadores trazem o dinheiro",
  settles: {
    PER_ORDER: "depois de cada pedido: a taxa inclui a volta",
    AT_SHIFT_END: "no fim do turno: dinheiro não tem volta",
  },
  settleHint: "Pix nunca tem volta; maquininha sempre tem.",
  key: "Chave Pix",
  keyHint:
    "CPF, CNPJ, e-mail, chave aleatória ou telefone com +55. Deixe em branco para não ter códigos Pix. Confira: os pagamentos vão direto para esta chave.",
  name: "Nome do recebedor",
  city: "Cidade do recebedor",
  defaultHint: "Em branco, vale o da loja.",
  pix: "Código Pix",
  copy: "Copiar o código Pix",
  pixOf: (name) => `Código Pix de ${name}`,
  unconfirmed:
    "O código não confirma nada, e comprovante pode ser falso. Confira a sua conta antes de registrar o pagamento.",
  record: "Registrar pagamento",
  recordTitle: "Registrar pagamento na entrega",
  method: "Forma de pagamento",
  received: "Valor recebido (R$)",
  reference: "Referência",
  referenceHint: "O ID do Pix no extrato da sua conta ou o número do comprovante do cartão.",
  recorded: (what) => `Recebido: ${what}`,
  topUp: "Recarregar com Pix",
  topUpLead: "Você paga ao operador com Pix. O saldo muda quando o operador localiza o pagamento.",
  topUpAmount: (max) => `Valor (R$), no máximo ${max}`,
  request: "Mostrar código Pix",
  pay: (amount) => `Pague ${amount}`,
  payHint: "Escaneie o código com o app do seu banco ou copie.",
  pending: "Pendente até o operador confirmar o pagamento.",
  topUps: "Recargas",
  states: { PENDING: "Pendente", CONFIRMED: "Confirmada", EXPIRED: "Expirada" },
  requestedAt: "Pedida em",
  state: "Situação",
  show: "Mostrar código",
  requests: "Pedidos de recarga",
  requestsHint:
    "A referência do pedido aparece no extrato da sua conta. Só confirme um pagamento que você vê lá.",
  confirm: "Confirmar",
  confirmTitle: (amount) => `Lançar ${amount}?`,
  confirmText: "O valor entra no saldo na hora.",
};

export const paymentTexts = translated(en, pt);
