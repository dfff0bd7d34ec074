// What both entries share: the surface of the package over the compiled core.

/** A problem document of the service, thrown. */
export class DespachoError extends Error {
  constructor(problem) {
    super(problem.detail);
    this.name = "DespachoError";
    this.code = problem.code;
    this.problem = problem;
  }
}

const text = (value) => (typeof value === "string" ? value : (JSON.stringify(value) ?? "null"));

// JSON has no number for what is not finite, and would say null, which is a road that does not exist: beyond every range it is refused
// at its place. A typed array is a row as any other.
const plain = (_, value) => {
  if (typeof value === "number") return Number.isFinite(value) ? value : value < 0 ? -Number.MAX_VALUE : Number.MAX_VALUE;
  if (typeof value === "bigint") return String(value);
  return ArrayBuffer.isView(value) ? Array.from(value) : value;
};
const asked = (question) => JSON.stringify(question, plain) ?? "null";

// A problem or a fault crosses the border as JSON text; anything else is a defect and stays as it is.
function calling(work) {
  try {
    return work();
  } catch (thrown) {
    if (typeof thrown === "string") {
      const said = JSON.parse(thrown);
      throw new DespachoError(said.error ? { code: said.error, detail: said.detail } : said);
    }
    throw thrown;
  }
}

/** Previews on one context. */
class Previewer {
  #inner;
  #language;

  constructor(inner, language) {
    this.#inner = inner;
    this.#language = language;
  }

  preview(request, options = {}) {
    return JSON.parse(this.previewText(request, options));
  }

  previewText(request, { now = Date.now(), language = this.#language } = {}) {
    return calling(() => this.#inner.preview(text(request), Number(now), language));
  }

  loadPack(bytes) {
    calling(() => this.#inner.loadPack(bytes));
  }

  free() {
    this.#inner.free();
  }
}

/** Opens the gazetteer, which is a file of its own because not every page needs it. */
function open(wasm, bytes) {
  try {
    wasm.loadGazetteer(ArrayBuffer.isView(bytes) ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength) : new Uint8Array(bytes));
  } catch (message) {
    throw new Error(message);
  }
}

/** The package's functions over a module that is compiled once, when the first of them is called. */
export function surface(compile, read) {
  let module;
  const start = async (source, gazetteer) => {
    // Both downloads run in parallel.
    const [wasm, bytes] = await Promise.all([compile(source), gazetteer === false ? null : read(gazetteer)]);
    if (bytes !== null) open(wasm, bytes);
    return wasm;
  };
  const load = (source, gazetteer) => (module ??= start(source, gazetteer).catch((fault) => {
    // A failed download may succeed the next time.
    module = undefined;
    throw fault;
  }));
  return {
    load: async (source, { gazetteer } = {}) => {
      await load(source, gazetteer);
    },
    createPreviewer: async (context, { language = "en" } = {}) => {
      const wasm = await load();
      return calling(() => new Previewer(new wasm.Previewer(text(context), language), language));
    },
    validateOrder: async (order, { language = "en" } = {}) => {
      const wasm = await load();
      calling(() => wasm.validateOrder(text(order), language));
    },
    validateStore: async (store, { language = "en" } = {}) => {
      const wasm = await load();
      calling(() => wasm.validateStore(text(store), language));
    },
    applyEvent: async (order, event, { language = "en" } = {}) => {
      const wasm = await load();
      return JSON.parse(calling(() => wasm.applyEvent(text(order), text(event), language)));
    },
    lookupPostcode: async (postcode) => {
      const wasm = await load();
      const found = wasm.lookupPostcode(String(postcode));
      return found === undefined ? null : JSON.parse(found);
    },
    bestRoute: async (question) => {
      const wasm = await load();
      return calling(() => wasm.bestRoute(asked(question)));
    },
    assign: async (question) => {
      const wasm = await load();
      return calling(() => wasm.assign(asked(question)));
    },
  };
}
