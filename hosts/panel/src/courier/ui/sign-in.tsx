/** The sign-in with a one-time code. */

import { useState } from "preact/hooks";
import { UnavailableError } from "../api";
import { me, waiting } from "../state";
import { signIn, sync } from "../sync";
import { texts } from "../texts";
import { Button, Field, Languages } from "./parts";

/** Returns the code of a link or of pasted text. */
export function codeIn(text: string): string | null {
  return /in_[\w-]+/.exec(text)?.[0] ?? null;
}

export function SignIn(props: { error: string }) {
  const t = texts.value;
  const [text, setText] = useState("");
  const [error, setError] = useState(props.error);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    const code = codeIn(text);
    if (code === null) return setError(t.signIn.invalid);
    if (isBusy) return;
    setBusy(true);
    try {
      await signIn(code);
      void sync();
    } catch (failure) {
      setError(failureText(failure));
      setBusy(false);
    }
  };
  return (
    <main class="screen sign-in" id="main">
      <img src="./icon.svg" alt="" width="56" height="56" />
      <h1 id="title" tabIndex={-1}>
        {t.signIn.title}
      </h1>
      {me.value !== null && <p>{t.signIn.ended}</p>}
      {me.value !== null && waiting.value.length > 0 && (
        <p class="strong">{t.signIn.unsent(waiting.value.length)}</p>
      )}
      <p>{t.signIn.lead}</p>
      <form onSubmit={(event) => void submit(event)} noValidate>
        <Field
          id="code"
          label={t.signIn.code}
          value={text}
          set={(typed) => {
            setText(typed);
            setError("");
          }}
          error={error === "" ? undefined : error}
          max={400}
        />
        <div role="alert" class="unseen">
          {error}
        </div>
        <Button type="submit" kind="primary" busy={isBusy} testId="sign-in">
          {t.signIn.submit}
        </Button>
      </form>
      <Languages />
    </main>
  );
}

export function failureText(failure: unknown): string {
  if (failure instanceof UnavailableError) return texts.value.settings.signOutOffline;
  return failure instanceof Error ? failure.message : String(failure);
}
