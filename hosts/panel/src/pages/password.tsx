/** Sets a password with the code of a one-time link. */

import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { passwords } from "../api/client";
import { ApiError, invalidFields } from "../api/http";
import { texts } from "../i18n";
import { accessTexts } from "../i18n/access";
import { go } from "../router";
import { FieldErrors, ErrorBox, TextField, fieldErrorsOf } from "../ui/field";
import { useFirstField } from "../ui/focus";
import { LanguageSwitch } from "../ui/language";
import { useSubmit } from "../ui/submit";

export function PasswordPage(props: { code: string }) {
  const t = accessTexts.value;
  // The code works only once, and must not stay in the address or the history.
  const [code] = useState(props.code);
  const [password, setPassword] = useState("");
  const [repeated, setRepeated] = useState("");
  const [different, setDifferent] = useState<ApiError | null>(null);
  const [done, setDone] = useState(false);
  useFirstField();
  useLayoutEffect(() => history.replaceState(null, "", "#/password"), []);
  useEffect(() => {
    document.title = `${t.reset.title} · ${texts.value.product}`;
  }, [t]);
  const form = useSubmit(
    () => passwords.reset(code, password),
    () => setDone(true),
  );
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setDifferent(
      password === repeated
        ? null
        : new ApiError(
            invalidFields([
              { pointer: "/repeated", code: "invalid_value", detail: t.reset.different },
            ]),
          ),
    );
    if (password === repeated) form.submit(event);
  };
  return (
    <main class="login">
      <form class="card" onSubmit={submit} noValidate data-testid="reset" data-first>
        <p class="name">
          <img src="./icon.svg" alt="" width="28" height="28" />
          {texts.value.product}
        </p>
        <h1 id="title">{t.reset.title}</h1>
        {done ? (
          <>
            <p class="notice" role="status">
              {t.reset.done}
            </p>
            <button type="button" class="button primary" onClick={() => go("/orders")}>
              {t.reset.toLogin}
            </button>
          </>
        ) : (
          <>
            <p class="lead">{t.reset.lead}</p>
            <FieldErrors.Provider value={fieldErrorsOf(different ?? form.error)}>
              <ErrorBox error={different ?? form.error} />
              <TextField
                pointer="/newPassword"
                label={t.newPassword}
                hint={t.newPasswordHint}
                value={password}
                set={setPassword}
                type="password"
                complete="new-password"
              />
              <TextField
                pointer="/repeated"
                label={t.reset.repeat}
                value={repeated}
                set={setRepeated}
                type="password"
                complete="new-password"
              />
            </FieldErrors.Provider>
            <div class="row between">
              <button type="submit" class="button primary" aria-disabled={form.busy}>
                {t.reset.submit}
              </button>
              <LanguageSwitch />
            </div>
          </>
        )}
      </form>
    </main>
  );
}
