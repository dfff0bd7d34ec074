// Prints the sizes of the first loads, compressed with brotli, and fails if one exceeds its budget.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";

const KIB = 1024;

/** Each page with its maximum size in KiB. */
export const BUDGETS = {
  "index.html": 53.9,
  "courier.html": 120,
  "admin.html": 293,
};

/** Returns the size in KiB of a page with the scripts and styles that it names, compressed with brotli. */
export function firstLoad(page) {
  const read = (name) => readFileSync(new URL(`dist/${name}`, import.meta.url));
  const html = read(page);
  const files = [...html.toString().matchAll(/(?:src|href)="\.\/([^"]+\.(?:js|css))"/g)].map((match) => match[1]);
  if (files.length < 2) throw new Error(`${page} names only ${files}`);
  return [html, ...files.map(read)].reduce((total, body) => total + brotliCompressSync(body).length, 0) / KIB;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [page, budget] of Object.entries(BUDGETS)) {
    const size = firstLoad(page);
    console.log(`first load of ${page}: ${size.toFixed(1)} KiB brotli, budget ${budget} KiB`);
    if (size > budget) process.exitCode = 1;
  }
}
