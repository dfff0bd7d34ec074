// The form and the result of <despacho-preview>: builds its elements and writes into them.
import { FIELDS, STATES, maskCaret, maskPostcode } from "./preview-text.js";

const make = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};

/** Creates the input of a field with its label and the place of its error. */
function makeField({ name, autocomplete, maxLength, inputMode, required }) {
  const control = make(name === "state" ? "select" : "input", { id: name, name, autocomplete });
  if (maxLength) control.maxLength = maxLength;
  if (inputMode) control.inputMode = inputMode;
  if (required) control.setAttribute("aria-required", "true");
  if (name === "state") {
    control.append(
      make("option", { value: "" }),
      ...STATES.map((state) => make("option", { value: state, textContent: state })),
    );
  }
  control.part.add("input");
  control.setAttribute("aria-describedby", `${name}-error`);
  const label = make("label", { htmlFor: name });
  const error = make("span", { id: `${name}-error`, className: "error" });
  const root = make("div", { className: `field ${name}` }, label, control, error);
  root.part.add("field");
  return { root, control, label, error };
}

/** The elements in the shadow root. */
export class Form {
  #fields = new Map();
  #legend = make("legend");
  #status = make("div");
  #retry = make("button", { type: "button", hidden: true });
  #fieldset;

  constructor(root, { changed, left, entered, retry }) {
    for (const field of FIELDS) this.#fields.set(field.name, makeField(field));
    const grid = make(
      "div",
      { className: "fields" },
      ...[...this.#fields.values()].map((field) => field.root),
    );
    this.#fieldset = make("fieldset", {}, this.#legend, grid);
    // A live region must exist before its text, or the text is not announced.
    this.#status.setAttribute("role", "status");
    this.#status.setAttribute("aria-live", "polite");
    this.#status.setAttribute("aria-atomic", "true");
    const result = make("div", { className: "result" }, this.#status, this.#retry);
    result.part.add("result");
    root.append(this.#fieldset, result);
    root.addEventListener("input", ({ target }) => {
      if (target.name === "zipCode") this.#mask(target);
      changed(target.name);
    });
    root.addEventListener("focusout", ({ target }) => left(target.name));
    // A field in a shadow root does not submit the surrounding form by itself.
    root.addEventListener("keydown", ({ key, target, isComposing }) => {
      if (key === "Enter" && target.tagName === "INPUT" && !isComposing) entered();
    });
    this.#retry.addEventListener("click", retry);
  }

  #mask(input) {
    const masked = maskPostcode(input.value);
    if (masked === input.value) return;
    const caret = maskCaret(input.value, input.selectionStart ?? input.value.length);
    input.value = masked;
    input.setSelectionRange(caret, caret);
  }

  /** Writes all labels. */
  label({ text, tag }) {
    this.#fieldset.lang = tag;
    this.#status.lang = tag;
    this.#legend.textContent = text.address;
    this.#retry.textContent = text.retry;
    for (const [name, { label }] of this.#fields) label.textContent = text[name];
    this.#fields.get("state").control.options[0].textContent = text.chooseState;
  }

  get disabled() {
    return this.#fieldset.disabled;
  }

  set disabled(disabled) {
    this.#fieldset.disabled = disabled;
  }

  /** The address as typed: null for an empty field. */
  get address() {
    return Object.fromEntries(
      [...this.#fields].map(([name, { control }]) => [name, control.value.trim() || null]),
    );
  }

  set address(address) {
    for (const [name, { control }] of this.#fields) {
      const value = String(address?.[name] ?? "");
      control.value =
        name === "zipCode" ? maskPostcode(value) : name === "state" ? value.toUpperCase() : value;
    }
  }

  set(name, value) {
    this.#fields.get(name).control.value = value;
  }

  control(name) {
    return this.#fields.get(name)?.control;
  }

  /** Shows the errors of fields, and removes all others. */
  showErrors(errors) {
    for (const [name, { control, error }] of this.#fields) {
      const detail = errors[name] ?? "";
      if (error.textContent !== detail) error.textContent = detail;
      if (detail === "") control.removeAttribute("aria-invalid");
      else control.setAttribute("aria-invalid", "true");
    }
  }

  /** Shows paragraphs, each a class and a text. The price has two texts: a label and the amount. Equal paragraphs are not written again. */
  show(paragraphs, { retry = false } = {}) {
    const next = make("div");
    for (const [className, text, amount] of paragraphs) {
      const paragraph = make("p", { className });
      if (amount === undefined) paragraph.textContent = text;
      else
        paragraph.append(
          make("span", { textContent: text }),
          " ",
          make("span", { className: "fee", textContent: amount }),
        );
      next.append(paragraph);
    }
    if (next.innerHTML !== this.#status.innerHTML) this.#status.replaceChildren(...next.childNodes);
    this.#retry.hidden = !retry;
  }
}
