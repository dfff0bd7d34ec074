// What the package does beside previews, and how it fails.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { brotliCompressSync } from "node:zlib";

const folder = pathToFileURL(`${process.env.DESPACHO_PACKAGE}/`);
const entry = new URL("node.js", folder);
const despacho = await import(entry);
const { createPreviewer, validateOrder, validateStore, lookupPostcode, applyEvent, bestRoute, assign, DespachoError } = despacho;
const [{ context }] = [JSON.parse(readFileSync(process.env.DESPACHO_PREVIEWS, "utf8").split("\n", 1)[0])];

const refused = (code, pointers) => (error) => {
  assert.ok(error instanceof DespachoError, String(error));
  assert.equal(error.code, code);
  if (pointers) assert.deepEqual(error.problem.errors.map((fault) => fault.pointer), pointers);
  return true;
};

test("the module is within its limit of 190 KiB with brotli", () => {
  const bytes = brotliCompressSync(readFileSync(new URL("despacho_wasm_bg.wasm", folder))).length;
  const advice = "compare it with the previous commit's module and remove what made it larger, or raise the limit here and in core/SIZE.md";
  assert.ok(bytes <= 190 * 1024, `despacho_wasm_bg.wasm has ${bytes} bytes with brotli, and its limit is ${190 * 1024}: ${advice}`);
});

test("an order is validated as the service would", async () => {
  const address = { street: "Rua Augusta", number: "900", city: "São Paulo", state: "SP" };
  await validateOrder({ code: "A-1", pickupAddress: address, deliveries: [{ address, phone: "+5511990000000" }] });
  await assert.rejects(
    validateOrder({ code: "", deliveries: [{ address, phone: "11 99000-0000" }] }),
    refused("validation_failed", ["/code", "/deliveries/0/phone"]),
  );
  await assert.rejects(validateOrder("{"), refused("malformed_request"));
  await assert.rejects(validateOrder(undefined), refused("malformed_request"));
});

test("an order follows its events", async () => {
  const order = { id: 7, situation: 300, deliveries: [{ id: 8, situation: 330, onlinePayment: false }], events: [{ sequence: 9 }] };
  const event = { sequence: 10, type: "delivery.delivered", situation: 500, deliveryId: 8 };
  const next = await applyEvent(order, event);
  assert.deepEqual([next.situation, next.deliveries[0].situation, next.events.length, next.id], [400, 500, 2, 7]);
  assert.deepEqual(await applyEvent(next, event), next);
  await assert.rejects(applyEvent(order, { ...event, sequence: 11 }), refused("invalid_transition"));
});

test("texts come in both languages", async () => {
  const detail = (language) => validateStore({}, { language }).then(assert.fail, (error) => error.message);
  assert.notEqual(await detail("en"), await detail("pt-BR"));
});

test("a CEP leads to its municipality", async () => {
  const town = await lookupPostcode("01310-200");
  assert.equal(`${town.city} ${town.state} ${town.ibgeCode}`, "São Paulo SP 3550308");
  assert.equal(await lookupPostcode("00000-000"), null);
  assert.equal(await lookupPostcode("not one"), null);
});

test("a damaged context is refused with its faults", async () => {
  const whole = JSON.parse(context);
  await assert.rejects(createPreviewer("{}"), refused("malformed_request"));
  await assert.rejects(createPreviewer({ ...whole, format: 2 }), refused("validation_failed"));
  const tariff = { ...whole.tariff, baseFee: "-1" };
  await assert.rejects(createPreviewer({ ...whole, tariff }), refused("validation_failed"));
  const store = { ...whole.store, address: { zipCode: "12" } };
  await assert.rejects(createPreviewer({ ...whole, store }), refused("validation_failed"));
});

test("what JSON cannot say is settled before it is read", async () => {
  const previewer = await createPreviewer(context);
  const stop = { address: { zipCode: "01310-200", latitude: undefined, longitude: Number.NaN } };
  const view = previewer.preview({ deliveries: [stop], preparationTime: null, sent: new Date(0) });
  assert.equal(view.quote, null);
  const circle = {};
  circle.deliveries = circle;
  assert.throws(() => previewer.preview(circle), TypeError);
  previewer.free();
  assert.throws(() => previewer.preview({ deliveries: [stop] }));
  // The module outlives what one of its objects met.
  assert.ok((await createPreviewer(context)).preview({ deliveries: [stop] }).deliveryFee > 0);
});

test("routes and assignments", async () => {
  const matrix = [[0, 9, 2, null], [9, 0, 3, 1], [2, 3, 0, 9], [9, 1, 9, 0]];
  const { order, cost, proven, bound } = await bestRoute({ matrix });
  assert.deepEqual({ order, cost, proven, bound }, { order: [2, 1, 3], cost: 6, proven: true, bound: 6 });
  await assert.rejects(bestRoute({ matrix: [[0, 1]] }), (error) => error instanceof DespachoError && error.code.length > 0);
  const pairs = await assign({ costs: [[4, 1], [2, 9]] });
  assert.deepEqual([...pairs.assign], [1, 0]);
});

/** What code says in a worker of its own, with a module of its own. */
function inWorker(code, data) {
  const source = `
    import { parentPort, workerData } from "node:worker_threads";
    const { createPreviewer, load, lookupPostcode } = await import(workerData.entry);
    parentPort.postMessage(await (async () => { ${code} })());
  `;
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(source)}`), { workerData: { entry: entry.href, context, ...data } });
  return new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
}

test("a worker computes the same", async () => {
  const request = { deliveries: [{ address: { zipCode: "01310-200" } }] };
  const code = "return (await createPreviewer(workerData.context)).previewText(workerData.request, { now: 0 })";
  assert.equal(await inWorker(code, { request }), (await createPreviewer(context)).previewText(request, { now: 0 }));
});

test("the gazetteer is left out where a page does without, and is never another one's", async () => {
  const request = { deliveries: [{ address: { latitude: -23.5557, longitude: -46.6396 } }] };
  const bare = `
    await load(undefined, { gazetteer: false });
    const previewer = await createPreviewer(workerData.context);
    const refused = (() => { try { previewer.preview({ deliveries: [{ address: { zipCode: "01310-200" } }] }) } catch (error) { return error.code } })();
    return [previewer.previewText(workerData.request, { now: 0 }), await lookupPostcode("01310-200"), refused];
  `;
  const whole = (await createPreviewer(context)).previewText(request, { now: 0 });
  assert.deepEqual(await inWorker(bare, { request }), [whole, null, "address_not_found"]);
  const wrong = `
    const fault = await load(undefined, { gazetteer: new Uint8Array(7) }).catch((error) => error.message);
    await load();
    return [fault, (await lookupPostcode("01310-200")).city];
  `;
  const [fault, city] = await inWorker(wrong, {});
  assert.match(fault, /7 bytes/);
  assert.equal(city, "São Paulo");
});
