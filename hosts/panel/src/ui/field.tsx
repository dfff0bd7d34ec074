/** Form fields that know their JSON pointer in the request's body, so that the API's errors are shown there. */

import { createContext, type ComponentChildren, type JSX } from "preact";
import { useContext, useEffect, useRef } from "preact/hooks";
import { ApiError } from "../api/http";
import type { FieldError, Pointer } from "../api/wire";
import { texts } from "../i18n";
import { Failure } from "./parts";

/** The API's errors by pointer. */
export const FieldErrors = createContext<readonly FieldError[]>([]);

export function fieldErrorsOf(error: unknown): readonly FieldError[] {
  return error instanceof ApiError ? error.fields : [];
}

/** An id for the element of a pointer. */
export function idOf(pointer: Pointer): string {
  return `f${pointer.replace(/[^A-Za-z0-9]/g, "-")}`;
}

interface FieldProps {
  at: Pointer;
  label: string;
  hint?: string | undefined;
  optional?: boolean;
  wide?: boolean;
  children: (attributes: Attributes) => ComponentChildren;
}

interface Attributes {
  id: string;
  "aria-invalid": "true" | undefined;
  "aria-describedby": string | undefined;
}

/** A label, its control, and its hints and errors. */
export function Field(props: FieldProps) {
  const id = idOf(props.at);
  const faults = useContext(FieldErrors).filter((fault) => fault.pointer === props.at);
  const notes = [props.hint === undefined ? null : `${id}-hint`, faults.length > 0 ? `${id}-fault` : null].filter(Boolean);
  return (
    <div class={`field${props.wide === true ? " wide" : ""}${faults.length > 0 ? " wrong" : ""}`}>
      <label for={id}>
        {props.label}
        {props.optional === true && <span class="optional"> {texts.value.common.optional}</span>}
      </label>
      {props.children({
        id,
        "aria-invalid": faults.length > 0 ? "true" : undefined,
        "aria-describedby": notes.length > 0 ? notes.join(" ") : undefined,
      })}
      {props.hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {props.hint}
        </p>
      )}
      {faults.length > 0 && (
        <p class="fault" id={`${id}-fault`}>
          {faults.map((fault) => fault.detail).join(" ")}
        </p>
      )}
    </div>
  );
}

interface TextProps extends Omit<FieldProps, "children"> {
  value: string;
  set: (value: string) => void;
  type?: "text" | "email" | "password" | "tel" | "url" | "number" | "date";
  mode?: "numeric" | "decimal" | "tel" | "email";
  complete?: string;
  max?: number;
  lines?: number;
}

export function TextField(props: TextProps) {
  const { value, set, type, mode, complete, max, lines, ...field } = props;
  return (
    <Field {...field}>
      {(attributes) =>
        lines === undefined ? (
          <input
            {...({ ...attributes, type: type ?? "text", inputMode: mode, maxLength: max } as JSX.IntrinsicElements["input"])}
            value={value}
            autocomplete={complete ?? "off"}
            onInput={(event) => set(event.currentTarget.value)}
          />
        ) : (
          <textarea {...attributes} rows={lines} value={value} maxLength={max} onInput={(event) => set(event.currentTarget.value)} />
        )
      }
    </Field>
  );
}

interface ChoiceProps extends Omit<FieldProps, "children"> {
  value: string;
  set: (value: string) => void;
  options: readonly (readonly [string, string])[];
}

export function ChoiceField(props: ChoiceProps) {
  const { value, set, options, ...field } = props;
  return (
    <Field {...field}>
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

export function CheckField(props: { at: Pointer; label: string; hint?: string; value: boolean; set: (value: boolean) => void }) {
  const id = idOf(props.at);
  return (
    <div class="check">
      <input
        id={id}
        type="checkbox"
        checked={props.value}
        aria-describedby={props.hint === undefined ? undefined : `${id}-hint`}
        onChange={(event) => props.set(event.currentTarget.checked)}
      />
      <label for={id}>{props.label}</label>
      {props.hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {props.hint}
        </p>
      )}
    </div>
  );
}

/** The errors of a form: a list with links to its fields, or the problem itself. */
export function ErrorBox(props: { error: unknown }) {
  const box = useRef<HTMLDivElement>(null);
  const faults = fieldErrorsOf(props.error);
  useEffect(() => {
    if (props.error !== null) box.current?.focus();
  }, [props.error]);
  if (props.error === null) return null;
  if (faults.length === 0) {
    return props.error instanceof ApiError ? (
      <div class="error-box" role="alert" tabIndex={-1} ref={box}>
        <p>{props.error.problem.detail}</p>
      </div>
    ) : (
      <Failure error={props.error} />
    );
  }
  return (
    <div class="error-box" role="alert" tabIndex={-1} ref={box}>
      <p>{texts.value.errors.summary(faults.length)}</p>
      <ul>
        {faults.map((fault) => {
          const there = document.getElementById(idOf(fault.pointer));
          return (
            <li key={fault.pointer + fault.code}>
              {there === null ? (
                <span>
                  <code>{fault.pointer}</code> {fault.detail}
                </span>
              ) : (
                <button type="button" class="link" onClick={() => there.focus()}>
                  {there.parentElement?.querySelector("label")?.firstChild?.textContent ?? fault.pointer}: {fault.detail}
                </button>
              )}
            </li>
          );
        })}
      </ul>
    </div>
  );
}
