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

// A problem crosses the border as JSON text, a fault of the route engine as an object; anything else is a defect and stays as it is.
function calling(work) {
  try {
    return work();
  } catch (thrown) {
    if (typeof thrown === "string") throw new DespachoError(JSON.parse(thrown));
    if (thrown && typeof thrown === "object" && typeof thrown.error === "string") {
      throw new DespachoError({ code: thrown.error, detail: thrown.detail });
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

  free() {
    this.#inner.free();
  }
}

/** The package's functions over a module that is compiled once, when the first of them is called. */
export function surface(compile) {
  let module;
  const load = (source) => (module ??= compile(source).catch((fault) => {
    // A failed download may succeed the next time.
    module = undefined;
    throw fault;
  }));
  return {
    load: async (source) => {
      await load(source);
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
    lookupPostcode: async (postcode) => {
      const wasm = await load();
      const found = wasm.lookupPostcode(String(postcode));
      return found === undefined ? null : JSON.parse(found);
    },
    bestRoute: async (question) => {
      const wasm = await load();
      return calling(() => wasm.bestRoute(question));
    },
    assign: async (question) => {
      const wasm = await load();
      return calling(() => wasm.assign(question));
    },
  };
}
