/** Components that the app's screens share. */

import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { language, setLanguage } from "../../i18n/language";
import { texts } from "../texts";

const announcement = signal({ text: "", count: 0 });

/** Announces a change of state to screen readers. */
export function announce(text: string): void {
  announcement.value = { text, count: announcement.value.count + 1 };
}

/** The live region. A repeated text is a new element, so that it is announced again. */
export function Announcements() {
  const { text, count } = announcement.value;
  return (
    <div class="unseen" role="status" aria-live="polite" data-testid="announcement">
      <span key={count}>{text}</span>
    </div>
  );
}

interface ButtonProps {
  children: ComponentChildren;
  onClick?: () => void;
  kind?: "primary" | "danger" | "plain";
  type?: "submit" | "button";
  busy?: boolean;
  testId?: string;
}

export function Button(props: ButtonProps) {
  return (
    <button
      type={props.type ?? "button"}
      class={`button ${props.kind ?? "plain"}`}
      aria-disabled={props.busy === true ? "true" : undefined}
      data-testid={props.testId}
      onClick={() => props.busy !== true && props.onClick?.()}
    >
      {props.children}
    </button>
  );
}

interface BannerProps {
  tone: "wait" | "bad" | "warn";
  title: string;
  children?: ComponentChildren;
  testId: string;
}

export function Banner(props: BannerProps) {
  return (
    <section
      class={`banner ${props.tone}`}
      role={props.tone === "bad" ? "alert" : "status"}
      data-testid={props.testId}
    >
      <p class="strong">{props.title}</p>
      {props.children}
    </section>
  );
}

/** A text field with its label, hint and error. */
export function Field(props: {
  id: string;
  label: string;
  value: string;
  set: (value: string) => void;
  hint?: string | undefined;
  error?: string | undefined;
  lines?: number;
  optional?: boolean;
  max?: number;
  code?: boolean;
}) {
  const { id, value, set, hint, error } = props;
  const [hasLetters, setLetters] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const toggle = () => {
    setLetters(!hasLetters);
    input.current?.focus();
  };
  const describedBy = [
    hint === undefined ? "" : `${id}-hint`,
    error === undefined ? "" : `${id}-error`,
  ]
    .filter(Boolean)
    .join(" ");
  const shared = {
    id,
    value,
    maxLength: props.max ?? 255,
    "aria-invalid": error === undefined ? undefined : ("true" as const),
    "aria-describedby": describedBy === "" ? undefined : describedBy,
    onInput: (event: { currentTarget: { value: string } }) => set(event.currentTarget.value),
    autocomplete: "off" as const,
  };
  return (
    <div class="field">
      <label for={id}>
        {props.label}
        {props.optional === true && <span class="dim"> ({texts.value.form.optional})</span>}
      </label>
      {props.lines === undefined ? (
        <div class="code-row">
          <input
            {...shared}
            ref={input}
            type="text"
            class={props.code === true ? "code" : ""}
            {...(props.code === true
              ? {
                  autocapitalize: "characters",
                  spellcheck: false,
                  inputMode: hasLetters ? ("text" as const) : ("numeric" as const),
                }
              : {})}
          />
          {props.code === true && <LettersButton pressed={hasLetters} toggle={toggle} />}
        </div>
      ) : (
        <textarea {...shared} rows={props.lines} />
      )}
      {hint !== undefined && (
        <p class="dim" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      <FieldError id={id} error={error} />
    </div>
  );
}

/** Switches the keypad of a code between digits, which most codes have, and letters. */
function LettersButton(props: { pressed: boolean; toggle: () => void }) {
  return (
    <button
      type="button"
      class="button plain"
      aria-pressed={props.pressed}
      aria-label={texts.value.form.letters}
      onClick={props.toggle}
    >
      ABC
    </button>
  );
}

export function FieldError(props: { id: string; error: string | undefined }) {
  return props.error === undefined ? null : (
    <p class="error" id={`${props.id}-error`}>
      {props.error}
    </p>
  );
}

export function Copy(props: { text: string; label: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = () => {
    void navigator.clipboard?.writeText(props.text).then(() => {
      setCopied(true);
      announce(texts.value.copied);
    });
  };
  return (
    <button
      type="button"
      class="button plain"
      aria-label={`${texts.value.copy}: ${props.label}`}
      onClick={copy}
    >
      {isCopied ? texts.value.copied : texts.value.copy}
    </button>
  );
}

export function Languages() {
  return (
    <div class="languages" role="group" aria-label={texts.value.language}>
      {(["pt", "en"] as const).map((one) => (
        <button
          key={one}
          type="button"
          class="button plain"
          lang={one}
          aria-pressed={language.value === one}
          onClick={() => setLanguage(one)}
        >
          {one === "pt" ? "Português" : "English"}
        </button>
      ))}
    </div>
  );
}
