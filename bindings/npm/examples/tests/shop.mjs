// Helpers of the tests: a server with the pages and the browser package, and a browser.
import { createServer } from "node:http";
import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { chromium } from "playwright-core";

const EXAMPLES = path.resolve(import.meta.dirname, "..");
const PACKAGE = path.resolve(
  process.env.DESPACHO_PACKAGE ?? path.join(EXAMPLES, "../../../target/package"),
);
const SCREENSHOTS = path.resolve(
  process.env.DESPACHO_EMBED_SHOTS ?? path.join(EXAMPLES, "../../../target/embed"),
);
const CONTEXT = path.join(EXAMPLES, "../test/context.json");
const TYPES = {
  html: "text/html",
  js: "text/javascript",
  css: "text/css",
  json: "application/json",
  wasm: "application/wasm",
};
/** The policy of a strict shop. The built pages have no inline scripts or styles. */
const POLICY =
  "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; require-trusted-types-for 'script'";

/** The time in the tested pages: the tariff has surcharges at night. */
export const NOW = new Date("2026-11-24T15:00:00Z");
export const context = JSON.parse(await readFile(CONTEXT, "utf8"));
export const { createPreviewer } = await import(path.join(PACKAGE, "node.js"));

const onPath = (name) =>
  (process.env.PATH ?? "")
    .split(path.delimiter)
    .map((folder) => path.join(folder, name))
    .find(existsSync);
const CHROMIUM = process.env.DESPACHO_CHROMIUM ?? onPath("chromium") ?? "/usr/bin/chromium";

export const launch = () =>
  chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });

function fileOf(pathname) {
  if (pathname.endsWith("/context.json")) return CONTEXT;
  if (pathname.startsWith("/despacho/"))
    return path.join(PACKAGE, pathname.slice("/despacho/".length));
  if (pathname === "/plain.html") return path.join(EXAMPLES, "plain.html");
  return path.join(EXAMPLES, "dist", pathname);
}

/** Serves the pages on a free port. `pages` adds pages by their path. */
export async function serve(pages = {}) {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://127.0.0.1");
    const type = TYPES[pathname.split(".").at(-1)] ?? "application/octet-stream";
    try {
      const body = pages[pathname] ?? (await readFile(fileOf(pathname)));
      response.setHeader("content-type", type);
      if (/^\/(react|vue)\//.test(pathname)) response.setHeader("content-security-policy", POLICY);
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { base: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

/** Opens a page at the fixed time, and records its errors and the events of the element. */
export async function open(browser, url, options = {}) {
  const context = await browser.newContext({
    viewport: { width: 390, height: 844 },
    timezoneId: "America/Sao_Paulo",
    locale: "pt-BR",
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const errors = [];
  page.on("console", (message) => {
    if (message.type() === "error" && !/^Failed to load resource/.test(message.text()))
      errors.push(message.text());
  });
  page.on("pageerror", (error) => errors.push(String(error.stack)));
  await page.clock.setFixedTime(NOW);
  await page.addInitScript(() => {
    globalThis.recorded = [];
    for (const type of ["despacho-change", "despacho-price", "despacho-error"]) {
      addEventListener(type, ({ detail }) => globalThis.recorded.push({ type, detail }));
    }
  });
  await page.goto(url);
  return { page, errors };
}

const STATUS = "despacho-preview [role=status]";

/** Waits until the element's result contains a text. */
export const shows = (page, text) => page.locator(STATUS, { hasText: text }).waitFor();
export const result = (page) => page.locator(STATUS).innerText();
export const events = (page, type) =>
  page.evaluate(
    (wanted) => globalThis.recorded.filter((one) => one.type === wanted).map((one) => one.detail),
    type,
  );

export async function screenshot(page, name) {
  await mkdir(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: path.join(SCREENSHOTS, `${name}.png`), fullPage: true });
}

let axe;

/** Returns all accessibility violations that axe finds, also in the shadow root. */
export async function axeViolations(page) {
  axe ??= await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  await page.evaluate(axe);
  const found = await page.evaluate(() =>
    globalThis.axe.run(document, { resultTypes: ["violations"] }),
  );
  return found.violations.map(
    (one) =>
      `${one.id}: ${one.nodes.map((node) => `${node.target.join(" ")} ${node.failureSummary}`).join(" | ")}`,
  );
}
