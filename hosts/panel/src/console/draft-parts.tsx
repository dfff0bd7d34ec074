/** The parts of the editors of versions: of the tariff and of pay plans. */

import { useEffect, useState } from "preact/hooks";
import { ApiError, online } from "../api/http";
import type { FieldError } from "../api/wire";
import { zone } from "../context";
import { language } from "../i18n";
import { Confirm } from "../ui/confirm";
import { Field } from "../ui/field";
import { Failure } from "../ui/parts";
import { instantOf } from "./tariffs/draft";
import { tariffTexts } from "./texts/tariffs";

const DELAY_MS = 400;

/** What the server returned for a draft. */
export interface Checked<T> {
  /** The result of the present draft, or null while it is unknown. */
  value: T | null;
  /** The last result, shown while a new one is requested. */
  last: T | null;
  error: unknown;
}

/** Sends a request when the draft has changed. Without a request, the last result stays. `of` is the draft. */
export function useChecked<T>(
  of: unknown,
  request: ((signal: AbortSignal) => Promise<T>) | null,
): Checked<T> {
  const [last, setLast] = useState<{ key: string; value: T } | null>(null);
  const [failure, setFailure] = useState<{ key: string; error: unknown } | null>(null);
  const key = JSON.stringify([of, request === null, language.value]);
  const isOnline = online.value;
  useEffect(() => {
    if (request === null) return;
    const stop = new AbortController();
    const send = () =>
      request(stop.signal).then(
        (value) => {
          setLast({ key, value });
          setFailure(null);
        },
        (error: unknown) => stop.signal.aborted || setFailure({ key, error }),
      );
    const timer = setTimeout(() => void send(), DELAY_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [key, isOnline]);
  return {
    value: last?.key === key ? last.value : null,
    last: last?.value ?? null,
    error: failure?.key === key ? failure.error : null,
  };
}

/** An error of a preview that is not one of the draft's fields, which the form shows. `base` is their pointer. */
export function PreviewFailure(props: { error: unknown; base: string }) {
  const { error } = props;
  if (error === null) return null;
  if (!(error instanceof ApiError) || error.fields.length === 0) return <Failure error={error} />;
  const own = error.fields.find(({ pointer }) => !pointer.startsWith(props.base));
  return own === undefined ? null : (
    <p class="field-error" role="alert">
      {own.detail}
    </p>
  );
}

/** The end of an editor: its status, and the buttons that discard the draft or put it into effect. */
export function DraftActions(props: {
  errors: readonly FieldError[];
  /** The status without errors. */
  status: string;
  canActivate: boolean;
  activate: () => void;
  discard: () => void;
}) {
  const t = tariffTexts.value;
  const [isDiscarding, setDiscarding] = useState(false);
  const count = props.errors.length;
  return (
    <>
      <div class="row between">
        <p role="status" class={count > 0 ? "warn-text" : "dim"}>
          {count > 0 ? t.invalid(count) : props.status}
        </p>
        <div class="row">
          <button type="button" class="button" onClick={() => setDiscarding(true)}>
            {t.discard}
          </button>
          <button
            type="button"
            class="button primary"
            disabled={!props.canActivate}
            onClick={props.activate}
          >
            {t.activate}
          </button>
        </div>
      </div>
      {isDiscarding && (
        <Confirm
          danger
          title={t.discard}
          text={t.discardText}
          submitLabel={t.discard}
          closeLabel={t.cancel}
          act={() => Promise.resolve()}
          done={props.discard}
          close={() => setDiscarding(false)}
        />
      )}
    </>
  );
}

/** The local day and time of effect; empty means at once. */
export function EffectiveField(props: { value: string; set: (value: string) => void }) {
  const t = tariffTexts.value;
  return (
    <Field
      pointer="/effectiveFrom"
      label={t.effectiveFrom}
      hint={t.effectiveHint(zone.value)}
      optional
    >
      {(attributes) => (
        <input
          {...attributes}
          type="datetime-local"
          value={props.value}
          onInput={(event) => props.set(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** Returns the member of a request for a time of effect. */
export function effectiveFrom(value: string): { effectiveFrom?: string } {
  const [date = "", time = ""] = value.split("T");
  return value === "" ? {} : { effectiveFrom: instantOf(date, time, zone.value) };
}
