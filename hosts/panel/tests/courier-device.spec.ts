// The courier's app and the browser: installation, the screen, positions and notices.
import { BASE, request, until, type Body } from "./support/api";
import { testId } from "./support/courier-app";
import { expect, test } from "./support/fixtures";
import type { Page } from "@playwright/test";

/** What the test reads from the service worker. */
interface Scope {
  registration: object;
  shown: unknown[];
}

const RECIFE = { latitude: -8.0587, longitude: -34.8806 };

test("app is installable, keeps the screen on and reports positions", async ({ openApp }) => {
  const reports: Body[] = [];
  const prepare = async (page: Page) => {
    page.on("request", (sent) => {
      if (sent.url().endsWith("/courier/position")) reports.push(sent.postDataJSON());
    });
    await page.addInitScript(() => {
      const locks: (string | undefined)[] = [];
      Object.assign(globalThis, { locks });
      const lock = navigator.wakeLock.request.bind(navigator.wakeLock);
      navigator.wakeLock.request = (type) => {
        locks.push(type);
        return lock(type);
      };
    });
  };
  const { page, rider } = await openApp("Rita Posição", RECIFE, { prepare });
  const known = await until(
    () => request(rider.key, "GET", "/courier/me"),
    ({ body }) => body.positionAt !== null,
  );
  expect(known.body.latitude).toBe(RECIFE.latitude);
  expect(Math.abs(Date.parse(reports[0].at) - Date.now()), JSON.stringify(reports)).toBeLessThan(
    10_000,
  );
  expect([
    ...new Set(await page.evaluate(() => (globalThis as unknown as { locks: string[] }).locks)),
  ]).toEqual(["screen"]);
  const devtools = await page.context().newCDPSession(page);
  const { installabilityErrors } = await devtools.send("Page.getInstallabilityErrors");
  // Each test has a context of its own, which the browser treats as incognito.
  expect(installabilityErrors.filter((one) => one.errorId !== "in-incognito")).toEqual([]);

  // Without positions a banner leads to the setup of another app.
  await expect(testId(page, "stale")).toHaveCount(0);
  await page.clock.setFixedTime(Date.now() + 300_000);
  await testId(page, "stale").getByRole("link").click();
  await expect(page.getByRole("heading", { name: "Posição em segundo plano" })).toBeVisible();
});

test("push shows a notice without content", async ({ openApp }) => {
  const sent: unknown[] = [];
  // The browser's push service is on the internet; the subscription is replaced, and the message comes from the debugger.
  const prepare = async (page: Page) => {
    await page.route("**/courier/push", (route) => {
      sent.push([route.request().method(), route.request().postDataJSON()]);
      return route.request().method() === "GET"
        ? route.fulfill({ json: { publicKey: "BKey" } })
        : route.fulfill({ status: 204 });
    });
    await page.addInitScript(() => {
      PushManager.prototype.subscribe = async (options) =>
        ({
          endpoint: `https://push.example/${options?.applicationServerKey}/${options?.userVisibleOnly}`,
        }) as PushSubscription;
    });
  };
  const { page } = await openApp("Rita Aviso", RECIFE, {
    prepare,
    permissions: ["geolocation", "notifications"],
  });
  const context = page.context();
  const devtools = await page.context().newCDPSession(page);
  const registered = new Promise<{ registrationId: string }>((resolve) => {
    devtools.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      if (registrations[0] !== undefined) resolve(registrations[0]);
    });
  });
  await devtools.send("ServiceWorker.enable");
  const { registrationId } = await registered;
  await testId(page, "settings").click();
  await testId(page, "push").click();
  await expect(page.getByText("Você recebe avisos")).toBeVisible();
  expect(sent.at(-1)).toEqual(["POST", { endpoint: "https://push.example/BKey/true" }]);
  // Reading the page's list of notifications can remove one that the browser has stored but not displayed yet.
  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent("serviceworker"));
  await worker.evaluate(() => {
    const registration = Object.getPrototypeOf((globalThis as unknown as Scope).registration);
    const show = registration.showNotification;
    const shown: unknown[] = [];
    Object.assign(globalThis, { shown });
    registration.showNotification = async function (title: string, options: { body: string }) {
      await show.call(this, title, options);
      shown.push([title, options.body]);
    };
  });
  await devtools.send("ServiceWorker.deliverPushMessage", {
    origin: BASE,
    registrationId,
    data: "",
  });
  const shown = () => worker.evaluate(() => (globalThis as unknown as Scope).shown);
  await expect.poll(shown).toEqual([["Nova viagem", "Abra o app para ver."]]);
});
