// What every test of the panel needs: a browser, a logged-in user, and a record of errors in the page.
import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { chromium } from "playwright-core";

/** The address of the server under test; `cargo verify --only panel` starts one and sets it. */
export const BASE = process.env.DESPACHO_PANEL_URL ?? "http://127.0.0.1:8080";
const SHOTS = process.env.DESPACHO_PANEL_SHOTS ?? path.resolve("../../target/panel");
const EMAIL = "matriz@demo.despacho.example";
const PASSWORD = "despacho-demo";

const onPath = (name) => (process.env.PATH ?? "").split(path.delimiter).map((folder) => path.join(folder, name)).find(existsSync);
const CHROMIUM = process.env.DESPACHO_CHROMIUM ?? onPath("chromium") ?? "/usr/bin/chromium";
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"];

export const launch = () => chromium.launch({ executablePath: CHROMIUM, args: FLAGS });

/** A page of its own, with its errors: on the console, exceptions, requests to other servers. */
export async function open(browser, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, locale: "pt-BR", ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const wrongs = [];
  page.on("console", (message) => {
    // The browser itself logs error responses and lost connections; the tests check what the page shows.
    if (message.type() === "error" && !/^Failed to load resource/.test(message.text())) wrongs.push(message.text());
  });
  page.on("pageerror", (error) => wrongs.push(String(error.stack)));
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (!["blob:", "data:"].includes(url.protocol) && url.origin !== new URL(BASE).origin) wrongs.push(`requested ${url.href}`);
    if (/dsp_/.test(url.href)) wrongs.push(`a key in an address: ${url.href}`);
  });
  return { context, page, wrongs };
}

/** A demonstration fills in its login shortly after the page has loaded. */
export const filledIn = (page) => page.waitForFunction(() => document.querySelector("#f-password")?.value !== "");

export async function logIn(page) {
  await page.goto(BASE);
  await filledIn(page);
  await page.fill("#f-email", EMAIL);
  await page.fill("#f-password", PASSWORD);
  await page.click("button[type=submit]");
  await page.waitForSelector(".side");
}

/** A panel with a logged-in user. */
export async function opened(browser, options) {
  const one = await open(browser, options);
  await logIn(one.page);
  return one;
}

export async function goTo(page, where) {
  await page.evaluate((hash) => (location.hash = hash), where);
  await page.waitForSelector("#title");
}

/** A request to the API from outside the page, with the key of the page's session. */
export async function api(page, method, to, body, language = "en") {
  const key = await page.evaluate(() => JSON.parse(sessionStorage.getItem("despacho.session")).key);
  const response = await fetch(BASE + to, {
    method,
    headers: { "x-api-token": key, "content-type": "application/json", "accept-language": language },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? null : JSON.parse(text) };
}

const ADMIN = process.env.DESPACHO_PANEL_ADMIN ?? "panel-tests-operator-token";

/** A request with a key of its own: the operator's, a courier's. */
export async function request(key, method, to, body) {
  const headers = { "x-api-token": key, "accept-language": "pt-BR", "content-type": "application/json" };
  const response = await fetch(BASE + to, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  const text = await response.text();
  return { status: response.status, body: text === "" ? null : JSON.parse(text) };
}

/** A sandbox courier that the test moves by its key: no courier is simulated while this one is free near the pickup. */
export async function courier(name) {
  const record = { name, profileId: 1 + Math.floor(Math.random() * 1e9), phone: "+5551990000001", available: true, sandbox: true };
  const made = await request(ADMIN, "POST", "/admin/couriers", record);
  if (made.status !== 201) throw new Error(`no courier: ${JSON.stringify(made)}`);
  const does = async (to, body = {}) => {
    const done = await request(made.body.value, "POST", `/courier/${to}`, body);
    if (done.status !== 200) throw new Error(`${to}: ${JSON.stringify(done)}`);
    return done.body;
  };
  return { id: made.body.id, does, leaves: () => request(ADMIN, "PATCH", `/admin/couriers/${made.body.id}`, { available: false }) };
}

/** Repeats a request until its response is as expected. */
export async function until(what, wanted, limit = 60_000) {
  const deadline = Date.now() + limit;
  for (;;) {
    const found = await what();
    if (wanted(found)) return found;
    if (Date.now() > deadline) throw new Error(`waited in vain, last: ${JSON.stringify(found)}`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

/** A code that no order has yet. */
export const fresh = (prefix) => `${prefix}-${Date.now().toString(36)}-${Math.floor(Math.random() * 1e6).toString(36)}`.toUpperCase();

/** An unused CNPJ with valid check digits. */
export function freshCnpj() {
  const base = `${String(Math.floor(Math.random() * 1e8)).padStart(8, "0")}0001`;
  const digit = (text) => {
    const sum = [...text].reverse().reduce((total, one, at) => total + Number(one) * ((at % 8) + 2), 0);
    return sum % 11 < 2 ? 0 : 11 - (sum % 11);
  };
  const first = digit(base);
  return `${base}${first}${digit(base + first)}`;
}

export const VERGUEIRO = {
  street: "Rua Vergueiro", number: "1000", neighborhood: "Paraíso", city: "São Paulo", state: "SP", zipCode: "01504-000",
  latitude: -23.5712, longitude: -46.6401,
};

/** Fills an address into the form at a pointer. */
export async function fillAddress(page, at, address) {
  for (const name of ["zipCode", "street", "number", "neighborhood", "city"]) {
    if (address[name] !== undefined) await page.fill(`${at}-${name}`, address[name]);
  }
  await page.selectOption(`${at}-state`, address.state);
  if (address.latitude !== undefined) {
    const details = page.locator("details", { has: page.locator(`${at}-latitude`) });
    if ((await details.getAttribute("open")) === null) await details.locator("summary").click();
    await page.fill(`${at}-latitude`, String(address.latitude).replace(".", ","));
    await page.fill(`${at}-longitude`, String(address.longitude).replace(".", ","));
  }
}

export async function shot(page, name) {
  await mkdir(SHOTS, { recursive: true });
  await page.screenshot({ path: path.join(SHOTS, `${name}.png`), fullPage: true });
}

let axe;

/** What axe finds serious or critical on the page. */
export async function serious(page) {
  axe ??= await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  // By the debugger, not as a script of the page: its policy allows none from outside.
  await page.evaluate(axe);
  const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  return found.violations
    .filter((one) => one.impact === "serious" || one.impact === "critical")
    .map((one) => `${one.id}: ${one.nodes.map((node) => `${node.target.join(" ")} ${node.failureSummary}`).join(" | ")}`);
}
