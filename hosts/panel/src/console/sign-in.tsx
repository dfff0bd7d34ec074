import { useEffect, useState } from "preact/hooks";
import { texts } from "../i18n";
import { ErrorBox, FieldErrors, TextField, fieldErrorsOf } from "../ui/field";
import { useFirstField } from "../ui/focus";
import { LanguageSwitch } from "../ui/language";
import { useSubmit } from "../ui/submit";
import { ended, signIn } from "./session";
import { consoleTexts } from "./texts";

export function SignInPage() {
  const t = consoleTexts.value;
  const [token, setToken] = useState("");
  const { error, busy, submit } = useSubmit(() => signIn(token.trim()));
  useFirstField();
  useEffect(() => {
    document.title = `${t.title} · ${texts.value.product}`;
  }, [t]);
  return (
    <main class="login">
      <form class="card" onSubmit={submit} noValidate data-first>
        <p class="name">
          <img src="./icon.svg" alt="" width="28" height="28" />
          {texts.value.product}
        </p>
        <h1 id="title">{t.title}</h1>
        <p class="lead">{t.signIn.lead}</p>
        {ended.value && (
          <p class="notice" role="status">
            {t.signIn.ended}
          </p>
        )}
        <FieldErrors.Provider value={fieldErrorsOf(error)}>
          <ErrorBox error={error} />
          <TextField
            pointer="/token"
            label={t.signIn.token}
            hint={t.signIn.tokenHint}
            value={token}
            set={setToken}
            type="password"
            complete="current-password"
            max={256}
          />
        </FieldErrors.Provider>
        <div class="row between">
          <button type="submit" class="button primary" aria-disabled={busy}>
            {t.signIn.submit}
          </button>
          <LanguageSwitch />
        </div>
      </form>
    </main>
  );
}
