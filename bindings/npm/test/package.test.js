// Validation, events, routes and errors of the package.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";

const folder = pathToFileURL(`${process.env.DESPACHO_PACKAGE}/`);
const entry = new URL("node.js", folder);
const despacho = await import(entry);
const {
  createPreviewer,
  validateOrder,
  validateStore,
  lookupPostcode,
  applyEvent,
  bestRoute,
  assign,
  DespachoError,
} = despacho;
const [{ context }] = [
  JSON.parse(readFileSync(process.env.DESPACHO_PREVIEWS, "utf8").split("\n", 1)[0]),
];

const rejectedWith = (code, pointers) => (error) => {
  assert.ok(error instanceof DespachoError, String(error));
  assert.equal(error.code, code);
  if (pointers)
    assert.deepEqual(
      error.problem.errors.map(({ pointer }) => pointer),
      pointers,
    );
  return true;
};

test("validateOrder throws the service's problems", async () => {
  const address = { street: "Rua Augusta", number: "900", city: "São Paulo", state: "SP" };
  await validateOrder({
    code: "A-1",
    pickupAddress: address,
    deliveries: [{ address, phone: "+5511990000000" }],
  });
  await assert.rejects(
    validateOrder({ code: "", deliveries: [{ address, pickupCode: "12 34" }] }),
    rejectedWith("validation_failed", ["/code", "/deliveries/0/pickupCode"]),
  );
  // An optional contact never prevents an order, and a byte order mark is ignored.
  await validateOrder({
    code: "A-1",
    deliveries: [{ address, phone: "3333-4444", email: "maria..silva@exemplo.com.br" }],
  });
  await validateOrder(`\uFEFF${JSON.stringify({ code: "A-1", deliveries: [{ address }] })}`);
  await assert.rejects(validateOrder("{"), rejectedWith("malformed_request"));
  await assert.rejects(validateOrder(undefined), rejectedWith("malformed_request"));
});

test("applyEvent returns the updated order", async () => {
  const order = {
    id: 7,
    situation: 300,
    deliveries: [{ id: 8, situation: 330, onlinePayment: false }],
    events: [{ sequence: 9 }],
  };
  const event = { sequence: 10, type: "delivery.delivered", situation: 500, deliveryId: 8 };
  const next = await applyEvent(order, event);
  assert.deepEqual(
    [next.situation, next.deliveries[0].situation, next.events.length, next.id],
    [400, 500, 2, 7],
  );
  assert.deepEqual(await applyEvent(next, event), next);
  await assert.rejects(
    applyEvent(order, { ...event, sequence: 11 }),
    rejectedWith("invalid_transition"),
  );
});

test("error texts depend on the language", async () => {
  const detail = (language) =>
    validateStore({}, { language }).then(assert.fail, (error) => error.message);
  assert.notEqual(await detail("en"), await detail("pt-BR"));
});

test("lookupPostcode returns the municipality of a CEP", async () => {
  const town = await lookupPostcode("01310-200");
  assert.equal(`${town.city} ${town.state} ${town.ibgeCode}`, "São Paulo SP 3550308");
  assert.equal(await lookupPostcode("00000-000"), null);
  assert.equal(await lookupPostcode("not one"), null);
});

test("createPreviewer with an invalid context throws", async () => {
  const whole = JSON.parse(context);
  await assert.rejects(createPreviewer("{}"), rejectedWith("malformed_request"));
  await assert.rejects(createPreviewer({ ...whole, format: 2 }), rejectedWith("validation_failed"));
  const tariff = { ...whole.tariff, baseFee: "-1" };
  await assert.rejects(createPreviewer({ ...whole, tariff }), rejectedWith("validation_failed"));
  const store = { ...whole.store, address: { zipCode: "12" } };
  await assert.rejects(createPreviewer({ ...whole, store }), rejectedWith("validation_failed"));
});

test("values without a JSON form are converted or rejected", async () => {
  const previewer = await createPreviewer(context);
  const stop = { address: { zipCode: "01310-200", latitude: undefined, longitude: Number.NaN } };
  const view = previewer.preview({ deliveries: [stop], preparationTime: null, sent: new Date(0) });
  assert.equal(view.quote, null);
  const circle = {};
  circle.deliveries = circle;
  assert.throws(() => previewer.preview(circle), TypeError);
  previewer.free();
  assert.throws(() => previewer.preview({ deliveries: [stop] }));
  // The module still works after the error.
  assert.ok((await createPreviewer(context)).preview({ deliveries: [stop] }).deliveryFee > 0);
});

test("bestRoute and assign return optimal results", async () => {
  const matrix = [
    [0, 9, 2, null],
    [9, 0, 3, 1],
    [2, 3, 0, 9],
    [9, 1, 9, 0],
  ];
  const { order, cost, proven, bound } = await bestRoute({ matrix });
  assert.deepEqual(
    { order, cost, proven, bound },
    { order: [2, 1, 3], cost: 6, proven: true, bound: 6 },
  );
  const pinned = await bestRoute({ matrix, pins: [{ stop: 1, pin: "first" }] });
  assert.deepEqual(pinned.order, [1, 3, 2]);
  const wrong = await bestRoute({ matrix: [[0, 1]] }).then(assert.fail, (error) => error);
  rejectedWith("not_square", [])(wrong);
  assert.deepEqual(
    [wrong.problem.status, wrong.problem.code, wrong.problem.detail],
    [422, "not_square", wrong.message],
  );
  const pairs = await assign({
    costs: [
      [4, 1],
      [2, 9],
    ],
  });
  assert.deepEqual([...pairs.assign], [1, 0]);
});

/** Runs code in a worker, which has its own module. */
function runInWorker(code, data) {
  const source = `
    import { parentPort, workerData } from "node:worker_threads";
    const { createPreviewer, load, lookupPostcode } = await import(workerData.entry);
    parentPort.postMessage(await (async () => { ${code} })());
  `;
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(source)}`), {
    workerData: { entry: entry.href, context, ...data },
  });
  return new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
}

test("preview in a worker equals the preview in the page", async () => {
  const request = { deliveries: [{ address: { zipCode: "01310-200" } }] };
  const code =
    "return (await createPreviewer(workerData.context)).previewText(workerData.request, { now: 0 })";
  assert.equal(
    await runInWorker(code, { request }),
    (await createPreviewer(context)).previewText(request, { now: 0 }),
  );
});

test("load accepts no gazetteer and rejects an invalid one", async () => {
  const request = { deliveries: [{ address: { latitude: -23.5557, longitude: -46.6396 } }] };
  const bare = `
    await load(undefined, { gazetteer: false });
    const previewer = await createPreviewer(workerData.context);
    const code = (() => { try { previewer.preview({ deliveries: [{ address: { zipCode: "01310-200" } }] }) } catch (error) { return error.code } })();
    return [previewer.previewText(workerData.request, { now: 0 }), await lookupPostcode("01310-200"), code];
  `;
  const whole = (await createPreviewer(context)).previewText(request, { now: 0 });
  assert.deepEqual(await runInWorker(bare, { request }), [whole, null, "address_not_found"]);
  const wrong = `
    const message = await load(undefined, { gazetteer: new Uint8Array(7) }).catch((error) => error.message);
    await load();
    return [message, (await lookupPostcode("01310-200")).city];
  `;
  const [message, city] = await runInWorker(wrong, {});
  assert.match(message, /7 bytes/);
  assert.equal(city, "São Paulo");
});
