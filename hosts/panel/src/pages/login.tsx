import { useEffect, useState } from "preact/hooks";
import { deployment } from "../api/client";
import { texts } from "../i18n";
import { ended, logIn } from "../session";
import { FieldErrors, ErrorBox, TextField, fieldErrorsOf } from "../ui/field";
import { useFirstField } from "../ui/focus";
import { LanguageSwitch } from "../ui/language";
import { useSubmit } from "../ui/submit";
import { loginTexts } from "../i18n/login";

const EMPTY = { email: "", password: "" };

export function LoginPage() {
  const t = loginTexts.value;
  const [demo, setDemo] = useState(EMPTY);
  const [typed, setTyped] = useState<typeof EMPTY | null>(null);
  const { email, password } = typed ?? demo;
  const [shown, setShown] = useState(false);
  useFirstField();
  const { error, busy, submit } = useSubmit(() => logIn(email.trim(), password));
  useEffect(() => {
    document.title = `${t.title} · ${texts.value.product}`;
  }, [t]);
  useEffect(() => {
    void deployment().then((config) => {
      if (config.demo !== null && !ended.value) setDemo(config.demo);
    });
  }, []);
  return (
    <main class="login">
      <form class="card" onSubmit={submit} noValidate data-first>
        <p class="name">
          <img src="./icon.svg" alt="" width="28" height="28" />
          {texts.value.product}
        </p>
        <h1 id="title">{t.title}</h1>
        <p class="lead">{t.lead}</p>
        {demo.email !== "" && demo.email === email && <p class="notice">{t.demo}</p>}
        {ended.value && (
          <p class="notice" role="status">
            {t.ended}
          </p>
        )}
        <FieldErrors.Provider value={fieldErrorsOf(error)}>
          <ErrorBox error={error} />
          <TextField
            pointer="/email"
            label={t.email}
            value={email}
            set={(email) => setTyped((before) => ({ password: "", ...before, email }))}
            suggested={typed === null}
            type="email"
            mode="email"
            complete="username"
          />
          <TextField
            pointer="/password"
            label={t.password}
            value={password}
            set={(password) => setTyped((before) => ({ email: demo.email, ...before, password }))}
            suggested={typed === null}
            type={shown ? "text" : "password"}
            complete="current-password"
          />
        </FieldErrors.Provider>
        <div class="check">
          <input
            id="show"
            type="checkbox"
            checked={shown}
            onChange={(event) => setShown(event.currentTarget.checked)}
          />
          <label for="show">{t.show}</label>
        </div>
        <div class="row between">
          <button type="submit" class="button primary" aria-disabled={busy}>
            {t.submit}
          </button>
          <LanguageSwitch />
        </div>
        <p class="hint">{t.forgot}</p>
      </form>
    </main>
  );
}
