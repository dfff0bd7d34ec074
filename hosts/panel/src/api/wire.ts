/** The API's JSON: the types that are written from the service's own document, by the names that the panel uses. */

import type { components } from "despacho/api";

type Schemas = components["schemas"];

export type Address = Schemas["Address"];
export type Location = Schemas["Location"];
export type PriceLine = Schemas["PriceLine"];
export type Delivery = Schemas["Delivery"];
export type Courier = Schemas["Courier"];
export type OrderEvent = Schemas["OrderEvent"];
export type Order = Schemas["Order"];
export type OrderDetails = Schemas["OrderDetails"];
export type OrderPage = Schemas["OrderList"];
export type Cancellation = Schemas["Cancellation"];
export type Preview = Schemas["Preview"];
export type PreviewContext = Schemas["PreviewContext"];
export type Store = Schemas["Store"];
export type StorePage = Schemas["StoreList"];
export type Key = Schemas["Key"];
export type KeyList = Schemas["KeyList"];
export type IssuedKey = Schemas["IssuedKey"];
export type FieldError = Schemas["FieldError"];
export type Notification = Schemas["Notification"];
export type NotificationPage = Schemas["NotificationList"];
export type EventType = Schemas["EventType"];
export type Webhook = Schemas["Webhook"];
export type WebhookList = Schemas["WebhookList"];
/** A new subscription, with the secret that signs its messages: it is shown once. */
export type WebhookSecret = Schemas["WebhookSecret"];
export type Attempt = Schemas["Attempt"];
export type AttemptPage = Schemas["AttemptList"];
export type StatementLine = Schemas["StatementLine"];
export type StatementPage = Schemas["StatementPage"];
/** An event of the journal: what the stream sends. */
export type JournalEvent = Schemas["JournalEvent"];

/** A row of the list: the response to a new order has no courier yet. */
export type OrderRow = Order & { deliveryMan?: Courier | null };

/** A problem document; `unknown` if something between the page and the service responded. */
export type Problem = Omit<Schemas["Problem"], "code"> & { code: Schemas["ProblemCode"] | "unknown" };

/** A problem document's address in the body: what a form marks its fields by. */
export type Pointer = string;
