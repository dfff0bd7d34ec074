// Prints the sizes of the first loads, compressed with brotli.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";

/** The pages of the panel, the courier's app and the operator's console. */
export const PAGES = ["index.html", "courier.html", "admin.html"];

/** Returns the size in KiB of a page with the scripts and styles that it names, compressed with brotli. */
export function firstLoad(page) {
  const read = (name) => readFileSync(new URL(`dist/${name}`, import.meta.url));
  const html = read(page);
  const files = [...html.toString().matchAll(/(?:src|href)="\.\/([^"]+\.(?:js|css))"/g)].map(
    (match) => match[1],
  );
  if (files.length < 2) throw new Error(`${page} names only ${files}`);
  return (
    [html, ...files.map(read)].reduce((total, body) => total + brotliCompressSync(body).length, 0) /
    1024
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const page of PAGES)
    console.log(`first load of ${page}: ${firstLoad(page).toFixed(1)} KiB brotli`);
}
