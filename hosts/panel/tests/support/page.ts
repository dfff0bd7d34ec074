/** Helpers for pages: signing in, navigation, forms, screenshots, and what is wrong with the present state of a page. */
import { mkdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, type Locator, type Page } from "@playwright/test";
import { PASSWORD, succeeds, sessionOf, type Store } from "./api";
import { OPERATOR } from "./server";

const SCREENSHOTS =
  process.env.DESPACHO_PANEL_SHOTS ??
  path.join(path.dirname(fileURLToPath(import.meta.url)), "../../../../target/panel");

/** Opens the panel and logs in. */
export async function logIn(page: Page, store: Pick<Store, "email" | "password">): Promise<void> {
  await page.goto("/");
  // The demo fills in its login, which the store's replaces.
  await expect(page.locator("#f-password")).not.toHaveValue("");
  await sendLogin(page, store);
  await expect(page.locator(".side")).toBeVisible();
}

/** Fills in the login and sends it. */
export async function sendLogin(
  page: Page,
  store: Pick<Store, "email" | "password">,
): Promise<void> {
  await page.fill("#f-email", store.email);
  await page.fill("#f-password", store.password);
  await page.click("button[type=submit]");
}

/** Signs in to the operator's console. */
export async function signIn(page: Page): Promise<void> {
  await page.fill("#f-token", OPERATOR);
  await page.click("button[type=submit]");
  await expect(page.locator(".side")).toBeVisible();
}

/** Holds the requests of a page to matching addresses until the returned function is called. */
export async function hold(page: Page, address: string): Promise<() => void> {
  const { promise, resolve } = deferred();
  await page.route(address, async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}

export function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** Confirms the session, so that the next requests need no password. */
export async function confirmSession(page: Page): Promise<void> {
  const { key } = await sessionOf(page);
  await succeeds(key, "POST", "/delivery/sessions/confirmation", { currentPassword: PASSWORD });
}

/** Waits until a page has a route, such as `#/orders`. */
export const isAt = (page: Page, hash: string | RegExp): Promise<void> =>
  expect(page).toHaveURL((url) =>
    typeof hash === "string" ? url.hash === hash : hash.test(url.hash),
  );

/** Opens a route of the panel or the console. */
export async function goTo(page: Page, route: string): Promise<void> {
  // The page of the earlier route is replaced after the event. A click before that would be on it.
  await page.evaluate(
    (hash) =>
      new Promise<void>((done) => {
        if (location.hash === `#${hash}`) return done();
        const painted = () => requestAnimationFrame(() => requestAnimationFrame(() => done()));
        addEventListener("hashchange", painted, { once: true });
        location.hash = hash;
      }),
    route,
  );
  await expect(page.locator("#title")).toBeVisible();
}

/** Waits until the page has been painted twice, so that what it received has its effect. */
export const painted = (page: Page): Promise<void> =>
  page.evaluate(
    () =>
      new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))),
  );

export const dialog = (page: Page): Locator => page.locator("dialog[open]");
export const dialogClosed = (page: Page): Promise<void> =>
  expect(page.locator("dialog[open]")).toHaveCount(0);

/** Returns the selector of the field of a JSON pointer. */
export const at = (pointer: string): string => `#f${pointer.replace(/[^A-Za-z0-9]/g, "-")}`;

/** Fills in the address fields below a selector. */
export async function fillAddress(
  page: Page,
  below: string,
  address: Record<string, string | number>,
): Promise<void> {
  for (const name of ["zipCode", "street", "number", "neighborhood", "city"]) {
    if (address[name] !== undefined) await page.fill(`${below}-${name}`, String(address[name]));
  }
  await page.selectOption(`${below}-state`, String(address.state));
  if (address.latitude === undefined) return;
  const details = page.locator("details", { has: page.locator(`${below}-latitude`) });
  if ((await details.getAttribute("open")) === null) await details.locator("summary").click();
  await page.fill(`${below}-latitude`, String(address.latitude).replace(".", ","));
  await page.fill(`${below}-longitude`, String(address.longitude).replace(".", ","));
}

/** The price of the form of a new order, when there is one. */
export const priceShown = (page: Page): Promise<void> =>
  expect(page.getByTestId("price")).toHaveText(/R\$/);

/** Sends the form of a new order when its price is that of the last input. Otherwise the user would have to confirm another price. */
export async function sendOrder(page: Page): Promise<void> {
  await expect(page.locator(".create-price [aria-busy=false]")).toBeVisible();
  await page.click("form.create button[type=submit]");
}

/** Returns the file that a button downloads, and its text. */
export async function downloaded(
  page: Page,
  button: Locator,
): Promise<{ name: string; text: string }> {
  const [file] = await Promise.all([page.waitForEvent("download"), button.click()]);
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), "utf8") };
}

export async function screenshot(page: Page, name: string): Promise<void> {
  await mkdir(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: path.join(SCREENSHOTS, `${name}.png`), fullPage: true });
}

/** Prints the page as the browser would on paper, to a PDF next to the screenshots, and returns its bytes as Latin-1 text. */
export async function printed(page: Page, name: string): Promise<string> {
  await mkdir(SCREENSHOTS, { recursive: true });
  const file = path.join(SCREENSHOTS, `${name}.pdf`);
  const pdf = await page.pdf({ path: file, preferCSSPageSize: true, printBackground: true });
  return pdf.toString("latin1");
}

/** Expects that all marks and circles are completely inside the map. */
export async function expectMarksInsideMap(page: Page): Promise<void> {
  const outside = () =>
    page.evaluate(() => {
      const map = document.querySelector(".map")?.getBoundingClientRect() ?? new DOMRect();
      const boxes = [...document.querySelectorAll(".map .mark, .map .approximate")].map(
        (one) => one.getBoundingClientRect().toJSON() as DOMRect,
      );
      return boxes.filter(
        (box) =>
          box.left < map.left ||
          box.right > map.right ||
          box.top < map.top ||
          box.bottom > map.bottom,
      );
    });
  await expect.poll(outside).toEqual([]);
}

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
let axe: string | undefined;

/** Returns the serious and critical accessibility violations that axe finds. */
export async function axeViolations(page: Page): Promise<string[]> {
  axe ??= await readFile(AXE, "utf8");
  // Evaluated by the debugger, because the content security policy permits no other scripts.
  await page.evaluate(axe);
  const found = await page.evaluate(() => {
    const { axe } = globalThis as unknown as { axe: typeof import("axe-core") };
    return axe.run(document, { resultTypes: ["violations"] });
  });
  return found.violations
    .filter((one) => one.impact === "serious" || one.impact === "critical")
    .map((one) => {
      const nodes = one.nodes.map((node) => `${node.target.join(" ")} ${node.failureSummary}`);
      return `${one.id}: ${nodes.join(" | ")}`;
    });
}

const DESKTOP = { device: "desktop", viewport: { width: 1280, height: 900 } };
const PHONE = { device: "phone", viewport: { width: 390, height: 844 } };

/** The devices and colour schemes of screenshots. Each page is seen in both languages in each scheme and on each device. */
export const LOOKS = [
  { ...DESKTOP, colorScheme: "light", locale: "en-US" },
  { ...DESKTOP, colorScheme: "dark", locale: "pt-BR" },
  { ...PHONE, colorScheme: "light", locale: "pt-BR" },
  { ...PHONE, colorScheme: "dark", locale: "en-US" },
] as const;

/** Returns what is wrong with the present state of a page in each device and colour scheme, in the language of the page. */
export async function defectsEverywhere(page: Page, name: string): Promise<string[]> {
  const before = page.viewportSize();
  const found: string[] = [];
  for (const { device, viewport, colorScheme } of LOOKS) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    found.push(...(await defects(page, name, `${device}-${colorScheme}`)));
  }
  await page.emulateMedia({ colorScheme: "light" });
  if (before !== null) await page.setViewportSize(before);
  return found;
}

/** Waits until a page has loaded its data and its animations have ended, except those that repeat. Its colours and sizes are then final. */
export const settled = (page: Page): Promise<unknown> =>
  page.waitForFunction(() => {
    const isMoving = (one: Animation) =>
      one.playState === "running" && one.effect?.getComputedTiming().endTime !== Infinity;
    return document.querySelector(".loading") === null && !document.getAnimations().some(isMoving);
  });

/** Takes a screenshot of a page, and returns what is wrong with it: accessibility, heading, title and overflow. */
export async function defects(page: Page, name: string, suffix: string): Promise<string[]> {
  await settled(page);
  await screenshot(page, `${name}-${suffix}`);
  const found = (await axeViolations(page)).map((one) => `${name}: ${one}`);
  const [title, heads, head] = await page.evaluate(() => {
    const all = [...document.querySelectorAll("h1")];
    return [document.title, all.length, all[0]?.textContent ?? ""] as const;
  });
  if (heads !== 1 || title.replace(/^\(\d+\) /, "") !== `${head} · Despacho`) {
    found.push(`${name}: ${heads} headings, "${head}" under the title "${title}"`);
  }
  const overflow = await page.evaluate(() => {
    const scrolled = ".table-box:has(.orders, .prices, .costs), .order-main, .order-side";
    const boxes = [document.documentElement, ...document.querySelectorAll(scrolled)];
    return Math.max(...boxes.map((box) => box.scrollWidth - box.clientWidth));
  });
  if (overflow > 0) found.push(`${name}: ${overflow} px of horizontal overflow`);
  return found;
}

/** Closes the open dialog with the keyboard, and returns what is wrong with the focus. */
export async function closingDefects(page: Page, name: string): Promise<string[]> {
  const found: string[] = [];
  const inside = await page.evaluate(
    () => document.querySelector("dialog[open]")?.contains(document.activeElement) === true,
  );
  if (!inside) found.push(`dialog-${name}: the focus is outside the dialog`);
  await page.keyboard.press("Escape");
  await dialogClosed(page);
  const back = await page.evaluate(() => document.activeElement?.tagName);
  if (back !== "BUTTON") found.push(`dialog-${name}: the focus moved to ${back}`);
  return found;
}
