// How fast a price is, in the page and beside the server, and how much a first visit loads. Printed for people.
import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { after, before, test } from "node:test";
import { brotliCompressSync } from "node:zlib";
import { VERGUEIRO, fillAddress, goTo, launch, opened } from "./browser.mjs";

const MOST_FIRST_LOAD = 300 * 1024;
const CALLS = 300;

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

test("a first visit loads little", async () => {
  const folder = new URL("../dist/assets/", import.meta.url);
  let first = 0;
  for (const name of await readdir(folder)) {
    const size = brotliCompressSync(await readFile(new URL(name, folder))).length;
    console.log(`${name}: ${size} bytes in brotli`);
    // The compiled core comes with the first form that needs it.
    if (/^index-/.test(name)) first += size;
  }
  assert.ok(first > 0 && first < MOST_FIRST_LOAD, `${first} bytes`);
});

test("a price in the page beside the server's, and the first one on a slow processor", async () => {
  const { page, context } = await opened(browser);
  await goTo(page, "/orders/new");
  await page.waitForResponse((response) => response.url().endsWith(".wasm"));
  const figures = await page.evaluate(async (calls) => {
    const scripts = performance.getEntriesByType("resource").map((entry) => entry.name);
    const core = await import(scripts.find((name) => /assets\/web-[^/]*\.js$/.test(name)));
    const key = JSON.parse(sessionStorage.getItem("despacho.session")).key;
    const headers = { "x-api-token": key, "content-type": "application/json" };
    const rules = await (await fetch("/delivery/preview-context", { headers })).json();
    const previewer = await core.createPreviewer(rules, { language: "pt-BR" });
    const stops = Array.from({ length: 10 }, (_, at) => ({
      onlinePayment: true,
      address: { latitude: -23.55 - 0.004 * ((at * 7) % 10), longitude: -46.64 - 0.004 * ((at * 3) % 10) },
    }));
    const body = { previewDeliveryTime: true, sortByBestRoute: true, deliveries: stops };
    const timed = async (count, call) => {
      const took = [];
      for (let at = 0; at < count; at += 1) {
        const start = performance.now();
        await call();
        took.push(performance.now() - start);
      }
      took.sort((a, b) => a - b);
      return { median: took[Math.floor(count / 2)], p95: took[Math.floor(count * 0.95)] };
    };
    const ask = () => fetch("/delivery/orders/preview", { method: "POST", headers, body: JSON.stringify(body) }).then((r) => r.json());
    await timed(20, () => previewer.preview(body));
    return { page: await timed(calls, () => previewer.preview(body)), server: await timed(calls, ask) };
  }, CALLS);
  const text = ({ median, p95 }) => `median ${median.toFixed(2)} ms, 95 of 100 within ${p95.toFixed(2)} ms`;
  console.log(`10 stops in the page: ${text(figures.page)}; the same from the server on loopback: ${text(figures.server)}`);
  assert.ok(figures.page.median < figures.server.median, "the page is slower than the network");

  const slow = await context.newCDPSession(page);
  await slow.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  await goTo(page, "/orders");
  await goTo(page, "/orders/new");
  await fillAddress(page, "#f-deliveries-0-address", { ...VERGUEIRO, latitude: undefined });
  await page.waitForFunction(() => /R\$/.test(document.querySelector("[data-testid=price]")?.textContent ?? ""));
  const start = Date.now();
  const before = await page.getByTestId("price").innerText();
  await page.fill("#f-deliveries-0-address-city", "Campinas");
  await page.fill("#f-deliveries-0-address-zipCode", "01310-200");
  await page.fill("#f-deliveries-0-address-city", "São Paulo");
  await page.waitForFunction(() => document.querySelector("[aria-busy=false] [data-testid=price]") !== null);
  console.log(`a price after the last key, on a processor slowed down four times: ${Date.now() - start} ms (${before})`);
  await context.close();
});
