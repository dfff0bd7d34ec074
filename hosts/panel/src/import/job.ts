/** An import: its rows are checked first and then created one by one. It is stored in this tab, so that it can be resumed. */

import { computed, signal } from "@preact/signals";
import { orders } from "../api/client";
import { ApiError, NetworkError, newIdempotencyKey, whenOnline } from "../api/http";
import type { CreateOrder, FieldError, PreviewOrder } from "../api/wire";
import { createDraft } from "../draft";
import { importTexts } from "../i18n/import";
import { updateRow } from "../live";
import { missingContacts, orderRequest, previewRequest, type Draft } from "../order-draft";
import { loadCore, validate } from "../preview";
import { MAX_ROWS, parseCsv, writeCsv } from "./csv";
import { markOfFile, readHeader, readRecord } from "./columns";

type RowState = "unchecked" | "checking" | "ready" | "invalid" | "sending" | "created" | "failed";

export interface Row {
  line: number;
  draft: Draft;
  state: RowState;
  errors: readonly FieldError[];
  /** A problem that concerns no single field. */
  problem: string | null;
  fee: number | null;
  estimated: boolean;
  quote: { id: string; expiresAt: string } | null;
  /** The body and the key of the creation: every attempt sends the same, so that the order is created only once. */
  sent: { body: CreateOrder; key: string } | null;
  orderId: number | null;
}

interface Job {
  rows: Row[];
  ignored: string[];
}

export const source = createDraft<string>("import-text", () => "");
export const job = createDraft<Job | null>("import", () => null);
/** Whether rows are being checked or created. */
export const running = signal<"check" | "create" | null>(null);
export const waiting = signal(false);

export const count = computed(() => {
  const rows = job.value?.rows ?? [];
  const of = (...states: RowState[]) => rows.filter((row) => states.includes(row.state)).length;
  return {
    all: rows.length,
    unchecked: of("unchecked", "checking"),
    open: of("ready", "sending"),
    invalid: of("invalid"),
    created: of("created"),
    started: rows.some((row) => row.sent !== null),
    total: rows.reduce((sum, row) => sum + (row.state === "invalid" ? 0 : (row.fee ?? 0)), 0),
  };
});

/** Reads the text into a new job, or returns the reason why it cannot be imported. */
export function startJob(text: string, store: string): string | null {
  const t = importTexts.value;
  const file = parseCsv(text);
  if (file.brokenQuote !== null) return t.brokenQuote(file.brokenQuote);
  const [head, ...records] = file.records;
  const header = readHeader(head?.cells ?? []);
  if (header.missing.length > 0) return t.missing(header.missing.join(", "));
  if (records.length === 0) return t.noRows;
  if (records.length > MAX_ROWS) return t.tooMany(records.length);
  const mark = markOfFile(file, header);
  const lines = new Map<string, number>();
  const rows = records.map((record): Row => {
    const { draft, errors } = readRecord(record, header, mark, store);
    const code = draft.code ?? "";
    const first = lines.get(code);
    if (first === undefined) lines.set(code, record.line);
    else if (code !== "")
      errors.push({ pointer: "/code", code: "required", detail: t.repeated(first) });
    return {
      line: record.line,
      draft,
      state: "unchecked",
      errors,
      problem: null,
      fee: null,
      estimated: false,
      quote: null,
      sent: null,
      orderId: null,
    };
  });
  job.value = { rows, ignored: header.unknown };
  return null;
}

/** Ends the job. The lines without an order remain in the text, so that the user can correct them. */
export function endJob(): void {
  const created = new Set(
    (job.value?.rows ?? []).filter((row) => row.state === "created").map((row) => row.line),
  );
  const {
    separator,
    records: [head, ...records],
  } = parseCsv(source.value);
  const open = records.filter((record) => !created.has(record.line));
  if (created.size > 0)
    source.value =
      head === undefined || open.length === 0
        ? ""
        : writeCsv(
            [head, ...open].map((record) => record.cells),
            separator,
          );
  job.value = null;
}

function set(at: number, part: Partial<Row>): void {
  if (job.value === null) return;
  job.value = {
    ...job.value,
    rows: job.value.rows.map((row, index) => (index === at ? { ...row, ...part } : row)),
  };
}

const MAX_CHECKS = 4;
const BUSY_MS = 5_000;

/** Repeats a call while the network is lost or the server is busy. */
async function callWithRetries<T>(call: () => Promise<T>, stop: AbortSignal): Promise<T> {
  for (;;) {
    try {
      const found = await call();
      waiting.value = false;
      return found;
    } catch (error) {
      stop.throwIfAborted();
      const isBusy =
        error instanceof ApiError && [429, 502, 503, 504].includes(error.problem.status);
      if (!isBusy && !(error instanceof NetworkError)) throw error;
      waiting.value = !isBusy;
      await (isBusy ? new Promise((resolve) => setTimeout(resolve, BUSY_MS)) : whenOnline(stop));
      stop.throwIfAborted();
    }
  }
}

/** Runs a phase of the job unless another one runs. A stopped phase can be resumed. */
async function run(
  phase: "check" | "create",
  work: () => Promise<void>,
  stop: AbortSignal,
): Promise<void> {
  if (running.value !== null) return;
  running.value = phase;
  try {
    await work();
  } catch (error) {
    // An expired session ends the phase, too: the next login resumes it.
    if (!stop.aborted && !(error instanceof ApiError && error.problem.status === 401)) throw error;
  } finally {
    for (const [at, row] of (job.value?.rows ?? []).entries()) {
      if (row.state === "checking") set(at, { state: "unchecked" });
    }
    running.value = null;
    waiting.value = false;
  }
}

/** Checks the unchecked rows: with the compiled core, then with a preview of the server, a few at once. */
export function checkRows(stop: AbortSignal): Promise<void> {
  return run(
    "check",
    async () => {
      await loadCore();
      const open = (job.value?.rows ?? []).flatMap((row, at) =>
        row.state === "unchecked" || row.state === "checking" ? [at] : [],
      );
      const worker = async () => {
        for (let at = open.shift(); at !== undefined && !stop.aborted; at = open.shift())
          await checkRow(at, stop);
      };
      await Promise.all(Array.from({ length: MAX_CHECKS }, worker));
    },
    stop,
  );
}

async function checkRow(at: number, stop: AbortSignal): Promise<void> {
  const row = job.value?.rows[at];
  if (row === undefined) return;
  set(at, { state: "checking" });
  const own = [...row.errors, ...missingContacts(row.draft)];
  const found = (await validate(orderRequest(row.draft))).filter(
    (error) => !own.some((one) => one.pointer === error.pointer),
  );
  const errors = [...own, ...found];
  if (errors.length > 0) return set(at, { state: "invalid", errors });
  try {
    set(at, { state: "ready", ...(await quoteOf(row.draft, stop)) });
  } catch (error) {
    if (!(error instanceof ApiError) || error.problem.status === 401) throw error;
    set(at, {
      state: "invalid",
      errors: error.fields,
      problem: error.fields.length > 0 ? null : error.problem.detail,
    });
  }
}

async function quoteOf(
  draft: Draft,
  stop: AbortSignal,
): Promise<Pick<Row, "fee" | "estimated" | "quote">> {
  const { body, stops } = previewRequest(draft);
  // Without a located address, the server names the missing fields.
  const request: PreviewOrder = stops.length > 0 ? body : orderRequest(draft);
  const { deliveryFee, estimated, quote } = await callWithRetries(
    () => orders.preview(request, stop),
    stop,
  );
  return { fee: deliveryFee, estimated, quote: quote ?? null };
}

/** Creates the checked rows in their order. */
export function createRows(stop: AbortSignal): Promise<void> {
  return run(
    "create",
    async () => {
      for (let at = 0; at < (job.value?.rows.length ?? 0) && !stop.aborted; at += 1) {
        const state = job.value?.rows[at]?.state;
        if (state === "ready" || state === "sending") await createRow(at, stop);
      }
    },
    stop,
  );
}

async function createRow(at: number, stop: AbortSignal): Promise<void> {
  const row = job.value?.rows[at];
  if (row === undefined) return;
  const sent = row.sent ?? (await prepare(at, row, stop));
  set(at, { state: "sending", sent });
  try {
    const created = await callWithRetries(() => orders.create(sent.body, sent.key), stop);
    set(at, { state: "created", orderId: created.id, fee: created.deliveryFee, estimated: false });
    updateRow(created);
  } catch (error) {
    if (!(error instanceof ApiError) || error.problem.status === 401) throw error;
    // The quote expired between two attempts. No attempt created the order, so the next one gets a new quote.
    if (error.problem.code === "quote_expired")
      return set(at, { state: "ready", sent: null, quote: null });
    set(at, {
      state: "failed",
      errors: error.fields,
      problem: error.fields.length > 0 ? null : error.problem.detail,
      orderId: error.problem.orderId ?? null,
    });
  }
}

/** A quote that expires sooner than this is replaced. */
const QUOTE_MARGIN_MS = 20_000;

async function prepare(at: number, row: Row, stop: AbortSignal): Promise<NonNullable<Row["sent"]>> {
  let { quote } = row;
  if (quote === null || Date.parse(quote.expiresAt) < Date.now() + QUOTE_MARGIN_MS) {
    const fresh = await quoteOf(row.draft, stop);
    set(at, fresh);
    quote = fresh.quote;
  }
  return {
    body: { ...orderRequest(row.draft), ...(quote === null ? {} : { quoteId: quote.id }) },
    key: newIdempotencyKey(),
  };
}
