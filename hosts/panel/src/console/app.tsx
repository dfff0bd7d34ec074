/** The operator's console: session, menu, connection status and the current page. */

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { online } from "../api/http";
import { texts } from "../i18n";
import { accessTexts } from "../i18n/access";
import { parts } from "../router";
import { Frame } from "../ui/frame";
import { LanguageSwitch } from "../ui/language";
import { Empty, Failure, Loading, Page } from "../ui/parts";
import { Reconfirm, askForConfirmation } from "../ui/reconfirm";
import { Toasts, notifyError } from "../ui/toast";
import { PAGES } from "./pages";
import { confirmSession, restore, signOut, state } from "./session";
import { SignInPage } from "./sign-in";
import { consoleTexts } from "./texts";

askForConfirmation();
const loadError = signal<unknown>(null);

function load(): void {
  loadError.value = null;
  restore().catch((error: unknown) => (loadError.value = error));
}

export function Console() {
  useEffect(load, []);
  return (
    <>
      {state.value === "signedIn" ? (
        <SignedIn />
      ) : state.value === "signedOut" ? (
        <SignInPage />
      ) : (
        <Starting />
      )}
      <Toasts />
      <Reconfirm
        field={{ pointer: "/token", label: consoleTexts.value.signIn.token }}
        text={accessTexts.value.confirm.operatorText}
        confirm={confirmSession}
      />
    </>
  );
}

function Starting() {
  return (
    <main>
      <Page title={consoleTexts.value.title}>
        {loadError.value !== null ? <Failure error={loadError.value} retry={load} /> : <Loading />}
      </Page>
    </main>
  );
}

function SignedIn() {
  const t = consoleTexts.value;
  const entries = PAGES.map(({ name, label }) => ({ to: name, label: label() }));
  const account = (
    <>
      <p class="account-name">{t.title}</p>
      <LanguageSwitch />
      <button type="button" class="button small" onClick={() => void signOut().catch(notifyError)}>
        {t.out}
      </button>
    </>
  );
  const isOnline = online.value;
  const status = (
    <span class={`connection ${isOnline ? "live" : "off"}`}>
      {isOnline ? t.connected : texts.value.net.offline}
    </span>
  );
  return (
    <Frame entries={entries} status={status} account={account} banner={t.banner}>
      <CurrentPage />
    </Frame>
  );
}

function CurrentPage() {
  const [name = PAGES[0]?.name, ...rest] = parts.value;
  const found = PAGES.find((page) => page.name === name);
  if (found === undefined)
    return (
      <Page title={consoleTexts.value.title}>
        <Empty text={consoleTexts.value.missing} />
      </Page>
    );
  return <found.Page key={found.name} rest={rest} />;
}
