// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { importTexts } from "../i18n/import";
import { MAX_ROWS } from "./csv";
import { checkRows, count, createRows, endJob, job, source, startJob, type Row } from "./job";

beforeEach(() => (job.value = null));

const HEAD = "codigo;destinatario;valor";

/** Sets what became of a row. */
function set(at: number, part: Partial<Row>): void {
  if (job.value === null) throw new Error("there is no job");
  const rows = job.value.rows.map((row, index) => (index === at ? { ...row, ...part } : row));
  job.value = { ...job.value, rows };
}

test("each record becomes an order that is not checked", () => {
  expect(startJob(`${HEAD};cor\n1;Ana;57,90;azul\n\n2;Bia;`, "7")).toBeNull();
  expect(job.value?.ignored).toEqual(["cor"]);
  expect(job.value?.rows.map(({ line, state, draft }) => [line, state, draft.code])).toEqual([
    [2, "unchecked", "1"],
    [4, "unchecked", "2"],
  ]);
  expect(job.value?.rows[0]?.draft).toMatchObject({
    store: "7",
    deliveries: [{ name: "Ana", value: "57,90", paid: true, confirm: false }],
  });
});

test("a file that cannot be imported is rejected with its reason", () => {
  const t = importTexts.value;
  const reason = (text: string) => startJob(text, "7");
  expect(reason("")).toBe(t.missing("code"));
  expect(reason("destinatario\nAna")).toBe(t.missing("code"));
  expect(reason(HEAD)).toBe(t.noRows);
  expect(reason(`${HEAD}\n1;"Ana;5\n`)).toBe(t.brokenQuote(2));
  const rows = (length: number) =>
    [HEAD, ...Array.from({ length }, (_, at) => `${at};Ana;5`)].join("\n");
  expect(reason(rows(MAX_ROWS + 1))).toBe(t.tooMany(MAX_ROWS + 1));
  expect(job.value).toBeNull();
  expect(reason(rows(MAX_ROWS))).toBeNull();
});

test("a repeated code names the line of the first, and missing codes are left to the check", () => {
  startJob(`${HEAD}\n1;Ana;\n1;Bia;\n;Caio;\n;Davi;\n1;Eva;`, "7");
  expect(job.value?.rows.map((row) => row.errors.map((error) => error.detail))).toEqual([
    [],
    [importTexts.value.repeated(2)],
    [],
    [],
    [importTexts.value.repeated(2)],
  ]);
});

test("the counts follow the states, and the total omits invalid rows", () => {
  startJob(`${HEAD}\n1;Ana;\n2;Bia;\n3;Caio;\n4;Davi;`, "7");
  set(0, { state: "created", fee: 10, sent: { body: { code: "1", deliveries: [] }, key: "key" } });
  set(1, { state: "sending", fee: 5.5 });
  set(2, { state: "invalid", fee: 7 });
  expect(count.value).toEqual({
    all: 4,
    unchecked: 1,
    open: 1,
    invalid: 1,
    created: 1,
    started: true,
    total: 15.5,
  });
});

test("after a job, the lines without an order remain in the text", () => {
  source.value = `${HEAD}\n1;Ana;\n2;Bia;\n3;Caio;`;
  startJob(source.value, "7");
  set(0, { state: "created" });
  set(2, { state: "failed" });
  endJob();
  expect(job.value).toBeNull();
  expect(source.value.trim().split("\r\n")).toEqual([HEAD, "2;Bia;", "3;Caio;"]);
});

test("a job without an order leaves the text, and a complete one empties it", () => {
  source.value = `${HEAD}\n1;Ana;`;
  startJob(source.value, "7");
  endJob();
  expect(source.value).toBe(`${HEAD}\n1;Ana;`);
  startJob(source.value, "7");
  set(0, { state: "created" });
  endJob();
  expect(source.value).toBe("");
});

/** Requests of the job with their idempotency keys. */
let sent: { path: string; key: string | null; body: Record<string, unknown> }[] = [];
const json = (value: unknown, status = 200) => new Response(JSON.stringify(value), { status });
const CREATED = { id: 70, code: "1", deliveryFee: 12, createdAt: "2026-11-30T12:00:00Z" };
const FAR = "2999-01-01T00:00:00Z";
const preview = (id: string) => json({ deliveryFee: 12, quote: { id, expiresAt: FAR } });

/** Answers the job's requests for orders. */
function serve(answer: (path: string) => Response | Promise<Response>): void {
  sent = [];
  vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    const path = new URL(url, location.href).pathname;
    // Without the rules of prices the page computes none.
    if (path === "/delivery/preview-context") return json({}, 404);
    const key = new Headers(init.headers).get("idempotency-key");
    sent.push({ path, key, body: JSON.parse(String(init.body)) });
    return answer(path);
  });
}
afterEach(() => vi.unstubAllGlobals());

const states = () => job.value?.rows.map((row) => row.state);
const running = () => new AbortController().signal;
const FILE = "codigo;telefone;cep\n1;(11) 98765-4321;01504-000\n2;(11) 98765-4321;01504-000";

test("checked rows have the fee and the quote of the server, and rejected ones its errors", async () => {
  startJob(FILE, "7");
  const errors = [{ pointer: "/deliveries/0/address", code: "x", detail: "Fora da área." }];
  let count = 0;
  serve(() => {
    count += 1;
    return count === 1 ? preview("q") : json({ status: 422, code: "y", detail: "z", errors }, 422);
  });
  await checkRows(running());
  expect(states()).toEqual(["ready", "invalid"]);
  expect(job.value?.rows[0]).toMatchObject({ fee: 12, quote: { id: "q" } });
  expect(job.value?.rows[1]).toMatchObject({ errors, problem: null });
});

test("rows are created in their order with the quote and a key of their own", async () => {
  startJob(FILE, "7");
  serve((path) => (path.endsWith("/preview") ? preview("q") : json(CREATED)));
  await checkRows(running());
  await createRows(running());
  expect(states()).toEqual(["created", "created"]);
  const created = sent.filter((one) => one.path === "/delivery/orders");
  expect(created.map((one) => [one.body.code, one.body.quoteId])).toEqual([
    ["1", "q"],
    ["2", "q"],
  ]);
  expect(new Set(created.map((one) => one.key)).size).toBe(2);
});

test("a row that was being sent when the page closed is sent again with the same key", async () => {
  startJob(FILE, "7");
  set(0, { state: "sending", sent: { body: { code: "1", deliveries: [] }, key: "first" } });
  serve(() => json(CREATED));
  await createRows(running());
  expect(states()).toEqual(["created", "unchecked"]);
  expect(sent).toEqual([
    { path: "/delivery/orders", key: "first", body: { code: "1", deliveries: [] } },
  ]);
});

test("a row whose quote has expired gets another one in the next attempt", async () => {
  startJob(FILE, "7");
  set(0, { state: "ready", quote: { id: "old", expiresAt: FAR } });
  serve(() => json({ status: 409, code: "quote_expired", detail: "" }, 409));
  await createRows(running());
  expect(job.value?.rows[0]).toMatchObject({ state: "ready", sent: null, quote: null });
  serve((path) => (path.endsWith("/preview") ? preview("new") : json(CREATED)));
  await createRows(running());
  expect(sent.map((one) => one.path)).toEqual(["/delivery/orders/preview", "/delivery/orders"]);
  expect(sent[1]?.body.quoteId).toBe("new");
});

test("an order of the same code is a conflict that leads to it", async () => {
  startJob(FILE, "7");
  set(0, { state: "ready", quote: { id: "q", expiresAt: FAR } });
  serve(() => json({ status: 409, code: "code_in_use", detail: "Já existe.", orderId: 5 }, 409));
  await createRows(running());
  expect(job.value?.rows[0]).toMatchObject({
    state: "failed",
    problem: "Já existe.",
    orderId: 5,
  });
});

test("an ended session stops the job, and the rows can be checked after the next login", async () => {
  startJob(FILE, "7");
  serve(() => json({ status: 401, code: "unauthorized", detail: "" }, 401));
  await checkRows(running());
  expect(states()).toEqual(["unchecked", "unchecked"]);
});
