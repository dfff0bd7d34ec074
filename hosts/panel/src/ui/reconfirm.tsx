/** Asks the person to confirm the session before a change that outlives it, such as a new webhook. The page sends the change again afterwards. */

import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { confirmation } from "../api/http";
import { accessTexts } from "../i18n/access";
import { Confirm } from "./confirm";
import { TextField } from "./field";

interface Props {
  /** What the person enters: the password of the login, or the operator's token. */
  field: { pointer: "/currentPassword" | "/token"; label: string };
  text: string;
  confirm: (secret: string) => Promise<unknown>;
}

/** The requests that wait for one dialog. */
const waiting = signal<readonly ((confirmed: boolean) => void)[]>([]);

/** Makes requests ask; the page must contain the dialog. */
export function askForConfirmation(): void {
  confirmation.ask = () => new Promise((resolve) => (waiting.value = [...waiting.value, resolve]));
}

function settle(confirmed: boolean): void {
  const all = waiting.value;
  waiting.value = [];
  for (const resolve of all) resolve(confirmed);
}

/** The dialog, while a request waits for it. */
export function Reconfirm(props: Props) {
  return waiting.value.length === 0 ? null : <ConfirmDialog {...props} />;
}

function ConfirmDialog(props: Props) {
  const t = accessTexts.value.confirm;
  const [secret, setSecret] = useState("");
  return (
    <Confirm
      title={t.title}
      text={props.text}
      submitLabel={t.submit}
      act={() => props.confirm(secret)}
      done={() => settle(true)}
      close={() => settle(false)}
    >
      <TextField
        pointer={props.field.pointer}
        label={props.field.label}
        value={secret}
        set={setSecret}
        type="password"
        complete="current-password"
      />
    </Confirm>
  );
}
