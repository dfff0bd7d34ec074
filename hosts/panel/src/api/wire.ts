/** The API's JSON types, generated from core/openapi.json, under the names that the panel uses. */

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
export type OrderRoute = Schemas["OrderRoute"];
export type RouteLeg = Schemas["RouteLeg"];
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
/** A webhook with its signing secret, which is returned only once. */
export type WebhookSecret = Schemas["WebhookSecret"];
export type Attempt = Schemas["Attempt"];
export type AttemptPage = Schemas["AttemptList"];
export type StatementLine = Schemas["StatementLine"];
export type StatementPage = Schemas["StatementPage"];
export type Health = Schemas["Health"];
export type HealthFigure = Schemas["HealthFigure"];
export type DayReport = Schemas["DayReportView"];
export type ReportDay = Schemas["ReportDay"];
export type Tariff = Schemas["Tariff"];
export type TariffBody = Schemas["TariffBody"];
export type TariffWindow = Schemas["TariffWindow"];
export type VehicleSurcharge = Schemas["VehicleSurcharge"];
export type Requirements = Schemas["Requirements"];
export type VehicleKind = Schemas["VehicleKind"];
export type PayPlan = Schemas["PayPlan"];
export type PayPlanBody = Schemas["PayPlanBody"];
export type PayPlanVersion = Schemas["PayPlanVersion"];
export type PayLine = Schemas["PayLine"];
export type PayPreview = Schemas["PayPreview"];
export type PaySample = Schemas["PaySample"];
export type PaySum = Schemas["PaySum"];
export type PayType = Schemas["PayType"];
export type Payer = Schemas["Payer"];
export type CourierPay = Schemas["CourierPay"];
export type SetPayTerms = Schemas["SetPayTerms"];
export type TariffVersion = Schemas["TariffVersion"];
export type TariffPage = Schemas["TariffList"];
export type TariffSample = Schemas["TariffSample"];
export type TariffPreview = Schemas["TariffPreview"];
export type SamplePrice = Schemas["SamplePrice"];
export type TariffComparison = Schemas["TariffComparison"];
export type FeeComparison = Schemas["FeeComparison"];
export type StoreComparison = Schemas["StoreComparison"];
export type DispatchPass = Schemas["DispatchPass"];
export type DispatchSettings = Schemas["DispatchSettings"];
export type DispatchComparison = Schemas["DispatchComparison"];
/** A journal event, as sent by the event stream. */
export type JournalEvent = Schemas["JournalEvent"];

export type Role = Schemas["Role"];
export type User = Schemas["User"];
export type UserList = Schemas["UserList"];
export type UserCreated = Schemas["UserCreated"];
export type PasswordLink = Schemas["PasswordLink"];
export type Session = Schemas["Session"];
export type SessionList = Schemas["SessionList"];
export type SessionConfirmation = Schemas["SessionConfirmation"];
export type AuditAction = Schemas["AuditAction"];
export type AuditEntry = Schemas["AuditEntry"];
export type AuditPage = Schemas["AuditList"];

export type Choice = Schemas["RecipientChoice"];
export type NotifyAt = Schemas["NotifyAt"];
export type StoreHours = Schemas["StoreHours"];
export type OpeningPeriod = Schemas["OpeningPeriod"];
export type HoursException = Schemas["HoursException"];
export type TrackingPolicy = Schemas["StoreTracking"];
export type ProofStep = Schemas["ProofStep"];
export type ProofPart = Schemas["ProofPart"];
export type ProofRule = Schemas["ProofRule"];
export type ProofPolicy = Schemas["ProofRules"];
export type Proof = Schemas["Proof"];

export type Settle = Schemas["Settle"];
export type StorePayments = Schemas["StorePayments"];
export type Pix = Schemas["Pix"];
export type CashRow = Schemas["CashRow"];
export type CashClosing = Schemas["CashClosing"];
export type ClosedCash = Schemas["ClosedCash"];
export type TopUp = Schemas["TopUpRequest"];
export type TopUpList = Schemas["TopUpList"];
export type TopUpState = Schemas["TopUpState"];

export type OrderDispatch = Schemas["OrderDispatch"];
export type ConsideredCourier = Schemas["ConsideredCourier"];
export type DispatchDecision = Schemas["DispatchDecision"];
export type AssignmentCost = Schemas["AssignmentCost"];
export type OrderSituation = Schemas["OrderSituation"];
export type OperatorStore = Schemas["OperatorStore"];
export type OperatorStorePage = Schemas["OperatorStoreList"];
export type StoreDispatch = Schemas["StoreDispatch"];
export type CourierRecord = Schemas["CourierRecord"];
export type CourierWithKey = Schemas["CourierWithKey"];
export type CourierPage = Schemas["CourierList"];
export type SignInCode = Schemas["SignInCode"];

/** A row of the order list. The response to a new order has no `deliveryMan`; only the details of an order have its history. */
export type OrderRow = Order & {
  deliveryMan?: Courier | null;
  events?: OrderEvent[];
  storeName?: string;
};

/** A problem document; the code is `unknown` if a proxy responded. */
export type Problem = Omit<Schemas["Problem"], "code"> & {
  code: Schemas["ProblemCode"] | "unknown";
};

/** The JSON pointer of a request field, as used in problem documents. */
export type Pointer = string;

/** Bodies of requests. */
export type PaymentMethod = Schemas["PaymentMethod"];
export type CreateOrder = Schemas["CreateOrder"];
export type PreviewOrder = Schemas["PreviewOrder"];
export type LocateAddress = Schemas["LocateAddress"];
export type DelayOrder = Schemas["DelayOrder"];
export type CreateUser = Schemas["CreateUser"];
export type UpdateUser = Schemas["UpdateUser"];
export type CreateStore = Schemas["CreateStore"];
export type StoreArea = Schemas["StoreArea"];
export type UpdateStore = Schemas["UpdateStore"];
export type IssueKey = Schemas["IssueKey"];
export type CreateWebhook = Schemas["CreateWebhook"];
export type SetTracking = Schemas["SetStoreTracking"];
export type SetProofs = Schemas["SetProofRules"];
export type ReassignOrder = Schemas["ReassignOrder"];
export type GiveReason = Schemas["GiveReason"];
export type GiveDeliveryReason = Schemas["GiveDeliveryReason"];
export type RegisterCourier = Schemas["RegisterCourier"];
export type AlterCourier = Schemas["AlterCourier"];
export type SetDispatch = Schemas["SetDispatch"];
export type CreateParentStore = Schemas["CreateParentStore"];
export type AlterStore = Schemas["AlterStore"];
export type MoveCash = Schemas["MoveCash"];
export type CloseCash = Schemas["CloseCash"];
export type ExplainDifference = Schemas["ExplainDifference"];
export type CreateTopUp = Schemas["CreateTopUp"];
export type RecordPayment = Schemas["RecordPayment"];
export type RequestTopUp = Schemas["RequestTopUp"];
export type SetStorePayments = Schemas["SetStorePayments"];
export type SetStoreDispatch = Schemas["SetStoreDispatch"];
