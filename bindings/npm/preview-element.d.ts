// The types of the custom element <despacho-preview>. Importing the module registers the element.
import type {
  DespachoError,
  ErrorCode,
  FieldError,
  Preview,
  PreviewContext,
  PreviewOrder,
} from "./index.js";

export type AddressField =
  | "zipCode"
  | "number"
  | "street"
  | "complement"
  | "neighborhood"
  | "city"
  | "state";
/** The address as typed. An empty field is null. A CEP has a hyphen: `01310-200`. */
export type TypedAddress = Record<AddressField, string | null>;
/** Fields that an order requires. */
export type RequiredField = "number" | "street" | "city" | "state";

export interface ChangeDetail {
  address: TypedAddress;
  /** The fields that an order requires and that are still empty. */
  missing: RequiredField[];
}

export interface PriceDetail extends ChangeDetail {
  /** The preview, or null if the address no longer has a price. */
  preview: Preview | null;
}

export interface FieldProblem {
  /** The field of the form, or null if the error concerns the whole address, the pickup or another part of the request. */
  field: AddressField | null;
  pointer: string;
  code: FieldError["code"];
  /** The error in the element's language. */
  detail: string;
}

export interface ErrorDetail {
  /** The problem's code, or `context_unavailable` if the context or the package could not be loaded. */
  code: ErrorCode | "context_unavailable";
  message: string;
  errors: FieldProblem[];
  /** The problem document, as the service would return it; null if there is none. */
  problem: DespachoError["problem"] | null;
}

export interface DespachoPreviewEventMap {
  "despacho-change": CustomEvent<ChangeDetail>;
  "despacho-price": CustomEvent<PriceDetail>;
  "despacho-error": CustomEvent<ErrorDetail>;
}

export class DespachoPreviewElement extends HTMLElement {
  static readonly formAssociated: true;
  /** The preview context; it takes precedence over `contextUrl`. Returned as it was set. */
  get context(): PreviewContext | string | null;
  set context(context: PreviewContext | string | null | undefined);
  /** Attribute `context-url`: the address from which the element loads the context. */
  get contextUrl(): string | null;
  set contextUrl(url: string | URL | null | undefined);
  /** Attribute `locale`: `pt-BR` (default) or `en`. */
  get locale(): string;
  set locale(locale: string | null | undefined);
  /** Attribute `preparation-time`: minutes until the order is ready. */
  get preparationTime(): number | null;
  set preparationTime(minutes: number | null | undefined);
  /** Attribute `pickup` (JSON): the address of the pickup; null for the store's address. */
  get pickup(): PreviewOrder["pickupAddress"];
  set pickup(address: PreviewOrder["pickupAddress"]);
  /** Other fields of the preview's request. */
  get order(): Partial<Omit<PreviewOrder, "deliveries">>;
  set order(order: Partial<Omit<PreviewOrder, "deliveries">> | null | undefined);
  /** The address in the form. Setting it replaces all fields. */
  get address(): TypedAddress;
  set address(address: Partial<TypedAddress> | null | undefined);
  /** Attribute `required`: a form can be submitted only with a price and a complete address. */
  required: boolean;
  /** The shown preview, or null. */
  readonly preview: Preview | null;
  readonly missing: RequiredField[];
  readonly form: HTMLFormElement | null;
  /** Loads the context again if it has a URL, and computes the price. */
  refresh(): Promise<void>;
  checkValidity(): boolean;
  reportValidity(): boolean;
  addEventListener<K extends keyof DespachoPreviewEventMap>(
    type: K,
    listener: (this: DespachoPreviewElement, event: DespachoPreviewEventMap[K]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void;
}

/** The properties, attributes and events of the element in JSX. `despacho/react` and `despacho/preact` declare the element with them. */
export interface DespachoPreviewProps {
  context?: PreviewContext | string | null;
  contextUrl?: string | null;
  "context-url"?: string;
  locale?: "pt-BR" | "en";
  preparationTime?: number | null;
  "preparation-time"?: number | string;
  pickup?: PreviewOrder["pickupAddress"];
  order?: Partial<Omit<PreviewOrder, "deliveries">> | null;
  address?: Partial<TypedAddress> | null;
  required?: boolean;
  name?: string;
  "ondespacho-change"?: (event: DespachoPreviewEventMap["despacho-change"]) => void;
  "ondespacho-price"?: (event: DespachoPreviewEventMap["despacho-price"]) => void;
  "ondespacho-error"?: (event: DespachoPreviewEventMap["despacho-error"]) => void;
}

declare global {
  interface HTMLElementTagNameMap {
    "despacho-preview": DespachoPreviewElement;
  }
}
