/** Form fields, each with its JSON pointer in the request body, so that the API's errors are shown next to them. */

import { createContext, type ComponentChildren, type JSX } from "preact";
import { useContext, useLayoutEffect, useRef } from "preact/hooks";
import { ApiError } from "../api/http";
import type { FieldError, Pointer } from "../api/wire";
import { texts } from "../i18n";

/** The API's errors for the fields of the current form. */
export const FieldErrors = createContext<readonly FieldError[]>([]);

export function fieldErrorsOf(error: unknown): readonly FieldError[] {
  return error instanceof ApiError ? error.fields : [];
}

/** Returns the element ID of a field. */
export function idOf(pointer: Pointer): string {
  return `f${pointer.replace(/[^A-Za-z0-9]/g, "-")}`;
}

/** Returns the errors that concern a field with a value. Once the user changes the value, they no longer do. */
function useErrors(value: unknown, concerns: (error: FieldError) => boolean): FieldError[] {
  const all = useContext(FieldErrors);
  const rejected = useRef({ all, value });
  if (rejected.current.all !== all) rejected.current = { all, value };
  return rejected.current.value === value ? all.filter(concerns) : [];
}

interface FieldProps {
  pointer: Pointer;
  label: string;
  hint?: string | undefined;
  optional?: boolean;
  wide?: boolean;
  /** The value, with which its errors end. */
  value?: unknown;
  children: (attributes: Attributes) => ComponentChildren;
}

interface Attributes {
  id: string;
  "aria-invalid": "true" | undefined;
  "aria-describedby": string | undefined;
}

/** A control with its label, hint and errors. */
export function Field(props: FieldProps) {
  const id = idOf(props.pointer);
  const errors = useErrors(props.value, (error) => error.pointer === props.pointer);
  const descriptions = [
    props.hint === undefined ? null : `${id}-hint`,
    errors.length > 0 ? `${id}-error` : null,
  ].filter(Boolean);
  return (
    <div class={`field${props.wide === true ? " wide" : ""}${errors.length > 0 ? " invalid" : ""}`}>
      <label for={id}>
        {props.label}
        {props.optional === true && <span class="optional"> {texts.value.common.optional}</span>}
      </label>
      {props.children({
        id,
        "aria-invalid": errors.length > 0 ? "true" : undefined,
        "aria-describedby": descriptions.length > 0 ? descriptions.join(" ") : undefined,
      })}
      {props.hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {props.hint}
        </p>
      )}
      {errors.length > 0 && (
        <p class="field-error" id={`${id}-error`}>
          {errors.map((error) => error.detail).join(" ")}
        </p>
      )}
    </div>
  );
}

interface TextProps extends Omit<FieldProps, "children" | "value"> {
  value: string;
  set: (value: string) => void;
  type?: "text" | "email" | "password" | "tel" | "url" | "number" | "date" | "datetime-local";
  mode?: "numeric" | "decimal" | "tel" | "email";
  complete?: string;
  max?: number;
  lines?: number;
  /** Formats the value when the field loses the focus. */
  format?: (typed: string) => string;
  /** Receives the value when the field loses the focus, and after a paste. */
  entered?: (value: string) => void;
  /** Formats the value while the user types at its end. */
  mask?: (typed: string) => string;
  /** Whether the value is a suggestion, which typing replaces. It can appear or change while the field has the focus. */
  suggested?: boolean;
}

export function TextField(props: TextProps) {
  const {
    value,
    set,
    type,
    mode,
    complete,
    max,
    lines,
    format,
    entered,
    mask,
    suggested = false,
    ...field
  } = props;
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (suggested && document.activeElement === input.current) input.current?.select();
  }, [suggested, value]);
  return (
    <Field {...field} value={value}>
      {(attributes) =>
        lines === undefined ? (
          <input
            ref={input}
            {...({
              ...attributes,
              type: type ?? "text",
              inputMode: mode,
              maxLength: max,
            } as JSX.IntrinsicElements["input"])}
            value={value}
            autocomplete={complete ?? "off"}
            onInput={(event) => {
              const text = masked(event.currentTarget, mask);
              set(text);
              if (event.inputType === "insertFromPaste") entered?.(text);
            }}
            onBlur={() => {
              if (format !== undefined) set(format(value));
              entered?.(value);
            }}
          />
        ) : (
          <textarea
            {...attributes}
            rows={lines}
            value={value}
            maxLength={max}
            onInput={(event) => set(event.currentTarget.value)}
          />
        )
      }
    </Field>
  );
}

/** Returns the masked value if the caret is at its end; elsewhere a mask would move the caret. Deleting adds nothing. */
function masked(input: HTMLInputElement, mask: ((typed: string) => string) | undefined): string {
  const { value } = input;
  if (mask === undefined || input.selectionStart !== value.length) return value;
  input.value = mask(value);
  return input.value;
}

interface ChoiceProps extends Omit<FieldProps, "children" | "value"> {
  value: string;
  set: (value: string) => void;
  options: readonly (readonly [string, string])[];
}

export function ChoiceField(props: ChoiceProps) {
  const { value, set, options, ...field } = props;
  return (
    <Field {...field} value={value}>
      {(attributes) => (
        <select {...attributes} value={value} onChange={(event) => set(event.currentTarget.value)}>
          {options.map(([name, label]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export function CheckField(props: {
  pointer: Pointer;
  label: string;
  hint?: string;
  value: boolean;
  set: (value: boolean) => void;
}) {
  const id = idOf(props.pointer);
  const errors = useErrors(props.value, (error) => error.pointer === props.pointer);
  const descriptions = [
    props.hint === undefined ? null : `${id}-hint`,
    errors.length > 0 ? `${id}-error` : null,
  ].filter(Boolean);
  return (
    <div class="check">
      <input
        id={id}
        type="checkbox"
        checked={props.value}
        aria-invalid={errors.length > 0 ? "true" : undefined}
        aria-describedby={descriptions.join(" ") || undefined}
        onChange={(event) => props.set(event.currentTarget.checked)}
      />
      <label for={id}>{props.label}</label>
      {props.hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {props.hint}
        </p>
      )}
      {errors.length > 0 && (
        <p class="hint field-error" id={`${id}-error`}>
          {errors.map((error) => error.detail).join(" ")}
        </p>
      )}
    </div>
  );
}

interface CheckListProps<T extends string> {
  pointer: Pointer;
  legend: ComponentChildren;
  hint?: string;
  class?: string;
  all: readonly T[];
  name: (one: T) => ComponentChildren;
  chosen: readonly string[];
  set: (chosen: T[]) => void;
}

/** A list of strings as checkboxes, with the errors of the list and its items above them, because a long list scrolls. */
export function CheckList<T extends string>(props: CheckListProps<T>) {
  const { pointer, all, chosen } = props;
  const id = idOf(pointer);
  const errors = useErrors(
    chosen.join(),
    (error) => error.pointer === pointer || error.pointer.startsWith(`${pointer}/`),
  );
  const isInvalid = errors.length > 0;
  const toggle = (one: T, on: boolean) =>
    props.set(all.filter((other) => (other === one ? on : chosen.includes(other))));
  return (
    <fieldset
      id={id}
      class={props.class ?? "choices"}
      tabIndex={-1}
      aria-describedby={isInvalid ? `${id}-error` : undefined}
    >
      <legend>{props.legend}</legend>
      {props.hint !== undefined && <p class="hint">{props.hint}</p>}
      {isInvalid && (
        <p class="field-error" id={`${id}-error`}>
          {[...new Set(errors.map((error) => error.detail))].join(" ")}
        </p>
      )}
      {all.map((one) => (
        <label key={one}>
          <input
            type="checkbox"
            checked={chosen.includes(one)}
            aria-invalid={isInvalid ? "true" : undefined}
            onChange={(event) => toggle(one, event.currentTarget.checked)}
          />
          {props.name(one)}
        </label>
      ))}
    </fieldset>
  );
}

/** Fields of one object in the request, with the errors of the object itself. */
export function FieldGroup(props: {
  pointer: Pointer;
  label: string;
  class?: string;
  children: ComponentChildren;
}) {
  const id = idOf(props.pointer);
  const errors = useContext(FieldErrors).filter((error) => error.pointer === props.pointer);
  return (
    <div
      id={id}
      class={props.class}
      role="group"
      aria-label={props.label}
      aria-describedby={errors.length > 0 ? `${id}-error` : undefined}
      tabIndex={-1}
    >
      {props.children}
      {errors.length > 0 && (
        <p class="field-error" id={`${id}-error`}>
          {errors.map((error) => error.detail).join(" ")}
        </p>
      )}
    </div>
  );
}

/** A section of a form that can be closed. It opens once it has values or errors, and stays open while the user clears a field. */
export function OptionalSection(props: {
  title: string;
  used: boolean;
  class?: string;
  testId?: string;
  children: ComponentChildren;
}) {
  const isOpen = useRef(false);
  isOpen.current ||= props.used;
  return (
    <details class={props.class} open={isOpen.current} data-testid={props.testId}>
      <summary>{props.title}</summary>
      {props.children}
    </details>
  );
}

/** Returns the field of a pointer, or the one of the list or object that contains its value. */
function elementOf(pointer: Pointer): HTMLElement | null {
  const element = document.getElementById(idOf(pointer));
  const end = pointer.lastIndexOf("/");
  return element ?? (end > 0 ? elementOf(pointer.slice(0, end)) : null);
}

function labelOf(element: HTMLElement): string | null | undefined {
  const label =
    element.querySelector(":scope > legend") ?? element.parentElement?.querySelector("label");
  return element.getAttribute("aria-label") ?? label?.firstChild?.textContent;
}

/** The errors of a form: links to the invalid fields, or the detail of the problem. */
export function ErrorBox(props: { error: unknown }) {
  const box = useRef<HTMLDivElement>(null);
  const errors = fieldErrorsOf(props.error);
  // Before the next paint, so that a field that the user is already correcting keeps the focus.
  useLayoutEffect(() => {
    if (props.error !== null) box.current?.focus();
  }, [props.error]);
  if (props.error === null) return null;
  if (errors.length === 0) {
    return (
      <div class="error-box" role="alert" tabIndex={-1} ref={box}>
        <p>
          {props.error instanceof ApiError ? props.error.problem.detail : texts.value.net.notSent}
        </p>
      </div>
    );
  }
  return (
    <div class="error-box" role="alert" tabIndex={-1} ref={box}>
      <p>{texts.value.errors.summary(errors.length)}</p>
      <ul>
        {errors.map((error) => {
          const element = elementOf(error.pointer);
          return (
            <li key={error.pointer + error.code}>
              {element === null ? (
                <span>
                  <code>{error.pointer}</code> {error.detail}
                </span>
              ) : (
                <button type="button" class="link" onClick={() => element.focus()}>
                  {labelOf(element) ?? error.pointer}: {error.detail}
                </button>
              )}
            </li>
          );
        })}
      </ul>
    </div>
  );
}
