// Price latency in the page and from the server, and download sizes, printed as a table.
import { readFile, readdir } from "node:fs/promises";
import { brotliCompressSync } from "node:zlib";
import { PAGES, firstLoad } from "../sizes.mjs";
import { BASE, VERGUEIRO } from "./support/api";
import { expect, test } from "./support/fixtures";
import { goTo } from "./support/page";

const KIB = 1024;
/** The table shows the round with the lowest 95th percentile next to all rounds, because other processes disturb the measurement. */
const ROUNDS = 40;
const CALLS = 50;

interface Row {
  what: string;
  found: number;
  unit: string;
  limit?: number;
}

const table: Row[] = [];
const row = (what: string, found: number, unit: string, limit?: number) =>
  table.push({ what, found, unit, ...(limit === undefined ? {} : { limit }) });

test.describe.configure({ mode: "serial" });
test.afterAll(() => {
  const wide = Math.max(...table.map((one) => one.what.length));
  for (const { what, found, unit, limit } of table) {
    const target =
      limit === undefined ? "" : `  target < ${limit} ${unit}  ${found < limit ? "met" : "MISSED"}`;
    console.log(
      `${what.padEnd(wide)}  ${found.toFixed(unit === "ms" ? 2 : 0).padStart(8)} ${unit}${target}`,
    );
  }
});

test("every download is measured", async () => {
  const folder = new URL("../dist/assets/", import.meta.url);
  const sizes = new Map<string, number>();
  for (const name of await readdir(folder))
    sizes.set(name, brotliCompressSync(await readFile(new URL(name, folder))).length / KIB);
  const sum = (kind: RegExp) =>
    [...sizes].filter(([name]) => kind.test(name)).reduce((total, [, size]) => total + size, 0);
  // The compiled core and its gazetteer are loaded by the first form that needs them.
  for (const page of PAGES) row(`${page}, first visit, brotli`, firstLoad(page), "KiB");
  row("compiled core, without its gazetteer, brotli", sum(/\.wasm$/), "KiB");
  row("gazetteer, brotli", sum(/\.bin$/), "KiB");
  // The pages that are loaded when they are opened.
  const pages = {
    "report of orders by day": /^reports-/,
    "console's editor of tariffs": /^tariffs-/,
  };
  for (const [name, files] of Object.entries(pages)) {
    row(`${name}, brotli`, sum(files), "KiB");
    expect(sum(files), name).toBeGreaterThan(0);
  }
  expect(sum(/\.wasm$/), JSON.stringify([...sizes])).toBeGreaterThan(0);
});

test("courier's app paints on a slow phone and network", async ({ open }) => {
  const page = await open({ viewport: { width: 390, height: 844 } });
  const slow = await page.context().newCDPSession(page);
  await slow.send("Network.enable");
  await slow.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 400,
    downloadThroughput: 50_000,
    uploadThroughput: 50_000,
  });
  await slow.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  await page.goto(`${BASE}/courier`);
  await expect(page.locator("#title")).toBeVisible();
  const usable = await page.evaluate(() => performance.now());
  const paint = await page.evaluate(
    () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0,
  );
  const received = await page.evaluate(() =>
    (performance.getEntriesByType("resource") as PerformanceResourceTiming[])
      .filter((entry) => /assets/.test(entry.name))
      .reduce((total, entry) => total + entry.transferSize, 0),
  );
  row("courier's app, first paint, CPU slowed 4 times, 400 ms and 400 kbit/s", paint, "ms", 2000);
  row("    until the sign-in form is usable", usable, "ms");
  row("    received until then", received / KIB, "KiB");
});

test("price of ten stops is faster in the page than from the server", async ({ panel: page }) => {
  await Promise.all([
    page.waitForResponse((response) => response.url().endsWith(".wasm")),
    goTo(page, "/orders/new"),
  ]);
  const figures = await page.evaluate(
    async ([rounds, calls]) => {
      const scripts = performance.getEntriesByType("resource").map((entry) => entry.name);
      const script = scripts.find((name) => /assets\/web-[^/]*\.js$/.test(name)) ?? "";
      const core: typeof import("despacho") = await import(script);
      const { key } = JSON.parse(sessionStorage.getItem("despacho.session") ?? "{}");
      const headers = { "x-api-token": key, "content-type": "application/json" };
      const rules = await (await fetch("/delivery/preview-context", { headers })).json();
      const previewer = await core.createPreviewer(rules, { language: "pt-BR" });
      const stops = Array.from({ length: 10 }, (_, at) => ({
        onlinePayment: true,
        address: {
          latitude: -23.55 - 0.004 * ((at * 7) % 10),
          longitude: -46.64 - 0.004 * ((at * 3) % 10),
        },
      }));
      const body = { previewDeliveryTime: true, sortByBestRoute: true, deliveries: stops };
      const round = async (count: number, call: () => unknown) => {
        const took: number[] = [];
        for (let at = 0; at < count; at += 1) {
          const start = performance.now();
          await call();
          took.push(performance.now() - start);
        }
        return took;
      };
      const figure = (took: number[]) => {
        const sorted = [...took].sort((a, b) => a - b);
        return {
          median: sorted[Math.floor(sorted.length / 2)],
          p95: sorted[Math.floor(sorted.length * 0.95)],
        };
      };
      const measure = async (call: () => unknown) => {
        const all: number[][] = [];
        for (let at = 0; at < rounds; at += 1) all.push(await round(calls, call));
        const best = all.map(figure).reduce((a, b) => (b.p95 < a.p95 ? b : a));
        return { ...figure(all.flat()), best: best.p95 };
      };
      const request = () =>
        fetch("/delivery/orders/preview", {
          method: "POST",
          headers,
          body: JSON.stringify(body),
        }).then((r) => r.json());
      const [local, remote] = [previewer.preview(body), await request()];
      await round(200, () => previewer.preview(body));
      return {
        same: local.totalDistance === remote.totalDistance,
        page: await measure(() => previewer.preview(body)),
        server: await measure(request),
      };
    },
    [ROUNDS, CALLS],
  );
  expect(figures.same, "page and server return the same distance").toBeTruthy();
  for (const [name, found] of [
    ["in the page", figures.page],
    ["from the server on loopback", figures.server],
  ] as const) {
    row(`price of 10 stops ${name}, median`, found.median, "ms");
    row(
      `    95th percentile in the best of ${ROUNDS} rounds of ${CALLS}`,
      found.best,
      "ms",
      name === "in the page" ? 1 : undefined,
    );
    row("    95th percentile of all calls", found.p95, "ms");
  }
});

test("first price appears with a CPU slowed down four times", async ({ panel: page, store }) => {
  // A restored draft in a page that has not loaded the core yet.
  const address = {
    complement: "",
    ...Object.fromEntries(Object.entries(VERGUEIRO).map(([name, value]) => [name, String(value)])),
  };
  const delivery = {
    name: "",
    phone: "",
    value: "",
    observation: "",
    paid: true,
    confirm: true,
    address,
  };
  const draft = { code: "LENTO", preparation: "0", best: false, store: "", deliveries: [delivery] };
  await store.api("GET", "/delivery/preview-context");
  await page.evaluate(
    (value) => sessionStorage.setItem("despacho.draft.order", JSON.stringify(value)),
    draft,
  );
  await page.reload();
  await expect(page.locator(".orders tbody tr, .state").first()).toBeVisible();
  const slow = await page.context().newCDPSession(page);
  await slow.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  const took = await page.evaluate(
    () =>
      new Promise<{ first: number; inPage: number }>((done) => {
        const start = performance.now();
        let first: number | null = null;
        const poll = () => {
          const shown = /R\$/.test(
            document.querySelector("[data-testid=price]")?.textContent ?? "",
          );
          if (shown && first === null) first = performance.now() - start;
          if (shown && document.querySelector("[data-source=page]") !== null)
            done({ first: first ?? 0, inPage: performance.now() - start });
          else requestAnimationFrame(poll);
        };
        location.hash = "/orders/new";
        requestAnimationFrame(poll);
      }),
  );
  row("first price, CPU slowed 4 times", took.first, "ms", 1000);
  row("    computed in the page, with core and gazetteer loaded", took.inPage, "ms");
});
