/** The API's JSON, as core/openapi.json has it: every documented field is there, and `null` where it has no value. */

export interface Address {
  street: string | null;
  number: string | null;
  complement: string | null;
  neighborhood: string | null;
  city: string | null;
  state: string | null;
  zipCode: string | null;
  latitude: number | null;
  longitude: number | null;
}

export interface PriceLine {
  rule: string;
  quantity: number;
  amount: number;
}

export interface Delivery {
  id: number;
  code: string | null;
  fullCode: string | null;
  name: string | null;
  phone: string | null;
  observation: string | null;
  onlinePayment: boolean;
  productValue: number | null;
  situation: number;
  orderRoute: number;
  address: Address;
  distance: number;
  deliveryCode: string;
  precision: string;
}

export interface Courier {
  id: number;
  profileId: number;
  name: string;
  phone: string;
  email: string | null;
  document: string | null;
  ddd: string | null;
  latitude: number | null;
  longitude: number | null;
}

export interface OrderEvent {
  id: number;
  createdAt: string;
  description: string;
  latitude: number | null;
  longitude: number | null;
  deliveryMan: { name: string; phone: string | null } | null;
  requestedBy: { name: string; phone: string | null };
  type: string;
  situation: number;
  sequence: number;
  deliveryId: number | null;
}

export interface Order {
  id: number;
  code: string;
  fullCode: string | null;
  preparationTime: number;
  pickupAddress: Address;
  createdAt: string;
  storeId: number;
  situation: number;
  returnCode: string | null;
  pickupCode: string;
  totalDistance: number;
  deliveryFee: number;
  priceBreakdown: PriceLine[];
  deliveries: Delivery[];
  expectedDelivery: string | null;
  expectedPickup: string | null;
  estimated: boolean;
}

export interface OrderDetails extends Order {
  deliveryMan: Courier | null;
  events: OrderEvent[];
  origin: string;
}

/** A row of the list: an order, with its courier where the server tells it there. */
export type OrderRow = Order & { deliveryMan?: Courier | null };

export interface OrderPage {
  orders: OrderRow[];
  nextCursor: string | null;
}

export interface Cancellation {
  allowed: boolean;
  mode: "free" | "paid" | "return_required" | null;
  fee: number | null;
  changesAt: string | null;
}

export interface Preview {
  deliveries: { orderRoute: number; address: Address; onlinePayment: boolean; distance: number; precision: string }[];
  totalDistance: number;
  onlinePayment: boolean;
  deliveryFee: number;
  priceBreakdown: PriceLine[];
  expectedDelivery: string | null;
  expectedPickup: string | null;
  estimated: boolean;
  quote: { id: string; expiresAt: string; tariffVersion: string } | null;
}

export interface Store {
  id: number;
  cnpj: string;
  name: string;
  responsible: { name: string; phone: string };
  email: string;
  address: Address;
  marketplaceBranchId: number;
  matrix: { id: number } | null;
  balance: number;
}

export interface Key {
  id: string;
  storeId: string;
  name: string | null;
  integratorId: string;
  integratorOrigin: string;
  expiresAt: string;
  createdAt: string;
  deletedAt: string | null;
}

export interface IssuedKey extends Omit<Key, "name"> {
  value: string;
}

export interface FieldError {
  pointer: string;
  code: string;
  detail: string;
}

export interface Notification {
  id: number;
  type: string;
  createdAt: string;
  readAt: string | null;
  orderId: number | null;
  orderCode: string | null;
  code: string | null;
  detail: string | null;
  errors: FieldError[];
}

export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  requestId: string;
  errors: FieldError[];
  orderId?: number;
}

export interface Webhook {
  id: number;
  url: string;
  events: string[];
  status: string;
  stoppedAt: string | null;
  failures: number;
  previousSecretUntil: string | null;
  createdAt: string;
}

/** A subscription as it is told once, with the secret that signs its messages. */
export type WebhookSecret = Webhook & { secret: string };

export interface Attempt {
  id: number;
  messageId: string;
  type: string;
  orderId: number | null;
  sequence: number | null;
  attempt: number;
  at: string;
  milliseconds: number;
  delivered: boolean;
  status: number | null;
  fault: string | null;
  nextAt: string | null;
}

export interface StatementLine {
  id: number;
  createdAt: string;
  type: string;
  orderId: number | null;
  reference: string | null;
  amount: number;
  balance: number;
}

/** An event of the journal: what the stream sends. */
export type JournalEvent = OrderEvent & { cursor: string; storeId: number; orderId: number };

/** A problem document's address in the body: what a form marks its fields by. */
export type Pointer = string;
