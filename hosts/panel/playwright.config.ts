import { existsSync } from "node:fs";
import path from "node:path";
import { defineConfig } from "@playwright/test";

const onPath = (name: string) =>
  (process.env.PATH ?? "")
    .split(path.delimiter)
    .map((folder) => path.join(folder, name))
    .find(existsSync);
const chromium = process.env.DESPACHO_CHROMIUM ?? onPath("chromium") ?? "/usr/bin/chromium";
const isDelayed = Number(process.env.DESPACHO_PANEL_DELAY ?? 0) > 0;

/** The measurements run alone, after the other tests, and not with delayed requests. */
const measurements = {
  name: "measurements",
  testMatch: "speed.spec.ts",
  dependencies: ["pages"],
  retries: 0,
  workers: 1,
};

export default defineConfig({
  testDir: "tests",
  testMatch: "*.spec.ts",
  outputDir: process.env.DESPACHO_PANEL_RESULTS ?? "../../target/panel-results",
  fullyParallel: true,
  forbidOnly: process.env.CI !== undefined,
  // A test that passes only on the retry is listed as flaky at the end.
  retries: process.env.CI === undefined ? 0 : 1,
  // Each worker has a server and a browser, and most tests wait for one of them.
  workers: Number(process.env.DESPACHO_PANEL_WORKERS ?? 3),
  reporter: [["list", { printSteps: false }]],
  // Long, because they only decide when a test that hangs is given up: a busy machine has needed
  // four times what an idle one needs, and a state is waited for, never a time.
  timeout: 300_000,
  expect: { timeout: 60_000 },
  use: {
    actionTimeout: 60_000,
    navigationTimeout: 90_000,
    viewport: { width: 1280, height: 860 },
    locale: "pt-BR",
    testIdAttribute: "data-testid",
    trace: "retain-on-failure",
    // The trace has pictures of each step. A video needs Playwright's own ffmpeg: `npx playwright install ffmpeg`.
    video: process.env.DESPACHO_PANEL_VIDEO === undefined ? "off" : "retain-on-failure",
    launchOptions: {
      executablePath: chromium,
      args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
    },
  },
  projects: [{ name: "pages", testIgnore: "speed.spec.ts" }, ...(isDelayed ? [] : [measurements])],
});
