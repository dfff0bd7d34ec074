/** A server of the worker, with data of its own. */
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const BINARY = process.env.DESPACHO_BIN ?? path.join(here, "../../../../target/release/despacho");
const PANEL = path.join(here, "../../dist");
export const OPERATOR = "panel-tests-operator-token";
const START_MS = 120_000;

/** The limits allow frequent logins and polling from one account. Simulated couriers are fast enough to complete an order during a test. */
const SETTINGS = {
  DESPACHO_LIMITS_PREVIEWS_PER_MINUTE: "1000000",
  DESPACHO_LIMITS_WRITES_PER_MINUTE: "1000000",
  DESPACHO_LIMITS_READS_PER_MINUTE: "1000000",
  DESPACHO_LIMITS_LOGINS_PER_15_MINUTES: "10000",
  DESPACHO_LIMITS_REGISTRATIONS_PER_DAY: "100000",
  // The tests receive webhooks on a loopback address.
  DESPACHO_WEBHOOKS_LOOPBACK: "true",
  // A failing webhook is disabled within the duration of a test.
  DESPACHO_WEBHOOKS_DISABLE_AFTER: "4",
  // The tests create stores and couriers of their own as the operator.
  DESPACHO_ADMIN_TOKEN: OPERATOR,
  // Stores request top-ups from the operator.
  DESPACHO_PIX_KEY: "pix@entregas.example",
  DESPACHO_PIX_NAME: "Entregas Exemplo",
  DESPACHO_PIX_CITY: "São Paulo",
  // Links of couriers and recipients need a base URL. The port is not known yet, and the tests use only the paths.
  DESPACHO_PUBLIC_URL: "http://127.0.0.1",
  DESPACHO_SANDBOX_COURIERS_PER_STORE: "12",
  DESPACHO_SANDBOX_SPEED: "20",
};

export interface Server {
  /** The base URL without a trailing slash. */
  url: string;
  stop: () => Promise<void>;
}

/** Starts a server with the demo on a free port, and waits until it is ready. */
export async function startServer(): Promise<Server> {
  const data = await mkdtemp(path.join(os.tmpdir(), "despacho-panel-"));
  const words = ["serve", "--listen", "127.0.0.1:0", "--data", data, "--demo", "--panel", PANEL];
  const child = spawn(BINARY, words, {
    env: { ...process.env, ...SETTINGS },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output: string[] = [];
  const url = await new Promise<string>((resolve, reject) => {
    const fail = (event: string) => {
      child.kill("SIGKILL");
      reject(new Error(`${BINARY} ${event}; its output:\n${output.join("\n")}`));
    };
    const timer = setTimeout(() => fail("did not become ready in time"), START_MS);
    child.on("error", (error) => fail(`could not start: ${error.message}`));
    child.on("exit", () => fail("ended before it was ready"));
    // The streams are read until the end, because a full pipe would block the server.
    createInterface(child.stderr).on("line", (line) => output.push(line));
    createInterface(child.stdout).on("line", (line) => {
      output.push(line);
      const base = /^ready (http\S+)/.exec(line)?.[1];
      if (base === undefined) return;
      clearTimeout(timer);
      resolve(base.replace(/\/+$/, ""));
    });
  });
  const stop = async () => {
    child.removeAllListeners("exit");
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
    await rm(data, { recursive: true, force: true });
  };
  return { url, stop };
}
