/** Fields of the filters above lists. */

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";

const DELAY_MS = 300;
/** The API rejects shorter searches. */
export const MIN_SEARCH = 2;

interface Attributes {
  "aria-invalid": "true" | undefined;
  "aria-describedby": string | undefined;
}

/** A control with its label and error. */
export function FilterField(props: {
  id: string;
  label: string;
  error?: string | null;
  grow?: boolean;
  children: (attributes: Attributes) => ComponentChildren;
}) {
  const { id, label, error = null, grow = false } = props;
  const errorId = error === null ? undefined : `${id}-error`;
  return (
    <label class={`inline${grow ? " grow" : ""}${error === null ? "" : " invalid"}`}>
      <span>{label}</span>
      {props.children({
        "aria-invalid": error === null ? undefined : "true",
        "aria-describedby": errorId,
      })}
      {error !== null && (
        <span class="field-error" id={errorId}>
          {error}
        </span>
      )}
    </label>
  );
}

export function SearchField(props: {
  label: string;
  hint: string;
  value: string;
  error?: string | null;
  set: (value: string) => void;
}) {
  return (
    <FilterField id="search" label={props.label} error={props.error ?? null} grow>
      {(attributes) => (
        <input
          {...attributes}
          type="search"
          placeholder={props.hint}
          maxLength={60}
          value={props.value}
          onInput={(event) => props.set(event.currentTarget.value)}
        />
      )}
    </FilterField>
  );
}

/** A day that can be empty. */
export function DayField(props: {
  id: string;
  label: string;
  value: string;
  min?: string;
  max?: string;
  error?: string | null;
  set: (day: string) => void;
}) {
  const { id, label, value, min, max, error = null } = props;
  return (
    <FilterField id={id} label={label} error={error}>
      {(attributes) => (
        <input
          {...attributes}
          type="date"
          value={value}
          min={min || undefined}
          max={max || undefined}
          onChange={(event) => props.set(event.currentTarget.value)}
        />
      )}
    </FilterField>
  );
}

/** Returns the value after the user stops typing. */
export function useDelayed<T>(current: T): T {
  const [applied, setApplied] = useState(current);
  const key = JSON.stringify(current);
  useEffect(() => {
    const timer = setTimeout(() => setApplied(current), DELAY_MS);
    return () => clearTimeout(timer);
  }, [key]);
  return applied;
}
