// The request and response types in api.d.ts are generated from the service's OpenAPI document.
import type { components } from "./api.js";

type Schemas = components["schemas"];
export type PreviewContext = Schemas["PreviewContext"];
export type PreviewOrder = Schemas["PreviewOrder"];
export type Preview = Schemas["Preview"];
export type Order = Schemas["Order"];
export type OrderDetails = Schemas["OrderDetails"];
export type OrderEvent = Schemas["OrderEvent"];
export type CreateOrder = Schemas["CreateOrder"];
export type CreateStore = Schemas["CreateStore"];
export type Problem = Schemas["Problem"];
export type ProblemCode = Schemas["ProblemCode"];
export type FieldError = Schemas["FieldError"];
export type FieldCode = Schemas["FieldCode"];
export type OrderSituation = Schemas["OrderSituation"];
export type DeliverySituation = Schemas["DeliverySituation"];

/** `en`, `pt-BR` or the value of an `Accept-Language` header. */
export type Language = string;

/** The code of an error: of a problem of the service, of the route engine, or of a gazetteer pack. */
export type ErrorCode = ProblemCode | RouteErrorCode | PackErrorCode;

/**
 * An error with the service's problem document. `code` does not depend on the language; `problem.errors` lists the invalid fields and is
 * empty for an error of the route engine or of a pack.
 */
export class DespachoError extends Error {
  readonly code: ErrorCode;
  readonly problem: Omit<Problem, "code"> & { code: ErrorCode };
}

export interface Previewer {
  /**
   * Returns the same preview as `POST /delivery/orders/preview`, without a quote. Throws a DespachoError.
   * `now` is the time of the calculation; default: the current time.
   */
  preview(request: PreviewOrder, options?: { now?: number | Date; language?: Language }): Preview;
  /** Returns the preview as JSON text, byte for byte equal to the service's response. Also accepts a request as JSON text. */
  previewText(
    request: PreviewOrder | string,
    options?: { now?: number | Date; language?: Language },
  ): string;
  /**
   * Loads a gazetteer pack (`despacho gazetteer build`), so that addresses are located as by a service with the same pack.
   * Throws a DespachoError if the pack is damaged or of a newer version. The pack is never removed from memory.
   */
  loadPack(bytes: Uint8Array): void;
  /** Releases the memory; the previewer cannot be used afterwards. */
  free(): void;
}

/**
 * Compiles the module and loads the gazetteer (Brazil's municipalities, CEPs and borders) before their first use, optionally from your own
 * bytes, response or URL. With `gazetteer: false`, addresses are located only by coordinates and packs, coordinates are not compared with
 * the city or the borders, and `lookupPostcode` returns null.
 */
export function load(
  source?: BufferSource | WebAssembly.Module | Response | URL | string,
  options?: { gazetteer?: BufferSource | Response | URL | string | false },
): Promise<void>;
/** Creates a previewer from a response of `GET /delivery/preview-context`, which may be stored. Throws a DespachoError if it is invalid. */
export function createPreviewer(
  context: PreviewContext | string,
  options?: { language?: Language },
): Promise<Previewer>;
/** Validates the body of `POST /delivery/orders` without stored data; throws the service's problem as a DespachoError. */
export function validateOrder(
  order: CreateOrder | string,
  options?: { language?: Language },
): Promise<void>;
/** Validates the body of `POST /delivery/stores` without stored data; throws the service's problem as a DespachoError. */
export function validateStore(
  store: CreateStore | string,
  options?: { language?: Language },
): Promise<void>;

/**
 * Returns the order after an event from a webhook, the journal or the stream. Events that the order already contains have no effect.
 * Throws a DespachoError with the code `invalid_transition` if an event is missing; then request the order from the service.
 */
export function applyEvent<T extends Order | OrderDetails>(
  order: T,
  event: OrderEvent,
  options?: { language?: Language },
): Promise<T>;

export interface Municipality {
  city: string;
  state: string;
  /** The IBGE code of seven digits. */
  ibgeCode: number;
  /** Latitude of the municipal seat in degrees, WGS 84. */
  latitude: number;
  longitude: number;
  /** Typical distance of an address from the municipal seat, in metres. */
  radiusM: number;
}
/** Returns the municipality of a CEP, with or without a hyphen, or null if the CEP is unknown. */
export function lookupPostcode(postcode: string): Promise<Municipality | null>;

/** The error code of an invalid request to the route engine. */
export type RouteErrorCode =
  | "malformed"
  | "empty"
  | "too_many_stops"
  | "not_square"
  | "negative"
  | "not_whole"
  | "overflow"
  | "bad_start"
  | "bad_pin"
  | "infeasible"
  | "unresolved"
  | "too_large"
  | "not_rectangular"
  | "bad_pair"
  | "bad_price";
/** The error code of a gazetteer pack. */
export type PackErrorCode =
  | "not_a_pack"
  | "pack_from_the_future"
  | "pack_truncated"
  | "pack_damaged";
/** A row of numbers; typed arrays cannot contain null. */
export type NumberRow =
  | readonly (number | null)[]
  | Int32Array
  | Uint32Array
  | Float32Array
  | Float64Array;
/** A stop with a fixed position. */
export interface RoutePin {
  /** The index of the stop. */
  stop: number;
  /** `first` is directly after the start, `last` directly before the end. */
  pin: "first" | "last";
}
export interface RouteRequest {
  /** Distances in whole metres from row to column; null if there is no road. */
  matrix: readonly NumberRow[];
  /** Whether the route ends where it starts; default: false. */
  closed?: boolean;
  /** The index of the first stop; default: 0. */
  start?: number;
  /** The stops with a fixed position, at most one at each end. */
  pins?: readonly RoutePin[];
  /** The maximum work, in units of about a nanosecond. */
  work?: number;
}
export interface RouteResult {
  /** All indices except the start, in stop order. */
  order: number[];
  cost: number;
  /** Whether the order is proven to be optimal. */
  proven: boolean;
  /** A lower bound of the cost. */
  bound: number;
}
/** Computes the shortest stop order. */
export function bestRoute(request: RouteRequest): Promise<RouteResult>;
export interface AssignRequest {
  /** The cost of each row with each column; null if the pair is not allowed. */
  costs: readonly NumberRow[];
  /** The price of a row without a column. Without a price, as many rows as possible get a column. */
  unassigned?: number;
}
/** Computes the assignment of minimum cost: a column for each row, or -1. */
export function assign(request: AssignRequest): Promise<{ assign: number[]; cost: number }>;
