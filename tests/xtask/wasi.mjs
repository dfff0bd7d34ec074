// The cargo runner for wasm32-wasip1: runs a compiled test program.
import { readFile } from "node:fs/promises";
import process, { argv, env } from "node:process";
import { WASI } from "node:wasi";

const [program, ...programArgs] = argv.slice(2);
const wasi = new WASI({
  version: "preview1",
  args: [program, ...programArgs],
  env,
  returnOnExit: true,
});
const module = await WebAssembly.compile(await readFile(program));
const instance = await WebAssembly.instantiate(module, wasi.getImportObject());
process.exitCode = wasi.start(instance);
