// The functions that both entry points share.

/** An error with the service's problem document. */
export class DespachoError extends Error {
  constructor(problem) {
    super(problem.detail);
    this.name = "DespachoError";
    this.code = problem.code;
    this.problem = problem;
  }
}

const toText = (value) => (typeof value === "string" ? value : (JSON.stringify(value) ?? "null"));

// JSON.stringify writes null for a number that is not finite, but null means that there is no road. The largest number instead makes the
// core reject the cell. Typed arrays become arrays.
const replacer = (_, value) => {
  if (typeof value === "number")
    return Number.isFinite(value) ? value : value < 0 ? -Number.MAX_VALUE : Number.MAX_VALUE;
  if (typeof value === "bigint") return String(value);
  return ArrayBuffer.isView(value) ? Array.from(value) : value;
};
const toJson = (request) => JSON.stringify(request, replacer) ?? "null";

// Errors of the route engine and of packs have no field; they become problems like those of the service.
const toProblem = ({ error: code, detail }) => ({
  type: "about:blank",
  title: "Unprocessable Content",
  status: 422,
  detail,
  instance: "",
  code,
  requestId: "page",
  errors: [],
});

// The compiled core throws problems and errors of the route engine as JSON text.
function withErrors(call) {
  try {
    return call();
  } catch (thrown) {
    if (typeof thrown === "string") {
      const problem = JSON.parse(thrown);
      throw new DespachoError(problem.error ? toProblem(problem) : problem);
    }
    throw thrown;
  }
}

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
    return withErrors(() => this.#inner.preview(toText(request), Number(now), language));
  }

  loadPack(bytes) {
    withErrors(() => this.#inner.loadPack(bytes));
  }

  free() {
    this.#inner.free();
  }
}

/** Opens the gazetteer. It is a separate file because not every page needs it. */
function openGazetteer(wasm, bytes) {
  try {
    wasm.loadGazetteer(
      ArrayBuffer.isView(bytes)
        ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
        : new Uint8Array(bytes),
    );
  } catch (message) {
    throw new Error(message);
  }
}

/** Creates the package's functions. The first call compiles the module. */
export function createPackage(compile, read) {
  let module;
  const start = async (source, gazetteer) => {
    // Both downloads run in parallel.
    const [wasm, bytes] = await Promise.all([
      compile(source),
      gazetteer === false ? null : read(gazetteer),
    ]);
    if (bytes !== null) openGazetteer(wasm, bytes);
    return wasm;
  };
  const load = (source, gazetteer) =>
    (module ??= start(source, gazetteer).catch((error) => {
      // Permits another attempt after a failed download.
      module = undefined;
      throw error;
    }));
  return {
    load: async (source, { gazetteer } = {}) => {
      await load(source, gazetteer);
    },
    createPreviewer: async (context, { language = "en" } = {}) => {
      const wasm = await load();
      return withErrors(
        () => new Previewer(new wasm.Previewer(toText(context), language), language),
      );
    },
    validateOrder: async (order, { language = "en" } = {}) => {
      const wasm = await load();
      withErrors(() => wasm.validateOrder(toText(order), language));
    },
    validateStore: async (store, { language = "en" } = {}) => {
      const wasm = await load();
      withErrors(() => wasm.validateStore(toText(store), language));
    },
    applyEvent: async (order, event, { language = "en" } = {}) => {
      const wasm = await load();
      return JSON.parse(withErrors(() => wasm.applyEvent(toText(order), toText(event), language)));
    },
    lookupPostcode: async (postcode) => {
      const wasm = await load();
      const found = wasm.lookupPostcode(String(postcode));
      return found === undefined ? null : JSON.parse(found);
    },
    bestRoute: async (request) => {
      const wasm = await load();
      return withErrors(() => wasm.bestRoute(toJson(request)));
    },
    assign: async (request) => {
      const wasm = await load();
      return withErrors(() => wasm.assign(toJson(request)));
    },
  };
}
