/** The reason of a failed delivery or a declined order: a list and free text. */

import { useState } from "preact/hooks";
import { texts } from "../texts";
import type { StepKind } from "../steps";
import { Field, FieldError } from "./parts";

interface Props {
  kind: StepKind;
  /** Reasons that the store has rules for. */
  ruled: readonly string[];
  value: string;
  set: (reason: string) => void;
  error: string | undefined;
}

export function ReasonField(props: Props) {
  const t = texts.value.form;
  const [isOther, setOther] = useState(false);
  const all = [...props.ruled, ...(props.kind === "decline" ? t.declineReasons : t.reasons)];
  // The service compares reasons without regard to case.
  const reasons = all.filter(
    (one, at) => all.findIndex((other) => other.toLowerCase() === one.toLowerCase()) === at,
  );
  const choose = (reason: string | null) => {
    setOther(reason === null);
    props.set(reason ?? "");
  };
  return (
    <fieldset class="field reasons">
      <legend>{t.reason}</legend>
      {[...reasons, null].map((reason, at) => {
        const isChosen = reason === null ? isOther : !isOther && props.value === reason;
        return (
          <label key={at} class="check">
            <input
              type="radio"
              name="reason"
              checked={isChosen}
              aria-invalid={props.error !== undefined && !isOther && at === 0 ? "true" : undefined}
              onChange={() => choose(reason)}
            />
            {reason ?? t.otherReason}
          </label>
        );
      })}
      {isOther ? (
        <Field
          id="step-reason"
          label={t.reasonText}
          value={props.value}
          set={props.set}
          error={props.error}
          lines={2}
        />
      ) : (
        <FieldError id="reasons" error={props.error} />
      )}
    </fieldset>
  );
}
