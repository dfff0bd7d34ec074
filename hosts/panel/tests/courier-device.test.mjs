// The courier's app and the browser: installation, the screen, positions and notices.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { BASE, launch, request, until } from "./browser.mjs";
import { openApp } from "./courier-app.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const RECIFE = { latitude: -8.0587, longitude: -34.8806 };
const testId = (page, id) => page.locator(`[data-testid="${id}"]`);

test("app is installable, keeps the screen on and reports positions", async () => {
  const reports = [];
  const prepare = async ({ page }) => {
    page.on(
      "request",
      (sent) => sent.url().endsWith("/courier/position") && reports.push(sent.postDataJSON()),
    );
    await page.addInitScript(() => {
      globalThis.locks = [];
      const request = navigator.wakeLock.request.bind(navigator.wakeLock);
      navigator.wakeLock.request = (type) => {
        globalThis.locks.push(type);
        return request(type);
      };
    });
  };
  const { page, context, rider, pageErrors, close } = await openApp(
    browser,
    "Rita Posição",
    RECIFE,
    { prepare },
  );
  const known = await until(
    () => request(rider.key, "GET", "/courier/me"),
    ({ body }) => body.positionAt !== null,
  );
  assert.equal(known.body.latitude, RECIFE.latitude);
  assert.ok(Math.abs(Date.parse(reports[0].at) - Date.now()) < 10_000, JSON.stringify(reports));
  assert.deepEqual([...new Set(await page.evaluate(() => globalThis.locks))], ["screen"]);
  const devtools = await context.newCDPSession(page);
  const { installabilityErrors } = await devtools.send("Page.getInstallabilityErrors");
  // Each test has a context of its own, which the browser treats as incognito.
  assert.deepEqual(
    installabilityErrors.filter((one) => one.errorId !== "in-incognito"),
    [],
  );

  // Without positions a banner leads to the setup of another app.
  assert.equal(await testId(page, "stale").count(), 0);
  await page.clock.setFixedTime(Date.now() + 300_000);
  await testId(page, "stale").getByRole("link").click();
  await page.getByRole("heading", { name: "Posição em segundo plano" }).waitFor();
  assert.deepEqual(pageErrors, []);
  await close();
});

test("push shows a notice without content", async () => {
  const sent = [];
  // The browser's push service is on the internet; the subscription is replaced, and the message comes from the debugger.
  const prepare = async ({ page }) => {
    await page.route("**/courier/push", (route) => {
      sent.push([route.request().method(), route.request().postDataJSON()]);
      return route.request().method() === "GET"
        ? route.fulfill({ json: { publicKey: "BKey" } })
        : route.fulfill({ status: 204 });
    });
    await page.addInitScript(() => {
      PushManager.prototype.subscribe = async (options) => ({
        endpoint: `https://push.example/${options.applicationServerKey}/${options.userVisibleOnly}`,
      });
    });
  };
  const { page, context, close } = await openApp(browser, "Rita Aviso", RECIFE, {
    prepare,
    permissions: ["geolocation", "notifications"],
  });
  const devtools = await context.newCDPSession(page);
  const registered = new Promise((resolve) =>
    devtools.on(
      "ServiceWorker.workerRegistrationUpdated",
      ({ registrations }) => registrations.length > 0 && resolve(registrations[0]),
    ),
  );
  await devtools.send("ServiceWorker.enable");
  const { registrationId } = await registered;
  await testId(page, "settings").click();
  await testId(page, "push").click();
  await page.getByText("Você recebe avisos").waitFor();
  assert.deepEqual(sent.at(-1), ["POST", { endpoint: "https://push.example/BKey/true" }]);
  // Reading the page's list of notifications can remove one that the browser has stored but not displayed yet.
  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent("serviceworker"));
  await worker.evaluate(() => {
    const show = ServiceWorkerRegistration.prototype.showNotification;
    globalThis.shown = [];
    ServiceWorkerRegistration.prototype.showNotification = async function (title, options) {
      await show.call(this, title, options);
      globalThis.shown.push([title, options.body]);
    };
  });
  await devtools.send("ServiceWorker.deliverPushMessage", {
    origin: BASE,
    registrationId,
    data: "",
  });
  const shown = await until(
    () => worker.evaluate(() => globalThis.shown),
    (notices) => notices.length > 0,
    20_000,
  );
  assert.deepEqual(shown, [["Nova viagem", "Abra o app para ver."]]);
  await close();
});
