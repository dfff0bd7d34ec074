/** What each test gets: a server of its worker, and a store, users, couriers and browser contexts of its own. */
import {
  test as base,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from "@playwright/test";
import {
  BASE,
  createCourier,
  createStore,
  request,
  sessionOf,
  until,
  useServer,
  type Courier,
  type Point,
  type Store,
} from "./api";
import { openWithLink, phoneAt, type App, type AppOptions } from "./courier-app";
import { logIn, signIn } from "./page";
import { startReceiver, type Receiver } from "./receiver";
import { startServer, type Server } from "./server";

export { expect } from "@playwright/test";

/** The maximum time in milliseconds by which each request is delayed, at random. Reveals tests that pass only if responses arrive in a certain order. */
const DELAY = Number(process.env.DESPACHO_PANEL_DELAY ?? 0);

/** What pages did that no test expects. */
export interface PageErrors {
  found: string[];
  /** All messages of the consoles, which are attached to a failed test. */
  log: string[];
}

interface Fixtures {
  pageErrors: PageErrors;
  /** Opens a page in a browser context of its own. */
  open: (options?: BrowserContextOptions) => Promise<Page>;
  store: Store;
  /** The panel, after the store's login. */
  panel: Page;
  /** The operator's console, in a context of its own. */
  console: Page;
  openConsole: (options?: BrowserContextOptions) => Promise<Page>;
  /** A receiver of webhooks. */
  receiver: Receiver;
  /** Creates a courier, available at a place, who stops after the test. */
  courier: (name: string, at?: Point) => Promise<Courier>;
  /** Opens the app of a new courier, signed in by a link, with the phone at a place. */
  openApp: (name: string, at: Point, options?: AppOptions) => Promise<App>;
}

export const test = base.extend<Fixtures, { server: Server }>({
  server: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from the pattern
    async ({}, use) => {
      const server = await startServer();
      useServer(server.url);
      await use(server);
      await server.stop();
    },
    { scope: "worker", timeout: 180_000, auto: true },
  ],

  baseURL: ({ server }, use) => use(server.url),

  pageErrors: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from the pattern
    async ({}, use, info) => {
      const errors: PageErrors = { found: [], log: [] };
      await use(errors);
      if (info.status !== info.expectedStatus && errors.log.length > 0) {
        await info.attach("console.txt", { body: errors.log.join("\n") });
      }
      base.expect(errors.found, "errors of the pages").toEqual([]);
    },
    { auto: true },
  ],

  context: async ({ context, pageErrors }, use) => {
    await observe(context, pageErrors);
    await use(context);
  },

  open: async ({ browser, contextOptions, pageErrors, viewport, locale }, use) => {
    const opened: BrowserContext[] = [];
    await use(async (options = {}) => {
      const context = await browser.newContext({
        ...contextOptions,
        viewport,
        locale: locale ?? "pt-BR",
        baseURL: BASE,
        ...options,
      });
      opened.push(context);
      await observe(context, pageErrors);
      return context.newPage();
    });
    for (const context of opened) await context.close();
  },

  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from the pattern
  store: async ({}, use) => {
    const store = await createStore();
    await use(store);
    await store.retire();
  },

  panel: async ({ page, store }, use) => {
    await logIn(page, store);
    store.key = (await sessionOf(page)).key;
    await use(page);
  },

  openConsole: async ({ open }, use) => {
    await use(async (options) => {
      const page = await open(options);
      await page.goto("/admin");
      await signIn(page);
      return page;
    });
  },

  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from the pattern
  receiver: async ({}, use) => {
    const receiver = await startReceiver();
    await use(receiver);
    receiver.close();
  },

  console: async ({ openConsole }, use) => use(await openConsole()),

  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from the pattern
  courier: async ({}, use) => {
    const couriers: Courier[] = [];
    await use(async (name, at) => {
      const courier = await createCourier(name, at);
      couriers.push(courier);
      return courier;
    });
    for (const courier of couriers) await courier.stop();
  },

  openApp: async ({ open, courier }, use) => {
    await use(async (name, at, { prepare, ...options } = {}) => {
      const rider = await courier(name);
      const page = await open({ ...phoneAt(at), ...options });
      await prepare?.(page);
      await openWithLink(page, rider);
      // Until the server knows where the courier is, it simulates another one for an order there.
      await until(
        () => request(rider.key, "GET", "/courier/me"),
        ({ body }) => body.positionAt !== null,
      );
      return { page, rider };
    });
  },
});

/** Delays the requests of a context, and records its console errors, exceptions, requests to other origins and keys in addresses. */
async function observe(context: BrowserContext, errors: PageErrors): Promise<void> {
  if (DELAY > 0) {
    await context.route(/\/(delivery|admin|courier|panel\.json)/, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * DELAY));
      // A page may have been closed meanwhile.
      await route.continue().catch(() => {});
    });
  }
  context.on("console", (message) => {
    errors.log.push(`${message.type()}: ${message.text()}`);
    // The browser logs error responses and lost connections, which some tests cause on purpose. The map's library logs the latter too.
    const isExpected = /^(Failed to load resource|TypeError: Failed to fetch)/.test(message.text());
    if (message.type() === "error" && !isExpected) errors.found.push(message.text());
  });
  context.on("weberror", (error) => errors.found.push(String(error.error().stack)));
  context.on("request", (request) => {
    const url = new URL(request.url());
    if (!["blob:", "data:"].includes(url.protocol) && url.origin !== new URL(BASE).origin) {
      errors.found.push(`requested ${url.href}`);
    }
    // The browser reports a link's fragment, but does not send it.
    url.hash = "";
    if (/dsp_/.test(url.href)) errors.found.push(`API key in a URL: ${url.href}`);
  });
}
