// The custom element <despacho-preview>: an address form with the delivery's price, computed in the page.
import { DespachoError, createPreviewer, lookupPostcode } from "./web.js";
import { Form } from "./preview-form.js";
import { STYLE } from "./preview-style.js";
import { FIELDS, language } from "./preview-text.js";

/** The delay between the last input and the price, in milliseconds. A screen reader announces only the price of a pause. */
const DELAY = 250;
/** The code of an error without a problem document: the context or the package could not be loaded. */
const UNAVAILABLE = "context_unavailable";

let sheet;
function styleSheet() {
  if (sheet === undefined) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
  }
  return sheet;
}

/** Returns the name of the address field that a pointer names, or null. */
const fieldOf = (pointer) =>
  FIELDS.find(({ name }) => pointer === `/deliveries/0/address/${name}`)?.name ?? null;

async function fetchContext(url) {
  const response = await fetch(url, { headers: { accept: "application/json" } });
  if (!response.ok)
    throw new Error(
      `the preview context could not be loaded: HTTP ${response.status} from ${response.url}`,
    );
  return response.json();
}

// Permits an import on a server, which renders the tag only.
const Base = globalThis.HTMLElement ?? class {};

export class DespachoPreviewElement extends Base {
  static formAssociated = true;
  static observedAttributes = ["context-url", "locale", "pickup", "preparation-time", "required"];

  #internals;
  #form;
  #language;
  #given = null;
  #pickup = null;
  #order = {};
  #previewer;
  #loaded = 0;
  #validUntil = Infinity;
  #exact = true;
  #timer;
  #filled = {};
  #preview = null;
  #leftPostcode = false;

  constructor() {
    super();
    this.#internals = this.attachInternals();
    const root = this.attachShadow({ mode: "open", delegatesFocus: true });
    root.adoptedStyleSheets = [styleSheet()];
    this.#form = new Form(root, {
      changed: (name) => this.#changed(name),
      left: (name) => this.#left(name),
      entered: () => this.#submit(),
      retry: () => void this.#load(),
    });
    this.#relabel();
  }

  connectedCallback() {
    // A framework can set properties before the element is defined.
    for (const name of [
      "context",
      "contextUrl",
      "locale",
      "pickup",
      "preparationTime",
      "order",
      "address",
    ]) {
      if (!Object.hasOwn(this, name)) continue;
      const value = this[name];
      delete this[name];
      this[name] = value;
    }
    this.#updateForm();
    void this.#load();
  }

  disconnectedCallback() {
    this.#unschedule();
    this.#loaded++;
    this.#previewer?.free();
    this.#previewer = undefined;
  }

  attributeChangedCallback(name, old, value) {
    if (old === value) return;
    if (name === "context-url" || name === "locale") {
      if (name === "locale") this.#relabel();
      if (this.isConnected) void this.#load();
    } else if (name === "required") {
      this.#updateForm();
    } else {
      this.#schedule(0);
    }
  }

  /** The preview context as an object or JSON text; it takes precedence over `contextUrl`. */
  get context() {
    return this.#given;
  }

  set context(context) {
    this.#given = context ?? null;
    if (this.isConnected) void this.#load();
  }

  get contextUrl() {
    return this.getAttribute("context-url");
  }

  set contextUrl(url) {
    this.#reflect("context-url", url);
  }

  get locale() {
    return this.getAttribute("locale") ?? "pt-BR";
  }

  set locale(locale) {
    this.#reflect("locale", locale);
  }

  get preparationTime() {
    const text = this.getAttribute("preparation-time");
    return text === null || text.trim() === "" ? null : Number(text);
  }

  set preparationTime(minutes) {
    this.#reflect("preparation-time", minutes);
  }

  /** The address of the pickup, or null for the store's. */
  get pickup() {
    const text = this.getAttribute("pickup");
    return this.#pickup ?? (text === null ? null : JSON.parse(text));
  }

  set pickup(address) {
    this.#pickup = address ?? null;
    this.#schedule(0);
  }

  /** Other fields of the preview's request, for example `requirements` or `deliverAt`. */
  get order() {
    return this.#order;
  }

  set order(order) {
    this.#order = order ?? {};
    this.#schedule(0);
  }

  get address() {
    return this.#form.address;
  }

  set address(address) {
    this.#form.address = address;
    this.#filled = {};
    void this.#changed("zipCode");
  }

  get required() {
    return this.hasAttribute("required");
  }

  set required(required) {
    this.toggleAttribute("required", Boolean(required));
  }

  /** The shown preview, or null. */
  get preview() {
    return this.#preview;
  }

  /** The fields that an order requires and that are still empty. */
  get missing() {
    const { address } = this;
    return FIELDS.filter(({ name, required }) => required && address[name] === null).map(
      ({ name }) => name,
    );
  }

  /** Loads the context again if it has a URL, and computes the price. */
  refresh() {
    return this.#load();
  }

  checkValidity() {
    return this.#internals.checkValidity();
  }

  reportValidity() {
    return this.#internals.reportValidity();
  }

  get form() {
    return this.#internals.form;
  }

  formResetCallback() {
    this.address = null;
  }

  formDisabledCallback(disabled) {
    this.#form.disabled = disabled;
  }

  #reflect(name, value) {
    if (value === null || value === undefined) this.removeAttribute(name);
    else this.setAttribute(name, value);
  }

  #relabel() {
    this.#language = language(this.locale);
    this.#form.label(this.#language);
  }

  #emit(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }

  /** Loads the context and the package. A later call makes the result of an earlier one irrelevant. */
  async #load() {
    if (this.#given === null && this.contextUrl === null) return;
    const load = ++this.#loaded;
    this.#form.show([["note", this.#language.text.loading]]);
    try {
      let context = this.#given ?? (await fetchContext(this.contextUrl));
      if (typeof context === "string") context = JSON.parse(context);
      const previewer = await createPreviewer(context, { language: this.#language.tag });
      if (load !== this.#loaded) return previewer.free();
      this.#previewer?.free();
      this.#previewer = previewer;
      this.#exact = context.exact;
      this.#validUntil = context.validUntil ? Date.parse(context.validUntil) : Infinity;
    } catch (error) {
      if (load === this.#loaded) this.#unavailable(error);
      return;
    }
    await this.#fillCity();
    if (load === this.#loaded) this.#compute();
  }

  #unavailable(error) {
    this.#previewer?.free();
    this.#previewer = undefined;
    this.#setPreview(null);
    this.#form.show([["reason", this.#language.text.unavailable]], { retry: true });
    const problem = error instanceof DespachoError ? error.problem : null;
    this.#emit("despacho-error", {
      code: problem?.code ?? UNAVAILABLE,
      message: error.message,
      errors: [],
      problem,
    });
  }

  async #changed(name) {
    if (name === "zipCode") {
      this.#leftPostcode = false;
      await this.#fillCity();
    }
    this.#emit("despacho-change", { address: this.address, missing: this.missing });
    this.#schedule(DELAY);
  }

  /** Computes the price at once when a field loses the focus, so that a submitted form contains the newest values. */
  #left(name) {
    const isFirst = name === "zipCode" && !this.#leftPostcode;
    if (isFirst) this.#leftPostcode = true;
    if (isFirst || this.#timer !== undefined) this.#compute();
  }

  #submit() {
    if (this.#timer !== undefined) this.#compute();
    this.form?.requestSubmit();
  }

  /** Fills in the city and the state of a complete CEP, unless the customer typed others. */
  async #fillCity() {
    const { zipCode } = this.address;
    if (this.#previewer === undefined || zipCode?.length !== 9) return;
    const found = await lookupPostcode(zipCode);
    const now = this.address;
    if (found === null || now.zipCode !== zipCode) return;
    const isFree = (name) => now[name] === null || now[name] === this.#filled[name];
    if (!isFree("city") || !isFree("state")) return;
    for (const name of ["city", "state"]) this.#form.set(name, found[name]);
    this.#filled = { city: found.city, state: found.state };
  }

  #schedule(delay) {
    this.#unschedule();
    this.#timer = setTimeout(() => this.#compute(), delay);
  }

  #unschedule() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #compute() {
    this.#unschedule();
    this.#updateForm();
    if (this.#previewer === undefined) return;
    // A new tariff is in effect.
    if (this.#validUntil <= Date.now() && this.#given === null) return void this.#load();
    const { text } = this.#language;
    const address = this.address;
    const isShort = address.zipCode !== null && address.zipCode.length < 9;
    if (
      isShort ||
      (address.zipCode === null && (address.city === null || address.state === null))
    ) {
      this.#form.showErrors(isShort && this.#leftPostcode ? { zipCode: text.shortPostcode } : {});
      this.#form.show([["note", text.enterAddress]]);
      return this.#setPreview(null);
    }
    try {
      this.#showPreview(this.#previewer.preview(this.#request(address)), address);
    } catch (error) {
      if (!(error instanceof DespachoError)) return this.#unavailable(error);
      this.#showProblem(error.problem);
    }
  }

  #request(address) {
    const { preparationTime, pickup } = this;
    const request = {
      previewDeliveryTime: true,
      preparationTime,
      ...this.#order,
      deliveries: [{ address }],
    };
    return pickup === null ? request : { ...request, pickupAddress: pickup };
  }

  #showPreview(preview, address) {
    const { text, money, time, list } = this.#language;
    const { deliveryFeeMin: min, deliveryFeeMax: max, expectedPickup, expectedDelivery } = preview;
    const lines = [["price", text.fee, money(preview.deliveryFee)]];
    if (preview.estimated && min !== null && min !== max)
      lines.push(["note", text.range(money(min), money(max))]);
    if (preview.estimated || !this.#exact)
      lines.push(["note", preview.estimated ? text.estimated : text.inexact]);
    for (const [label, at] of [
      [text.pickup, expectedPickup],
      [text.delivery, expectedDelivery],
    ]) {
      if (at !== null) lines.push(["note", `${label}: ${time(at)}`]);
    }
    if (this.missing.length > 0) lines.push(["note", text.missing(list(this.missing))]);
    this.#form.showErrors({});
    this.#form.show(lines);
    this.#setPreview(preview);
    this.#emit("despacho-price", { preview, address, missing: this.missing });
  }

  #showProblem(problem) {
    const errors = problem.errors.map(({ pointer, code, detail }) => ({
      field: fieldOf(pointer),
      pointer,
      code,
      detail,
    }));
    const ofFields = Object.fromEntries(
      errors.filter(({ field }) => field !== null).map(({ field, detail }) => [field, detail]),
    );
    const others = errors
      .filter(({ field }) => field === null)
      .map(({ detail }) => ["note", detail]);
    this.#form.showErrors(ofFields);
    const reasons = errors.length > 0 ? others : [["note", problem.detail]];
    this.#form.show([["reason", problem.title], ...reasons]);
    this.#setPreview(null);
    this.#emit("despacho-error", { code: problem.code, message: problem.detail, errors, problem });
  }

  /** Stores the preview. A page that listens only to `despacho-price` also receives the end of a price. */
  #setPreview(preview) {
    const ended = preview === null && this.#preview !== null;
    this.#preview = preview;
    this.#updateForm();
    if (ended)
      this.#emit("despacho-price", { preview, address: this.address, missing: this.missing });
  }

  /** Writes the values and the validity for a surrounding form. */
  #updateForm() {
    const values = new FormData();
    const { missing, address, required } = this;
    const preview = this.#preview;
    const name = this.getAttribute("name");
    for (const [field, value] of name ? Object.entries(address) : [])
      values.append(`${name}.${field}`, value ?? "");
    if (name && preview !== null)
      values.append(`${name}.deliveryFee`, preview.deliveryFee.toFixed(2));
    this.#internals.setFormValue(values);
    if (!required || (preview !== null && missing.length === 0))
      return this.#internals.setValidity({});
    const { text, list } = this.#language;
    const message = preview === null ? text.required : text.missing(list(missing));
    this.#internals.setValidity(
      { valueMissing: true },
      message,
      this.#form.control(preview === null ? "zipCode" : missing[0]),
    );
  }
}

if (globalThis.customElements !== undefined && !customElements.get("despacho-preview")) {
  customElements.define("despacho-preview", DespachoPreviewElement);
}
