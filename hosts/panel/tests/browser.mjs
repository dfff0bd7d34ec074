// Helpers of the panel tests: the browser, a logged-in user and the errors of a page.
import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { chromium } from "playwright-core";

/** The address of the server under test; `cargo verify --only panel` starts one and sets it. */
export const BASE = process.env.DESPACHO_PANEL_URL ?? "http://127.0.0.1:8080";
const SCREENSHOTS = process.env.DESPACHO_PANEL_SHOTS ?? path.resolve("../../target/panel");
/** The maximum time in milliseconds by which each request is delayed, at random. Reveals tests that pass only if responses arrive in a certain order. */
const DELAY = Number(process.env.DESPACHO_PANEL_DELAY ?? 0);
const EMAIL = "matriz@demo.despacho.example";
export const PASSWORD = "despacho-demo";

const onPath = (name) =>
  (process.env.PATH ?? "")
    .split(path.delimiter)
    .map((folder) => path.join(folder, name))
    .find(existsSync);
const CHROMIUM = process.env.DESPACHO_CHROMIUM ?? onPath("chromium") ?? "/usr/bin/chromium";
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"];

export const launch = () => chromium.launch({ executablePath: CHROMIUM, args: FLAGS });

/** Opens a page and records its console errors, exceptions and requests to other origins. */
export async function open(browser, options = {}) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 860 },
    locale: "pt-BR",
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  if (DELAY > 0) {
    await context.route(/\/(delivery|admin|courier|panel\.json)/, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * DELAY));
      // A page may have been closed meanwhile.
      await route.continue().catch(() => {});
    });
  }
  const pageErrors = [];
  page.on("console", (message) => {
    // The browser logs error responses and lost connections, which some tests cause on purpose. The map's library logs the latter too.
    const isExpected = /^(Failed to load resource|TypeError: Failed to fetch)/.test(message.text());
    if (message.type() === "error" && !isExpected) pageErrors.push(message.text());
  });
  page.on("pageerror", (error) => pageErrors.push(String(error.stack)));
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (!["blob:", "data:"].includes(url.protocol) && url.origin !== new URL(BASE).origin)
      pageErrors.push(`requested ${url.href}`);
    // The browser reports a link's fragment, but does not send it.
    url.hash = "";
    if (/dsp_/.test(url.href)) pageErrors.push(`API key in a URL: ${url.href}`);
  });
  return { context, page, pageErrors };
}

/** Holds the requests of a page to matching addresses until the returned function is called. */
export async function hold(page, address) {
  let release;
  const released = new Promise((resolve) => (release = resolve));
  await page.route(address, async (route) => {
    await released;
    await route.continue();
  });
  return release;
}

/** Waits until the demo has filled in the login. */
export const loginFilledIn = (page) =>
  page.waitForFunction(() => document.querySelector("#f-password")?.value !== "");

export async function logIn(page) {
  await page.goto(BASE);
  await loginFilledIn(page);
  await sendLogin(page);
  await page.waitForSelector(".side");
}

/** Fills in the login of the demo and sends it. */
export async function sendLogin(page) {
  await page.fill("#f-email", EMAIL);
  await page.fill("#f-password", PASSWORD);
  await page.click("button[type=submit]");
}

/** Opens the panel and logs in. */
export async function openLoggedIn(browser, options) {
  const opened = await open(browser, options);
  await logIn(opened.page);
  return opened;
}

/** Confirms the session, so that the next requests need no password. */
export async function confirmSession(page) {
  const confirmed = await api(page, "POST", "/delivery/sessions/confirmation", {
    currentPassword: PASSWORD,
  });
  if (confirmed.status !== 200) throw new Error(JSON.stringify(confirmed.body));
}

export async function goTo(page, route) {
  // The page of the earlier route is replaced in a later task. A click before that would be on it.
  await page.evaluate(
    (hash) =>
      new Promise((done) => {
        location.hash = hash;
        setTimeout(done, 50);
      }),
    route,
  );
  await page.waitForSelector("#title");
}

/** Sends a request to the API with the key of the page's session. */
export async function api(page, method, to, body, language = "en") {
  const key = await page.evaluate(() => JSON.parse(sessionStorage.getItem("despacho.session")).key);
  const response = await fetch(BASE + to, {
    method,
    headers: {
      "x-api-token": key,
      "content-type": "application/json",
      "accept-language": language,
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? null : JSON.parse(text) };
}

const ADMIN = process.env.DESPACHO_PANEL_ADMIN ?? "panel-tests-operator-token";

/** Sends a request to the API with the given key. */
export async function request(key, method, to, body) {
  const headers = {
    "x-api-token": key,
    "accept-language": "pt-BR",
    "content-type": "application/json",
  };
  const response = await fetch(BASE + to, {
    method,
    headers,
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? null : JSON.parse(text) };
}

/** Creates a sandbox courier that the test controls. The server simulates no couriers while this one is available near the pickup. */
export async function courier(name) {
  const record = {
    name,
    profileId: 1 + Math.floor(Math.random() * 1e9),
    phone: "+5551990000001",
    available: true,
    sandbox: true,
  };
  const made = await request(ADMIN, "POST", "/admin/couriers", record);
  if (made.status !== 201) throw new Error(`courier not created: ${JSON.stringify(made)}`);
  const send = async (to, body = {}) => {
    const done = await request(made.body.value, "POST", `/courier/${to}`, body);
    if (done.status !== 200) throw new Error(`${to}: ${JSON.stringify(done)}`);
    return done.body;
  };
  const alter = (body) => request(ADMIN, "PATCH", `/admin/couriers/${made.body.id}`, body);
  /** Returns a new sign-in link of the app. */
  const link = async () => {
    const issued = await request(ADMIN, "POST", `/admin/couriers/${made.body.id}/sign-in`);
    if (issued.status !== 201) throw new Error(`no sign-in link: ${JSON.stringify(issued)}`);
    return `${BASE}/courier#${issued.body.value}`;
  };
  return {
    id: made.body.id,
    key: made.body.value,
    send,
    link,
    alter,
    stop: () => alter({ available: false }),
  };
}

/** Repeats a request until its response meets the condition. */
export async function until(send, condition, limit = 60_000) {
  const deadline = Date.now() + limit;
  for (;;) {
    const found = await send();
    if (condition(found)) return found;
    if (Date.now() > deadline)
      throw new Error(`condition not met, last response: ${JSON.stringify(found)}`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

/** A unique order code. */
export const uniqueCode = (prefix) =>
  `${prefix}-${Date.now().toString(36)}-${Math.floor(Math.random() * 1e6).toString(36)}`.toUpperCase();

/** An unused CNPJ with valid check digits. */
export function uniqueCnpj() {
  const base = `${String(Math.floor(Math.random() * 1e8)).padStart(8, "0")}0001`;
  const digit = (text) => {
    const sum = [...text]
      .reverse()
      .reduce((total, one, at) => total + Number(one) * ((at % 8) + 2), 0);
    return sum % 11 < 2 ? 0 : 11 - (sum % 11);
  };
  const first = digit(base);
  return `${base}${first}${digit(base + first)}`;
}

export const VERGUEIRO = {
  street: "Rua Vergueiro",
  number: "1000",
  neighborhood: "Paraíso",
  city: "São Paulo",
  state: "SP",
  zipCode: "01504-000",
  latitude: -23.5712,
  longitude: -46.6401,
};

/** Fills in the address fields below an element ID. */
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

/** Sends the form of a new order when its price is that of the last input. Otherwise the user would have to confirm another price. */
export async function sendOrder(page) {
  await page.waitForSelector(".create-price [aria-busy=false]");
  await page.click("form.create button[type=submit]");
}

export async function screenshot(page, name) {
  await mkdir(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: path.join(SCREENSHOTS, `${name}.png`), fullPage: true });
}

/** Returns the marks and circles that are not completely inside the map. */
export const outsideMap = (page) =>
  page.evaluate(() => {
    const map = document.querySelector(".map").getBoundingClientRect();
    const boxes = [...document.querySelectorAll(".map .mark, .map .approximate")].map((one) =>
      one.getBoundingClientRect().toJSON(),
    );
    return boxes.filter(
      (box) =>
        box.left < map.left ||
        box.right > map.right ||
        box.top < map.top ||
        box.bottom > map.bottom,
    );
  });

/** Prints the page as the browser would on paper, to a PDF next to the screenshots, and returns its bytes as Latin-1 text. */
export async function printed(page, name) {
  await mkdir(SCREENSHOTS, { recursive: true });
  const pdf = await page.pdf({
    path: path.join(SCREENSHOTS, `${name}.pdf`),
    preferCSSPageSize: true,
    printBackground: true,
  });
  return pdf.toString("latin1");
}

let axe;

/** Returns the serious and critical accessibility violations that axe finds. */
export async function axeViolations(page) {
  axe ??= await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  // Evaluated by the debugger, because the content security policy permits no other scripts.
  await page.evaluate(axe);
  const found = await page.evaluate(() =>
    globalThis.axe.run(document, { resultTypes: ["violations"] }),
  );
  return found.violations
    .filter((one) => one.impact === "serious" || one.impact === "critical")
    .map(
      (one) =>
        `${one.id}: ${one.nodes.map((node) => `${node.target.join(" ")} ${node.failureSummary}`).join(" | ")}`,
    );
}

const DESKTOP = { device: "desktop", viewport: { width: 1280, height: 900 } };
const PHONE = { device: "phone", viewport: { width: 390, height: 844 } };

/** The devices and colour schemes of screenshots. Each page is seen in both languages in each scheme and on each device. */
export const LOOKS = [
  { ...DESKTOP, colorScheme: "light", locale: "en-US" },
  { ...DESKTOP, colorScheme: "dark", locale: "pt-BR" },
  { ...PHONE, colorScheme: "light", locale: "pt-BR" },
  { ...PHONE, colorScheme: "dark", locale: "en-US" },
];

/** Returns what is wrong with the present state of a page in each device and colour scheme, in the language of the page. */
export async function defectsEverywhere(page, name) {
  const { width, height } = page.viewportSize();
  const found = [];
  for (const { device, viewport, colorScheme } of LOOKS) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    found.push(...(await defects(page, name, `${device}-${colorScheme}`)));
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width, height });
  return found;
}

/** Waits until a page has loaded its data and its animations have ended, except those that repeat. Its colours and sizes are then final. */
export const settled = (page) =>
  page.waitForFunction(() => {
    const isMoving = (one) =>
      one.playState === "running" && one.effect.getComputedTiming().endTime !== Infinity;
    return document.querySelector(".loading") === null && !document.getAnimations().some(isMoving);
  });

/** Takes a screenshot of a page, and returns what is wrong with it: accessibility, heading, title and overflow. */
export async function defects(page, name, suffix) {
  await settled(page);
  await screenshot(page, `${name}-${suffix}`);
  const found = (await axeViolations(page)).map((one) => `${name}: ${one}`);
  const [title, heads, head] = await page.evaluate(() => {
    const all = [...document.querySelectorAll("h1")];
    return [document.title, all.length, all[0]?.textContent ?? ""];
  });
  if (heads !== 1 || title.replace(/^\(\d+\) /, "") !== `${head} · Despacho`)
    found.push(`${name}: ${heads} headings, "${head}" under the title "${title}"`);
  const overflow = await page.evaluate(() =>
    Math.max(
      ...[
        document.documentElement,
        ...document.querySelectorAll(".table-box:has(.orders, .prices), .order-main, .order-side"),
      ].map((box) => box.scrollWidth - box.clientWidth),
    ),
  );
  if (overflow > 0) found.push(`${name}: ${overflow} px of horizontal overflow`);
  return found;
}

/** Closes the open dialog with the keyboard, and returns what is wrong with the focus. */
export async function closingDefects(page, name) {
  const found = [];
  const inside = await page.evaluate(() =>
    document.querySelector("dialog[open]").contains(document.activeElement),
  );
  if (!inside) found.push(`dialog-${name}: the focus is outside the dialog`);
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog[open]", { state: "detached" });
  const back = await page.evaluate(() => document.activeElement?.tagName);
  if (back !== "BUTTON") found.push(`dialog-${name}: the focus moved to ${back}`);
  return found;
}
