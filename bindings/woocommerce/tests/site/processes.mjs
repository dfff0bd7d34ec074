// Starts the processes of a shop: MariaDB, WordPress with PHP's web server, and Despacho.
import { execFile, execFileSync, spawn } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { cp } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import { promisify } from "node:util";

const HERE = import.meta.dirname;
export const FOLDER =
  process.env.DESPACHO_WOOCOMMERCE ?? path.resolve(HERE, "../../../../target/woocommerce");
const BINARY =
  process.env.DESPACHO_BIN ?? path.resolve(HERE, "../../../../target/release/despacho");
const ZIP = process.env.DESPACHO_WOOCOMMERCE_ZIP;
const WORDPRESS = process.env.DESPACHO_WORDPRESS ?? "/usr/share/wordpress";
const SOCKET = path.join(FOLDER, "db.sock");
/** PHP's log, which must contain no warning at the end of the tests. */
export const LOG = path.join(FOLDER, "php.log");
const READY_TIMEOUT = 30_000;

const running = [];

/** Removes the files of an earlier run. */
export function clear() {
  for (const name of ["site", "database", "despacho-data", "db.sock", "php.log"])
    rmSync(path.join(FOLDER, name), { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
}

/** Returns a free port of the loopback interface. */
export const freePort = () =>
  new Promise((resolve, reject) => {
    const server = createServer().on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/** Starts a program and waits until its output matches `ready`. */
function start(program, args, ready, options = {}) {
  const child = spawn(program, args, {
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
    ...options,
  });
  running.push(child);
  return new Promise((resolve, reject) => {
    let output = "";
    const fail = (reason) => reject(new Error(`${program} ${reason}:\n${output.slice(-2000)}`));
    const timer = setTimeout(() => fail("did not become ready in time"), READY_TIMEOUT);
    const read = (chunk) => {
      output += chunk;
      if (!ready.test(output)) return;
      clearTimeout(timer);
      resolve({ child, output });
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.on("error", (error) => fail(String(error)));
    child.on("exit", (code) => fail(`ended with ${code}`));
  });
}

/** Stops a process that {@link start} started, with its own children: the workers of PHP's web server ignore SIGTERM. */
export const stop = (child) =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.on("exit", () => resolve());
    process.kill(-child.pid, "SIGKILL");
  });

export const stopAll = async () => {
  for (const child of running.splice(0).reverse()) await stop(child);
};

/** Starts Despacho with demo data. The same data folder and port continue an earlier run. */
export async function startDespacho(port) {
  const base = `http://127.0.0.1:${port}`;
  const own = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith("DESPACHO_")),
  );
  const env = {
    ...own,
    DESPACHO_WEBHOOKS_LOOPBACK: "true",
    DESPACHO_SANDBOX_SPEED: "600",
  };
  const args = [
    "serve",
    "--demo",
    "--data",
    path.join(FOLDER, "despacho-data"),
    "--listen",
    `127.0.0.1:${port}`,
    "--public-url",
    base,
  ];
  const { child, output } = await start(
    BINARY,
    args,
    /x-api-token: \S+[\s\S]*ready http|ready http[\s\S]*x-api-token: \S+/,
    { env },
  );
  return { child, base, key: /x-api-token: (\S+)/.exec(output)[1] };
}

const run = promisify(execFile);

/** Creates an empty database and starts MariaDB on a socket. */
async function startDatabase() {
  const data = path.join(FOLDER, "database");
  const user = process.getuid?.() === 0 ? ["--user=root"] : [];
  await run("mariadb-install-db", [
    "--no-defaults",
    `--datadir=${data}`,
    "--auth-root-authentication-method=normal",
    "--skip-test-db",
    ...user,
  ]);
  // Nothing has to survive a crash.
  const fast = [
    "--innodb-flush-log-at-trx-commit=0",
    "--innodb-flush-method=nosync",
    "--innodb-doublewrite=0",
    "--skip-log-bin",
  ];
  const args = [
    "--no-defaults",
    `--datadir=${data}`,
    `--socket=${SOCKET}`,
    "--skip-networking",
    ...fast,
    ...user,
  ];
  await start("mariadbd", args, /ready for connections/);
  await run("mariadb", [
    "--no-defaults",
    `--socket=${SOCKET}`,
    "-uroot",
    "-e",
    "CREATE DATABASE shop CHARACTER SET utf8mb4",
  ]);
}

/** Copies WordPress and the test double. */
async function copySite(site) {
  const copy = (from, to) => cp(from, path.join(site, to), { recursive: true, dereference: true });
  const names = [
    "wp-admin",
    "wp-includes",
    "index.php",
    "wp-blog-header.php",
    "wp-load.php",
    "wp-login.php",
    "wp-settings.php",
    "wp-cron.php",
  ];
  await Promise.all(names.map((name) => copy(path.join(WORDPRESS, name), name)));
  await copy(path.join(HERE, "../woocommerce-double"), "wp-content/plugins/woocommerce");
  mkdirSync(path.join(site, "wp-content/languages"));
  // WordPress accepts a language only if it finds a file for it.
  writeFileSync(path.join(site, "wp-content/languages/pt_BR.mo"), "");
  writeFileSync(path.join(site, "wp-config.php"), config(SOCKET));
}

/** Installs WordPress with the plugin, and returns its address and a function that uninstalls the plugin. */
export async function startShop() {
  const site = path.join(FOLDER, "site");
  const [port] = await Promise.all([freePort(), startDatabase(), copySite(site)]);
  const url = `http://127.0.0.1:${port}`;
  const php = (script, ...args) =>
    execFileSync("php", [
      "-d",
      "display_errors=stderr",
      path.join(HERE, script),
      site,
      url,
      ...args,
    ]);
  php("install.php", ZIP);
  // WordPress 6.1 itself has deprecated calls on newer versions of PHP.
  const log = [
    "-d",
    "display_errors=0",
    "-d",
    "log_errors=1",
    "-d",
    `error_log=${LOG}`,
    "-d",
    "error_reporting=E_ALL&~E_DEPRECATED",
  ];
  await start("php", [...log, "-S", `127.0.0.1:${port}`, "-t", site], /started/, {
    env: { ...process.env, PHP_CLI_SERVER_WORKERS: "4" },
  });
  return { url, uninstall: () => php("uninstall.php") };
}

const config = (socket) => `<?php
define('DB_NAME', 'shop');
define('DB_USER', 'root');
define('DB_PASSWORD', '');
define('DB_HOST', 'localhost:${socket}');
define('DB_CHARSET', 'utf8mb4');
define('DB_COLLATE', '');
define('DISABLE_WP_CRON', true);
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('WP_ACCESSIBLE_HOSTS', '127.0.0.1');
define('FS_METHOD', 'direct');
define('WP_DEBUG', false);
foreach (['AUTH_KEY', 'SECURE_AUTH_KEY', 'LOGGED_IN_KEY', 'NONCE_KEY', 'AUTH_SALT', 'SECURE_AUTH_SALT', 'LOGGED_IN_SALT', 'NONCE_SALT'] as $name) {
    define($name, 'only-for-tests');
}
$table_prefix = 'wp_';
require_once __DIR__ . '/wp-settings.php';
`;
