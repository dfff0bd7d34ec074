// The types of requests and answers come from the service's OpenAPI document: see api.d.ts.
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
export type ProblemCode = Problem["code"];

/** `en`, or `pt-BR`; also the value of an `Accept-Language` header. */
export type Language = string;

/** A problem document of the service, thrown: `code` never changes with the language, `problem.errors` names every field at fault. */
export class DespachoError extends Error {
  readonly code: ProblemCode | RouteFault;
  readonly problem: Problem;
}

export interface Previewer {
  /**
   * The preview of a request, as `POST /delivery/orders/preview` answers it, without a quote. Throws a DespachoError.
   * `now` is the moment that it is calculated for, the present where it is absent.
   */
  preview(request: PreviewOrder, options?: { now?: number | Date; language?: Language }): Preview;
  /** The same as JSON text, byte for byte what the service writes; a request may be JSON text too. */
  previewText(request: PreviewOrder | string, options?: { now?: number | Date; language?: Language }): string;
  /**
   * Adds a gazetteer pack (`despacho gazetteer build`), so that streets, numbers and CEPs are located as by a service that has it.
   * Throws a DespachoError for one that is damaged or of a newer version. Its bytes are kept until the page ends.
   */
  loadPack(bytes: Uint8Array): void;
  /** Gives the memory back; the previewer cannot be used afterwards. */
  free(): void;
}

/**
 * Compiles the module ahead of its first use, from bytes, a response or an address of your own where you name one; likewise the gazetteer
 * of Brazil's municipalities, CEPs and borders. With `gazetteer: false` it is left out: addresses are then located by their coordinates and
 * by packs alone, coordinates are compared neither with the city beside them nor with the borders, and `lookupPostcode` knows none.
 */
export function load(
  source?: BufferSource | WebAssembly.Module | Response | URL | string,
  options?: { gazetteer?: BufferSource | Response | URL | string | false },
): Promise<void>;
/** A previewer on a context of `GET /delivery/preview-context`, fresh or saved. Throws a DespachoError for one that is damaged. */
export function createPreviewer(context: PreviewContext | string, options?: { language?: Language }): Promise<Previewer>;
/** Throws the DespachoError that the service would answer `POST /delivery/orders` with, as far as the body alone says. */
export function validateOrder(order: CreateOrder | string, options?: { language?: Language }): Promise<void>;
/** Throws the DespachoError that the service would answer `POST /delivery/stores` with, as far as the body alone says. */
export function validateStore(store: CreateStore | string, options?: { language?: Language }): Promise<void>;

/**
 * The order after an event of its history, from a webhook, the journal or the stream, by the service's own table. An event that is known
 * already changes nothing. Throws a DespachoError, `invalid_transition`, where events are missing in between: then look the order up.
 */
export function applyEvent<T extends Order | OrderDetails>(order: T, event: OrderEvent, options?: { language?: Language }): Promise<T>;

/** A municipality. */
export interface Municipality {
  city: string;
  state: string;
  /** Seven digits. */
  ibgeCode: number;
  /** Degrees north of its seat, WGS 84. */
  latitude: number;
  longitude: number;
  /** Typical distance of an address from the seat, metres. */
  radiusM: number;
}
/** The municipality of a CEP, with or without hyphen; null where none has it. */
export function lookupPostcode(postcode: string): Promise<Municipality | null>;

/** What is wrong with a question to the route engine. */
export type RouteFault = string;
export interface RouteQuestion {
  /** Metres from row to column; null where no road leads. */
  matrix: (number | null)[][];
  /** Whether the route ends where it starts. */
  closed?: boolean;
  /** The index that it starts at, 0 where it is absent. */
  start?: number;
}
export interface RouteAnswer {
  /** Every index but the start, in the order of visit. */
  order: number[];
  cost: number;
  /** Whether no order is shorter. */
  proven: boolean;
  /** No order is shorter than this. */
  bound: number;
}
/** The best order of visit. */
export function bestRoute(question: RouteQuestion): Promise<RouteAnswer>;
/** The assignment of least cost: for each row a column, or -1. */
export function assign(question: { costs: (number | null)[][] }): Promise<{ assign: number[]; cost: number }>;
