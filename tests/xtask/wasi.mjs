// Runs a test program that was built for wasm32-wasip1: cargo calls this as the target's runner.
import { readFile } from "node:fs/promises";
import process, { argv, env } from "node:process";
import { WASI } from "node:wasi";

const [program, ...words] = argv.slice(2);
const wasi = new WASI({ version: "preview1", args: [program, ...words], env, returnOnExit: true });
const module = await WebAssembly.compile(await readFile(program));
const instance = await WebAssembly.instantiate(module, wasi.getImportObject());
process.exitCode = wasi.start(instance);
