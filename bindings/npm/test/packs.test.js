// Gazetteer packs: DESPACHO_PACK is a pack with the even house numbers 2 to 400 of a street.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { pathToFileURL } from "node:url";

const folder = pathToFileURL(`${process.env.DESPACHO_PACKAGE}/`);
const { createPreviewer, DespachoError } = await import(new URL("node.js", folder));
const { context } = JSON.parse(
  readFileSync(process.env.DESPACHO_PREVIEWS, "utf8").split("\n", 1)[0],
);
const pack = readFileSync(process.env.DESPACHO_PACK);
const address = { street: "Rua Augusta", number: "200", city: "São Paulo", state: "SP" };
const request = { deliveries: [{ address }] };

test("loaded pack locates addresses by street and number", async () => {
  const previewer = await createPreviewer(context);
  const before = previewer.preview(request);
  previewer.loadPack(pack);
  const after = previewer.preview(request);
  assert.deepEqual([before.deliveries[0].precision, before.estimated], ["municipality", true]);
  assert.deepEqual([after.deliveries[0].precision, after.estimated], ["number", false]);
  // A street that the pack does not contain is still located by its city.
  const elsewhere = { deliveries: [{ address: { ...address, street: "Rua Sem Nome" } }] };
  assert.equal(previewer.preview(elsewhere).deliveries[0].precision, "municipality");
});

test("invalid pack is rejected without side effects", async () => {
  const previewer = await createPreviewer(context);
  const assertRejected = (bytes, code) =>
    assert.throws(
      () => previewer.loadPack(bytes),
      (error) => error instanceof DespachoError && error.code === code && error.message !== "",
    );
  const future = Uint8Array.from(pack);
  future[8] = 255;
  future[9] = 255;
  const damaged = Uint8Array.from(pack);
  damaged[damaged.length - 1] ^= 1;
  assertRejected(new Uint8Array(0), "not_a_pack");
  assertRejected(
    new TextEncoder().encode("not a pack, but long enough to contain a header of sixty-four bytes"),
    "not_a_pack",
  );
  assertRejected(future, "pack_from_the_future");
  assertRejected(pack.subarray(0, pack.length - 1), "pack_truncated");
  assertRejected(damaged, "pack_damaged");
  assert.equal(previewer.preview(request).deliveries[0].precision, "municipality");
  previewer.loadPack(pack);
  assert.equal(previewer.preview(request).deliveries[0].precision, "number");
});
